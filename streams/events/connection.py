"""The one MQTT connection: made again whenever it breaks, less and less often while it can't be made."""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streams.clock import now
from streams.events.address import PASSWORD, USER, Broker

if TYPE_CHECKING:
    import aiomqtt

KEEPALIVE_S = 20
"""The broker says the last will 1.5 times as long after it has last heard of us."""

ANSWER_S = 10.0
"""A broker that answers later is treated as gone."""

LASTED_S = 30.0
"""A connection that lasted so long was a good one: the next is waited for as after the first failure."""

_NOT_AUTHORISED = 5
_REFUSED = frozenset({4, _NOT_AUTHORISED, 134, 135})
"""Answers to CONNECT: bad user name or password, not authorised; of MQTT 3.1.1 and 5."""

_SUBSCRIPTION_FAILED = 128


class BrokerUnreachable(RuntimeError):
    """There is no connection with the broker."""

    remedy = "Is it running, and is the address right?"

    def __init__(self, broker: Broker, found: str) -> None:
        self.broker = broker
        super().__init__(f"{broker}: {found}. {self.remedy}")


class BrokerRefused(BrokerUnreachable):
    """The broker does not let us in."""

    remedy = f"Set {USER} and {PASSWORD} to what it knows."


class BrokerUntrusted(BrokerUnreachable):
    """The broker's certificate is signed by nobody whom this machine trusts."""

    remedy = "Name the file with its issuer's certificate in SSL_CERT_FILE."


class BrokerMissing(RuntimeError):
    """The library for MQTT is not installed."""

    def __init__(self) -> None:
        super().__init__("MQTT needs aiomqtt, which is not installed: pip install 'vivavoce[mqtt]'")


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes, retained and with QoS 1, when the connection breaks."""

    topic: str
    payload: bytes


@dataclass(slots=True)
class Backoff:
    """Seconds to wait before each new try: doubled up to a limit, and spread over a fifth of it."""

    first_s: float = 1.0
    longest_s: float = 30.0
    chance: random.Random = field(default_factory=random.Random)
    _tries: int = 0

    def next(self) -> float:
        """For the next try; never less than `first_s`."""
        wait: float = min(self.first_s * 2**self._tries, self.longest_s)
        self._tries = min(self._tries + 1, 16)
        return wait * (1 + 0.2 * self.chance.random())

    def reset(self) -> None:
        """A try has succeeded."""
        self._tries = 0


Told = Callable[[BrokerUnreachable], None]
"""Told why there is no connection, each time."""


async def keep_connected(
    broker: Broker,
    talk: Callable[[aiomqtt.Client], Awaitable[None]],
    *,
    will: Will | None = None,
    identifier: str | None = None,
    told: Told = lambda _: None,
    backoff: Backoff | None = None,
) -> None:
    """Connect, and let `talk` use the connection until it returns; when the connection breaks, begin again.

    Args:
        broker: Where.
        talk: Subscribes, publishes, listens; raises `aiomqtt.MqttError` when the connection breaks.
        will: The last will.
        identifier: Of this client; by default one that the library makes.
        told: May raise, which ends it all.
        backoff: How long it waits between tries.
    """
    import aiomqtt

    asyncio.get_running_loop().set_exception_handler(_in_callback)
    backoff = backoff or Backoff()
    while True:
        client = _client(broker, will, identifier)
        began = now()
        failure: BrokerUnreachable
        try:
            await _enter(client)
            try:
                await talk(client)
                return
            finally:
                await _leave(client)
        except* aiomqtt.MqttError as group:
            failure = _unreachable(broker, _first(group))
        told(failure)
        if now() - began > LASTED_S:
            backoff.reset()
        await asyncio.sleep(backoff.next())


def check_installed() -> None:
    """See that the library is there.

    Raises:
        BrokerMissing: It is not.
    """
    try:
        import aiomqtt  # noqa: F401
    except ModuleNotFoundError as error:
        raise BrokerMissing from error


async def subscribe(client: aiomqtt.Client, topics: Iterable[str], qos: int) -> None:
    """Subscribe to topics.

    Raises:
        aiomqtt.MqttError: The broker does not let us, or the connection broke.
    """
    from aiomqtt.exceptions import MqttConnectError

    answers = await client.subscribe([(topic, qos) for topic in topics])
    if any(getattr(answer, "value", answer) >= _SUBSCRIPTION_FAILED for answer in answers):
        raise MqttConnectError(_NOT_AUTHORISED)


def _client(broker: Broker, will: Will | None, identifier: str | None) -> aiomqtt.Client:
    import aiomqtt

    silent = logging.Logger("vivavoce.mqtt", logging.CRITICAL + 1)  # what it has to say, its errors say
    return aiomqtt.Client(
        broker.host,
        broker.port,
        username=broker.user,
        password=broker.password,
        identifier=identifier,
        will=None if will is None else aiomqtt.Will(will.topic, will.payload, qos=1, retain=True),
        keepalive=KEEPALIVE_S,
        timeout=ANSWER_S,
        tls_context=ssl.create_default_context() if broker.tls else None,
        logger=silent,
    )


async def _enter(client: aiomqtt.Client) -> None:
    import aiomqtt

    try:
        await client.__aenter__()
    except (aiomqtt.MqttError, asyncio.CancelledError):
        # the library leaves the socket of a broker that accepts and does not answer open, and watched
        client._client.disconnect()
        raise


async def _leave(client: aiomqtt.Client) -> None:
    """Say goodbye, if there is still somebody to say it to."""
    import aiomqtt

    try:
        async with asyncio.timeout(1.0):
            await client.__aexit__(None, None, None)
    except (aiomqtt.MqttError, TimeoutError):
        client._client.disconnect()


def _first(group: BaseExceptionGroup[aiomqtt.MqttError]) -> aiomqtt.MqttError:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


def _unreachable(broker: Broker, error: aiomqtt.MqttError) -> BrokerUnreachable:
    from aiomqtt.exceptions import MqttConnectError

    if isinstance(error, MqttConnectError):
        code = getattr(error.rc, "value", error.rc)
        if code in _REFUSED:
            who = f"the user {broker.user!r} and its password" if broker.user else "a client without a user"
            return BrokerRefused(broker, f"the broker refuses {who}")
    kind = BrokerUntrusted if "CERTIFICATE_VERIFY_FAILED" in str(error) else BrokerUnreachable
    return kind(broker, f"no connection with the broker ({error or type(error).__name__})")


def _in_callback(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """The library watches sockets that were closed a moment ago; the connection's failure says it all."""
    if not isinstance(context.get("exception"), OSError):
        loop.default_exception_handler(context)
