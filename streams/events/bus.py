"""Publishes what goes on in a run, from a thread of its own: no broker can delay a call, or fail it.

The thread has an event loop of its own too, on the wall clock: runs in simulated time publish as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import sys
import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from streams.clock import utc_now
from streams.events.address import Broker
from streams.events.buffer import CAPACITY, Buffer, Lost
from streams.events.coding import Unreadable, decode, encode
from streams.events.connection import BrokerUnreachable, Will, keep_connected, subscribe
from streams.events.messages import Header, Loss, Presence
from streams.events.retained import Retained
from streams.events.topics import DELIVERIES, command_topic, topic_of

if TYPE_CHECKING:
    import aiomqtt

AT_ONCE = 16
"""Messages that wait for the broker's receipt at the same time."""

REPORT_EVERY_S = 1.0
"""How often losses are looked at."""

LINGER_S, LINGER_AWAY_S = 3.0, 1.0
"""What waits at the end of a run has so long to get out; less if there is no connection."""

LAST_WORD_S = 0.5
"""What is said without waiting for the broker's receipt, since too much waits, has so long."""

TakeCommand = Callable[[bytes, bool], None]
"""Takes the payload of a command, and whether the broker had kept it; called in the bus's thread."""


class Bus:
    """The publishing side of one run.

    Args:
        broker: Where.
        run: Id of the run.
        command: Takes commands; None subscribes to none.
        say: Told, for people, when there is no connection, why, and when there is one again.
        capacity: Messages that wait at most.
    """

    def __init__(
        self,
        broker: Broker,
        run: str,
        command: TakeCommand | None = None,
        say: Callable[[str], None] = lambda _: None,
        capacity: int = CAPACITY,
    ) -> None:
        self._broker = broker
        self._run = run
        self._command = command
        self._say = say
        self._lock = threading.Lock()
        self._buffer = Buffer(capacity)
        self._retained = Retained()
        self._flying: dict[int, Header] = {}
        self._numbers = itertools.count(1)
        self._reported = 0
        self._trouble = ""
        self._connected = self._closing = self._woken = self._crowded = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._work, name="events over MQTT", daemon=True)
        self.source = secrets.token_hex(4)

    def start(self) -> None:
        """Begin; returns once messages are taken, connected or not."""
        self._thread.start()
        self._ready.wait()

    def put(self, message: Header) -> None:
        """Publish a message as soon as it can be; returns at once. From any thread."""
        with self._lock:
            stamped = self._stamp(message)
            self._buffer.put(stamped)
            if (cleared := self._retained.note(stamped)) is not None:
                self._buffer.put(self._stamp(cleared))
            wakes = self._loop is not None and not self._woken
            self._woken = self._woken or wakes
        if wakes:
            self._soon(self._wake_up)

    def lost(self) -> Lost:
        """What could not be published so far."""
        with self._lock:
            return Lost(self._buffer.lost.dropped.copy(), self._buffer.lost.replaced)

    def close(self) -> Lost:
        """Let what waits get out, if it can in a moment; returns what could not. Blocks: not for a loop."""
        self._closing = True
        self._soon(self._wake_up)
        self._thread.join(LINGER_S if self._connected else LINGER_AWAY_S)
        if self._thread.is_alive():
            self._soon(lambda: self._task.cancel())
            self._thread.join(1.0)
        with self._lock:
            self._buffer.put_back(list(self._flying.values()))
            self._flying.clear()
            self._buffer.drop_all()
        return self.lost()

    def _soon(self, work: Callable[[], object]) -> None:
        """Have something done in the thread, unless it has ended."""
        with contextlib.suppress(RuntimeError):  # its loop is closed
            if self._loop is not None:
                self._loop.call_soon_threadsafe(work)

    # --- in the thread

    def _work(self) -> None:
        # plain asyncio: the exact timers of a session's loop are not needed here
        try:
            with contextlib.suppress(asyncio.CancelledError):
                asyncio.run(self._main())
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._task = asyncio.ensure_future(self._connect())
        self._ready.set()
        await self._task

    async def _connect(self) -> None:
        lost = self._stamp(Presence(state="lost"), counts=False)
        will = Will(topic_of(self._broker.prefix, lost), encode(lost))
        name = f"viva-{self.source}"
        await keep_connected(self._broker, self._talk, will=will, identifier=name, told=self._told)

    def _told(self, trouble: BrokerUnreachable) -> None:
        self._connected = False
        if str(trouble) != self._trouble:
            self._say(f"events: {trouble} The run goes on, and tries again.")
        self._trouble = str(trouble)

    def _back(self) -> None:
        self._connected = True
        if self._trouble:
            self._say(f"events: connected with {self._broker}")
        self._trouble = ""

    async def _talk(self, client: aiomqtt.Client) -> None:
        try:
            await self._publish(client)
        except asyncio.CancelledError:  # not all gets out in time: the last word goes before the rest
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORD_S):
                    await self._last_word(client, receipt=False)
            raise

    async def _publish(self, client: aiomqtt.Client) -> None:
        client.pending_calls_threshold = sys.maxsize
        presence = self._stamp(Presence(state="online"))
        self._presence = topic_of(self._broker.prefix, presence)
        commands = [command_topic(self._broker.prefix, self._run)] if self._command is not None else []
        await subscribe(client, [self._presence, *commands], qos=1)
        await self._send(client, presence)
        self._back()
        with self._lock:  # a broker that was started anew knows nothing of what it should hold
            self._buffer.remind(self._retained.all())
        try:
            async with asyncio.TaskGroup() as group:
                beside = [group.create_task(self._listen(client)), group.create_task(self._report())]
                senders = [group.create_task(self._send_all(client)) for _ in range(AT_ONCE)]
                await asyncio.wait(senders)
                await _stopped(beside)
        finally:
            with self._lock:
                self._buffer.put_back([self._flying[seq] for seq in sorted(self._flying)])
                self._flying.clear()
        await self._last_word(client)

    async def _last_word(self, client: aiomqtt.Client, *, receipt: bool = True) -> None:
        """Say what was lost, and that the run has ended: the broker would keep it as one that is there."""
        if not receipt:
            with self._lock:
                self._buffer.drop_all()
        if (loss := self._loss()) is not None:
            await self._send(client, self._stamp(loss), receipt=receipt)
        await self._send(client, self._stamp(Presence(state="ended")), receipt=receipt)

    async def _listen(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            payload = message.payload if isinstance(message.payload, bytes) else b""
            if message.topic.value != self._presence:
                if self._command is not None:
                    self._command(payload, message.retain)
            elif not self._is_here(payload):
                await self._send(client, self._stamp(Presence(state="online")))

    def _is_here(self, payload: bytes) -> bool:
        """Whether what stands on the broker of our presence may stay.

        The will of a connection that is no more, or of an earlier sitting, may come late.
        """
        try:
            found = decode(payload)
        except Unreadable:
            return False
        here = isinstance(found, Presence) and found.state == "online"
        if here and found.source != self.source and not self._crowded:
            self._crowded = True
            self._say(
                f"events: another run {self._run!r} publishes to {self._broker} too; rename one (--out)"
            )
        return here

    async def _report(self) -> None:
        while True:
            if (loss := self._loss()) is not None:
                self.put(loss)
            await asyncio.sleep(REPORT_EVERY_S)

    def _loss(self) -> Loss | None:
        """What was lost, if it is more than was reported."""
        lost = self.lost()
        if lost.dropped.total() == self._reported:
            return None
        self._reported = lost.dropped.total()
        return Loss(dropped=dict(lost.dropped), replaced=lost.replaced)

    async def _send_all(self, client: aiomqtt.Client) -> None:
        """Send until the run is over and nothing waits; several do so side by side."""
        while True:
            with self._lock:
                message = self._buffer.take()
                if message is None:
                    self._wake.clear()
            if message is not None:
                self._flying[message.seq] = message
                await self._send(client, message)
                self._flying.pop(message.seq, None)
            elif self._closing:
                return
            else:
                await self._wake.wait()

    async def _send(self, client: aiomqtt.Client, message: Header, *, receipt: bool = True) -> None:
        delivery = DELIVERIES[message.kind]
        topic, qos = topic_of(self._broker.prefix, message), delivery.qos if receipt else 0
        await client.publish(topic, encode(message), qos=qos, retain=delivery.retain)

    def _wake_up(self) -> None:
        with self._lock:
            self._woken = False
        self._wake.set()

    def _stamp(self, message: Header, *, counts: bool = True) -> Header:
        number = next(self._numbers) if counts else 0
        at = utc_now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        changes = {"run": self._run, "source": self.source, "seq": number, "at": at}
        return message.model_copy(update=changes)


async def _stopped(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancel tasks until they are over.

    More than once: Python 3.11's `wait_for` loses a cancellation that comes together with its result.
    """
    while tasks:
        for task in tasks:
            task.cancel()
        _, tasks = await asyncio.wait(tasks, timeout=0.1)
