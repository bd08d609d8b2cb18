"""The bus with a real broker: what arrives, what comes back after an outage, what is lost and said so."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.events.address import Broker
from streams.events.bus import Bus
from streams.events.messages import (
    Ack,
    LevelsShown,
    Loss,
    Presence,
    Progress,
    SessionState,
    TurnSpoken,
)
from streams.events.topics import command_topic
from tests.streams.events.brokers import (
    PREFIX,
    Mosquitto,
    Observer,
    Wire,
    free_port,
    mosquitto,
    needs_mosquitto,
    publish,
)

pytestmark = [needs_mosquitto, pytest.mark.wall_clock]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with mosquitto(tmp_path / "broker") as made:
        yield made


def turn(number: int, episode: str = "e") -> TurnSpoken:
    return TurnSpoken(episode=episode, side="endpoint", turn=number, text="hm", start_s=0, end_s=1)


def turns(seen: Observer, run: str = "r") -> list[int | None]:
    return [m.turn for m in seen.heard if isinstance(m, TurnSpoken) and m.run == run]


def test_what_is_put_arrives_in_order_with_its_header(broker: Mosquitto) -> None:
    with Observer(broker.broker) as seen:
        seen.connected()
        bus = Bus(broker.broker, "r")
        bus.start()
        for number in range(100):
            bus.put(turn(number))
        lost = bus.close()
        seen.until(lambda seen: seen.watch.runs["r"].presence == seen.heard[-1])
    assert turns(seen) == list(range(100))
    assert [m.state for m in seen.heard if isinstance(m, Presence)] == ["online", "ended"]
    assert {(m.run, m.source, m.v) for m in seen.heard} == {("r", bus.source, 1)}
    assert sorted(m.seq for m in seen.heard) == list(range(1, 103))  # 100 turns and two presences
    assert f"{PREFIX}/r/e/turn" in seen.topics
    assert lost.dropped.total() == 0


def test_a_watcher_that_comes_late_knows_the_state_of_everything(broker: Mosquitto) -> None:
    bus = Bus(broker.broker, "r")
    bus.start()
    bus.put(Progress(total=3, done=1))
    bus.put(SessionState(episode="a", state="talking", scenario="s"))
    bus.put(SessionState(episode="b", state="ended", outcome="completed"))
    bus.put(turn(1))
    with Observer(broker.broker) as early:
        early.until(lambda seen: {one.episode for one in seen.of("session")} == {"a", "b"})
    with Observer(broker.broker) as seen:
        seen.until(lambda seen: "r" in seen.watch.runs and len(seen.watch.runs["r"].sessions) == 2)
        seen.until(lambda seen: seen.watch.runs["r"].progress is not None)
        seen.until(lambda seen: seen.watch.runs["r"].presence is not None)
    run = seen.watch.runs["r"]
    assert [one.episode for one in run.live] == ["a"]
    assert run.progress is not None and run.progress.done == 1
    assert not seen.of("turn")  # a stream is not kept
    bus.close()


DIES = """
import sys
from streams.events.address import Broker
from streams.events.bus import Bus
bus = Bus(Broker("127.0.0.1", int(sys.argv[1]), sys.argv[2]), "r")
bus.start()
sys.stdin.read()
"""


def test_the_broker_says_that_a_run_is_lost_when_its_process_is_killed(broker: Mosquitto) -> None:
    with Observer(broker.broker) as seen:
        arguments = [sys.executable, "-c", DIES, str(broker.port), PREFIX]
        with subprocess.Popen(arguments, stdin=subprocess.PIPE, cwd=Path(__file__).parents[3]) as process:
            seen.until(lambda seen: _presence(seen, "r") == "online")
            process.kill()
        seen.until(lambda seen: _presence(seen, "r") == "lost")
        online, lost = seen.of("presence")
        assert lost.source == online.source


def test_after_an_outage_what_waited_arrives_in_order_and_commands_are_heard(
    broker: Mosquitto,
) -> None:
    said: list[str] = []
    with Observer(broker.broker) as seen, Wire(broker.port) as wire:
        seen.connected()
        bus = Bus(
            wire.broker, "r", lambda payload, _: bus.put(Ack(id=str(payload), status="done")), said.append
        )
        bus.start()
        seen.until(lambda seen: _presence(seen, "r") == "online")
        for outage in (1, 2):
            wire.cut()
            seen.until(lambda seen: _presence(seen, "r") == "lost")
            for number in range(5):
                bus.put(turn(10 * outage + number))
            wire.mend()
            seen.until(lambda seen, last=10 * outage + 4: last in turns(seen))  # type: ignore[misc]
            seen.until(lambda seen: _presence(seen, "r") == "online")
            publish(broker.broker, command_topic(PREFIX, "r"), b"go on")
            seen.until(lambda seen, times=outage: len(seen.of("ack")) == times)  # type: ignore[misc]
            bus.put(turn(10 * outage + 9))
            seen.until(lambda seen, last=10 * outage + 9: last in turns(seen))  # type: ignore[misc]
        lost = bus.close()
    assert turns(seen) == [10, 11, 12, 13, 14, 19, 20, 21, 22, 23, 24, 29]
    assert lost.dropped.total() == 0
    assert "no connection with the broker" in said[0]
    assert f"connected with {wire.broker}" in said[-1]


def test_what_was_sent_and_did_not_arrive_is_sent_again_in_its_place(broker: Mosquitto) -> None:
    with Observer(broker.broker) as seen, Wire(broker.port) as wire:
        seen.connected()
        bus = Bus(wire.broker, "r")
        bus.start()
        bus.put(turn(0))
        seen.until(lambda seen: turns(seen) == [0])
        wire.hang()
        for number in range(1, 6):
            bus.put(turn(number))
        wire.swallowed(b'"turn":5')
        wire.cut()
        bus.put(turn(6))
        wire.mend()
        seen.until(lambda seen: 6 in turns(seen))
        lost = bus.close()
    assert turns(seen) == list(range(7))
    assert lost.dropped.total() == 0


def test_a_broker_that_was_started_anew_is_told_the_state_again(broker: Mosquitto) -> None:
    bus = Bus(broker.broker, "r")
    bus.start()
    bus.put(SessionState(episode="a", state="talking"))
    bus.put(Progress(total=7))
    with Observer(broker.broker) as seen:
        seen.until(lambda seen: bool(seen.of("session")) and bool(seen.of("progress")))
    broker.stop()  # it keeps nothing on disk
    broker.start()
    with Observer(broker.broker) as late:
        late.until(lambda seen: bool(seen.of("session")) and bool(seen.of("progress")))
        late.until(lambda seen: _presence(seen, "r") == "online")
    bus.close()


def test_a_broker_that_is_never_there_costs_a_second_and_everything_is_owned_up_to() -> None:
    said: list[str] = []
    bus = Bus(Broker("127.0.0.1", free_port(), PREFIX), "r", say=said.append, capacity=10)
    bus.start()
    for number in range(25):
        bus.put(turn(number))
    bus.put(SessionState(episode="a"))
    lost = bus.close()
    assert lost.dropped == {"turn": 25, "session": 1}
    assert any("refused" in line for line in said)


def test_a_full_buffer_drops_levels_first_and_the_loss_is_published(broker: Mosquitto) -> None:
    broker.stop()
    bus = Bus(broker.broker, "r", capacity=10)
    bus.start()
    for number in range(20):
        bus.put(LevelsShown(episode=f"e{number}", t=0))
    for number in range(12):
        bus.put(turn(number))
    bus.put(Progress(total=1))
    broker.start()
    with Observer(broker.broker) as seen:
        seen.until(lambda seen: bool(seen.of("loss")))
        bus.close()
    (loss, *_) = [m for m in seen.heard if isinstance(m, Loss)]
    # 10 places: all 20 levels went for 12 turns and the progress, and 3 of the turns
    assert loss.dropped == {"levels": 20, "turn": 3}


def test_a_run_whose_messages_do_not_all_get_out_has_ended_all_the_same(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.events.bus.LINGER_S", 0.3)
    with Observer(broker.broker) as seen, Wire(broker.port) as wire:
        seen.connected()
        bus = Bus(wire.broker, "r")
        bus.start()
        for number in range(3):  # it is connected, and has got receipts
            bus.put(turn(number))
        seen.until(lambda seen: turns(seen) == [0, 1, 2])
        wire.mute()
        for number in range(3, 100):
            bus.put(turn(number))
        lost = bus.close()
        seen.until(lambda seen: _presence(seen, "r") == "ended")
    (loss,) = [message for message in seen.heard if isinstance(message, Loss)]
    assert loss.dropped == {"turn": lost.dropped["turn"]}
    # some arrived though no receipt came back: what is not known to be there is counted as lost
    assert 100 - len(turns(seen)) <= lost.dropped["turn"] <= 100


def test_a_broker_that_stands_still_delays_nobody_who_puts(broker: Mosquitto) -> None:
    bus = Bus(broker.broker, "r", capacity=50)
    bus.start()
    with Observer(broker.broker) as seen:
        seen.until(lambda seen: bool(seen.of("presence")))
        broker.signal(signal.SIGSTOP)
        for number in range(5000):
            bus.put(turn(number))
        broker.signal(signal.SIGCONT)
        seen.until(lambda seen: 4999 in turns(seen))
    lost = bus.close()
    arrived = turns(seen)
    assert arrived == sorted(set(arrived), key=lambda number: number or 0)
    assert len(arrived) + lost.dropped["turn"] == 5000


def test_two_runs_under_one_prefix_are_told_apart(broker: Mosquitto) -> None:
    first, second = Bus(broker.broker, "one"), Bus(broker.broker, "two")
    with Observer(broker.broker) as seen:
        seen.connected()
        for bus, number in ((first, 1), (second, 2)):
            bus.start()
            bus.put(turn(number))
            bus.put(SessionState(episode="e", state="talking", scenario=f"s{number}"))
        seen.until(lambda seen: len(seen.of("session")) == 2)
        first.close()
        seen.until(lambda seen: _presence(seen, "one") == "ended")
        assert _presence(seen, "two") == "online"
        second.close()
    assert (turns(seen, "one"), turns(seen, "two")) == ([1], [2])
    assert seen.watch.runs["two"].sessions["e"].scenario == "s2"


def test_a_will_that_comes_after_the_return_is_answered(broker: Mosquitto) -> None:
    bus = Bus(broker.broker, "r")
    bus.start()
    with Observer(broker.broker) as seen:
        seen.until(lambda seen: _presence(seen, "r") == "online")
        will = Presence(run="r", source="another sitting", state="lost").model_dump_json().encode()
        publish(broker.broker, f"{PREFIX}/r/presence", will, retain=True)
        seen.until(lambda seen: len(seen.of("presence")) == 2)
    with Observer(broker.broker) as late:
        late.until(lambda seen: _presence(seen, "r") == "online")
    bus.close()


def test_an_answer_finds_its_way_back(broker: Mosquitto) -> None:
    bus = Bus(broker.broker, "r", lambda payload, retained: bus.put(_answer(payload, retained)))
    bus.start()
    with Observer(broker.broker) as seen:
        seen.until(lambda seen: _presence(seen, "r") == "online")
        publish(broker.broker, command_topic(PREFIX, "r"), json.dumps({"id": "x"}).encode())
        seen.until(lambda seen: bool(seen.of("ack")))
    bus.close()
    (ack,) = seen.of("ack")
    assert isinstance(ack, Ack) and (ack.id, ack.run) == ("x", "r")


def _answer(payload: bytes, retained: bool) -> Ack:
    assert not retained
    return Ack(id=json.loads(payload)["id"], status="done")


def _presence(seen: Observer, run: str) -> str | None:
    known = seen.watch.runs.get(run)
    return None if known is None or known.presence is None else known.presence.state


def test_two_runs_of_one_name_are_told_of_each_other_and_do_not_quarrel(broker: Mosquitto) -> None:
    said: list[str] = []
    first, second = Bus(broker.broker, "r", say=said.append), Bus(broker.broker, "r")
    with Observer(broker.broker) as seen:
        seen.connected()
        for number, bus in enumerate((first, second)):
            bus.start()
            bus.put(turn(number))
            seen.until(lambda seen, number=number: number in turns(seen))  # type: ignore[misc]
        second.close()
        seen.until(lambda seen: _online_again(seen, first.source))  # the first is still there
        first.close()
        seen.until(lambda seen: _presence(seen, "r") == "ended")
    (told,) = said
    assert "another run 'r' publishes to" in told
    states = [(m.source == first.source, m.state) for m in seen.heard if isinstance(m, Presence)]
    online, other, over = (True, "online"), (False, "online"), (False, "ended")
    assert states == [online, other, over, online, (True, "ended")]


def _online_again(seen: Observer, source: str) -> bool:
    found = [m for m in seen.heard if isinstance(m, Presence) and m.source == source]
    return len(found) == 2
