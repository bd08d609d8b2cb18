from __future__ import annotations

import asyncio
import dataclasses
import json
from collections import Counter
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection

from agent.cli.endpoints.traffic import read_traffic
from agent.cli.onlookers.message_names import count_names
from agent.probe import ENOUGH_S, Probed, probe, probe_scenario
from agent.session import Engines
from recordings.format import Outcome
from recordings.reader import Episode
from scoring.probe.finding import Finding, finding
from streams import clock
from streams.audio import silence
from streams.endpoints.address import connect
from streams.endpoints.events import ResponseStatus
from streams.endpoints.fake import Delivery, FakeEndpoint, FakeReply, tone
from streams.endpoints.protocol import Endpoint, Message
from streams.reference.config import Config
from streams.reference.server import serving as serving_reference
from streams.speech import select
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from tests.agent.wire_calls import Answer, listening, spoken
from tests.streams.conformance.adapters import VENDORS, Environment
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Concept, Reply, Vendor

WORDS = "I can hear you."


@dataclasses.dataclass(frozen=True)
class Done:
    held: Probed
    found: Finding
    took_s: float


async def probed(endpoint: Endpoint, folder: Path, *, wait_s: float = 10.0) -> Done:
    engines = Engines(ToneVoice(), EnergyDetector(), recogniser=ScriptedRecogniser([WORDS]))
    began = clock.now()
    held = await probe(endpoint, engines, folder, probe_scenario("Hello there.", wait_s))
    took = clock.now() - began
    episode, raw = Episode.load(folder), folder / "raw.jsonl"
    names = None
    if raw.exists():
        received = (line.message for line in read_traffic(raw) if line.direction == "received")
        names = count_names(episode.info.endpoint.protocol, received)
    return Done(held, finding(episode, names, pinged=held.pinged, pong_s=held.pong_s), took)


_NAMELESS = ("Vonage", "Deepgram", "Ultravox", "Vapi")
"""Their sound is binary, without a name."""


def over_a_wire(
    name: str, folder: Path, vendor: Vendor | None = None, answer: Answer | None = None
) -> Done:
    """Probe the double of a vendor over loopback, in simulated time."""
    vendor = vendor or VENDORS[name]()

    async def script(socket: ServerConnection) -> None:
        await listening(vendor, socket, answer or spoken(vendor, seconds=1.0))

    async def main() -> Done:
        async with serving(vendor, script=script) as host:
            return await probed(connect(vendor.address(host), Environment()), folder / "probe")

    return clock.run(main(), simulate=True)


def fake(folder: Path, *replies: FakeReply, wait_s: float = 10.0) -> Done:
    return clock.run(probed(FakeEndpoint(replies), folder / "probe", wait_s=wait_s), simulate=True)


def test_the_answer_comes_as_soon_as_the_reply_is_over(tmp_path: Path) -> None:
    done = fake(tmp_path, FakeReply(pcm=tone(2.0, rate=24000), delay_s=0.5))
    found = done.found
    assert (found.connected, found.heard, found.pace) == (True, WORDS, "burst")
    assert (found.input, found.output) == ("pcm16 24000", "pcm16 24000")
    assert found.more["ahead_s"] == pytest.approx(2.0)
    assert found.latency_ms == found.first_audio_ms  # a tone has no silence at its head
    assert found.events["response_began"] == 1
    # 0.6 s of words, the latency, 2 s of reply, the 0.8 s of silence that end a turn, and no pause of ours
    assert found.latency_ms is not None
    assert done.took_s == pytest.approx(0.6 + found.latency_ms / 1000 + 2.0 + 0.8, abs=0.2)


def test_no_reply_is_waited_for_as_long_as_was_asked_and_no_longer(tmp_path: Path) -> None:
    done = fake(tmp_path, wait_s=2.0)
    assert not done.found.answered and done.found.pace == "unknown"
    assert done.found.problems[0].startswith("no reply: nothing was heard for 2.0 s")
    assert done.took_s == pytest.approx(0.6 + 2.0, abs=0.1)


