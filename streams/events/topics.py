"""Where each kind of message is published, with which QoS, retained or not. Pure.

PREFIX/RUN/KIND              about a run
PREFIX/RUN/EPISODE/KIND      about one of its calls
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, get_args
from urllib.parse import quote, unquote

from streams.events.messages import Header, Published

COMMAND = "command"
"""Last level of the topic on which a run takes commands."""


class Rank(IntEnum):
    """What is dropped first if not all can be kept."""

    LEVELS = 0
    STREAM = 1
    STATE = 2


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a kind of message is published.

    Attributes:
        about: What its topic names.
        retain: The broker keeps the last one for whoever comes later.
        latest: While it waits, a newer message of the same topic takes its place.
    """

    about: Literal["run", "episode"]
    qos: Literal[0, 1]
    retain: bool
    rank: Rank

    @property
    def latest(self) -> bool:
        """True where only the newest message matters."""
        return self.rank is not Rank.STREAM


DELIVERIES: dict[str, Delivery] = {
    "presence": Delivery("run", 1, True, Rank.STATE),
    "progress": Delivery("run", 1, True, Rank.STATE),
    "loss": Delivery("run", 1, True, Rank.STATE),
    "session": Delivery("episode", 1, True, Rank.STATE),
    "turn": Delivery("episode", 1, False, Rank.STREAM),
    "latency": Delivery("episode", 1, False, Rank.STREAM),
    "verdict": Delivery("episode", 1, False, Rank.STREAM),
    "notice": Delivery("episode", 0, False, Rank.STREAM),
    "levels": Delivery("episode", 0, False, Rank.LEVELS),
    "ack": Delivery("run", 1, False, Rank.STREAM),
}
"""Every kind that a run publishes."""

assert set(DELIVERIES) == {model.model_fields["kind"].default for model in get_args(Published)}


def level(name: str) -> str:
    """A name as one level of a topic: what MQTT or our topics give a meaning to is percent-encoded."""
    return quote(name, safe=" !$&'()*,;=:@") or "%"


def name_of(part: str) -> str:
    """The name that a level of a topic stands for."""
    return "" if part == "%" else unquote(part)


def topic_of(prefix: str, message: Header) -> str:
    """Where a message is published."""
    about = DELIVERIES[message.kind].about
    parts = [level(message.run), *([level(message.episode)] if about == "episode" else []), message.kind]
    return "/".join([prefix, *parts])


def command_topic(prefix: str, run: str) -> str:
    """Where a run takes commands."""
    return f"{prefix}/{level(run)}/{COMMAND}"


def all_topics(prefix: str) -> tuple[str, ...]:
    """What to subscribe to for all that runs publish under a prefix."""
    return tuple(
        f"{prefix}/{'+/' * (1 if delivery.about == 'run' else 2)}{kind}"
        for kind, delivery in DELIVERIES.items()
    )
