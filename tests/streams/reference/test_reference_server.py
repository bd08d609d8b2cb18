"""Sockets of our own, on the real event loop: who may come in, and what goes over the wire."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from streams.audio import silence
from streams.clock import now, run, sleep_until
from streams.endpoints.events import AudioReceived, ResponseEnded
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS
from streams.endpoints.websocket import WebsocketEndpoint
from streams.reference.config import Config, ConfigError
from streams.reference.server import PortUnavailable, serve, serving
from tests.streams.reference.reference_calls import call, speech

METRONOME = Config.parse("mode=metronome&delays=0.2&reply=0.2")


def served(
    talk: Callable[[str], Coroutine[Any, Any, None]], config: Config = METRONOME, **options: Any
) -> None:
    async def main() -> None:
        async with asyncio.timeout(20), serving(port=0, config=config, **options) as address:
            await talk(address)

    run(main())


async def receive(client: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(await client.recv())
        if message["type"] == kind:
            return message


@pytest.mark.wall_clock
def test_our_own_client_calls_the_metronome_over_a_socket(tmp_path: Path) -> None:
    journal = tmp_path / "planted.jsonl"

    async def talk(address: str) -> None:
        endpoint = WebsocketEndpoint(RealtimeCodec(DIALECTS["openai"]), address, address="test")
        result = await call(endpoint, {0.2: speech(0.3)}, 1.2)
        assert [end.status for end in result.of(ResponseEnded)] == ["completed"]
        # 0.5 end of speech + 0.2 planted, on the clock of two tasks of one busy loop
        first = result.of(AudioReceived)[0].at - result.start
        assert first == pytest.approx(0.7, abs=0.03)

    served(talk, journal=journal)
    planted = json.loads(journal.read_text().splitlines()[0])
    assert planted["delay_s"] == 0.2
    assert planted["first_byte_sent"] >= planted["first_byte_due"]


@pytest.mark.wall_clock
def test_a_plain_client_in_the_beta_shape_is_served_by_query() -> None:
    async def talk(address: str) -> None:
        url = f"{address}?model=gpt-x&mode=metronome&delays=0.1,0.3&leading_silence=0.02"
        async with connect(url, subprotocols=[Subprotocol("realtime")], proxy=None) as client:
            assert client.subprotocol == "realtime"
            created = await receive(client, "session.created")
            assert created["session"]["model"] == "gpt-x"
            beta = {"modalities": ["audio", "text"], "input_audio_format": "g711_ulaw"}
            await client.send(json.dumps({"type": "session.update", "session": beta}))
            await receive(client, "session.updated")
            loud, quiet = b"\x00" * 160, b"\xff" * 160  # in mu-law zero bytes are loud
            start = now()
            for tick, part in enumerate([loud] * 5 + [quiet] * 10):
                await sleep_until(start + 0.02 * (tick + 1))
                audio = base64.b64encode(part).decode()
                await client.send(json.dumps({"type": "input_audio_buffer.append", "audio": audio}))
            assert (await receive(client, "input_audio_buffer.speech_started"))["audio_start_ms"] == 0
            assert (await receive(client, "input_audio_buffer.speech_stopped"))["audio_end_ms"] == 100
            delta = await receive(client, "response.audio.delta")
            assert base64.b64decode(delta["delta"])[: 2 * 480] == silence(480)  # 20 ms at 24 kHz
            done = await receive(client, "response.done")
            assert done["response"]["metadata"]["planted_delay_s"] == "0.100000"

    served(talk)


@pytest.mark.wall_clock
def test_a_message_that_makes_no_sense_is_answered_and_the_session_goes_on() -> None:
    async def talk(address: str) -> None:
        async with connect(address, proxy=None) as client:
            await client.send("{}")
            await client.send(json.dumps({"type": "input_audio_buffer.commit", "event_id": "c1"}))
            assert (await receive(client, "error"))["error"]["param"] == "type"
            second = (await receive(client, "error"))["error"]
            assert (second["code"], second["event_id"]) == ("input_audio_buffer_commit_empty", "c1")
            await client.send(json.dumps({"type": "session.update", "session": {"type": "realtime"}}))
            await receive(client, "session.updated")

    served(talk)


@pytest.mark.wall_clock
@pytest.mark.parametrize(
    ("path", "headers", "status", "says"),
    [
        ("?delay=1", {}, 400, "Did you mean 'delays'"),
        ("?mode=assistant&llm=http://example.com/v1", {}, 400, "when the server starts"),
        ("/else", {}, 404, "/v1/realtime"),
        ("", {"Origin": "https://example.com"}, 403, "Web pages"),
        ("", {"Origin": "null"}, 403, "Web pages"),
        ("", {"Host": "example.com"}, 403, "own address"),
    ],
)
def test_who_does_not_belong_here_is_refused(
    path: str, headers: dict[str, str], status: int, says: str
) -> None:
    async def talk(address: str) -> None:
        code, body = await _handshake(address, path, headers)
        assert code == status
        assert says in body

    served(talk)


async def _handshake(address: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
    """Status and body of a handshake with exactly these headers (a client library adds its own)."""
    port = int(address.split(":")[2].split("/")[0])
    wanted = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    } | headers
    lines = [f"GET /v1/realtime{path} HTTP/1.1", *(f"{name}: {value}" for name, value in wanted.items())]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write("\r\n".join([*lines, "", ""]).encode())
    answer = (await reader.read(4096)).decode()
    writer.close()
    await writer.wait_closed()
    return int(answer.split()[1]), answer


@pytest.mark.wall_clock
def test_a_page_of_this_machine_may_come_in() -> None:
    async def talk(address: str) -> None:
        async with connect(address, origin=Origin("http://localhost:3000"), proxy=None) as client:
            await receive(client, "session.created")

    served(talk)


@pytest.mark.wall_clock
def test_one_session_too_many_is_refused_until_one_ends() -> None:
    async def talk(address: str) -> None:
        async with connect(address, proxy=None) as client:
            await receive(client, "session.created")
            with pytest.raises(InvalidStatus) as caught:
                await connect(address, proxy=None)
            assert caught.value.response.status_code == 503
        await asyncio.sleep(0.05)
        async with connect(address, proxy=None) as client:
            await receive(client, "session.created")

    served(talk, max_sessions=1)


@pytest.mark.wall_clock
def test_a_taken_port_is_said_to_be_taken() -> None:
    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(PortUnavailable, match="the port is taken"):
                async with serving(port=port, config=METRONOME):
                    pass

    run(main())


@pytest.mark.wall_clock
def test_the_server_hangs_up_when_it_stops() -> None:
    async def main() -> None:
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving_task = asyncio.create_task(serve(port=0, variant="mode=clicks", on_ready=ready.set_result))
        async with connect(await ready, proxy=None) as client:
            await receive(client, "session.created")
            serving_task.cancel()
            with pytest.raises(ConnectionClosed) as caught:
                await receive(client, "never")
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 1001
        with pytest.raises(asyncio.CancelledError):
            await serving_task

    run(main())


def test_a_variant_that_names_nothing_is_an_error_before_anything_starts() -> None:
    async def main() -> None:
        await serve(port=0, variant="speed=9", on_ready=lambda address: None)

    with pytest.raises(ConfigError):
        run(main(), simulate=True)