def test_of_a_reply_without_end_enough_is_heard(tmp_path: Path) -> None:
    done = fake(tmp_path, FakeReply(pcm=tone(60.0, rate=24000), delay_s=0.5))
    assert done.found.heard == WORDS
    assert done.found.more["reply_s"] == pytest.approx(ENOUGH_S, abs=0.5)


def test_overdriven_sound_and_silence_at_its_head_are_told(tmp_path: Path) -> None:
    pcm = silence(12000) + full_scale()  # half a second of nothing
    done = fake(tmp_path, FakeReply(pcm=pcm, delay_s=0.5))
    assert any("its reply begins with 500 ms of silence" in problem for problem in done.found.problems)
    assert any("it is overdriven" in problem for problem in done.found.problems)


def full_scale() -> bytes:
    """A second of a square wave at full scale."""
    period = b"\xff\x7f" * 24 + b"\x01\x80" * 24
    return period * 500


@pytest.mark.parametrize("name", VENDORS)
def test_every_adapter_can_be_probed(name: str, tmp_path: Path) -> None:
    vendor = VENDORS[name]()
    vendor.concepts -= {Concept.USER_TEXT}  # Doubao's interrupts what is being said
    done = over_a_wire(name, tmp_path, vendor)
    found = done.found
    assert found.connected and found.answered, found.to_json()
    assert "binary" not in found.events or name in _NAMELESS
    assert found.heard == WORDS
    assert found.pace in ("burst", "unknown")
    assert sum(found.events.values()) > 0
    assert found.unknown_events == {}
    assert done.held.pong_s is not None
    assert not any("pings" in problem for problem in found.problems)


def test_names_of_messages_are_those_of_the_wire(tmp_path: Path) -> None:
    events = over_a_wire("openai", tmp_path).found.events
    assert events["response.output_audio.delta"] == 10  # a second in pieces of 100 ms
    assert events["response.done"] == events["session.updated"] == 1


def test_messages_that_nobody_knows_are_counted_and_told(tmp_path: Path) -> None:
    vendor = VENDORS["openai"]()

    async def answer(socket: ServerConnection, turn: int) -> None:
        for message in vendor.unknown():
            await socket.send(message)
        await spoken(vendor)(socket, turn)

    found = over_a_wire("openai", tmp_path, vendor, answer).found
    ((name, count),) = found.unknown_events.items()
    assert count == 1 and found.events[name] == 1
    assert any(name in problem and "not known" in problem for problem in found.problems)


def test_an_error_and_a_connection_that_breaks_are_told(tmp_path: Path) -> None:
    vendor = VENDORS["openai"]()

    async def answer(socket: ServerConnection, turn: int) -> None:
        for message in [*vendor.begin(Reply()), *vendor.error("out of memory", fatal=False)]:
            await socket.send(message)
        socket.transport.abort()

    found = over_a_wire("openai", tmp_path, vendor, answer).found
    assert not found.answered
    assert any("without a goodbye" in problem for problem in found.problems)
    assert any("out of memory" in problem for problem in found.problems)


def test_what_the_endpoint_could_have_told_and_did_not_is_missing(tmp_path: Path) -> None:
    vendor: Vendor = VENDORS["openai"]()
    assert {Concept.TEXT, Concept.USAGE} <= vendor.concepts

    async def answer(socket: ServerConnection, turn: int) -> None:
        reply = Reply()
        for message in [
            *vendor.begin(reply),
            *vendor.audio(reply, tone(1.0, rate=vendor.output_rate)),
            *vendor.end(reply),
        ]:
            await socket.send(message)

    problems = over_a_wire("openai", tmp_path, vendor, answer).found.problems
    assert any("did not tell the words of its reply" in problem for problem in problems)


def test_a_reply_that_failed_is_not_waited_for(tmp_path: Path) -> None:
    vendor = VENDORS["openai"]()

    async def answer(socket: ServerConnection, turn: int) -> None:
        for message in [*vendor.begin(Reply()), *vendor.end(Reply(), ResponseStatus.FAILED)]:
            await socket.send(message)

    done = over_a_wire("openai", tmp_path, vendor, answer)
    assert done.found.problems[0] == "no reply was heard"
    assert any(problem.startswith("a response ended as failed") for problem in done.found.problems)
    assert done.took_s < 3.0  # 0.6 s of words, and the half second after which the double answers; not ten


