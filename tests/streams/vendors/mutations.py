"""Messages that were whole, broken at random: the quick way to a hundred thousand of them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from streams.endpoints.protocol import Message

ODD: Sequence[Any] = (
    None,
    True,
    -1,
    0,
    1e308,
    10**400,
    "",
    "AAAA",
    "AAA",
    "\ud800",
    "item-1",
    [],
    {},
    [[]],
    {"type": "x"},
)
"""What a field may hold instead. Of names there are few, so that what is kept of them need not grow."""


def mutated(whole: Sequence[Message], count: int, rng: random.Random) -> Iterator[Message]:
    """So many messages, each one of the whole ones with one to three things wrong."""
    for _ in range(count):
        message = rng.choice(whole)
        values = _object(message)
        if values is None or rng.random() < 0.2:
            yield _torn(message, rng)
            continue
        for _ in range(rng.randint(1, 3)):
            _break(values, rng)
        text = json.dumps(values)
        yield text.encode() if isinstance(message, bytes) else text


def _object(message: Message) -> dict[str, Any] | None:
    try:
        values = json.loads(message)
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


def _torn(message: Message, rng: random.Random) -> Message:
    """Cut, doubled, or with a few of its bytes changed."""
    data = bytearray(message.encode() if isinstance(message, str) else message)
    match rng.randrange(3):
        case 0:
            data = data[: rng.randrange(len(data) + 1)]
        case 1:
            data += bytes(data)
        case _:
            for _ in range(rng.randint(1, 8)):
                if data:
                    data[rng.randrange(len(data))] = rng.randrange(256)
    return data.decode("utf-8", "replace") if isinstance(message, str) else bytes(data)


def _break(values: dict[str, Any], rng: random.Random) -> None:
    """Take a field away, or put something odd in its place, at any depth."""
    here: Any = values
    while True:
        if not here:
            return
        place = rng.choice(sorted(here)) if isinstance(here, dict) else rng.randrange(len(here))
        if isinstance(here[place], dict | list) and rng.random() < 0.7:
            here = here[place]
            continue
        break
    if isinstance(here, dict) and rng.random() < 0.3:
        del here[place]
    else:
        here[place] = copy.deepcopy(rng.choice(ODD))
