"""Connects one client to one conversation: messages in, messages out, nothing decided here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from streams.clock import now
from streams.endpoints.protocol import Message
from streams.reference import happenings as did
from streams.reference.commands import Command
from streams.reference.conversation import Conversation
from streams.reference.replies import Cast
from streams.reference.wire import ServerCodec

_INBOX = 1000
"""Messages that may wait to be followed (20 s of frames); then the client has to wait."""


Inbox = asyncio.Queue[tuple[Command | did.Refused, float]]
"""Commands, or what was wrong with them, each with its arrival on the loop's clock."""


class LineClosed(Exception):
    """The client is gone."""


class Line(Protocol):
    """A way to exchange messages with one client."""

    async def receive(self) -> Message:
        """The next message. Raises `LineClosed`."""

    async def send(self, message: str) -> None:
        """Send a message. Raises `LineClosed`."""


async def hold(line: Line, cast: Cast, codec: ServerCodec) -> None:
    """Hold one session until the client hangs up."""
    outbox: asyncio.Queue[str] = asyncio.Queue()

    def emit(happening: did.Happening) -> None:
        for message in codec.send(happening):
            outbox.put_nowait(message)

    emit(did.SessionOpened())
    inbox: Inbox = asyncio.Queue(_INBOX)
    async with asyncio.TaskGroup() as tasks:
        conversation = Conversation(cast, lambda: codec.settings, emit, tasks)
        workers = [
            tasks.create_task(_write(line, outbox)),
            tasks.create_task(_follow(conversation, inbox, emit)),
        ]
        await _read(line, codec, inbox)
        conversation.close()
        for worker in workers:
            worker.cancel()


async def _read(line: Line, codec: ServerCodec, inbox: Inbox) -> None:
    try:
        while True:
            message = await line.receive()
            at = now()
            await inbox.put((codec.receive(message), at))
    except LineClosed:
        return


async def _follow(
    conversation: Conversation,
    inbox: Inbox,
    emit: Callable[[did.Happening], None],
) -> None:
    while True:
        command, at = await inbox.get()
        if isinstance(command, did.Refused):
            emit(command)
        else:
            await conversation.take(command, at=at)


async def _write(line: Line, outbox: asyncio.Queue[str]) -> None:
    try:
        while True:
            await line.send(await outbox.get())
    except LineClosed:
        return
