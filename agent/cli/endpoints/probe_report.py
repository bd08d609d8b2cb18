"""What `viva endpoint probe` shows to people. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.probe.finding import Finding

WIDTH = 100
_LABEL = 11

_PARTS = {
    "leading_silence_ms": "of it silence at the head of the sound",
    "endpoint_wait_ms": "until it knew that the user was done",
    "endpoint_think_ms": "from there to its first sound",
    "round_trip_ms": "round trip of a ping",
}

_PACES = {
    "burst": "as fast as it can, {ahead:.1f} s ahead",
    "realtime": "at 1x",
    "lead": "at 1x, {ahead:.1f} s ahead",
    "unknown": "too little sound to tell its pace",
}


def lines(address: str, found: Finding) -> Iterator[str]:
    """The report, line by line."""
    yield address
    if found.connected:
        yield from _label("protocol", f"{found.protocol}; sent {found.input}, got {found.output}")
        yield from _label("heard", _heard(found))
        if found.answered:
            yield from _label("latency", _latency(found))
            yield from _label("delivery", _pace(found))
        yield from _label("events", _counts(found.events))
        if found.unknown_events:
            yield from _label("unknown", _counts(found.unknown_events))
    else:
        yield from _label("protocol", f"{found.protocol or 'none'}; not connected")
    for number, problem in enumerate(found.problems):
        yield from _label("problems" if number == 0 else "", f"- {problem}")
    if not found.problems:
        yield from _label("problems", "none")


def _label(name: str, text: str) -> Iterator[str]:
    indent = " " * _LABEL
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=name.ljust(_LABEL), subsequent_indent=indent, break_on_hyphens=False
    )


def _heard(found: Finding) -> str:
    return f'"{found.heard}"' if found.heard is not None else "no words" if found.answered else "nothing"


def _latency(found: Finding) -> str:
    first = found.first_audio_ms
    text = f"{found.latency_ms:.0f} ms"
    parts = [] if first is None else [f"first sound received {first:.0f} ms"]
    values: Mapping[str, float | None] = found.more.get("latency_parts", {})
    parts += [f"{words} {values[name]:.0f} ms" for name, words in _PARTS.items() if values.get(name)]
    return f"{text} ({'; '.join(parts)})" if parts else text


def _pace(found: Finding) -> str:
    words = _PACES[found.pace or "unknown"].format(ahead=found.more.get("ahead_s", 0.0))
    return f"{found.more.get('reply_s', 0.0):.1f} s of reply, {words}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
