"""How `benchmarks.sessions.live_words` reads recordings, and what `measured` makes of ticks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.sessions.live_words import _answers, decided_after_s, measured
from benchmarks.sessions.measured import Measure, together


def turn(t: float, by: str = "smart-turn", likely: float | None = 0.9, heard: str | None = "x") -> Any:
    """A turn whose last sample of speech is at 24000."""
    return {"kind": "turn_ended", "t": t, "end": 24000, "by": by, "probability": likely, "heard": heard}


def test_words_are_late_by_what_comes_after_the_decision() -> None:
    # speech ends at 24000 / 24000 = 1 s; decided at 1.5 s, or at 3 s where the turn may go on
    info = {"outcome": "completed", "endpoint_rate": 24000, "lateness": {"p99": 0.4}}
    events = [turn(2.0), turn(3.3, "silence", 0.1), turn(1.4, "user_spoke"), turn(9.0, heard=None)]
    found = measured([(info, events)])
    # after the decision 0.5, 0.3 and 0.4 s; after the speech 1.0, 2.3 and 0.4 s
    assert (found["after_turn_median_s"], found["after_speech_median_s"]) == (0.4, 1.0)
    assert (found["turns"], found["without_words"], found["outcomes"]) == (3, 1, {"completed": 1})


def test_calls_without_any_words_are_told_and_not_left_out() -> None:
    info = {"outcome": "behind_real_time", "endpoint_rate": 24000, "lateness": None}
    found = measured([(info, [turn(2.0, heard=None)])])
    assert (found["calls"], found["turns"], found["without_words"]) == (1, 0, 1)
    assert found["after_turn_p95_s"] is None


@pytest.mark.parametrize(
    ("by", "probability", "seconds"),
    [("smart-turn", 0.5, 0.5), ("silence", 0.49, 2.0), ("silence", None, 2.0), ("cut", 0.9, 0.0)],
)
def test_the_ear_decides_by_the_probability(by: str, probability: float | None, seconds: float) -> None:
    assert decided_after_s(turn(0.0, by, probability)) == seconds


def test_the_endpoint_knows_an_answer_to_each_question() -> None:
    answers = _answers()
    assert len(answers) == 6
    assert any("spike protein" in sentence for sentence in answers[0]["sentences"])


def test_percentiles_are_of_all_ticks_and_not_of_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    """One session that is late throughout is no more than its share of the ticks."""
    told = []
    for late in ([[0.0] * 990, [1.0] * 5], [[0.0] * 1000, [9.0] * 5]):
        measure = Measure(2, 1.0)
        measure._cpu_s, measure._span_s, measure._first_mb, measure._all_mb = 0.02, 2.0, 10.0, 12.0
        measure.tell(late, {"completed": 2})
        told.append(json.loads(capsys.readouterr().out))
    found = together(told)
    # of 2000 ticks 1990 are in time: the 99th percentile is 0, whatever the sessions' own are
    assert (found["ticks"], found["late_p99_ms"], found["late_worst_ms"]) == (2000, 0.0, 9.0)
    # 2 x 0.01 cores for four sessions: 5 ms a second each; 24 MB less the first 10 over three more sessions
    assert (found["cpu_ms_per_session_s"], found["mb_per_session"]) == (5.0, 4.67)
    assert found["outcomes"] == {"completed": 4}
