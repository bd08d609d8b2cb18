"""What a session makes of a real wire: limits, refusals, a connection that breaks, and its raw traffic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection

from recordings.check import check
from recordings.errors import RecordingError
from recordings.format import Fault, Noticed, Outcome, UsageReported
from recordings.raw import RawLogging
from scenarios.schema import Limits
from streams.endpoints.errors import RateLimited
from tests.agent.calls import scripted
from tests.agent.wire_calls import call, lines_of, spoken
from tests.streams.vendors.realtime import RealtimeVendor
from tests.streams.vendors.vendor import Reply

CANARY = "canary-0123456789abcdef"


@pytest.mark.parametrize("dialect", ["openai", "openai-beta", "qwen", "glm", "vllm-omni"])
def test_a_call_over_dialects_of_every_shape_comes_to_its_end(tmp_path: Path, dialect: str) -> None:
    held = call(tmp_path, RealtimeVendor(dialect))
    assert (held.info.outcome, held.info.fault) == (Outcome.COMPLETED, Fault.NOBODY)
    assert [problem for problem in check(held.episode) if problem.severity == "error"] == []
    usage = [event for event in held.episode.events if isinstance(event, UsageReported)]
    assert [event.values["total_tokens"] for event in usage if event.unit == "tokens"] == [30, 30]


def test_a_call_ends_by_our_hand_before_the_endpoints_limit(tmp_path: Path) -> None:
    file = tmp_path / "short.yaml"
    file.write_text("name: short\nshape: ga\nmax_session_s: 20\n")
    held = call(
        tmp_path,
        RealtimeVendor(),
        scenario=scripted(9, limits=Limits(max_duration_s=120)),
        address=lambda host: f"openai+ws://{host}/v1/realtime?dialect={file}",
    )
    assert (held.info.outcome, held.info.fault) == (Outcome.SESSION_LIMIT, Fault.ENDPOINT)
    assert held.info.reason == "the endpoint ends sessions after 20 s"
    assert held.info.duration_s == 15.0  # 5 s before the limit


def test_a_connection_that_breaks_ends_the_call_and_is_never_made_again(tmp_path: Path) -> None:
    vendor = RealtimeVendor()

    async def broken(socket: ServerConnection, turn: int) -> None:
        await spoken(vendor)(socket, turn)
        if turn == 1:
            socket.transport.abort()

    held = call(tmp_path, vendor, broken, scenario=scripted(5))
    assert (held.info.outcome, held.info.fault) == (Outcome.ENDPOINT_ERROR, Fault.ENDPOINT)
    assert held.info.reason == "the connection broke (close code 1006)"
    assert held.connections == 1
    assert vendor.asked.count("session.update") == 1


def test_an_account_without_quota_makes_the_call_void_and_says_how_long_to_wait(tmp_path: Path) -> None:
    vendor = RealtimeVendor()

    async def refused(socket: ServerConnection, turn: int) -> None:
        reply = Reply()
        (done,) = vendor.end(reply)
        message = json.loads(done)
        error = {"code": "rate_limit_exceeded", "message": "Please try again in 6.5s."}
        message["response"] |= {"status": "failed", "status_details": {"type": "failed", "error": error}}
        for each in (*vendor.begin(reply), json.dumps(message)):
            await socket.send(each)

    held = call(tmp_path, vendor, refused)
    assert (held.info.outcome, held.info.outcome.void) == (Outcome.RATE_LIMITED, True)
    assert "Please try again in 6.5s." in held.info.reason
    (limited,) = (event for event in held.episode.events if isinstance(event, Noticed) and event.reset_s)
    assert (limited.level, limited.code, limited.reset_s) == ("rate_limit", "rate_limit_exceeded", 6.5)
    assert isinstance(held.failure, BaseExceptionGroup)
    matching, _ = held.failure.split(RateLimited)
    assert matching is not None


def test_a_limit_that_is_used_up_for_now_is_on_record_and_the_call_goes_on(tmp_path: Path) -> None:
    vendor = RealtimeVendor()

    async def nearly(socket: ServerConnection, turn: int) -> None:
        limits = [{"name": "tokens", "limit": 100, "remaining": 0, "reset_seconds": 3.0}]
        await socket.send(json.dumps({"type": "rate_limits.updated", "rate_limits": limits}))
        await spoken(vendor)(socket, turn)

    held = call(tmp_path, vendor, nearly)
    assert held.info.outcome is Outcome.COMPLETED
    noticed = [event for event in held.episode.events if isinstance(event, Noticed) and event.reset_s]
    assert [(event.level, event.reset_s) for event in noticed] == [("rate_limit", 3.0)] * 2


def test_the_raw_traffic_is_written_without_sound_and_without_keys(tmp_path: Path) -> None:
    vendor = RealtimeVendor()

    async def chatty(socket: ServerConnection, turn: int) -> None:
        await socket.send(vendor.error(f"your key {CANARY} is nice", fatal=False)[0])
        await spoken(vendor)(socket, turn)

    held = call(
        tmp_path,
        vendor,
        chatty,
        address=lambda host: f"openai+ws://{host}/v1/realtime?key_env=MY_KEY&api_key={CANARY}",
        environ={"MY_KEY": CANARY},
        raw_log=RawLogging.MESSAGES,
    )
    assert held.info.outcome is Outcome.COMPLETED
    head, *lines = (json.loads(line) for line in lines_of(held.folder / "raw.jsonl"))
    assert (head["format"], head["version"]) == ("vivavoce raw traffic", 1)
    for file in held.folder.rglob("*.json*"):
        assert CANARY not in file.read_text(), file
    sent = [json.loads(line["text"]) for line in lines if line.get("direction") == "sent"]
    assert [message["type"] for message in sent[:2]] == ["session.update", "input_audio_buffer.append"]
    assert sent[1]["audio"] == "(960 bytes elided)"  # 20 ms at 24000/s in 16 bits
    came = [line for line in lines if line.get("direction") == "received"]
    assert [line["raw"] for line in came] == list(range(len(came)))
    for piece in held.episode.received:  # the index of the sound leads to the messages it came in
        message = json.loads(came[piece.raw]["text"])
        assert (message["type"], message["item_id"]) == ("response.output_audio.delta", piece.item)
    (zero,) = (line for line in lines if line.get("note") == "sample 0")
    assert next(line["t"] for line in lines if "raw" in line) <= zero["t"]


def test_the_raw_traffic_may_keep_the_sound(tmp_path: Path) -> None:
    held = call(tmp_path, RealtimeVendor(), raw_log=RawLogging.AUDIO)
    lines = [json.loads(line) for line in lines_of(held.folder / "raw.jsonl")]
    sent = [json.loads(line["text"]) for line in lines if line.get("direction") == "sent"]
    assert len(sent[1]["audio"]) == 1280  # 960 bytes in base64


def test_nothing_is_written_unless_it_is_asked_for(tmp_path: Path) -> None:
    assert not (call(tmp_path, RealtimeVendor()).folder / "raw.jsonl").exists()


def test_raw_traffic_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "call").mkdir()
    (tmp_path / "call" / "raw.jsonl").write_text("mine")
    with pytest.raises(RecordingError, match=r"raw\.jsonl"):
        call(tmp_path, RealtimeVendor(), raw_log=RawLogging.MESSAGES)
    assert (tmp_path / "call" / "raw.jsonl").read_text() == "mine"
