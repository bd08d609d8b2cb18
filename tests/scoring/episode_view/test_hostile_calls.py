"""Recordings with anything in them: they are shown, or refused with a sentence; never a failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.errors import RecordingError
from recordings.format import (
    EndAnnounced,
    Flushed,
    KeysPressed,
    LineCondition,
    LineReport,
    MarkReached,
    SessionResumed,
    Side,
    TickLate,
    ToolAnswered,
    ToolCall,
    TurnEnded,
    UserThinking,
)
from scoring.catalogue.kept import Kept
from scoring.catalogue.table import columns
from scoring.episode_view.build import outlined_episode, shown_episode
from scoring.score import METRICS
from tests.scoring.episodes import CallMaker, tone

FILES = ("events.jsonl", "turns.jsonl", "received.jsonl")

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "en", "<script>", "\u202e"])
)
KEYS = ["text", "item", "terms", "noise", "bed", "snr_db", "codec", "voice", "facts", "reply_timeout_s"]
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)
PARTS = ["id", "title", "language", "limits", "conditions", "persona", "turns", "aspects", "expectations"]
SCENARIOS = st.dictionaries(st.sampled_from(PARTS), ANYTHING, max_size=5)
NUMBERS = [0, 1, -1, -(10**6), 10**9, 2**70, 0.5, -0.5, 1e18, 1e308, -1e308, float("nan"), float("inf")]
ODD: st.SearchStrategy[Any] = st.sampled_from([*NUMBERS, "", "x" * 50, None, True, [], {}])


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = CallMaker().user(0.5, 1.5).reply(2.0, tone(0.5, 24000), response="r")
    made.turn(Side.ENDPOINT, 2.0, 2.5, intended="a", heard="a")
    made.note(
        TurnEnded(t=3.0, turn=1, start=48000, end=60000, by="x"),
        Flushed(t=2.2, by="user", at=50000, items=(("item", 10, 20),)),
        ToolCall(t=1.0, call="c", name="n", arguments="{}"),
        ToolAnswered(t=1.2, call="c", name="n", output="x"),
        KeysPressed(t=1.0, digits="1", start=5, samples=10),
        SessionResumed(t=2.0, gap_s=0.5),
        TickLate(t=1.0, lateness_ms=9.0),
        MarkReached(t=1.0, name="m", at=5),
        LineCondition(t=0.0, settings={"noise": [{"bed": "x", "snr_db": 1}]}),
        LineReport(t=3.0, values={"utterances": [{"utterance": "u0", "snr_db": 5}]}),
        UserThinking(t=1.0, seconds=0.2),
        EndAnnounced(t=1.0, time_left_s=2.0),
    )
    return made.write(tmp_path_factory.mktemp("hostile") / "run" / "call")


def shown(call: Path) -> None:
    """Shown as strict JSON, or refused."""
    looks: tuple[Callable[[Path], Any], ...] = (shown_episode, outlined_episode)
    for look in looks:
        with suppress(RecordingError):
            text = look(call).model_dump_json()
            json.loads(text, parse_constant=lambda found: pytest.fail(f"{found} is no JSON"))
    columns(Kept().look([str(call)]), METRICS)


@settings(max_examples=60)
@given(scenario=SCENARIOS)
def test_a_scenario_of_any_shape_is_shown(scenario: dict[str, Any], call: Path) -> None:
    path = call / "episode.json"
    before = path.read_text()
    try:
        path.write_text(json.dumps({**json.loads(before), "scenario": scenario}))
        shown(call)
    finally:
        path.write_text(before)


@settings(max_examples=120)
@given(data=st.data())
def test_a_field_of_any_value_is_shown_or_refused(data: st.DataObject, call: Path) -> None:
    path = call / data.draw(st.sampled_from(FILES))
    before = path.read_text()
    lines = [json.loads(line) for line in before.splitlines()]
    line = data.draw(st.sampled_from(lines))
    line[data.draw(st.sampled_from(sorted(set(line) - {"kind"})))] = data.draw(ODD)
    try:
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        shown(call)
    finally:
        path.write_text(before)
