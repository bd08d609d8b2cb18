"""Which turn is whose, and which words belong to it. Pure: fed with what happens, asked for turns.

The user's turns are exact: we speak them. The endpoint's turns are what the ear made of the heard
track. Texts from the endpoint come late and in any order, so they are kept by item and put together
when a turn is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from recordings.format import Role, Side, Turn, Verdict
from streams.endpoints.events import TextMode


class ItemTexts:
    """Texts by item: deltas are appended, cumulative and final ones replace."""

    def __init__(self) -> None:
        self._parts: dict[str, str] = {}
        self._final: set[str] = set()

    def add(self, item: str, text: str, mode: TextMode) -> None:
        """Take the next piece of an item's text; what comes after a final one is ignored."""
        if item in self._final:
            return
        if mode is TextMode.DELTA:
            text = self._parts.get(item, "") + text
        self._parts[item] = text
        if mode is TextMode.FINAL:
            self._final.add(item)

    def get(self, item: str) -> str | None:
        """The text of an item, or None if none came."""
        return self._parts.get(item)


@dataclass(slots=True)
class _Open:
    index: int
    side: Side
    start: int
    rate: int
    end: int = -1
    intended: str | None = None
    said: str | None = None
    heard: str | None = None
    label: str = ""
    role: Role = Role.TURN
    expected: tuple[str, ...] = ()
    items: list[str] = field(default_factory=list)
    interrupted: bool = False
    unscored: dict[str, str] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    began_s: float = 0.0


