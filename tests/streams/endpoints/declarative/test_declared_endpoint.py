"""Addresses of declared endpoints, and whole calls over sockets: requests, handshake, audio, goodbye."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from streams import clock
from streams.audio import Frame
from streams.endpoints.address import connect
from streams.endpoints.declarative.build import BUILDERS, FILES, is_file
from streams.endpoints.errors import AddressInvalid, AuthenticationFailed, ConnectFailed
from streams.endpoints.events import AudioReceived, Closed, Notice, Party
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints.declarative.declared import BINARY, JSON
from tests.streams.endpoints.sockets import collect, listen

CANARY = "canary-0123456789"
PCM = bytes(range(64)) * 10


def run(main: Any) -> None:
    clock.run(main, simulate=True)


def file(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def made(address: str, environ: Mapping[str, str] | None = None, **options: Any) -> WebsocketEndpoint:
    endpoint = connect(address, environ or {}, **options)
    assert isinstance(endpoint, WebsocketEndpoint)
    return endpoint


def test_a_path_that_ends_in_yaml_is_a_file_and_nothing_else_is() -> None:
    assert is_file("my.yaml") and is_file("a/b.yml?rate=5") and is_file("~/x.yaml")
    for other in ("openai://x.yaml", "openai+ws://h/?dialect=x.yaml", "fake://", "my.json", "yaml"):
        assert not is_file(other)


def test_every_shipped_file_has_its_three_schemes() -> None:
    assert len(BUILDERS) == 3 * len(list(FILES.glob("*.yaml"))) == 24


def test_vendors_own_addresses_ask_for_their_keys() -> None:
    for address, name in (
        ("deepgram://", "DEEPGRAM_API_KEY"),
        ("hume://", "HUME_API_KEY"),
        ("ultravox://", "ULTRAVOX_API_KEY"),
        ("vapi://a", "VAPI_API_KEY"),
        ("assemblyai://", "ASSEMBLYAI_API_KEY"),
        ("cartesia://a", "CARTESIA_API_KEY"),
    ):
        with pytest.raises(AuthenticationFailed) as caught:
            made(address)
        assert f"no key: {name} is not set. Set the environment variable {name}" in str(caught.value)
    made("elevenlabs://a")  # a public agent needs none


def test_keys_go_into_headers_and_parameters_into_the_address() -> None:
    deepgram = made("deepgram://?rate=16000", {"DEEPGRAM_API_KEY": CANARY})
    assert (deepgram.url, deepgram.headers) == (
        "wss://agent.deepgram.com/v1/agent/converse",
        {"Authorization": f"Token {CANARY}"},
    )
    hume = made("hume://my-config", {"HUME_API_KEY": CANARY})
    assert hume.url == "wss://api.hume.ai/v0/evi/chat?config_id=my-config&verbose_transcription=true"
    assert deepgram.capabilities.input.rate == 16000
    for endpoint in (deepgram, hume):
        assert CANARY not in f"{endpoint!r} {endpoint.address} {endpoint.url}"


def test_at_a_host_of_one_s_own_no_key_is_sent_unless_the_address_names_it() -> None:
    environ = {"DEEPGRAM_API_KEY": CANARY, "OTHER": "other-0123456789"}
    own = made("deepgram+wss://my.host:8443/path?rate=16000&foo=a%20b", environ)
    assert (own.url, own.headers) == ("wss://my.host:8443/path?foo=a%20b", {})
    named = made("deepgram+wss://my.host?key_env=OTHER", environ)
    assert (named.url, named.headers) == (
        "wss://my.host/v1/agent/converse",
        {"Authorization": "Token other-0123456789"},
    )
    with pytest.raises(AuthenticationFailed, match="no key: THIRD is not set"):
        made("deepgram+wss://my.host?key_env=THIRD", environ)
    with pytest.raises(
        AddressInvalid, match=r"key_env=OTHER\. It needs a file with one variable; this has none"
    ):
        made("fastrtc+wss://my.host?key_env=OTHER", environ)


def test_a_key_never_crosses_an_open_network(tmp_path: Path) -> None:
    environ = {"KEY": CANARY}
    text = BINARY.replace(
        "{url: ws://127.0.0.1:9000/}", '{url: "ws://my.host/", headers: {X-Key: "${KEY}"}}'
    )
    for address in (file(tmp_path, text), "hume+ws://my.host?key_env=KEY"):
        with pytest.raises(AddressInvalid, match="would cross the network unencrypted"):
            made(address, environ)
    loopback = file(tmp_path, text.replace("my.host", "127.0.0.1"))
    assert made(loopback, environ).headers == {"X-Key": CANARY}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("elevenlabs://", "no agent_id. Write elevenlabs://AGENT_ID: the id of the agent."),
        ("elevenlabs+ws://127.0.0.1:1", "no agent_id. Add agent_id=VALUE: the id of the agent."),
        ("fastrtc://", "no host. Write fastrtc+ws://HOST:PORT/PATH."),
        ("cartesia://a?rate=9", "rate='9'. Expected one of 16000, 24000, 44100"),
        ("deepgram://?rat=1", "parameter 'rat' is not known. Did you mean rate?"),
        ("elevenlab://a", "scheme 'elevenlab' is not known. Did you mean elevenlabs?"),
        ("nowhere.yaml", "nowhere.yaml: found no readable file"),
    ],
)
def test_an_address_that_is_wrong_names_its_remedy(address: str, said: str) -> None:
    with pytest.raises(AddressInvalid) as caught:
        made(address, {"DEEPGRAM_API_KEY": CANARY, "CARTESIA_API_KEY": CANARY})
    assert said in str(caught.value)


def test_a_whole_call_over_a_socket(tmp_path: Path) -> None:
    text = JSON.replace("{url: ws://127.0.0.1:9000/}", """
  url: ws://127.0.0.1:PORT/talk
  query: {who: "a b"}
  headers: {X-Key: "${KEY}"}
  subprotocols: [voice, "key.${KEY}"]
  opening: {type: hello, key: "${KEY}", call: "{call_id}"}
