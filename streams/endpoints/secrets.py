"""Keeps keys out of everything that is shown or written: addresses, errors, logs, recordings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

MASK = "***"
"""What stands in the place of a secret."""

_SENSITIVE = re.compile(
    r"(^|[-_.])(api-?key|key|token|secret|sig|signature|auth|authorization|password|credential|cookie)$",
    re.IGNORECASE,
)

_SHORTEST = 6
"""Shorter values are not searched for in texts: they would hit innocent words."""


def is_sensitive(name: str) -> bool:
    """True if a header or query parameter of this name holds a secret."""
    return _SENSITIVE.search(name) is not None


def redact_url(url: str) -> str:
    """The address with its password and the values of key-like query parameters masked."""
    try:
        parts = urlsplit(url)
    except ValueError:  # it is no address; what may hold keys is left out
        return url.rpartition("@")[2].partition("?")[0]
    user, at, host = parts.netloc.rpartition("@")
    if at and ":" in user:
        user = f"{user.partition(':')[0]}:{MASK}"
    query = "&".join(_masked(pair) for pair in parts.query.split("&")) if parts.query else ""
    shown = urlunsplit((parts.scheme, user + at + host, parts.path, query, parts.fragment))
    # urlunsplit drops the slashes of `fake://?replies=3`, which has no host
    bare = url.partition("?")[0] == f"{parts.scheme}://"
    return shown.replace(":", "://", 1) if bare and "://" not in shown.partition("?")[0] else shown


def _masked(pair: str) -> str:
    name, equals, _ = pair.partition("=")
    return f"{name}={MASK}" if equals and is_sensitive(unquote_plus(name)) else pair


def find_secrets(url: str, headers: Mapping[str, str], subprotocols: Iterable[str]) -> tuple[str, ...]:
    """Every secret string of a connection, longest first, in each form in which it may be echoed."""
    found: set[str] = set()
    for name, value in headers.items():
        if is_sensitive(name):
            found |= {value, value.rpartition(" ")[2]}
    parts = urlsplit(url)
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        if is_sensitive(unquote_plus(name)):
            found |= {value, unquote_plus(value)}
    password = parts.netloc.rpartition("@")[0].partition(":")[2]
    found |= {password, unquote(password)}
    # browsers pass keys as a subprotocol `openai-insecure-api-key.KEY`
    found |= {each.partition("api-key.")[2] for each in subprotocols}
    return tuple(sorted((each for each in found if len(each) >= _SHORTEST), key=len, reverse=True))


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret masked."""
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text


def redact_bytes(data: bytes, secrets: Iterable[str]) -> bytes:
    """The message with every secret masked at its own length: lengths within the message stay true."""
    for secret in secrets:
        data = data.replace(secret.encode(), b"*" * len(secret.encode()))
    return data