class TurnBook:
    """Keeps the turns of one session.

    Attributes:
        user_rate: Rate of the user's track.
        endpoint_rate: Rate of the endpoint's track.
        person: The user's turns are those of a person: known only while they go on.
    """

    def __init__(self, user_rate: int, endpoint_rate: int) -> None:
        self.user_rate = user_rate
        self.endpoint_rate = endpoint_rate
        self.person = False
        self._turns: list[_Open] = []
        self._written = 0
        self._endpoint_texts = ItemTexts()
        self._user_texts = ItemTexts()
        self._user_items: dict[str, int | None] = {}
        self._failed_items: set[str] = set()
        self._item_starts: dict[str, int] = {}
        self._coming: list[str] = []

    # --- the user's side

    def user_speaks(
        self,
        text: str,
        label: str,
        start: int,
        end: int,
        role: Role = Role.TURN,
        expected: tuple[str, ...] = (),
    ) -> int:
        """The user's audible speech will span [start, end) of its track; returns the turn's index.

        `expected` are the ids of the facts that the answer to it should state.
        """
        turn = self._open(Side.USER, start, self.user_rate)
        turn.end, turn.intended, turn.label, turn.role = end, text, label, role
        turn.expected = expected
        return turn.index

    def user_began(self, start: int) -> int:
        """A person begins to speak about here; returns the turn's index. `user_spoke` says the rest."""
        turn = self._open(Side.USER, start, self.user_rate)
        self._user_items.update(dict.fromkeys(self._coming, turn.index))
        self._coming.clear()
        return turn.index

    def user_spoke(
        self,
        index: int,
        span: tuple[int, int],
        texts: tuple[str | None, str | None],
        label: str = "",
        role: Role = Role.TURN,
        expected: tuple[str, ...] = (),
        unscored: str = "",
    ) -> None:
        """What a person said: its audible samples, what was meant, and what a recogniser made of it.

        `unscored` is why there are no words.
        """
        turn = self._turns[index]
        turn.start, turn.end = span
        turn.intended, turn.said = texts
        turn.label, turn.role, turn.expected = label, role, expected
        if turn.said is None:
            turn.unscored["said"] = unscored
        if turn.intended is None:
            turn.unscored["intended"] = unscored

    def user_cut(self, index: int, end: int) -> None:
        """The user broke off: its audible speech ended at `end`."""
        turn = self._turns[index]
        turn.end = min(turn.end, end)
        turn.start = min(turn.start, turn.end)
        turn.interrupted = True

    def user_item(self, item: str, *, begins: bool = False) -> None:
        """The endpoint mentions a user item for the first time: it is of the user's latest turn.

        Of a person's next turn, if the endpoint hears speech begin before we are sure of it.
        """
        latest = self._latest(Side.USER)
        speaks = latest is not None and self._turns[latest].end < 0
        if begins and self.person and not speaks and item not in self._user_items:
            self._coming.append(item)
        elif item not in self._coming:
            self._user_items.setdefault(item, latest)

    def user_text(self, item: str, text: str, mode: TextMode, *, failed: bool) -> None:
        """The endpoint's transcript of a user item."""
        self.user_item(item)
        if failed:
            self._failed_items.add(item)
        else:
            self._user_texts.add(item, text, mode)

    # --- the endpoint's side

    def endpoint_began(self, start: int) -> int:
        """The ear hears the endpoint begin a turn; returns its index."""
        return self._open(Side.ENDPOINT, start, self.endpoint_rate).index

    def endpoint_finished(
        self, index: int, *, start: int, end: int, heard: str | None, unscored: str, interrupted: bool
    ) -> None:
        """The ear says what the turn was; `unscored` is why `heard` is None."""
        turn = self._turns[index]
        turn.start, turn.end, turn.interrupted = start, end, interrupted
        turn.heard = heard
        if heard is None:
            turn.unscored["heard"] = unscored

    def piece(self, item: str, start: int | None) -> None:
        """Audio of an item was placed on the heard timeline."""
        if start is not None:
            self._item_starts.setdefault(item, start)

    def unheard(self, item: str) -> None:
        """An item was cut before its first sample was heard: its words are nobody's."""
        self._item_starts.pop(item, None)

    def endpoint_text(self, item: str, text: str, mode: TextMode) -> None:
        """The endpoint's own text of an item."""
        self._endpoint_texts.add(item, text, mode)

    def verdict(self, index: int, verdict: Verdict) -> None:
        """A judge's verdict on a turn; it may come when the turn is written already (see `is_written`)."""
        self._turns[index].verdicts.append(verdict)

    def is_written(self, index: int) -> bool:
        """True if `ripe` has given the turn."""
        return index < self._written

    def last_user_end_s(self, before: int) -> float | None:
        """When the user's last words before turn `before` that want an answer ended, in seconds."""
        ends = [t.end / t.rate for t in self._wanting(before)]
        return ends[-1] if ends else None

    def last_endpoint_start_s(self) -> float | None:
        """When the endpoint's latest turn began, in seconds; None if it has not spoken yet."""
        starts = [t.start / t.rate for t in self._turns if t.side is Side.ENDPOINT]
        return starts[-1] if starts else None

    def asked(self, before: int) -> str:
        """The user's last words before turn `before` that want an answer."""
        texts = [t.intended for t in self._wanting(before) if t.intended]
        return texts[-1] if texts else ""

    def expected(self, before: int) -> tuple[str, ...]:
        """The facts that an answer to the user's last words before turn `before` should state."""
        wanting = self._wanting(before)
        return wanting[-1].expected if wanting else ()

    def _wanting(self, before: int) -> list[_Open]:
        return [t for t in self._turns[:before] if t.side is Side.USER and t.role.wants_answer]

    # --- writing

    def ripe(self, *, final: bool = False) -> list[Turn]:
        """Turns to write now, in order: two turns late, since texts of a turn come late; or all."""
        until = len(self._turns) if final else len(self._turns) - 2
        unsaid = (t.index for t in self._turns[self._written :] if t.side is Side.USER and t.end < 0)
        if not final:
            until = min(until, next(unsaid, until))  # a person who still speaks
        turns = [self._turn(turn) for turn in self._turns[self._written : max(until, self._written)]]
        self._written += len(turns)
        return turns

    def peek(self, index: int) -> Turn:
        """A turn as far as it is known."""
        return self._turn(self._turns[index])

    def _open(self, side: Side, start: int, rate: int) -> _Open:
        turn = _Open(len(self._turns), side, start, rate)
        self._turns.append(turn)
        return turn

    def _latest(self, side: Side) -> int | None:
        return next((t.index for t in reversed(self._turns) if t.side is side), None)

    def _turn(self, turn: _Open) -> Turn:
        intended, heard, unscored = turn.intended, turn.heard, dict(turn.unscored)
        items: list[str] = []
        if turn.side is Side.USER:
            items = [item for item, index in self._user_items.items() if index == turn.index]
            heard = _joined(self._user_texts.get(item) for item in items)
            if heard is None:
                failed = any(item in self._failed_items for item in items)
                unscored["heard"] = "endpoint_failed" if failed else "no_transcript"
        else:
            items = self._items_within(turn)
            intended = _joined(self._endpoint_texts.get(item) for item in items)
            if intended is None:
                unscored["intended"] = "no_text"
            if turn.end < 0:
                unscored["heard"] = "session_ended"
        return Turn(
            index=turn.index,
            side=turn.side,
            start=turn.start,
            end=max(turn.end, turn.start),
            rate=turn.rate,
            intended=intended,
            said=turn.said,
            heard=heard,
            label=turn.label,
            role=turn.role,
            items=tuple(items),
            interrupted=turn.interrupted,
            unscored=unscored,
            verdicts=tuple(turn.verdicts),
        )

    def _items_within(self, turn: _Open) -> list[str]:
        """Items first placed between the end of the endpoint's turn before and the end of this one."""
        ends = [t.end for t in self._turns[: turn.index] if t.side is Side.ENDPOINT]
        begin = ends[-1] if ends else 0
        end = turn.end if turn.end >= 0 else max(self._item_starts.values(), default=0) + 1
        return [item for item, start in self._item_starts.items() if begin <= start < end]


def _joined(texts: Iterable[str | None]) -> str | None:
    """Texts put together with spaces; None if there is none."""
    parts = [text.strip() for text in texts if text is not None]
    return " ".join(part for part in parts if part) if parts else None