""") + "  - {kind: welcome, ready: {session: id}}\ncommands: {close: {type: bye}}\n"  # fmt: skip

    async def main() -> None:
        taken: list[Any] = []
        wire: list[tuple[str, str | bytes]] = []

        async def handle(connection: ServerConnection) -> None:
            assert connection.request is not None
            taken.append((connection.request.path, connection.request.headers["X-Key"]))
            taken.append(json.loads(await connection.recv()))
            await connection.send(json.dumps({"type": "welcome", "id": "s1", "echo": CANARY}))
            taken.append(json.loads(await connection.recv()))
            await connection.send(json.dumps({"type": "out", "data": "AAAA"}))
            taken.append(json.loads(await connection.recv()))
            await connection.wait_closed()

        server, port = await listen(handle, subprotocols=["voice"])
        async with server:
            log = lambda at, direction, message: wire.append((direction, message))  # noqa: E731
            address = file(tmp_path, text.replace("PORT", str(port)))
            endpoint = made(address, {"KEY": CANARY}, raw_log=log)
            ready = await endpoint.open()
            assert ready.session == "s1"
            await endpoint.send(Frame(PCM, 16000))
            events = asyncio.create_task(collect(endpoint))
            await asyncio.sleep(1)  # simulated
            await endpoint.close("done")
            audio, closed = await events
            assert (
                isinstance(audio, AudioReceived) and audio.pcm == b"\0\0"
            )  # three bytes: one is half a sample
            assert isinstance(closed, Closed) and closed.by is Party.US
        (path, key), hello, frame, bye = taken
        assert (path, key) == ("/talk?who=a+b", CANARY)
        assert hello["key"] == CANARY and len(hello["call"]) == 32
        assert (frame["type"], bye) == ("in", {"type": "bye"})
        assert len(wire) == 5 and all(CANARY not in str(message) for _, message in wire)

    run(main())


PREPARED = """
name: mine
prepare:
  - url: http://127.0.0.1:PORT/calls
    headers: {X-Key: "${KEY}"}
    method: GET
    take: {join: joinUrl, token: token}
