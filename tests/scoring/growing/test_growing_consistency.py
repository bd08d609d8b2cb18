"""The shares of a person's answers, with their intervals."""

from __future__ import annotations

import pytest

from scenarios.growing.review import Answers as Filled
from scenarios.growing.review import Review
from scoring.growing.consistency import PUBLISHED, Share, report, share
from scoring.growing.opinions import NO, YES, by_hand, key
from scoring.labelling.plan import Answers
from scoring.labelling.protocol import Answer


def line(number: int, level: bool | None, manner: bool | None, at: int = 1, **more: str) -> Review:
    return Review.model_validate(
        {
            "scenario": f"joke-{at}-g{number:04d}",
            "domain": "entertainment",
            "task": "joke",
            "level": at,
            "text": "A joke, please.",
            "content": ["tells a joke"],
            "answers": Filled(level=level, manner=manner),
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
    found = report(lines, by_hand(lines))
    assert (found["scenarios"], found["published"]) == (4, {"level": 0.90, "manner": 0.93})
    assert [found["level"][key] for key in ("yes", "n", "unanswered")] == [2, 3, 1]
    assert [found["manner"][key] for key in ("yes", "n", "unanswered")] == [2, 3, 1]
    assert found["by_level"]["2"]["level"]["share"] == 1.0
    assert found["inconsistent"] == [
        {"scenario": "joke-1-g0002", "questions": ["level"], "note": "needs the voice"},
        {"scenario": "joke-2-g0004", "questions": ["manner"], "note": ""},
    ]
    assert found["reviewers"] == ["Kim", "Lee", "by hand"]  # who left no name filled it in by hand
    assert found["between_people"]["level"]["n"] == 0  # nobody looked at what another has looked at
    assert dict(PUBLISHED) == found["published"]


def said(*levels: str | None) -> Answers:
    """What one person says of the level of scenario 1, 2, ...; None is withheld."""
    given = ((key(f"joke-1-g{n:04d}", "level"), one) for n, one in enumerate(levels, start=1))
    return {asked: Answer(one, None if one else "inaudible") for asked, one in given}


def test_of_several_people_the_most_decide_and_where_they_are_divided_it_is_not_consistent() -> None:
    lines = [line(n, None, None) for n in range(1, 5)]
    found = report(
        lines,
        {"ann": said(YES, NO, YES), "bob": said(YES, NO, NO), "cleo": said(NO, YES, None)},
        {"joke-1-g0003": ["bob: which level?"]},
    )
    # yes: 2 of 3, 1 of 3, 1 of 2; nobody has looked at the fourth
    assert [found["level"][name] for name in ("yes", "n", "unanswered")] == [1, 3, 1]
    assert found["divided"] == {"level": 1, "manner": 0}
    assert found["withheld"] == {"level": {"inaudible": 1}, "manner": {}}
    assert found["inconsistent"] == [
        {"scenario": "joke-1-g0002", "questions": ["level"], "note": ""},
        {"scenario": "joke-1-g0003", "questions": ["level"], "note": "bob: which level?"},
    ]
    assert found["by_person"]["ann"]["level"]["share"] == pytest.approx(2 / 3, abs=1e-4)
    pairs = {(p["a"], p["b"]): (p["right"], p["n"]) for p in found["between_people"]["level"]["pairs"]}
    assert pairs == {("ann", "bob"): (2, 3), ("ann", "cleo"): (0, 2), ("bob", "cleo"): (0, 2)}
    assert found["between_people"]["manner"] == {"undefined": "fewer_than_two_people"}
