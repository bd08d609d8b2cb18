"""When has the other side finished? Pure: speech edges and time in, decisions out.

All positions are samples on the endpoint's track. Silence of `pause_s` makes a pause: is the turn
complete? The end-of-turn model is asked, and its answer decides how much silence ends the turn:

    complete                     complete_s     0.5 s
    not complete, or no answer   max_pause_s    2.0 s
    no such model                silence_s      0.8 s

The transcript is wanted as soon as the turn is likely over, so that it is ready when it is: at the pause
if the model says complete or there is none, else after `silence_s`. What holds less than `shortest_s` of
speech is a cough and no turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from streams.audio import sample_at
from streams.speech.activity import ActivityEdge, SpeechBegan


class TurnEnd(StrEnum):
    """What decided that a turn is over."""

    SMART_TURN = "smart-turn"
    SILENCE = "silence"
    USER_SPOKE = "user_spoke"
    CUT = "cut"  # playback was cut
    CLOSED = "closed"  # the session is over


@dataclass(frozen=True, slots=True)
class EarSettings:
    """How the ear decides; see the head of this file.

    Attributes:
        complete_probability: From here on a turn counts as complete.
    """

    pause_s: float = 0.2
    complete_s: float = 0.5
    max_pause_s: float = 2.0
    silence_s: float = 0.8
    shortest_s: float = 0.15
    complete_probability: float = 0.5


@dataclass(frozen=True, slots=True)
class EdgeHeard:
    """Speech began at `at`, or ended before it."""

    began: bool
    at: int


@dataclass(frozen=True, slots=True)
class PauseHeard:
    """Is a turn of speech from `start` to `end` complete? `EarTracker.answer` takes the answer."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DraftWanted:
    """The turn is likely over: its transcript will be needed soon."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TurnOver:
    """A turn is over.

    Attributes:
        start: First sample of its speech.
        end: One past the last, or where it was interrupted.
        probability: That it is complete, if the end-of-turn model answered.
        interrupted: It was still going on.
    """

    start: int
    end: int
    by: TurnEnd
    probability: float | None = None
    interrupted: bool = False


Decision = EdgeHeard | PauseHeard | DraftWanted | TurnOver


@dataclass(slots=True)
class _Turn:
    start: int
    end: int  # of the latest speech that has ended
    since: int | None  # where the present speech began; None in silence
    voiced: int = 0  # samples of speech that has ended
    announced: bool = False  # long enough to be a turn: its edges are told
    paused: bool = False
    draft_end: int = -1
    probability: float | None = None
    broken_by: TurnEnd | None = None  # the user spoke into it: it ends where its speech stops

    def voiced_until(self, at: int) -> int:
        """Samples of speech up to a position."""
        return self.voiced + (0 if self.since is None else at - self.since)


class EarTracker:
    """Follows one endpoint's speech and decides about its turns.

    Args:
        rate: Samples per second of the endpoint's track.
        asks: There is an end-of-turn model to ask.
    """

    def __init__(self, rate: int, settings: EarSettings, *, asks: bool) -> None:
        self.position = 0
        """Everything before this sample is decided."""
        self._settings = settings
        self._asks = asks
        self._pause = sample_at(settings.pause_s, rate)
        self._complete = sample_at(settings.complete_s, rate)
        self._silence = sample_at(settings.silence_s, rate)
        self._longest = sample_at(settings.max_pause_s, rate) if asks else self._silence
        self._shortest = sample_at(settings.shortest_s, rate)
        self._turn: _Turn | None = None
        self._cuts: list[tuple[int, TurnEnd]] = []

    @property
    def in_turn(self) -> bool:
        """True from the moment a turn was noticed until it is over."""
        return self._turn is not None and self._turn.announced

    @property
    def idle(self) -> bool:
        """True if not even the beginning of a turn is open."""
        return self._turn is None

    @property
    def pause(self) -> tuple[int, int] | None:
        """Start and end of the open turn's speech, if it is quiet now."""
        turn = self._turn
        return None if turn is None or turn.since is not None else (turn.start, turn.end)

    @property
    def turn_start(self) -> int | None:
        """Where the open turn began, or what may become one."""
        return None if self._turn is None else self._turn.start

    def hear(self, edges: Sequence[ActivityEdge], until: int) -> list[Decision]:
        """Speech edges in order, and the position up to which there are no others."""
        decisions: list[Decision] = []
        for edge in edges:
            decisions += self._advance(edge.at_sample)
            began = isinstance(edge, SpeechBegan)
            decisions += self._began(edge.at_sample) if began else self._ended(edge.at_sample)
        return decisions + self._advance(until)

    def answer(self, pause: PauseHeard, probability: float) -> list[Decision]:
        """The end-of-turn model's answer; ignored if more speech has come since."""
        turn = self._turn
        if turn is None or turn.since is not None or (turn.start, turn.end) != (pause.start, pause.end):
            return []
        turn.probability = probability
        return self._timers(turn)

    def interrupt(self, at: int, by: TurnEnd) -> list[Decision]:
        """The user speaks, or playback is cut, at this sample: a turn that is open ends.

        A turn that the user talks into ends where its speech stops: until then both talk.
        """
        self._cuts.append((at, by))
        return self._advance(self.position)

    def close(self) -> list[Decision]:
        """The session is over, and so is the turn that is open."""
        return self._cut(self.position, TurnEnd.CLOSED)

    # --- edges

    def _began(self, at: int) -> list[Decision]:
        turn = self._turn
        if turn is None:
            self._turn = _Turn(at, at, at)
            return []
        turn.since, turn.paused, turn.probability = at, False, None
        return [EdgeHeard(True, at)] if turn.announced else []

    def _ended(self, at: int) -> list[Decision]:
        turn = self._turn
        if turn is None or turn.since is None:
            return []
        decisions = self._announce(turn, at)
        turn.voiced, turn.end, turn.since = turn.voiced_until(at), at, None
        return [*decisions, EdgeHeard(False, at)] if turn.announced else decisions

    def _announce(self, turn: _Turn, at: int) -> list[Decision]:
        if turn.announced or turn.voiced_until(at) < self._shortest:
            return []
        turn.announced = True
        return [EdgeHeard(True, turn.start)]

    # --- time

    def _advance(self, to: int) -> list[Decision]:
        decisions: list[Decision] = []
        to = max(to, self.position)
        while self._cuts and self._cuts[0][0] <= to:
            at, by = self._cuts.pop(0)
            decisions += self._move(at)
            decisions += self._cut(at, by)
        return decisions + self._move(to)

    def _move(self, to: int) -> list[Decision]:
        self.position = max(to, self.position)
        return [] if self._turn is None else self._timers(self._turn)

    def _timers(self, turn: _Turn) -> list[Decision]:
        if turn.since is not None:
            return self._announce(turn, self.position)
        silence = self.position - turn.end
        if silence < self._pause:
            return []
        if turn.broken_by is not None:
            self._turn = None
            return [TurnOver(turn.start, turn.end, turn.broken_by, interrupted=True)]
        if turn.voiced < self._shortest:
            self._turn = None
            return []
        decisions: list[Decision] = []
        if not turn.paused:
            turn.paused = True
            decisions += [PauseHeard(turn.start, turn.end)] if self._asks else []
        sure = (turn.probability or 0.0) >= self._settings.complete_probability
        if turn.draft_end != turn.end and (sure or not self._asks or silence >= self._silence):
            turn.draft_end = turn.end
            decisions.append(DraftWanted(turn.start, turn.end))
        if (sure and silence >= self._complete) or silence >= self._longest:
            by = TurnEnd.SMART_TURN if sure else TurnEnd.SILENCE
            decisions.append(TurnOver(turn.start, turn.end, by, turn.probability))
            self._turn = None
        return decisions

    def _cut(self, at: int, by: TurnEnd) -> list[Decision]:
        turn = self._turn
        if turn is None or turn.voiced_until(at) < self._shortest:
            return []
        decisions = self._announce(turn, at)
        if turn.since is None:
            self._turn = None
            return [*decisions, TurnOver(turn.start, turn.end, by, turn.probability)]
        if by is TurnEnd.USER_SPOKE:
            turn.broken_by = by
            return decisions
        self._turn = _Turn(at, at, at, announced=True)
        return [*decisions, TurnOver(turn.start, at, by, interrupted=True)]