connect: {url: "{join}", headers: {Authorization: "Bearer {token}"}}
audio:
  send: {rate: 16000, form: binary}
  receive: {rate: 16000, form: binary}
rules:
  - {kind: error, notice: {code: code, message: message}}
"""


def test_an_error_names_the_host_that_was_given_and_hides_what_stands_behind_it(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async def handle(connection: ServerConnection) -> None:
            raise AssertionError("nobody connects")

        def process(connection: ServerConnection, request: Request) -> Response:
            # nothing listens on port 9, which is kept for a service that nobody runs
            answer = {"joinUrl": f"ws://127.0.0.1:9/join/{CANARY}?{CANARY}", "token": "token-123456"}
            return connection.respond(200, json.dumps(answer))

        server, port = await listen(handle, process_request=process)
        async with server:
            address = file(tmp_path, PREPARED.replace("PORT", str(port)))
            with pytest.raises(ConnectFailed) as caught:
                await made(address, {"KEY": "key-123456"}).open()
        assert "nothing listens at ws://127.0.0.1:9***." in str(caught.value)
        assert CANARY not in str(caught.value)

    run(main())


def test_a_request_before_the_call_gives_address_and_token(tmp_path: Path) -> None:
    async def main() -> None:
        asked: list[tuple[str, str]] = []

        async def handle(connection: ServerConnection) -> None:
            await connection.send(
                json.dumps({"type": "error", "code": "x", "message": "token-123456 echoed"})
            )
            await connection.wait_closed()

        def process(connection: ServerConnection, request: Request) -> Response | None:
            asked.append((request.path, request.headers.get("Authorization", "")))
            if request.path != "/calls":
                return None
            assert request.headers["X-Key"] == CANARY
            answer = {"joinUrl": f"ws://127.0.0.1:{port}/join/j1", "token": "token-123456"}
            return connection.respond(200, json.dumps(answer))

        server, port = await listen(handle, process_request=process)
        async with server:
            address = file(
                tmp_path, PREPARED.replace("PORT", str(port)).replace("body:", "method: GET\n    #")
            )
            endpoint = made(address, {"KEY": CANARY})
            await endpoint.open()
            assert asked == [("/calls", ""), ("/join/j1", "Bearer token-123456")]
            events = asyncio.create_task(collect(endpoint))
            await asyncio.sleep(1)  # simulated
            await endpoint.close()
            notice = (await events)[0]
            assert isinstance(notice, Notice) and notice.message == "*** echoed"

    run(main())


def test_a_request_that_gives_no_websocket_is_said(tmp_path: Path) -> None:
    async def main() -> None:
        def process(connection: ServerConnection, request: Request) -> Response:
            return connection.respond(200, json.dumps({"joinUrl": "https://h/", "token": "t"}))

        async def handle(connection: ServerConnection) -> None:
            raise AssertionError("nobody connects")

        server, port = await listen(handle, process_request=process)
        async with server:
            address = file(
                tmp_path, PREPARED.replace("PORT", str(port)).replace("body:", "method: GET\n    #")
            )
            with pytest.raises(ConnectFailed, match="gave no address of a websocket"):
                await made(address, {"KEY": CANARY}).open()

    run(main())


def test_a_step_without_its_key_gives_what_the_file_says_instead(tmp_path: Path) -> None:
    text = PREPARED.replace(
        "    take:",
        "    when_set: KEY\n    otherwise: {join: 'ws://127.0.0.1:PORT/open', token: t}\n    take:",
    )

    async def main() -> None:
        paths: list[str] = []

        async def handle(connection: ServerConnection) -> None:
            assert connection.request is not None
            paths.append(connection.request.path)
            await connection.wait_closed()

        server, port = await listen(handle)
        async with server:
            endpoint = made(file(tmp_path, text.replace("PORT", str(port))))
            await endpoint.open()
            await endpoint.close()
        assert paths == ["/open"]

    run(main())
