from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.session import Engines, Session, SessionPlan
from recordings.format import ToolAnswered, ToolCall
from recordings.reader import Episode
from scenarios.load import find
from scoring.score import EpisodeScores, score_episode
from streams import clock
from streams.endpoints.protocol import Tool
from streams.reference.answers import KnowledgeAnswerer
from streams.reference.engines import Engines as ReferenceEngines
from streams.reference.inprocess import ReferenceEndpoint
from streams.reference.knowledge_base import KnowledgeBase
from streams.reference.tool_use import FAILED, FILLER, said_of, tool_for
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice as UserTones
from tests.streams.reference.reference_calls import ScriptedRecogniser, ToneVoice

DAY = {"type": "object", "properties": {"day": {"enum": ["Sunday", "Monday"]}}, "required": ["day"]}
TOOLS = [
    Tool("opening_hours", "", DAY),
    Tool("order-status", "", {"type": "object", "properties": {"number": {"type": "integer"}}}),
    Tool("find", "", {"properties": {"query": {"type": "string"}}, "required": ["query"]}),
]


@pytest.mark.parametrize(
    ("question", "name", "arguments"),
    [
        ("What are your OPENING hours on Sunday?", "opening_hours", {"day": "Sunday"}),
        ("What's the status of order number 42?", "order-status", {"number": 42}),
        ("The order status, please.", "order-status", {}),
        ("Find a book on whales.", "find", {"query": "Find a book on whales."}),
    ],
)
def test_a_question_that_names_a_tool_calls_it(question: str, name: str, arguments: object) -> None:
    use = tool_for(question, TOOLS)
    assert use is not None
    assert (use.name, json.loads(use.arguments)) == (name, arguments)


@pytest.mark.parametrize(
    "question", ["How are you?", "Which hours are the best?", "Your opening hours?", ""]
)
def test_a_question_that_names_none_or_lacks_what_is_required_calls_nothing(question: str) -> None:
    assert tool_for(question, TOOLS) is None


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("It rains.", "It rains."),
        (
            '{"closing_time": "six", "days": ["Monday", "Friday"]}',
            "The closing time is six. The days is Monday, Friday.",
        ),
        ('{"error": "no row"}', FAILED),
        ("3", "3"),
    ],
)
def test_what_a_tool_returned_is_said(output: str, said: str) -> None:
    assert said_of(output) == said


def bookshop(tmp_path: Path, *, filler: bool) -> tuple[Episode, EpisodeScores, ToneVoice]:
    """The shipped scenario, with tones for voices; what is heard is scripted, the rest is real."""
    (loaded,) = find("tool-calls/bookshop")
    heard = [turn.text for turn in loaded.scenario.turns]
    voice = ToneVoice()
    answerer = KnowledgeAnswerer(KnowledgeBase.load(), filler=filler)
    parts = ReferenceEngines(EnergyDetector(), ScriptedRecogniser(*heard), voice, answerer)
    endpoint = ReferenceEndpoint(engines=parts)
    session = Session(
        SessionPlan(id="call", scenario=loaded),
        endpoint,
        Engines(UserTones(), EnergyDetector()),
        tmp_path / "call",
    )
    clock.run(session.run(), simulate=True)
    return Episode.load(tmp_path / "call"), clock.run(score_episode(tmp_path / "call")), voice


@pytest.mark.parametrize("filler", [True, False])
def test_the_demo_calls_what_it_should_and_a_filler_is_seen(tmp_path: Path, filler: bool) -> None:
    episode, scores, voice = bookshop(tmp_path, filler=filler)
    calls = [event for event in episode.events if isinstance(event, ToolCall)]
    answers = [event for event in episode.events if isinstance(event, ToolAnswered)]
    assert [(each.name, json.loads(each.arguments)) for each in calls] == [
        ("opening_hours", {"day": "Sunday"}),
        ("order_status", {"number": 42}),
    ]
    # the first tool answers at once, the second 2.5 s after the call
    assert [round(told.t - asked.t, 6) for asked, told in zip(calls, answers, strict=True)] == [0.0, 2.5]
    assert voice.spoken.count(FILLER) == (2 if filler else 0)
    assert "The title is The Sea of Glass." in " ".join(voice.spoken)
    assert (scores.metrics["tool_expectations"].value, scores.metrics["tool_expectations"].n) == (1.0, 3)
    assert scores.metrics["tool_calls_valid"].value == 1.0
    slow = scores.metrics["filler_before_slow_tool"]
    assert (slow.value, slow.n, dict(slow.unscored)) == (float(filler), 1, {"quick_tool": 1})


def test_a_client_that_offers_no_tools_is_answered_from_what_the_endpoint_knows() -> None:
    assert tool_for("What are your opening hours on Sunday?", []) is None
