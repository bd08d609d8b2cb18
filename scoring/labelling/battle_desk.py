"""Asks people which of two replies is better: blind, equally loud, one key for each answer.

An answer is a battle in the arena's store: `viva arena rate` reads it as it reads a judge's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from recordings.label_files import AppendOnly, LabelFolder
from recordings.labels import pair_item
from recordings.studio.label_cards import (
    About,
    AnswerSent,
    CannotAnswer,
    Card,
    Given,
    Next,
    Progress,
    Revealed,
)
from scoring.arena.battles import Battle, BattleError, First
from scoring.arena.episodes import Match
from scoring.arena.store import read
from scoring.labelling.asking import check, earlier, known, offers, unknown_question, wav
from scoring.labelling.clips import Clips, Tokens, asked_words, wanted
from scoring.labelling.contests import (
    PERSON,
    Heard,
    battle,
    first_shown,
    judged_by,
    open_to,
    queue,
    shown_label,
)
from scoring.labelling.material import Material, Reply
from scoring.labelling.protocol import COMPARISONS, WITHHELD
from scoring.labelling.revealing import revealed

QUESTION = "Which reply is better, all in all?"

_ANOTHER_STORE = "Name a file that can be written to, and is no link: --store FILE."


@dataclass(frozen=True, slots=True)
class _Pair:
    """What a card's token stands for: a pair of turns, for one person.

    Attributes:
        corrects: Id of the battle that an answer takes the place of; "" of a pair without one.
    """

    person: str
    item: str
    corrects: str = ""


@dataclass
class BattleDesk:
    """Asks for battles; a `recordings.studio.label_cards.AsksBlind`.

    Attributes:
        material: What can be heard.
        store: The arena's.
        folder: Where it is noted in which order people were asked.
        utc: The time, ISO 8601.
        person: Who works here; "" lets anybody give a name.
        seed: Of what is drawn.
    """

    material: Material
    store: Path
    folder: LabelFolder
    utc: Callable[[], str]
    person: str = ""
    seed: int = 0
    clips: Clips = field(default_factory=Clips)
    _tokens: Tokens[_Pair] = field(default_factory=Tokens, init=False)
    _now: dict[str, str] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._read: tuple[tuple[int, int], tuple[Battle, ...]] = (0, 0), ()
        self._matches = {pair_item(*match.items): match for match in self.material.matches}

    def about(self) -> About:
        """What there is to do."""
        held = self._battles()
        people = sorted({one.judge.removeprefix(PERSON) for one in held if one.judge.startswith(PERSON)})
        return About(
            person=self.person,
            people=() if self.person else tuple(people),
            dimensions=(),
            units=len(self._matches),
            replies=len(self.material.replies),
            pairs=len(self._matches),
            left_out=dict(self.material.left_out),
        )

    def next(self, person: str) -> Next:
        """The next pair: the one before the person, or a new one from the queue."""
        with self._lock:
            return self._next(self._known(person))

    def answer(self, sent: AnswerSent) -> Next:
        """Take an answer, or the correction of one; when this returns, the battle is on the disk.

        An answer is corrected on the card of `back` alone: a key that is pressed twice changes nothing.
        """
        with self._lock:
            person = self._known(sent.person)
            pair = self._asked(person, sent.token)
            check(sent, COMPARISONS.names)
            before = self._judged(person).get(pair.item)
            if (before.id if before else "") != pair.corrects:
                message = "This pair is answered already. Go back to it to correct the answer (Backspace)."
                raise CannotAnswer(409, "answered_before", message)
            match = self._matches[pair.item]
            made = battle(match, self._heard(person, match, sent), before)
            if before is None or _told(made) != _told(before):
                AppendOnly(self.store, _ANOTHER_STORE).append(made)
            self._now.pop(person, None)
            return self._next(person)

    def back(self, person: str, steps: int) -> Card:
        """A pair that was answered so many answers ago, with the answer."""
        with self._lock:
            person = self._known(person)
            item, said = earlier(self._history(person), steps)
            match = self._matches[item]
            label = shown_label(match, said, first_shown(match, person, self.seed))
            note = str(said.evidence.get("note", ""))
            given = Given(label=label, unscored=said.unscored, note=note)
            return self._card(person, match, given, corrects=said.id)

    def sound(self, token: str) -> bytes:
        """A WAV file."""
        return wav(self.clips, token)

    def reveal(self, person: str, token: str) -> Revealed:
        """Whose replies a pair was, once it is answered; that is noted."""
        with self._lock:
            person = self._known(person)
            pair = self._asked(person, token)
            if pair.item not in self._judged(person):
                raise CannotAnswer(403, "not_labelled_yet", "This pair is still to be answered.")
            match = self._matches[pair.item]
            self.folder.log(
                person, {"kind": "revealed", "at_utc": self.utc(), "replies": list(match.items)}
            )
            return revealed(self._replies(match, first_shown(match, person, self.seed)))

    # --- inside: the lock is held ---------------------------------------------------------------

    def _known(self, person: str) -> str:
        return known(person, self.person)

    def _battles(self) -> tuple[Battle, ...]:
        """Of the store; none if it is not there.

        Raises:
            CannotAnswer: It is no store.
        """
        try:
            state = self.store.stat()
        except FileNotFoundError:
            return ()
        stamp = state.st_size, state.st_mtime_ns
        try:
            if stamp != self._read[0]:
                self._read = stamp, read(self.store).battles
            return self._read[1]
        except BattleError as error:
            found = f"The store of battles cannot be read: {self.store.name}:{error.line} {error.found}."
            raise CannotAnswer(422, "no_store", found) from error

    def _asked(self, person: str, token: str) -> _Pair:
        found = self._tokens.find(token)
        if found is None or found.person != person:
            raise unknown_question()
        return found

    def _judged(self, person: str) -> dict[str, Battle]:
        """The person's answers that stand, of the pairs that can be heard here."""
        judged = judged_by(self._battles(), person)
        return {item: said for item, said in judged.items() if item in self._matches}

    def _history(self, person: str) -> list[tuple[str, Battle]]:
        """The same, the latest first."""
        found = self._judged(person).items()
        return sorted(found, key=lambda one: str(one[1].evidence.get("at_utc", "")), reverse=True)

    def _next(self, person: str) -> Next:
        battles = self._battles()
        left = open_to(self.material.matches, battles, person)
        if self._now.get(person) not in left:
            drawn = queue(self.material.matches, battles, person, self.seed)
            self._now[person] = pair_item(*drawn[0].items) if drawn else ""
        answered = len(self._matches) - len(left)
        progress = Progress(
            answered=answered,
            left=len(left),
            units=len(self._matches),
            open=len(left),
            can_go_back=answered > 0,
        )
        now = left.get(self._now[person])
        return Next(card=self._card(person, now) if now else None, progress=progress)

    def _card(self, person: str, match: Match, given: Given | None = None, corrects: str = "") -> Card:
        replies = self._replies(match, first_shown(match, person, self.seed))
        return Card(
            token=self._tokens.of(_Pair(person, pair_item(*match.items), corrects)),
            part="battle",
            dimension="",
            question=QUESTION,
            asked=asked_words(replies),
            wanted=wanted(replies[0]),
            sounds=tuple(self.clips.both(*replies)[0]),
            offers=offers(COMPARISONS.names),
            withheld=offers(WITHHELD),
            given=given,
        )

    def _replies(self, match: Match, first: First) -> tuple[Reply, Reply]:
        """Both replies in the order in which they are shown."""
        a, b = (self.material.replies[item] for item in match.items)
        return (a, b) if first is First.A else (b, a)

    def _heard(self, person: str, match: Match, sent: AnswerSent) -> Heard:
        first = first_shown(match, person, self.seed)
        replies = self._replies(match, first)
        levels = self.clips.both(*replies)[1]
        return Heard(
            person,
            sent.label,
            sent.unscored,
            first,
            {reply.item: level.to_json() for reply, level in zip(replies, levels, strict=True)},
            {
                "at_utc": self.utc(),
                "seed": self.seed,
                "note": sent.note.strip(),
                "plays": dict(sent.plays),
                "words_shown": sent.words_shown,
                **({"after_reveal": True} if set(match.items) <= self.folder.revealed(person) else {}),
            },
        )


def _told(said: Battle) -> tuple[object, ...]:
    """What a person changes by a correction."""
    return said.label, said.systems, said.unscored, said.evidence.get("note")
