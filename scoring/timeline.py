"""The timeline of an episode: who was heard when, and which reply answers which turn.

Everything is counted in ticks of one rate that both tracks' rates divide, so that no sum or difference
is ever rounded. `scoring.pairing.build_timeline` makes one.
"""

from __future__ import annotations

from dataclasses import dataclass

from recordings.format import Role
from scoring.audible import Segment, common, gaps
from scoring.delivery import Delivery

DEAD_AIR_S = 3.0
"""Silence of both sides from which it is dead air."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the user said in one go.

    Attributes:
        id: Its id in the events, "" if it was found in the audio.
        text: Written form.
        spoken: Spoken form where it differs, else "".
        start: First audible tick.
        end: One past the last audible tick.
        clip: Its audio, in samples of the user's track.
        cut: The user broke off.
        role: What it is for.
        behaviour: Id of the scenario's behaviour that made it, or "".
        pauses: Silences inside it that the scenario asked for, in ticks.
    """

    id: str
    text: str
    spoken: str
    start: int
    end: int
    clip: Segment
    cut: bool = False
    role: Role = Role.TURN
    behaviour: str = ""
    pauses: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class UserTurn:
    """The user's turn: one utterance, or several that follow each other."""

    utterances: tuple[Utterance, ...]

    @property
    def start(self) -> int:
        """First audible tick."""
        return self.utterances[0].start

    @property
    def end(self) -> int:
        """One past the last audible tick."""
        return self.utterances[-1].end

    @property
    def text(self) -> str:
        """The words, in written form."""
        return " ".join(utterance.text for utterance in self.utterances)

    @property
    def aloud(self) -> str:
        """The words, in the form that was spoken."""
        return " ".join(utterance.spoken or utterance.text for utterance in self.utterances)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Endpoint speech that belongs together.

    Attributes:
        segments: In ticks; never empty.
        delivery: The audio it was heard from, if the episode has an index of what arrived.
        endless: That audio began before the turn it answers: where a reply begins in it can't be told.
        cut: It was not heard to its end, or the user began to talk before its end.
        tail_db: Lowest level of its last three windows of 10 ms against the level of all of it, in dB; None
            if it is shorter.
    """

    segments: tuple[Segment, ...]
    delivery: Delivery | None = None
    endless: bool = False
    cut: bool = False
    tail_db: float | None = None

    @property
    def start(self) -> int:
        """First audible tick."""
        return self.segments[0].start

    @property
    def end(self) -> int:
        """One past the last audible tick."""
        return self.segments[-1].end


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn of the user, and the reply to it.

    Attributes:
        reply: Stretches that answer it, in order; empty if there was no reply.
        cut_ins: Stretches that began before the user had finished.
        unanswered: Why there is no reply: "no_reply" or "session_ended"; "" if there is one.
    """

    index: int
    user: UserTurn
    reply: tuple[Stretch, ...] = ()
    cut_ins: int = 0
    unanswered: str = ""

    @property
    def latency(self) -> int | None:
        """Ticks from the user's last audible sample to the reply's first; negative if it cut in."""
        return self.reply[0].start - self.user.end if self.reply else None

    @property
    def interrupted(self) -> bool:
        """True if the reply may not have been heard to its end."""
        return any(stretch.cut for stretch in self.reply)


@dataclass(frozen=True, slots=True)
class Timeline:
    """Both sides of a call on one axis, in ticks.

    Attributes:
        rate: Ticks per second: a multiple of both tracks' rates.
        user_step: Ticks per sample of the user's track.
        endpoint_step: Ticks per sample of the endpoint's track.
        duration: Length of the call.
        user: Audible segments of the user.
        endpoint: Audible segments of the endpoint, as heard.
        greeting: Endpoint speech before the user's first turn.
        exchanges: In order; every turn of the user has one.
        utterances: All that the user said, in order; what wants no answer belongs to no exchange.
        stretches: All that the endpoint said, in order.
    """

    rate: int
    user_step: int
    endpoint_step: int
    duration: int
    user: tuple[Segment, ...]
    endpoint: tuple[Segment, ...]
    greeting: tuple[Stretch, ...]
    exchanges: tuple[Exchange, ...]
    utterances: tuple[Utterance, ...] = ()
    stretches: tuple[Stretch, ...] = ()

    def seconds(self, ticks: int) -> float:
        """Ticks as seconds."""
        return ticks / self.rate

    def milliseconds(self, ticks: int) -> float:
        """Ticks as milliseconds."""
        return ticks * 1000 / self.rate

    @property
    def overlaps(self) -> tuple[Segment, ...]:
        """Where both talk."""
        return common(self.user, self.endpoint)

    @property
    def dead_air(self) -> tuple[Segment, ...]:
        """Where nobody talks for at least 3 s, before the first and after the last word too."""
        silent = gaps((*self.user, *self.endpoint), self.duration)
        return tuple(gap for gap in silent if gap.samples >= DEAD_AIR_S * self.rate)
