"""Listens to what runs publish: the thin shell around `watching`."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from streams.events.address import Broker
from streams.events.coding import Unreadable, decode, encode
from streams.events.connection import ANSWER_S, BrokerUnreachable, keep_connected, subscribe
from streams.events.messages import Ack, Command, Published
from streams.events.topics import all_topics, command_topic, topic_of
from streams.events.watching import Watch

if TYPE_CHECKING:
    import aiomqtt

QUIET_S = 0.3
"""A broker that has said nothing for so long after a subscription has said all that it keeps."""

Heard = Callable[[str, Published], None]
"""Given each message that is news, with its topic."""


def _nobody(topic: str, message: Published) -> None:
    """Nobody wants to know."""


async def listen(
    broker: Broker,
    watch: Watch,
    heard: Heard = _nobody,
    told: Callable[[BrokerUnreachable | None], None] = lambda _: None,
) -> None:
    """Listen until cancelled, over as many connections as it takes.

    Args:
        broker: Where.
        watch: Takes it all.
        heard: Told each message.
        told: Told each failure, and None when all is subscribed to; what it raises ends the listening.
    """

    async def talk(client: aiomqtt.Client) -> None:
        await subscribe(client, all_topics(broker.prefix), qos=1)
        told(None)
        async for message in client.messages:
            _take(message, watch, heard)

    await keep_connected(broker, talk, identifier=_identifier(), told=told)


async def look(broker: Broker, watch: Watch) -> None:
    """Take what the broker keeps, and return.

    Raises:
        BrokerUnreachable: There is no connection, or it broke.
    """

    async def talk(client: aiomqtt.Client) -> None:
        # with QoS 0 what is kept is sent at once, and before the answer to the next request
        await subscribe(client, all_topics(broker.prefix), qos=0)
        await client.unsubscribe(f"{broker.prefix}/-")
        messages = aiter(client.messages)
        while True:
            try:
                async with asyncio.timeout(QUIET_S):
                    _take(await anext(messages), watch)
            except TimeoutError:
                return

    await keep_connected(broker, talk, identifier=_identifier(), told=give_up)


async def forget(broker: Broker, topics: list[str]) -> None:
    """Have the broker forget what it keeps under these topics.

    Raises:
        BrokerUnreachable: There is no connection, or it broke.
    """

    async def talk(client: aiomqtt.Client) -> None:
        for topic in topics:
            await client.publish(topic, b"", qos=1, retain=True)

    await keep_connected(broker, talk, identifier=_identifier(), told=give_up)


async def ask(broker: Broker, run: str, command: Command) -> Ack | None:
    """Send a command to a run, and wait for its answer.

    Returns:
        The answer, or None if nobody answers within `ANSWER_S`.

    Raises:
        BrokerUnreachable: There is no connection, or it broke.
    """
    answers: list[Ack] = []

    async def talk(client: aiomqtt.Client) -> None:
        await subscribe(client, [topic_of(broker.prefix, Ack(run=run, status="done"))], qos=1)
        await client.publish(command_topic(broker.prefix, run), encode(command), qos=1)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                async for message in client.messages:
                    answer = _answer(message)
                    if answer is not None and answer.id == command.id:
                        answers.append(answer)
                        return

    await keep_connected(broker, talk, identifier=_identifier(), told=give_up)
    return answers[0] if answers else None


def give_up(trouble: BrokerUnreachable) -> None:
    """Raise what is in the way of a connection."""
    raise trouble


def _answer(message: aiomqtt.Message) -> Ack | None:
    payload = message.payload if isinstance(message.payload, bytes) else b""
    try:
        found = decode(payload)
    except Unreadable:
        return None
    return found if isinstance(found, Ack) else None


def _take(message: aiomqtt.Message, watch: Watch, heard: Heard = _nobody) -> None:
    payload = message.payload if isinstance(message.payload, bytes) else b""
    topic = message.topic.value
    if (news := watch.take(topic, payload)) is not None:
        heard(topic, news)


def _identifier() -> str:
    return f"viva-watch-{secrets.token_hex(4)}"