def test_limits_that_are_used_up_and_late_sound_are_told(tmp_path: Path) -> None:
    vendor, reply = VENDORS["openai"](), Reply()
    limits = {"name": "tokens", "limit": 100, "remaining": 0, "reset_seconds": 3}

    async def answer(socket: ServerConnection, turn: int) -> None:
        pcm = tone(1.0, rate=vendor.output_rate)
        await socket.send(json.dumps({"type": "rate_limits.updated", "rate_limits": [limits]}))
        for message in [*vendor.begin(reply), *vendor.audio(reply, pcm)]:
            await socket.send(message)
        await asyncio.sleep(0.5)
        for message in [*vendor.flush(), *vendor.audio(reply, pcm), *vendor.end(reply)]:
            await socket.send(message)

    problems = over_a_wire("openai", tmp_path, vendor, answer).found.problems
    assert any("its rate limit: rate_limits.updated: tokens: 0" in problem for problem in problems)
    assert any(problem.startswith("1 piece of sound came") for problem in problems)


def test_a_pace_is_measured_in_the_call(tmp_path: Path) -> None:
    reply = FakeReply(pcm=tone(2.0, rate=24000), delivery=Delivery.REALTIME)
    found = fake(tmp_path, reply).found
    assert (found.pace, found.more["ahead_s"]) == ("realtime", pytest.approx(0.1, abs=0.1))


@pytest.mark.models
def test_sound_without_speech_is_a_reply_without_words_and_keeps_nobody_waiting(tmp_path: Path) -> None:
    engines = Engines(ToneVoice(), select.detector("silero"), recogniser=ScriptedRecogniser([WORDS]))
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0, rate=24000))])
    folder = tmp_path / "probe"
    held = clock.run(probe(endpoint, engines, folder, probe_scenario("Hello.", 10.0)), simulate=True)
    episode = Episode.load(folder)
    assert held.info is None and episode.info.outcome is Outcome.CANCELLED
    # 0.6 s of words, 0.6 s of waiting, 1 s of sound, 2.5 s of silence after it
    assert episode.info.duration_s == pytest.approx(0.6 + 0.6 + 1.0 + 2.5, abs=0.3)
    found = finding(episode, None)
    assert found.answered and found.heard is None
    assert "no transcript of the reply: there are no words in it" in found.problems


@pytest.mark.wall_clock
def test_the_reference_endpoint_on_a_port_is_probed_in_one_sentences_time(tmp_path: Path) -> None:
    config = Config.parse("mode=metronome&delays=0.2&reply=1.0")

    async def main() -> Done:
        async with asyncio.timeout(30), serving_reference(port=0, config=config) as address:
            endpoint = connect(f"openai+{address}?model=reference", {})
            return await probed(endpoint, tmp_path / "probe")

    done = clock.run(main())
    found = done.found
    assert done.held.info is not None and done.held.info.outcome is Outcome.COMPLETED
    assert found.heard == WORDS and found.unknown_events == {}
    # as planted, on the clock of two tasks of one busy loop
    assert found.latency_ms == pytest.approx(200, abs=100)
    assert found.events["session.created"] == 1
    assert found.more["latency_parts"]["round_trip_ms"] < 100
    # words 0.6, latency 0.2, reply 1.0, end of turn 0.8, and room for a busy machine
    assert done.took_s < 0.6 + 0.2 + 1.0 + 0.8 + 1.5


def test_names_without_a_protocol() -> None:
    texts = ['{"type": "a"}', '{"event": "b"}', '{"serverContent": {}}', "[]", "no JSON", '{"type": "a"}']
    messages: list[Message] = [b"\0\1", *texts]
    assert count_names("any", messages) == Counter(
        {"a": 2, "binary": 1, "b": 1, "serverContent": 1, "JSON without a name": 1, "text": 1}
    )
