from __future__ import annotations

from pathlib import Path

import pytest

from recordings.format import Absent, Imported
from recordings.reader import Episode
from scoring.metric import Measured, Unscored
from scoring.score import METRICS, read_timeline, view_of
from scoring.unobserved import MIXED, NO_SCENARIO, OF_BOTH_AT_ONCE, measured
from scoring.view import EpisodeView
from tests.scoring.episodes import CallMaker, tone


def view(tmp_path: Path, **changes: object) -> EpisodeView:
    call = CallMaker(user_rate=16000, endpoint_rate=16000).user(0.5, 1.5).reply(2.0, tone(1.0, 16000))
    episode = Episode.load(call.write(tmp_path / "call"))
    episode = Episode(episode.path, episode.info.model_copy(update=changes))
    return view_of(episode, read_timeline(episode), None)


def test_every_metric_of_both_at_once_is_one() -> None:
    assert {metric.name for metric in METRICS} >= OF_BOTH_AT_ONCE


def test_a_mix_says_nothing_of_what_needs_both_sides_at_once(tmp_path: Path) -> None:
    mixed, apart = view(tmp_path, absent=(Absent.OVERLAP,)), view(tmp_path)
    for metric in METRICS:
        found = measured(metric, mixed)
        expected = [Unscored(MIXED)] if metric.name in OF_BOTH_AT_ONCE else metric.measure(apart)
        assert found == expected, metric.name


@pytest.mark.parametrize(
    ("changes", "passed"),
    [
        ({}, Measured(1.0)),  # our own call came to its end: that is what it was for
        ({"imported": Imported(format="stereo")}, Unscored(NO_SCENARIO)),
        (
            {"imported": Imported(format="stereo"), "scenario": {"turns": [{"text": "Hello?"}]}},
            Measured(1.0),
        ),
    ],
)
def test_a_call_of_which_nobody_says_what_it_was_for_has_not_passed(
    tmp_path: Path, changes: dict[str, object], passed: object
) -> None:
    (metric,) = (metric for metric in METRICS if metric.name == "passed")
    assert measured(metric, view(tmp_path, **changes)) == [passed]
