"""Asks people to label: which question is next, what it shows, and where the answer goes.

Nothing that it gives out before a unit is labelled says whose replies these are or what a judge thinks of
them: names of episodes, runs, scenarios and systems stay here, and sounds and questions go by tokens.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from recordings.label_files import LabelFolder
from recordings.labels import PersonLabel, pair_item
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
from scoring.labelling.answers import answers, history, line, turned
from scoring.labelling.asking import check, earlier, known, offers, unknown_question, wav
from scoring.labelling.clips import Clips, Tokens, asked_words, wanted
from scoring.labelling.growth import Growth
from scoring.labelling.material import Material, Reply
from scoring.labelling.plan import Answers, Key, Remaining, Unit, Work, in_order, remaining, shown_first
from scoring.labelling.protocol import QUESTIONS, WITHHELD, Answer, Part, offered
from scoring.labelling.revealing import revealed


@dataclass(frozen=True, slots=True)
class _Question:
    """What a card's token stands for."""

    person: str
    key: Key


@dataclass
class LabellingDesk:
    """Asks for labels; a `recordings.studio.label_cards.AsksForLabels`.

    Attributes:
        material: What is labelled.
        work: What is asked about it.
        folder: Where labels are kept.
        growth: Compares people with each other and with a judge.
        utc: The time, ISO 8601.
        person: Who works here; "" lets anybody give a name.
    """

    material: Material
    work: Work
    folder: LabelFolder
    growth: Growth
    utc: Callable[[], str]
    person: str = ""
    clips: Clips = field(default_factory=Clips)
    _tokens: Tokens[_Question] = field(default_factory=Tokens, init=False)
    _begun: dict[str, set[str]] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._pairs = {pair_item(*pair): pair for unit in self.work.units for pair in unit.pairs}
        self._unit_of: dict[str, Unit] = {}
        for unit in self.work.units:
            self._unit_of |= dict.fromkeys((*unit.replies, *(pair_item(*p) for p in unit.pairs)), unit)

    def about(self) -> About:
        """What there is to do."""
        return About(
            person=self.person,
            people=() if self.person else tuple(self.folder.people()),
            dimensions=self.work.dimensions,
            units=len(self.work.units),
            replies=sum(len(unit.replies) for unit in self.work.units),
            pairs=len(self._pairs),
            left_out=dict(self.material.left_out),
        )

    def next(self, person: str) -> Next:
        """The next question; comparisons that the person's ratings decide are written down on the way."""
        with self._lock:
            return self._next(self._known(person))

    def answer(self, sent: AnswerSent) -> Next:
        """Take an answer or a correction; when this returns, it is on the disk."""
        with self._lock:
            person = self._known(sent.person)
            key = self._asked(person, sent.token)
            check(sent, offered(key.part))
            first = self._first(person, key)
            answer = Answer(turned(sent.label, first), sent.unscored)
            shown = self._shown(person, key, first, sent)
            label = line(person, key, answer, self.utc(), note=sent.note.strip(), shown=shown)
            self.folder.add(label, pair=key.part is Part.RELATIVE)
            return self._next(person)

    def back(self, person: str, steps: int) -> Card:
        """A question that was answered so many answers ago, with the answer."""
        with self._lock:
            person = self._known(person)
            key, label = earlier(self._history(person), steps)
            shown = turned(label.label, self._first(person, key))
            return self._card(person, key, Given(label=shown, unscored=label.unscored, note=label.note))

    def sound(self, token: str) -> bytes:
        """A WAV file."""
        return wav(self.clips, token)

    def reveal(self, person: str, token: str) -> Revealed:
        """Whose replies a card was about, once everything about them is labelled; that is noted."""
        with self._lock:
            person = self._known(person)
            unit = self._unit_of[self._asked(person, token).item]
            left = self._remaining(person)
            if unit not in left.units or any(self._unit_of[key.item] is unit for key in left.asked):
                message = "Something about these replies is still to be labelled."
                raise CannotAnswer(403, "not_labelled_yet", message)
            self.folder.log(
                person, {"kind": "revealed", "at_utc": self.utc(), "replies": list(unit.replies)}
            )
            return revealed([self.material.replies[item] for item in unit.replies])

    def agreement(self) -> Mapping[str, Any]:
        """How far people agree with each other and with the judge, by what is labelled so far."""
        with self._lock:
            return self.growth.report(self.work, self._everybody(), self.material)

    # --- inside: the lock is held ---------------------------------------------------------------

    def _known(self, person: str) -> str:
        return known(person, self.person)

    def _asked(self, person: str, token: str) -> Key:
        found = self._tokens.find(token)
        if found is None or found.person != person:
            raise unknown_question()
        return found.key

    def _next(self, person: str) -> Next:
        left = self._remaining(person)
        for key, answer in left.derived.items():
            self.folder.add(line(person, key, answer, self.utc()), pair=True)
        card = None
        if left.asked:
            self._begin(person, left.asked[0])
            card = self._card(person, left.asked[0])
        answered = len(self._history(person))
        progress = Progress(
            answered=answered,
            left=len(left.asked),
            units=len(left.units),
            open=left.open,
            can_go_back=answered > 0,
        )
        return Next(card=card, progress=progress)

    def _begin(self, person: str, key: Key) -> None:
        if person not in self._begun:
            self._begun[person] = set()
            work = self.work
            self.folder.log(
                person,
                {
                    "kind": "session",
                    "at_utc": self.utc(),
                    "seed": work.seed,
                    "dimensions": list(work.dimensions),
                    "twice": work.twice,
                    "again": work.again,
                    "order": [list(unit.replies) for unit in in_order(work, person)],
                },
            )
        self._begun[person].add(self._unit_of[key.item].id)

    def _card(self, person: str, key: Key, given: Given | None = None) -> Card:
        replies = self._replies(person, key)
        relative = key.part is Part.RELATIVE
        sounds = self.clips.both(*replies)[0] if relative else self.clips.alone(replies[0])
        return Card(
            token=self._tokens.of(_Question(person, key)),
            part="relative" if relative else "absolute",
            dimension=key.dimension,
            question=QUESTIONS[key.part][key.dimension],
            asked=asked_words(replies),
            wanted=wanted(replies[0]),
            sounds=tuple(sounds),
            offers=offers(offered(key.part)),
            withheld=offers(WITHHELD),
            given=given,
        )

    def _replies(self, person: str, key: Key) -> list[Reply]:
        items = self._pairs[key.item] if key.part is Part.RELATIVE else (key.item,)
        replies = [self.material.replies[item] for item in items]
        return replies[::-1] if self._first(person, key) else replies

    def _first(self, person: str, key: Key) -> int:
        """Which of a pair is shown first, by the names' order; 0 of a single reply."""
        if key.part is Part.ABSOLUTE:
            return 0
        return shown_first(self.work, person, self._pairs[key.item], key.round)

    def _shown(self, person: str, key: Key, first: int, sent: AnswerSent) -> dict[str, Any]:
        shown: dict[str, Any] = {"place": len(self._history(person)) + 1}
        if key.part is Part.RELATIVE:
            replies = self._replies(person, key)
            levels = self.clips.both(*replies)[1]
            shown |= {
                "first": replies[0].item,
                "levels": {r.item: level.to_json() for r, level in zip(replies, levels, strict=True)},
            }
        if {reply.item for reply in self._replies(person, key)} <= self.folder.revealed(person):
            shown["after_reveal"] = True
        return shown | {"plays": dict(sent.plays), "words_shown": sent.words_shown}

    def _history(self, person: str) -> list[tuple[Key, PersonLabel]]:
        found = history(self.folder.labels(person), self.folder.pair_labels(person))
        return [(key, label) for key, label in found if key.item in self._unit_of]

    def _remaining(self, person: str) -> Remaining:
        return remaining(self.work, person, self._everybody(), self._begun)

    def _everybody(self) -> dict[str, Answers]:
        return {
            name: answers(self.folder.labels(name), self.folder.pair_labels(name))
            for name in self.folder.people()
        }
