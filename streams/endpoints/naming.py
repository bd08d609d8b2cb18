"""The name of an endpoint: `openai://gpt-realtime`, `openai+ws://127.0.0.1:8765/v1/realtime?dialect=s2s`.

`PROTOCOL://MODEL` is the vendor's own address; `PROTOCOL+ws://` and `PROTOCOL+wss://` is one of your own.
Query parameters that are options of ours are taken out, the rest goes to the server. Keys come from the
environment only.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import quote_plus, unquote_plus, urlsplit

from streams.endpoints.errors import AddressInvalid
from streams.endpoints.failures import is_loopback
from streams.endpoints.secrets import redact_url

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Address:
    """The parsed name of an endpoint.

    Attributes:
        shown: As it was written, keys masked: for messages and recordings.
        scheme: `openai`, `openai+ws`, `fake`, ... in lower case.
        target: What follows `://` up to the query: a model, or host, port and path.
        query: The parameters, names decoded, values as written.
    """

    shown: str
    scheme: str
    target: str
    query: Mapping[str, str] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Address:
        """Take an address apart.

        Raises:
            AddressInvalid: It has no scheme, or the host or port of a websocket address is no such thing.
        """
        scheme, mark, rest = text.partition(":")
        if not mark or not scheme:
            raise AddressInvalid(
                text, "no scheme", "Write PROTOCOL://MODEL or PROTOCOL+ws://HOST:PORT/PATH."
            )
        target, _, query = rest.removeprefix("//").partition("?")
        pairs = (pair.partition("=") for pair in query.split("&") if pair)
        address = cls(
            shown=redact_url(text),
            scheme=scheme.lower(),
            target=target,
            query={unquote_plus(name): value for name, _, value in pairs},
        )
        if address.transport:
            address.check_host()
        return address

    @property
    def protocol(self) -> str:
        """The scheme without its transport."""
        return self.scheme.partition("+")[0]

    @property
    def transport(self) -> str:
        """`ws`, `wss`, or empty for a vendor's own address."""
        return self.scheme.partition("+")[2]

    @property
    def host(self) -> str:
        """Host name without port; empty if there is none."""
        return urlsplit(f"//{self.target}").hostname or ""

    @property
    def safe_for_keys(self) -> bool:
        """True if nobody on the way can read a key: TLS, loopback, or a vendor's own address."""
        return self.transport != "ws" or is_loopback(self.host)

    def check_host(self) -> None:
        """Raises `AddressInvalid` if the host is missing, or the port is none."""
        try:
            parts = urlsplit(f"//{self.target}")
            host, port = parts.hostname, parts.port
        except ValueError as exc:
            raise self.invalid(f"{exc}", "Write HOST:PORT with a port from 1 to 65535.") from None
        if not host or port == 0:
            raise self.invalid("no host and port", f"Write {self.scheme}://HOST:PORT/PATH.")

    def get(self, name: str) -> str | None:
        """A parameter, decoded; None if it is not there."""
        value = self.query.get(name)
        return None if value is None else unquote_plus(value)

    def read(self, name: str, parse: Callable[[str], T], expected: str) -> T | None:
        """A parameter through a parser that raises `ValueError`."""
        text = self.get(name)
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError:
            raise self.invalid(f"{name}={text!r}", f"Expected {expected}.") from None

    def url(self, *, without: Iterable[str], default_path: str = "/") -> str:
        """The websocket URL, without the parameters that are ours."""
        taken = set(without)
        rest = "&".join(f"{quote_plus(n)}={v}" for n, v in self.query.items() if n not in taken)
        host, slash, path = self.target.partition("/")
        path = slash + path if path else default_path
        return f"{self.transport}://{host}{path}" + (f"?{rest}" if rest else "")

    def allow_only(self, names: Iterable[str]) -> None:
        """Raises `AddressInvalid` for a parameter that is not one of `names`."""
        known = sorted(names)
        for name in self.query:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"Did you mean {near[0]}? " if near else ""
                raise self.invalid(f"parameter {name!r} is not known", f"{hint}Known: {', '.join(known)}.")

    def invalid(self, found: str, remedy: str) -> AddressInvalid:
        """An error about this address."""
        return AddressInvalid(self.shown, found, remedy)
