"""Studios for tests: asked in this process, or on a socket for a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.routing import BaseRoute
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from agent.cli.studio.parts import parts
from recordings.studio.app import studio_app
from recordings.studio.library import Library
from recordings.studio.server import bind

HOST = "http://127.0.0.1:8790"


def app_of(*roots: Path, routes: Sequence[BaseRoute] = (), features: Sequence[str] = ()) -> ASGIApp:
    """A studio over some folders, as `viva listen` puts it together."""
    return studio_app(Library(list(roots)), parts({}), routes, features=features)


def client(*roots: Path, routes: Sequence[BaseRoute] = ()) -> TestClient:
    """Asks a studio over some folders; a failure inside it is a failure of the test."""
    return TestClient(app_of(*roots, routes=routes), base_url=HOST)


def ids(asked: TestClient) -> dict[str, str]:
    """Ids of episodes by their names."""
    columns = {column["name"]: column["values"] for column in asked.get("/api/catalogue").json()["columns"]}
    return dict(zip(columns["episode"], columns["id"], strict=True))


@contextmanager
def running(*roots: Path, routes: Sequence[BaseRoute] = (), app: ASGIApp | None = None) -> Iterator[str]:
    """A studio on a free port of the loopback interface; gives its address, and ends with the block."""
    bound = bind("127.0.0.1", 0)
    config = uvicorn.Config(
        app or app_of(*roots, routes=routes),
        log_level="warning",
        lifespan="off",
        ws="websockets-sansio",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound.socket]}, daemon=True)
    thread.start()
    try:
        yield bound.url  # connections wait in the queue of the socket until it answers
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        bound.socket.close()
