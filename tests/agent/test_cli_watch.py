"""`viva run --mqtt` and `viva watch`, each in a process of its own, with Mosquitto between them."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streams.events.messages import Ack, Progress, SessionState
from tests.agent.cli_calls import ENGINES, Viva
from tests.streams.events.brokers import Mosquitto, Observer, free_port, mosquitto, needs_mosquitto, publish

pytestmark = [needs_mosquitto, pytest.mark.wall_clock]

PREFIX = "viva/test"
FAKE = "fake://?replies=3"
ASKED = ["Hello there.", "How are you?"]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with mosquitto(tmp_path / "broker") as made:
        yield made


def start(viva: Viva, broker: Mosquitto, *more: str, out: str = "run") -> subprocess.Popen[str]:
    arguments = ("run", "hello.yaml", "--endpoint", FAKE, "--out", out, *ENGINES, "--no-report")
    return viva.start(*arguments, "--mqtt", str(broker.broker), *more)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def messages(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert process.stdout is not None
    return (json.loads(line) for line in process.stdout)


def test_watch_shows_a_run_of_another_process_live_and_afterwards(viva: Viva, broker: Mosquitto) -> None:
    watching = viva.start("watch", str(broker.broker), "--json")
    assert watching.stderr is not None and watching.stderr.readline() == "viva: watching\n"
    running = start(viva, broker, "--workers", "1")  # what a worker holds is seen as well
    seen = []
    for message in messages(watching):
        seen.append(message)
        if message["kind"] == "presence" and message["state"] == "ended":
            break
    watching.send_signal(signal.SIGINT)
    assert ended(watching)[0] == 0
    assert ended(running)[0] == 0
    said = [(m["side"], m["text"]) for m in seen if m["kind"] == "turn"]
    assert said == [
        ("user", "Hello there."),
        ("endpoint", None),
        ("user", "How are you?"),
        ("endpoint", None),
    ]
    assert len([m for m in seen if m["kind"] == "latency"]) == 2
    states = [m["state"] for m in seen if m["kind"] == "session"]
    assert (states[0], states[-1]) == ("calling", "ended")
    # the call lasts 6 s, and levels come five times a second
    assert 20 <= len([m for m in seen if m["kind"] == "levels"]) <= 32

    late = viva("watch", str(broker.broker), "--once", "--json")
    assert late.code == 0
    (run,) = late.json["runs"]
    assert (run["run"], run["presence"]["state"]) == ("run", "ended")
    assert run["progress"]["outcomes"] == {"completed": 1}
    (session,) = run["sessions"]
    assert (session["episode"], session["outcome"]) == ("hello", "completed")
    assert [line["text"] for line in session["lines"] if line["side"] == "user"] == [
        "Hello there.",
        "How are you?",
    ]
    text = viva("watch", str(broker.broker), "--once").out
    assert "run  ended  ended: 1 of 1 calls" in text and "hello  completed" in text

    assert viva("watch", str(broker.broker), "--forget", "ruin").code == 2
    assert viva("watch", str(broker.broker), "--forget", "run").code == 0
    assert viva("watch", str(broker.broker), "--once", "--json").json == {"runs": []}


def command(broker: Mosquitto, **values: str) -> None:
    publish(broker.broker, f"{PREFIX}/run/command", json.dumps(values).encode())


def test_commands_that_are_allowed_are_obeyed_once_and_all_are_answered(
    viva: Viva, broker: Mosquitto
) -> None:
    with Observer(broker.broker) as seen:
        seen.connected()
        running = start(viva, broker, "--repeats", "3", "--mqtt-allow", "pause,say")
        seen.until(lambda seen: _state(seen, "hello--r1") == "talking")
        command(broker, id="1", name="pause")
        command(broker, id="1", name="pause")
        command(broker, id="2", name="stop")
        command(broker, id="3", name="say", episode="hello--r1", text="What about owls?")
        command(broker, id="4", name="say", episode="hello--r3", text="Too early.")
        command(broker, id="5", name="dance")
        seen.until(lambda seen: len(seen.of("ack")) == 6)
        seen.until(lambda seen: _state(seen, "hello--r1") == "ended")
        seen.until(lambda seen: _progress(seen).done == 1)
        assert (_progress(seen).state, _progress(seen).live) == ("paused", 0)
        command(broker, id="6", name="resume")
        seen.until(lambda seen: _state(seen, "hello--r2") == "talking")
        running.send_signal(signal.SIGINT)
        code, _, _ = ended(running)
        seen.until(lambda seen: _progress(seen).state == "ended")
    assert code == 130
    answers = [(m.id, m.status, m.repeated) for m in seen.of("ack") if isinstance(m, Ack)]
    assert answers == [
        ("1", "done", False),
        ("1", "done", True),
        ("2", "refused", False),
        ("3", "done", False),
        ("4", "not_available", False),
        ("5", "invalid", False),
        ("6", "done", False),
    ]
    first = next(m for m in reversed(seen.of("session")) if m.episode == "hello--r1")
    assert isinstance(first, SessionState)
    user = [line.text for line in first.lines if line.side == "user"]
    assert user == ["Hello there.", "What about owls?", "How are you?"]


def test_a_run_stops_when_it_is_told_to_and_is_left_for_a_resume(viva: Viva, broker: Mosquitto) -> None:
    with Observer(broker.broker) as seen:
        seen.connected()
        running = start(viva, broker, "--repeats", "3", "--mqtt-allow", "stop")
        seen.until(lambda seen: _state(seen, "hello--r1") == "talking")
        done = viva("tell", str(broker.broker), "run", "stop")
        assert (done.code, done.out.partition(":")[0]) == (0, "done")
        refused = viva("tell", str(broker.broker), "run", "say", "--episode", "hello--r1", "--text", "hm")
        assert (refused.code, refused.out.partition(":")[0]) == (2, "refused")
        taken = viva("tell", str(broker.broker), "run", "take-over", "--episode", "hello--r1")
        assert (taken.code, "it takes stop" in taken.out) == (2, True)
        assert viva("tell", str(broker.broker), "run", "stop", "--episode", "hello--r1", "--json").json[
            "reason"
        ]
        _, _, err = ended(running)
    assert "stopped by a command" in err
    states = [(one["state"], one["outcome"]) for one in viva.manifest()["episodes"]]
    assert states == [("done", "cancelled"), ("planned", None), ("planned", None)]


def test_who_tells_nobody_is_told_so(
    viva: Viva, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.events.subscriber.ANSWER_S", 0.2)
    done = viva("tell", str(broker.broker), "run", "stop")
    assert (done.code, "no run 'run' answers" in done.err) == (3, True)
    assert viva("tell", str(broker.broker), "run", "dance").code == 2


def test_a_run_without_its_broker_is_a_run_all_the_same(viva: Viva) -> None:
    address = f"mqtt://127.0.0.1:{free_port()}/x"
    done = viva.simulated(FAKE, "--mqtt", address, "--no-report")
    assert done.code == 0
    assert f"events: {address}: no connection with the broker" in done.err
    assert "not published, since the broker was away or slow" in done.err
    assert viva.manifest()["episodes"][0]["outcome"] == "completed"


def test_a_run_in_simulated_time_publishes_everything(viva: Viva, broker: Mosquitto) -> None:
    with Observer(broker.broker) as seen:
        seen.connected()
        assert viva.simulated(FAKE, "--mqtt", str(broker.broker), "--no-report").code == 0
        seen.until(lambda seen: _progress(seen).state == "ended")
    assert len(seen.of("turn")) == 4


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--mqtt", "http://x/y"), "neither mqtt:// nor mqtts://"),
        (("--mqtt", "mqtt://ann:secret@x/y"), "VIVA_MQTT_PASSWORD only"),
        (("--mqtt", "mqtt://x"), "no prefix"),
        (("--mqtt-allow", "dance"), "there is no command 'dance'"),
    ],
)
def test_what_cannot_be_is_refused_before_any_call(
    viva: Viva, options: tuple[str, ...], complaint: str
) -> None:
    done = viva.simulated(FAKE, *options)
    assert done.code == 2
    assert complaint in done.err
    assert "secret" not in done.err
    assert not (viva.folder / "run").exists()


def test_watch_without_a_broker_says_so(viva: Viva) -> None:
    done = viva("watch", f"mqtt://127.0.0.1:{free_port()}/x", "--once")
    assert done.code == 3
    assert "no connection with the broker" in done.err


def _state(seen: Observer, episode: str) -> str | None:
    run = seen.watch.runs.get("run")
    session = None if run is None else run.sessions.get(episode)
    return None if session is None else session.state


def _progress(seen: Observer) -> Progress:
    run = seen.watch.runs.get("run")
    known = None if run is None else run.progress
    return known or Progress(total=0)


def test_a_broker_that_freezes_in_the_middle_changes_nothing(viva: Viva, broker: Mosquitto) -> None:
    with Observer(broker.broker) as seen:
        seen.connected()
        running = start(viva, broker)
        seen.until(lambda seen: _state(seen, "hello") == "talking")
        broker.signal(signal.SIGSTOP)
        try:
            code, _, err = ended(running)
        finally:
            broker.signal(signal.SIGCONT)
    assert code == 0
    assert "not published, since the broker was away or slow" in err
    (planned,) = viva.manifest()["episodes"]
    assert planned["outcome"] == "completed"
