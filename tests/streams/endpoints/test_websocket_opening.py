"""Opening a websocket session, and all the ways in which that fails, against a real server."""

from __future__ import annotations

import asyncio
import socket
from http import HTTPStatus

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from streams import clock
from streams.audio import AudioFormat
from streams.endpoints.errors import (
    AddressInvalid,
    AuthenticationFailed,
    ConnectFailed,
    EndpointClosed,
    EndpointError,
    HandshakeTimeout,
    RateLimited,
)
from streams.endpoints.events import Closed, Ready
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints.realtime_messages import server, speech_started
from tests.streams.endpoints.sockets import (
    CANARY,
    collect,
    failure,
    listen,
    listen_raw,
    pcm,
    realtime,
    run,
    tell,
)


def test_a_set_up_that_never_ends_is_a_handshake_timeout_even_while_messages_come() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            for _ in range(100):
                await tell(connection, speech_started())
                await asyncio.sleep(1)

        made, port = await listen(handler)
        async with made:
            error = await failure(realtime(port, handshake_timeout_s=5.0))
            assert isinstance(error, HandshakeTimeout)
            assert clock.now() == 5.0
            assert str(error).startswith(
                "openai+ws://test: connected, but the session was not ready within 5 s."
            )

    run(main())


def test_a_server_that_accepts_and_says_nothing_is_a_failed_connection() -> None:
    async def main() -> None:
        async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()  # until the client gives up
            writer.close()

        async with listen_raw(mute) as port:
            error = await failure(pcm(port))
            assert isinstance(error, ConnectFailed)
            assert "no connection within 15 s" in str(error)

    run(main())


@pytest.mark.parametrize(
    ("code", "reason", "kind", "words"),
    [
        (1011, "no model loaded", EndpointClosed, "closed during set-up with code 1011: no model loaded"),
        (1008, "invalid API key", AuthenticationFailed, "Set the environment variable MY_KEY"),
    ],
)
def test_a_close_during_set_up_is_told_with_its_reason(
    code: int, reason: str, kind: type[EndpointError], words: str
) -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await connection.close(code, reason)

        made, port = await listen(handler)
        async with made:
            endpoint = realtime(port, key_env="MY_KEY")
            error = await failure(endpoint)
            assert type(error) is kind
            assert words in str(error)
            assert isinstance((await collect(endpoint))[-1], Closed)

    run(main())


@pytest.mark.parametrize(
    ("code", "message", "kind", "words"),
    [
        ("invalid_value", "bad voice", ConnectFailed, "error invalid_value: bad voice. Check the dialect"),
        ("beta_api_shape_disabled", "-", ConnectFailed, "dialect=openai"),
        ("session_limit_reached", "all in use", ConnectFailed, "Close another session"),
        ("invalid_api_key", f"Incorrect API key {CANARY}", AuthenticationFailed, "Incorrect API key ***"),
    ],
)
def test_an_error_during_set_up_fails_at_once(
    code: str, message: str, kind: type[EndpointError], words: str
) -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await tell(connection, server("error", error={"code": code, "message": message}))
            await connection.wait_closed()

        made, port = await listen(handler)
        async with made:
            error = await failure(realtime(port, headers={"Authorization": f"Bearer {CANARY}"}))
            assert type(error) is kind
            assert words in str(error)

    run(main())


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, AuthenticationFailed, "HTTP 401: no such key ***. Set the environment variable MY_KEY"),
        (403, AuthenticationFailed, "MY_KEY"),
        (404, ConnectFailed, "HTTP 404: no such key ***. Check the path"),
        (429, RateLimited, "run fewer at a time"),
        (500, ConnectFailed, "HTTP 500"),
        (302, ConnectFailed, "Redirects are not followed"),
    ],
)
def test_http_errors_name_a_remedy(status: int, kind: type[EndpointError], words: str) -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None: ...

        def refuse(connection: ServerConnection, request: Request) -> Response:
            assert CANARY in request.path
            body = f"no such key {CANARY}".encode()
            headers = Headers({"Location": "ws://127.0.0.1:1/", "Content-Length": str(len(body))})
            return Response(status, HTTPStatus(status).phrase, headers, body)

        made, port = await listen(handler, process_request=refuse)
        async with made:
            url = f"ws://127.0.0.1:{port}/x?api_key={CANARY}"
            codec = PcmCodec(AudioFormat(16000))
            endpoint = WebsocketEndpoint(codec, url, address=f"pcm+{url}", key_env="MY_KEY")
            error = await failure(endpoint)
            assert type(error) is kind
            assert words in str(error)

    run(main())


@pytest.mark.parametrize(
    ("status", "header", "seconds"),
    [
        (429, "120", 120.0),
        (503, " 7 ", 7.0),
        (503, "Wed, 21 Oct 2026 07:28:00 GMT", None),  # a date of the server's clock
        (503, "-5", None),
        (500, None, None),
    ],
)
def test_when_to_come_back_is_taken_from_the_refusal(
    status: int, header: str | None, seconds: float | None
) -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None: ...

        def refuse(connection: ServerConnection, request: Request) -> Response:
            headers = Headers(
                {"Content-Length": "0", **({} if header is None else {"Retry-After": header})}
            )
            return Response(status, HTTPStatus(status).phrase, headers, b"")

        made, port = await listen(handler, process_request=refuse)
        async with made:
            error = await failure(pcm(port))
            assert isinstance(error, ConnectFailed)
            assert error.retry_after_s == seconds

    run(main())


def test_nobody_listening_is_told_with_host_and_port() -> None:
    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        error = await failure(pcm(port))
        assert isinstance(error, ConnectFailed)
        assert f"nothing listens at ws://127.0.0.1:{port}/. Start the server" in str(error)

    run(main())


def test_a_server_that_speaks_no_http_is_told() -> None:
    async def main() -> None:
        async def telnet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 welcome\r\n\r\n")
            await writer.drain()
            writer.close()

        async with listen_raw(telnet) as port:
            assert "does not speak HTTP" in str(await failure(pcm(port)))
            url = f"wss://127.0.0.1:{port}/"
            endpoint = WebsocketEndpoint(PcmCodec(AudioFormat(16000)), url, address="pcm+wss://test")
            assert "TLS failed" in str(await failure(endpoint))

    run(main())


def test_a_host_name_that_does_not_resolve_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    for name in (
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "ws_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", resolve)

    async def main() -> None:
        url = f"ws://no-such-host.invalid/?token={CANARY}"
        endpoint = WebsocketEndpoint(
            PcmCodec(AudioFormat(16000)), url, address="pcm+ws://no-such-host.invalid"
        )
        error = await failure(endpoint)
        assert isinstance(error, ConnectFailed)
        assert "ws://no-such-host.invalid/?token=*** cannot be resolved" in str(error)

    run(main())


def test_what_is_no_websocket_url_is_an_invalid_address() -> None:
    async def main() -> None:
        endpoint = WebsocketEndpoint(
            PcmCodec(AudioFormat(16000)), f"http://h/?key={CANARY}", address=f"pcm+http://h/?key={CANARY}"
        )
        assert isinstance(await failure(endpoint), AddressInvalid)

    run(main())


def test_opening_can_be_cancelled() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await connection.wait_closed()

        made, port = await listen(handler)
        async with made:
            endpoint = realtime(port)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await endpoint.open()
            assert clock.now() == 1.0

    run(main())


def test_a_codec_without_set_up_is_ready_on_connecting() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await connection.wait_closed()

        made, port = await listen(handler)
        async with made:
            endpoint = pcm(port)
            assert isinstance(await endpoint.open(), Ready)
            await endpoint.close()

    run(main())
