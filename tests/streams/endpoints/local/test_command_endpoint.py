"""`command:` endpoints: real programs, whole calls in simulated time."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recordings.format import Outcome
from streams.endpoints.address import connect
from streams.endpoints.errors import AddressInvalid
from streams.endpoints.local import program
from tests.agent.calls import audible
from tests.streams.endpoints.local.test_python_endpoint import held, texts


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    for each in program._programs.values():
        each.stop()
    program._programs.clear()


PROGRAM = shlex.join([sys.executable, str(Path(__file__).with_name("echo_program.py"))])


def test_a_program_is_run_for_every_turn(tmp_path: Path) -> None:
    episode = held(tmp_path, f"command:{PROGRAM} once {{input}} {{output}}", turns=2)
    assert episode.info.outcome is Outcome.COMPLETED
    # the turn from 0.0 to 0.6 comes back at 1.2, with the silence that ended it
    assert audible(episode, "endpoint")[0] == pytest.approx((1.2, 1.8), abs=0.005)  # the resampler rings
    assert len(audible(episode, "endpoint")) == 2
    assert episode.info.endpoint.protocol == "command"


def test_a_program_that_is_kept_alive_serves_session_after_session(tmp_path: Path) -> None:
    address = f"command:{PROGRAM} kept"
    first, second = (held(tmp_path / name, address) for name in "ab")
    assert (texts(first), texts(second)) == ("turn 1", "turn 1")
    kept = program._programs[tuple(shlex.split(f"{PROGRAM} kept"))]
    assert kept._process is not None and kept._process.poll() is None


def test_the_template_for_models_says_back_what_it_heard_as_it_stands(tmp_path: Path) -> None:
    template = Path(__file__).parents[4] / "examples" / "wav_model.py"
    episode = held(tmp_path, f"command:{shlex.join([sys.executable, str(template)])}", turns=2)
    assert episode.info.outcome is Outcome.COMPLETED, episode.info.reason
    assert audible(episode, "endpoint")[0] == pytest.approx((1.2, 1.8), abs=0.005)  # as the program's above
    assert len(audible(episode, "endpoint")) == 2


@pytest.mark.parametrize(
    ("mode", "words", "outcome"),
    [
        ("fails {input} {output}", "ended with code 3: RuntimeError: no weights", Outcome.ENDPOINT_ERROR),
        ("nothing {input} {output}", "the program wrote no file 001-out.wav", Outcome.ENDPOINT_ERROR),
        ("text {input} {output}", "001-out.wav is no sound file", Outcome.ENDPOINT_ERROR),
        ("dies", "ended with code 1: Killed: out of memory", Outcome.ENDPOINT_ERROR),
        ("fails", "ended with code 3: RuntimeError: no weights", Outcome.CONNECT_FAILED),
        ("nothing", "ended with code 0", Outcome.CONNECT_FAILED),
    ],
)
def test_a_program_that_fails_is_told_by_its_last_line(
    tmp_path: Path, mode: str, words: str, outcome: Outcome
) -> None:
    episode = held(tmp_path, f"command:{PROGRAM} {mode}")
    assert episode.info.outcome is outcome
    assert words in episode.info.reason


def test_an_error_in_an_answer_is_the_endpoint_s(tmp_path: Path) -> None:
    episode = held(tmp_path, f"command:{PROGRAM} kept", turns=2)
    assert (episode.info.outcome, texts(episode)) == (Outcome.ENDPOINT_ERROR, "turn 1")
    assert "out of memory" in episode.info.reason


@pytest.mark.parametrize("places", ["{input} {output}?timeout=0.3", "?load=0.3"])
def test_a_program_that_hangs_is_ended(tmp_path: Path, places: str) -> None:
    episode = held(tmp_path, f"command:{PROGRAM} hangs {places}")
    assert "gave no answer within 0.3 s" in episode.info.reason


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("command:", "no command"),
        ("command:run {input}", "{input} without {output}"),
        ("command:run 'a", "No closing quotation"),
        ("command:run {input} {output}?timout=3", "Did you mean timeout?"),
    ],
)
def test_a_command_that_cannot_work_is_refused(address: str, words: str) -> None:
    with pytest.raises(AddressInvalid) as error:
        connect(address, {})
    assert words in str(error.value)


@pytest.mark.parametrize("places", ["", " {input} {output}"])
def test_a_program_that_is_not_there_cannot_be_called(tmp_path: Path, places: str) -> None:
    episode = held(tmp_path, f"command:no-such-program-here{places}")
    assert episode.info.outcome is Outcome.CONNECT_FAILED
    assert "no-such-program-here cannot be run: No such file or directory" in episode.info.reason


def test_there_is_no_shell(tmp_path: Path) -> None:
    episode = held(
        tmp_path, f"command:{PROGRAM} fails {{input}} {{output}} > {tmp_path}/made; touch {tmp_path}/made"
    )
    assert not (tmp_path / "made").exists()
    assert episode.info.outcome is Outcome.ENDPOINT_ERROR
