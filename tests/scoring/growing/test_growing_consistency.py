"""The shares of a person's answers, with their intervals."""

from __future__ import annotations

import pytest

from scenarios.growing.review import Answers, Review
from scoring.growing.consistency import PUBLISHED, Share, report, share


def line(number: int, level: bool | None, manner: bool | None, at: int = 1, **more: str) -> Review:
    return Review.model_validate(
        {
            "scenario": f"joke-{at}-g{number:04d}",
            "domain": "entertainment",
            "task": "joke",
            "level": at,
            "text": "A joke, please.",
            "content": ["tells a joke"],
            "answers": Answers(level=level, manner=manner),
            **more,
        }
    )


def test_a_share_has_wilsons_interval() -> None:
    found = share([True] * 90 + [False] * 10)
    # Wilson, z = 1.96: centre (0.9 + 1.9208 / 100) / 1.038416 = 0.88521, half width
    # 1.96 / 1.038416 * sqrt(0.9 * 0.1 / 100 + 3.8416 / 40000) = 1.88749 * 0.031560 = 0.05957
    assert found.to_json() == {
        "share": 0.9,
        "interval": [pytest.approx(0.8256, abs=1e-4), pytest.approx(0.9448, abs=1e-4)],
        "yes": 90,
        "n": 100,
        "unanswered": 0,
    }


def test_what_is_not_answered_is_counted_and_left_out() -> None:
    assert share([True, None, False, None, True]) == Share(2, 3, 2)
    assert share([None]).to_json() == {
        "share": None,
        "interval": None,
        "yes": 0,
        "n": 0,
        "unanswered": 1,
    }


def test_a_report_is_over_all_and_by_level_and_names_every_no() -> None:
    lines = [
        line(1, True, True),
        line(2, False, True, note="needs the voice", reviewer="Kim"),
        line(3, True, None, at=2, reviewer="Lee"),
        line(4, None, False, at=2),
    ]
    found = report(lines)
    assert (found["scenarios"], found["published"]) == (4, {"level": 0.90, "manner": 0.93})
    assert [found["level"][key] for key in ("yes", "n", "unanswered")] == [2, 3, 1]
    assert [found["manner"][key] for key in ("yes", "n", "unanswered")] == [2, 3, 1]
    assert found["by_level"]["2"]["level"]["share"] == 1.0
    assert found["inconsistent"] == [
        {"scenario": "joke-1-g0002", "questions": ["level"], "note": "needs the voice"},
        {"scenario": "joke-2-g0004", "questions": ["manner"], "note": ""},
    ]
    assert found["reviewers"] == ["Kim", "Lee"]
    assert dict(PUBLISHED) == found["published"]
