"""The requests before a call, against HTTP servers on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from streams import clock
from streams.endpoints.declarative.model import Prepare
from streams.endpoints.declarative.prepare import prepared, request
from streams.endpoints.errors import AuthenticationFailed, ConnectFailed, EndpointError
from tests.streams.endpoints.declarative.declared import describe

CANARY = "canary-0123456789"
VALUES: dict[str, object] = {"$KEY": CANARY, "call_id": "call-1"}

Asked = tuple[str, dict[str, str], bytes]


def step(url: str, more: str = "") -> Prepare:
    text = f"""
name: mine
prepare:
  - url: {url}
    headers: {{X-API-Key: "${{KEY}}"}}
    take: {{join: data.url, number: data.n}}
{more}
connect: {{url: "{{join}}"}}
audio:
  send: {{rate: 16000, form: binary}}
  receive: {{rate: 16000, form: binary}}
"""
    return describe(text).prepare[0]


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[tuple[str, list[Asked]]]:
    """An HTTP server that gives everybody the same answer; its address, and what it was asked."""
    asked: list[Asked] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        asked.append((head[0], headers, await reader.readexactly(int(headers.get("content-length", 0)))))
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


def http(status: str, body: str = "", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body.encode())}", "Connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def run(main: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        await main()

    clock.run(whole(), simulate=True)


GOOD = http("201 Created", json.dumps({"data": {"url": "wss://h/x", "n": 5, "more": "ignored"}}))


def test_an_answer_gives_the_call_what_it_takes() -> None:
    async def main() -> None:
        async with answering(GOOD) as (url, asked):
            more = '    body: {id: "{call_id}", deep: {key: "${KEY}", none: "{call_id}-x"}}'
            values = await prepared(step(f"{url}/calls?a=1", more), VALUES.get, "mine.yaml", [CANARY])
        assert values == {"join": "wss://h/x", "number": 5}
        ((line, headers, body),) = asked
        assert line == "POST /calls?a=1 HTTP/1.1"
        assert (headers["x-api-key"], headers["content-type"]) == (CANARY, "application/json")
        assert json.loads(body) == {"id": "call-1", "deep": {"key": CANARY, "none": "call-1-x"}}

    run(main)


def test_a_get_has_no_body() -> None:
    async def main() -> None:
        async with answering(GOOD) as (url, asked):
            await prepared(step(url, "    method: GET"), VALUES.get, "mine.yaml", [])
        ((line, headers, body),) = asked
        assert line == "GET / HTTP/1.1" and "content-type" not in headers and not body

    run(main)


@pytest.mark.parametrize(
    ("answer", "kind", "found", "remedy"),
    [
        (http("401 Unauthorized", f'{{"error": "bad key {CANARY}"}}'), AuthenticationFailed,
         'was answered with HTTP 401: {"error": "bad key ***"}', "Check the key in its environment"),
        (http("403 Forbidden"), AuthenticationFailed, "was answered with HTTP 403.", "Check the key"),
        (http("404 Not Found", "no agent"), ConnectFailed, "HTTP 404: no agent", "the parameters"),
        (http("302 Found", "", "Location: http://127.0.0.1:1/"), ConnectFailed, "HTTP 302",
         "Redirects are not followed"),
        (http("500 Oops", "x" * 5000), ConnectFailed, "HTTP 500: " + "x" * 300 + ".", "vendor says"),
        (http("200 OK", "<html>"), ConnectFailed, "has 6 bytes that are no JSON", "`prepare.take`"),
        (http("200 OK", '{"data": {"url": "x"}}'), ConnectFailed, "has no data.n", "`prepare.take`"),
        (http("200 OK", '{"data": {"url": "", "n": 1}}'), ConnectFailed, "has no data.url", "take`"),
        (b"SSH-2.0-x\r\n\r\n", ConnectFailed, "failed (SSH-2.0-x", "Check its URL and the network."),
        (b"", ConnectFailed, "failed (", "Check its URL and the network."),
    ],
    ids=["401", "403", "404", "302", "500", "no JSON", "no value", "empty value", "no HTTP", "nothing"],
)  # fmt: skip
def test_what_goes_wrong_is_said_without_the_key(
    answer: bytes, kind: type[EndpointError], found: str, remedy: str
) -> None:
    async def main() -> None:
        async with answering(answer) as (url, _):
            with pytest.raises(kind) as caught:
                await prepared(step(url), VALUES.get, "mine.yaml", [CANARY])
        assert str(caught.value).startswith(f"mine.yaml: POST {url}, which prepares the call")
        assert found in str(caught.value) and remedy in str(caught.value)
        chain: BaseException | None = caught.value
        while chain is not None:  # what a traceback would show
            assert CANARY not in f"{chain!r} {chain}"
            chain = chain.__cause__ or chain.__context__

    run(main)


def test_nobody_there_is_said() -> None:
    async def main() -> None:
        with pytest.raises(ConnectFailed, match=r"failed \(.*refused.*\)"):
            await prepared(step("http://127.0.0.1:9/"), VALUES.get, "mine.yaml", [])

    run(main)


def test_a_request_shows_no_key() -> None:
    made = request(step("https://h/?api_key=${KEY}"), VALUES.get)
    assert made.headers["X-API-Key"] == CANARY and CANARY in made.url
    assert CANARY not in repr(made)
