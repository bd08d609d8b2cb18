"""Ways to an endpoint: certificates of one's own, proxies of the environment, and neither for loopback."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import trustme
from websockets.asyncio.server import ServerConnection

from streams.audio import AudioFormat
from streams.endpoints.errors import ConnectFailed
from streams.endpoints.events import Ready
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints.sockets import CANARY, failure, listen, pcm, run

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ws_proxy", "wss_proxy", "socks_proxy")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, *map(str.upper, PROXIES), "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)


async def waits(connection: ServerConnection) -> None:
    await connection.wait_closed()


def called(url: str) -> WebsocketEndpoint:
    headers = {"Authorization": f"Bearer {CANARY}"}
    return WebsocketEndpoint(PcmCodec(AudioFormat(16000)), url, address=f"pcm+{url}", headers=headers)


# --- TLS


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def serving_tls(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def test_an_issuer_of_ones_own_is_trusted_by_ssl_cert_file(
    authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        made, port = await listen(waits, ssl=serving_tls(authority, "127.0.0.1"))
        async with made:
            error = await failure(called(f"wss://127.0.0.1:{port}/"))
            assert "certificate was not accepted" in str(error)
            assert "SSL_CERT_FILE" in error.remedy
            file = tmp_path / "ca.pem"
            authority.cert_pem.write_to_path(str(file))
            monkeypatch.setenv("SSL_CERT_FILE", str(file))
            endpoint = called(f"wss://127.0.0.1:{port}/")
            assert isinstance(await endpoint.open(), Ready)
            await endpoint.close()

    run(main())


def test_a_trusted_issuer_does_not_make_another_host_the_right_one(
    authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        file = tmp_path / "ca.pem"
        authority.cert_pem.write_to_path(str(file))
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        made, port = await listen(waits, ssl=serving_tls(authority, "voice.example"))
        async with made:
            error = await failure(called(f"wss://127.0.0.1:{port}/"))
            assert isinstance(error, ConnectFailed)
            assert "certificate was not accepted" in str(error)

    run(main())


# --- proxies


@asynccontextmanager
async def proxy(port: int) -> AsyncIterator[tuple[str, list[str]]]:
    """A proxy that leads wherever one asks to `port` of loopback; its address, and what it was asked."""
    asked: list[str] = []
    pumps: set[asyncio.Task[None]] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        pumps.add(asyncio.create_task(pump(inner_reader, writer)))
        await pump(reader, inner_writer)

    made = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with made:
        yield f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}", asked
        for each in pumps:
            each.cancel()


def test_the_proxy_of_the_environment_is_used_and_sees_no_key(
    authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        file = tmp_path / "ca.pem"
        authority.cert_pem.write_to_path(str(file))
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        made, port = await listen(waits, ssl=serving_tls(authority, "voice.example"))
        async with made, proxy(port) as (address, asked):
            monkeypatch.setenv("https_proxy", address)
            endpoint = called(f"wss://voice.example/?token={CANARY}")
            assert isinstance(await endpoint.open(), Ready)
            await endpoint.close()
            (request,) = asked
            assert request.startswith("CONNECT voice.example:443 HTTP/1.1\r\n")
            assert CANARY not in request

    run(main())


def test_no_proxy_leads_to_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        made, port = await listen(waits)
        async with made, proxy(port) as (address, asked):
            for name in ("http_proxy", "https_proxy", "all_proxy"):
                monkeypatch.setenv(name, address)
            endpoint = pcm(port)
            assert isinstance(await endpoint.open(), Ready)
            await endpoint.close()
            assert asked == []

    run(main())


def test_a_proxy_that_refuses_is_named_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            writer.close()

        made = await asyncio.start_server(refuse, "127.0.0.1", 0)
        async with made:
            monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}")
            error = await failure(called("wss://voice.example/"))
            assert "the proxy failed" in str(error)
            assert error.remedy == "Check HTTPS_PROXY and NO_PROXY."

    run(main())
