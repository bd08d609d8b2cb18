"""`python:` endpoints, with whole calls in simulated time."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.session import Engines, Session, SessionPlan
from recordings.check import check
from recordings.format import EndpointText, Flushed, Outcome, ResponseFinished
from recordings.reader import Episode
from scenarios.load import from_scenario
from streams import clock
from streams.endpoints.address import connect
from streams.endpoints.errors import AddressInvalid
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from tests.agent.calls import audible, scripted
from tests.streams.endpoints.local import own_models

MODULE = "tests.streams.endpoints.local.own_models"


def held(tmp_path: Path, address: str, turns: int = 1, engines: Engines | None = None) -> Episode:
    async def main() -> None:
        plan = SessionPlan(id="call", scenario=from_scenario(scripted(turns)))
        parts = engines or Engines(ToneVoice(), EnergyDetector())
        await Session(plan, connect(address, {}), parts, tmp_path / "call").run()

    clock.run(main(), simulate=True)
    return Episode.load(tmp_path / "call")


def texts(episode: Episode) -> str:
    return "".join(event.text for event in episode.events if isinstance(event, EndpointText))


# the user speaks from 0.0 to 0.6; 0.6 s of silence end the turn at 1.2
@pytest.mark.parametrize(
    ("name", "heard", "words"),
    [
        ("blocking", [(1.2, 2.0)], ""),
        ("awaited", [(1.5, 2.3)], "hello"),
        ("pieces", [(1.2, 2.8)], "one two"),
        ("streamed", [(1.7, 4.1)], "piece 0 piece 1 piece 2"),  # every 0.5 s a piece of 0.8 s
        ("Counting", [(1.2, 2.0)], "turn 1"),
        ("Eager", [(0.9, 1.7)], ""),
    ],
)
def test_code_of_every_form_answers(
    tmp_path: Path, name: str, heard: list[tuple[float, float]], words: str
) -> None:
    episode = held(tmp_path, f"python:{MODULE}:{name}")
    assert episode.info.outcome is Outcome.COMPLETED
    found = audible(episode, "endpoint")
    assert found == [pytest.approx(each, abs=0.021) for each in heard]  # a tick, and a resampler's edge
    assert texts(episode) == words
    assert check(episode) == []


def test_what_blocks_runs_in_a_thread_of_its_own(tmp_path: Path) -> None:
    own_models.threads.clear()
    held(tmp_path, f"python:{MODULE}:blocking", turns=2)
    assert len(own_models.threads) == 2
    assert set(own_models.threads) == {f"{MODULE}:blocking_0"}


def test_a_class_is_made_for_each_session_and_keeps_its_state_within(tmp_path: Path) -> None:
    before = own_models.Counting.made
    first = held(tmp_path / "a", f"python:{MODULE}:Counting", turns=2)
    second = held(tmp_path / "b", f"python:{MODULE}:Counting")
    assert own_models.Counting.made == before + 2
    assert (texts(first), texts(second)) == ("turn 1turn 2", "turn 1")
    assert first.info.user_rate == 8000


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("breaks", "LookupError: no weights (own_models.py, line"),
        ("breaks_midway", "LookupError: no weights (own_models.py, line"),
        ("stereo", "a reply of shape (100, 2)"),
        ("integers", "a reply of int32"),
        ("huge", "samples up to 20000"),
        ("odd", "a reply of dict"),
        ("no_numbers", "samples that are no numbers"),
    ],
)
def test_code_that_fails_is_the_endpoint_s_error_with_its_last_line(
    tmp_path: Path, name: str, words: str
) -> None:
    episode = held(tmp_path, f"python:{MODULE}:{name}")
    assert episode.info.outcome is Outcome.ENDPOINT_ERROR
    assert words in episode.info.reason
    statuses = [event.status for event in episode.events if isinstance(event, ResponseFinished)]
    assert statuses == ["failed"]


def test_code_that_says_nothing_is_a_silent_endpoint(tmp_path: Path) -> None:
    assert held(tmp_path, f"python:{MODULE}:silent").info.outcome is Outcome.ENDPOINT_SILENT


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("python:reply", "names no function"),
        ("python:no_such_module:reply", "no module 'no_such_module'. Install no_such_module"),
        (f"python:{MODULE}:rply", "has no 'rply'. It has: Any, Async"),
        (f"python:{MODULE}:NOT_CALLABLE", "is int, nothing to call"),
        (f"python:{MODULE}:one_argument", "has the signature one_argument(audio"),
        (f"python:{MODULE}:blocking?silense=1", "Did you mean silence?"),
        (f"python:{MODULE}:blocking?input_rate=1", "Expected samples per second"),
        ("python:nowhere.py:reply", "there is no file"),
    ],
)
def test_a_name_that_is_no_model_is_refused_before_a_call(address: str, words: str) -> None:
    with pytest.raises(AddressInvalid) as error:
        connect(address, {})
    assert words in str(error.value)


def test_a_file_is_loaded_once_and_may_import_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("LEVEL = 0.25\n")
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nfrom beside_it import LEVEL\nloads = []\nloads.append(1)\n"
        "def reply(audio, rate):\n"
        "    tone = LEVEL * np.where(np.arange(19200) // 30 % 2, 1.0, -1.0)\n"
        "    return tone, 24000, str(len(loads))\n"
    )
    episode = held(tmp_path, f"python:{tmp_path}/mine.py:reply", turns=2)
    assert texts(episode) == "11"


def test_a_file_that_fails_is_told_by_its_last_line(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = 1\n1 / 0\n")
    with pytest.raises(AddressInvalid, match=r"ZeroDivisionError: division by zero \(bad.py, line 2"):
        connect(f"python:{tmp_path}/bad.py:reply", {})


def test_the_user_s_voice_stops_a_reply_that_is_not_heard_out(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text(
        "import numpy as np\n"
        "def reply(audio, rate):\n    return np.where(np.arange(24000 * 30) // 30 % 2, 0.2, -0.2)\n"
    )
    from scenarios.behaviours import BargeIn
    from scenarios.schema import Say

    barge = BargeIn(kind="barge_in", id="b", after_s=1.0, say=Say(text="stop it"))
    plan = SessionPlan(id="call", scenario=from_scenario(scripted(1, behaviours=(barge,))))

    async def main() -> None:
        endpoint = connect(f"python:{tmp_path}/long.py:reply", {})
        await Session(plan, endpoint, Engines(ToneVoice(), EnergyDetector()), tmp_path / "call").run()

    clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "call")
    cuts = [event for event in episode.events if isinstance(event, Flushed)]
    assert cuts and cuts[0].items[0][0] == "reply-1"
    assert cuts[0].items[0][1] < cuts[0].items[0][2]
