"""Real brokers for tests: Mosquitto in a process, amqtt in a thread; and clients that look on."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt
import pytest

from streams.events.address import Broker
from streams.events.connection import BrokerUnreachable
from streams.events.messages import Published
from streams.events.subscriber import listen
from streams.events.watching import Watch
from tests.kept import kept

MOSQUITTO = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")

needs_mosquitto = pytest.mark.skipif(
    MOSQUITTO is None, reason="mosquitto is not installed (scripts/system-packages test)"
)

PREFIX = "viva/test"
PATIENCE_S = 20.0
"""How long a test waits for what must come; a loaded machine is slow, a fault is for ever."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A broker that can be stopped, killed, frozen and started again on the same port."""

    def __init__(self, folder: Path, lines: tuple[str, ...] = ("allow_anonymous true",)) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self._log = folder / "mosquitto.log"
        self._config = folder / "mosquitto.conf"
        own = ("user root",) if os.geteuid() == 0 else ()  # else it would not read what is ours
        listener = f"listener {self.port} 127.0.0.1"
        self._config.write_text("\n".join([*own, listener, "persistence false", *lines, ""]))
        self._process: subprocess.Popen[str] | None = None
        self._keeper: subprocess.Popen[bytes] | None = None

    @property
    def broker(self) -> Broker:
        return Broker("127.0.0.1", self.port, PREFIX)

    def start(self) -> Mosquitto:
        assert MOSQUITTO is not None
        process = subprocess.Popen(
            [MOSQUITTO, "-v", "-c", str(self._config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        for line in process.stderr:
            if " running" in line:
                break
        else:
            pytest.fail("mosquitto did not start")
        # it writes what it does: somebody must read it, or it stands still
        threading.Thread(target=lambda: [None for _ in process.stderr or ()], daemon=True).start()
        self._process, self._keeper = process, kept(process.pid)
        return self

    def stop(self) -> None:
        """End it as its owner would: it says goodbye to nobody."""
        if self._keeper is not None:
            self._keeper.kill()
            self._keeper.wait()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stderr is not None
            with suppress(ValueError):
                self._process.stderr.close()
            self._process = None

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)


@contextmanager
def mosquitto(folder: Path, *lines: str) -> Iterator[Mosquitto]:
    made = Mosquitto(folder, lines or ("allow_anonymous true",)).start()
    try:
        yield made
    finally:
        made.stop()


@contextmanager
def amqtt() -> Iterator[Broker]:
    """The embedded broker, in a thread of its own."""
    module = pytest.importorskip("amqtt.broker", reason="amqtt is not installed (see docs/events.md)")
    logging.getLogger("amqtt").setLevel(logging.CRITICAL)
    port, ready = free_port(), threading.Event()
    config = {
        "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
        "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
    }
    loop = asyncio.new_event_loop()
    over: asyncio.Event = asyncio.Event()

    async def main() -> None:
        broker = module.Broker(config)
        await broker.start()
        ready.set()
        await over.wait()
        await broker.shutdown()

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()), daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield Broker("127.0.0.1", port, PREFIX)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(20)
        loop.close()


class Wire:
    """A TCP connection to a broker that can be cut and mended, in a thread of its own."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._open: set[asyncio.StreamWriter] = set()
        self._whole = self._answers = self._carries = True
        self._swallowed = bytearray()
        self._change = threading.Condition()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)
        self.port = 0

    @property
    def broker(self) -> Broker:
        return Broker("127.0.0.1", self.port, PREFIX)

    def __enter__(self) -> Wire:
        self._thread.start()
        assert self._ready.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(PATIENCE_S)

    async def _main(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as server:
            self.port = server.sockets[0].getsockname()[1]
            self._ready.set()
            await self._over.wait()

    def cut(self) -> None:
        """Whoever is connected is so no more, and nobody can connect; returns when it is so."""

        async def cut() -> None:
            self._whole = False
            for writer in self._open:
                writer.transport.abort()

        asyncio.run_coroutine_threadsafe(cut(), self._loop).result(PATIENCE_S)

    def mend(self) -> None:
        self._whole = self._answers = self._carries = True

    def hang(self) -> None:
        """Nothing gets through any more, either way, and nobody is told."""
        self._answers = self._carries = False

    def swallowed(self, data: bytes) -> None:
        """Wait until this was sent, and did not get through."""
        with self._change:
            assert self._change.wait_for(lambda: data in self._swallowed, PATIENCE_S)

    def _back(self, _: bytes) -> bool:
        return self._answers

    def _forth(self, data: bytes) -> bool:
        with self._change:
            if not self._carries:
                self._swallowed += data
            self._change.notify_all()
        return self._carries

    def mute(self) -> None:
        """What is sent gets there, and nothing comes back: a line on which answers are late."""
        self._answers = False

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._whole:
            writer.transport.abort()
            return
        back, forth = await asyncio.open_connection("127.0.0.1", self._to)
        if not self._whole:  # it was cut meanwhile
            writer.transport.abort()
            forth.transport.abort()
            return
        self._open |= {writer, forth}
        try:
            await asyncio.gather(_pour(reader, forth, self._forth), _pour(back, writer, self._back))
        finally:
            self._open -= {writer, forth}


async def _pour(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passes: Callable[[bytes], bool]
) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(2**16):
            if passes(data):
                writer.write(data)
                await writer.drain()
    writer.close()


@dataclass
class Observer:
    """Somebody who watches, in a thread of its own: what was heard so far, and waiting for more of it."""

    broker: Broker
    watch: Watch = field(default_factory=lambda: Watch(PREFIX))
    heard: list[Published] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)

    def __enter__(self) -> Observer:
        self._changed = threading.Condition()
        self._connected = 0
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] = self._loop.create_task(
            listen(self.broker, self.watch, self._hear, self._told)
        )
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(PATIENCE_S)

    def _work(self) -> None:
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def _told(self, trouble: BrokerUnreachable | None) -> None:
        with self._changed:
            self._connected += trouble is None
            self._changed.notify_all()

    def _hear(self, topic: str, message: Published) -> None:
        with self._changed:
            self.topics.append(topic)
            self.heard.append(message)
            self._changed.notify_all()

    def until(self, what: Callable[[Observer], bool]) -> None:
        """Wait until something is so; fails if it does not become so."""
        with self._changed:
            assert self._changed.wait_for(lambda: what(self), PATIENCE_S), [
                f"{message.kind} {message.episode} {message.seq}" for message in self.heard
            ]

    def connected(self, times: int = 1) -> None:
        """Wait for the so manieth connection."""
        self.until(lambda seen: seen._connected >= times)

    def of(self, kind: str) -> list[Published]:
        return [message for message in self.heard if message.kind == kind]


def publish(broker: Broker, topic: str, payload: bytes, *, retain: bool = False) -> None:
    """Publish from a client of its own."""

    async def main() -> None:
        async with aiomqtt.Client(
            broker.host, broker.port, username=broker.user, password=broker.password
        ) as client:
            await client.publish(topic, payload, qos=1, retain=retain)

    asyncio.run(main())
