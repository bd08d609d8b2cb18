"""A small HTTP server in a thread that answers as an OpenAI-compatible one would."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    body: bytes | dict[str, Any]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


HANG = Reply(b"")
"""Never answers, until the server is closed."""

Respond = Callable[[Request], Reply]


@dataclass
class FakeServer:
    """What a test sees: the address, and every request that came."""

    base_url: str
    requests: list[Request]


@contextmanager
def serving(respond: Respond) -> Iterator[FakeServer]:
    closing = threading.Event()
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            requests.append(request)
            reply = respond(request)
            if reply is HANG:
                closing.wait(30)
                return
            data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            headers = {
                "Content-Type": reply.content_type,
                "Content-Length": str(len(data)),
                **reply.headers,
            }
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield FakeServer(f"http://127.0.0.1:{server.server_port}/v1", requests)
        finally:
            closing.set()
            server.shutdown()
            thread.join()


def script(*replies: Reply) -> Respond:
    """Replies in order; the last one again and again."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def chat(text: str | None, *, finish: str = "stop") -> Reply:
    """A chat completion."""
    return Reply(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 0,
            "model": "served-model",
            "choices": [
                {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
            ],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
    )


def chat_stream(*pieces: str) -> Reply:
    """A chat completion as server-sent events."""
    chunks = [
        {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "served-model",
            "choices": [{"index": 0, "delta": {"content": piece}}],
        }
        for piece in pieces
    ]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]
    return Reply("".join(lines).encode(), content_type="text/event-stream")


def failure(status: int, message: str, *, at_once: bool = True) -> Reply:
    """An error; `at_once` asks for a retry without delay."""
    headers = {"retry-after-ms": "1"} if at_once else {}
    return Reply({"error": {"message": message, "type": "x"}}, status, headers)
