"""What looks like a key: the last net under everything that is written. It should never catch anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

MASK = b"***"
"""What stands in the place of a secret."""

SECRETS: Mapping[str, re.Pattern[bytes]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "an OpenAI-style key": rb"\bsk-[A-Za-z0-9_-]{20,}",
        "a Google key": rb"\bAIza[A-Za-z0-9_-]{35}",
        "a Hugging Face token": rb"\bhf_[A-Za-z0-9]{30,}",
        "an AWS key": rb"\bAKIA[A-Z0-9]{16}\b",
        "a bearer token": rb"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}",
        "a JSON web token": rb"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}",
        "a key in an address": rb"(?i)[?&](?:api[_-]?key|key|token|secret)=[^&\s\"]{8,}",
        "a password in an address": rb"://[^/\s:@\"]+:[^/\s@\"]+@",
    }.items()
}
"""Kinds of keys, and how they look."""


def find(line: bytes) -> Iterator[str]:
    """The kinds of keys that a line seems to hold."""
    return (name for name, pattern in SECRETS.items() if pattern.search(line))


def mask(line: bytes) -> bytes:
    """The line with everything masked that looks like a key."""
    for pattern in SECRETS.values():
        line = pattern.sub(MASK, line)
    return line
