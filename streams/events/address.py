"""Where a broker is: `mqtt://HOST[:PORT]/PREFIX`, or `mqtts://` over TLS. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

USER, PASSWORD = "VIVA_MQTT_USER", "VIVA_MQTT_PASSWORD"
"""Variables of the environment: the only place where a password comes from."""

_PORTS = {"mqtt": 1883, "mqtts": 8883}


class BrokerInvalid(ValueError):
    """The address names no broker."""

    def __init__(self, found: str) -> None:
        remedy = "Name it as mqtt://HOST:PORT/PREFIX, or mqtts:// for TLS."
        super().__init__(f"the broker's address {found}. {remedy}")


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker, and the prefix of our topics on it.

    Attributes:
        prefix: Without a slash at its ends; never empty.
        password: Never shown.
    """

    host: str
    port: int
    prefix: str
    tls: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"mqtt{'s' * self.tls}://{host}:{self.port}/{self.prefix}"


def broker_at(address: str, environ: Mapping[str, str]) -> Broker:
    """The broker that an address names; user and password are those of the environment.

    Raises:
        BrokerInvalid: It names none, or holds a password.
    """
    if "@" in address:  # before anything is parsed or shown: a password with a slash looks like a port
        found = f"holds a user or password; they are read from {USER} and {PASSWORD} only"
        raise BrokerInvalid(f"{found} (an @ of the prefix is written %40)")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise BrokerInvalid(f"has a host or port that is none ({error})") from error
    shown = address.partition("?")[0].partition("#")[0]
    if parts.scheme not in _PORTS:
        raise BrokerInvalid(f"is {shown!r}, which is neither mqtt:// nor mqtts://")
    if not parts.hostname:
        raise BrokerInvalid(f"is {shown!r}, which has no host")
    try:
        parts.hostname.encode("idna")
    except UnicodeError as error:
        raise BrokerInvalid(f"is {shown!r}, whose host is none") from error
    if parts.query or parts.fragment:
        raise BrokerInvalid(f"{shown!r} has something behind its path, which means nothing here")
    prefix = unquote(parts.path).strip("/")
    if not prefix:
        raise BrokerInvalid(f"is {shown!r}, which has no prefix for the topics")
    if any(sign in prefix for sign in "+#\0") or prefix.startswith("$") or "//" in prefix:
        raise BrokerInvalid(f"has the prefix {prefix!r}, which no topic may begin with")
    return Broker(
        host=parts.hostname,
        port=_PORTS[parts.scheme] if port is None else port,
        prefix=prefix,
        tls=parts.scheme == "mqtts",
        user=environ.get(USER) or None,
        password=environ.get(PASSWORD) or None,
    )
