"""Asks people whether scenarios that were grown are what they say: level and manner, by their sound.

The sample waits in the pack's `review.jsonl`; answers are kept in `labels/` beside it, like all labels.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recordings.errors import RecordingError
from recordings.label_files import LabelFolder
from recordings.labels import PersonLabel
from recordings.reading import read_bytes
from recordings.studio.label_cards import (
    About,
    AnswerSent,
    Card,
    Given,
    Next,
    Progress,
    Sound,
)
from scenarios.growing.records import Unreadable
from scenarios.growing.review import Review, read_queue
from scoring.growing.consistency import report
from scoring.growing.opinions import LABELS, QUESTIONS, notes, opinions
from scoring.labelling.answers import history, line
from scoring.labelling.asking import check, earlier, known, offers, unknown_question, unknown_sound
from scoring.labelling.checking import about, question
from scoring.labelling.clips import Tokens
from scoring.labelling.plan import Key, Unit, Work, remaining
from scoring.labelling.protocol import WITHHELD, Answer
from scoring.labelling.spoken_line import SpokenLine, spoken_line
from scoring.report.safe import neutralise


@dataclass(frozen=True, slots=True)
class _Question:
    """What a card's token stands for."""

    person: str
    key: Key


@dataclass
class ReviewDesk:
    """Asks about a sample; a `recordings.studio.label_cards.ChecksScenarios`.

    Attributes:
        queue: The sample's file; what is queued meanwhile is asked, too.
        folder: Where answers are kept.
        utc: The time, ISO 8601.
        person: Who works here; "" lets anybody give a name.
        seed: Of the orders, and of what is checked twice.
        twice: Share of the sample that two people check, the rest being checked by one; None: everybody
            checks everything.
        again: Share that each person checks a second time, at the end; the first answers count.
    """

    queue: Path
    folder: LabelFolder
    utc: Callable[[], str]
    person: str = ""
    seed: int = 0
    twice: float | None = None
    again: float = 0.0
    _tokens: Tokens[_Question] = field(default_factory=Tokens, init=False)
    _sounds: Tokens[str] = field(default_factory=Tokens, init=False)
    _begun: dict[str, set[str]] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._read: tuple[tuple[int, int], dict[str, Review]] = (0, 0), {}

    def about(self) -> About:
        """What there is to do."""
        with self._lock:
            lines = self._lines()
        return About(
            person=self.person,
            people=() if self.person else tuple(self.folder.people()),
            dimensions=QUESTIONS,
            units=len(lines),
            replies=0,
            pairs=0,
            left_out={},
        )

    def next(self, person: str) -> Next:
        """The next question."""
        with self._lock:
            return self._next(self._known(person))

    def answer(self, sent: AnswerSent) -> Next:
        """Take an answer or a correction; when this returns, it is on the disk."""
        with self._lock:
            person = self._known(sent.person)
            key = self._asked(person, sent.token)
            check(sent, LABELS.names)
            shown = {"place": len(self._history(person)) + 1, "plays": dict(sent.plays)}
            said = Answer(sent.label, sent.unscored)
            self.folder.add(line(person, key, said, self.utc(), note=sent.note.strip(), shown=shown))
            return self._next(person)

    def back(self, person: str, steps: int) -> Card:
        """A question that was answered so many answers ago, with the answer."""
        with self._lock:
            person = self._known(person)
            key, said = earlier(self._history(person), steps)
            return self._card(person, key, Given(label=said.label, unscored=said.unscored, note=said.note))

    def sound(self, token: str) -> bytes:
        """A WAV file."""
        audio = self._sounds.find(token)
        if audio is None:
            raise unknown_sound()
        return self._spoken(audio).wav

    def report(self) -> Mapping[str, Any]:
        """How many scenarios are what they say, by what is answered so far."""
        with self._lock:
            lines = list(self._lines().values())
        return report(lines, opinions(lines, self.folder), notes(self.folder))

    # --- inside: the lock is held ---------------------------------------------------------------

    def _known(self, person: str) -> str:
        return known(person, self.person)

    def _asked(self, person: str, token: str) -> Key:
        found = self._tokens.find(token)
        if found is None or found.person != person or found.key.item not in self._lines():
            raise unknown_question()
        return found.key

    def _lines(self) -> dict[str, Review]:
        """The queue, by scenario; read again when it has changed.

        Raises:
            RecordingError: It cannot be read, or is no queue.
        """
        data = read_bytes(self.queue, "the queue of a pack that was grown")
        state = self.queue.stat()
        stamp = state.st_size, state.st_mtime_ns
        if stamp != self._read[0]:
            try:
                lines = read_queue(data.decode())
            except (Unreadable, UnicodeDecodeError) as error:
                raise RecordingError(self.queue, str(error), "Mend it.") from error
            self._read = stamp, {one.scenario: one for one in lines}
        return self._read[1]

    def _next(self, person: str) -> Next:
        lines = self._lines()
        units = tuple(Unit((id,)) for id in sorted(lines))
        work = Work(units, QUESTIONS, self.seed, self.twice, self.again)
        everybody = opinions(list(lines.values()), self.folder)
        begun = {name: held & lines.keys() for name, held in self._begun.items()}
        left = remaining(work, person, everybody, begun)
        if left.asked:
            self._begun.setdefault(person, set()).add(left.asked[0].item)
        return Next(
            card=self._card(person, left.asked[0]) if left.asked else None,
            progress=Progress(
                answered=len(everybody.get(person, {})),
                left=len(left.asked),
                units=len(left.units),
                open=left.open,
                can_go_back=bool(self._history(person)),
            ),
        )

    def _card(self, person: str, key: Key, given: Given | None = None) -> Card:
        one = self._lines()[key.item]
        return Card(
            token=self._tokens.of(_Question(person, key)),
            part="check",
            dimension=key.dimension,
            question=question(one, key.dimension),
            asked=neutralise(one.text),
            wanted=tuple(map(neutralise, one.content)),
            sounds=(self._sound(one.audio),),
            offers=offers(LABELS.names),
            withheld=offers(WITHHELD),
            facts=about(one),
            given=given,
        )

    def _sound(self, audio: str) -> Sound:
        """The line; without a token if it cannot be heard: who is asked says so, and the work goes on."""
        try:
            seconds = self._spoken(audio).seconds if audio else 0.0
        except RecordingError as error:
            sys.stderr.write(f"viva: {error}\n")
            seconds = 0.0
        token = self._sounds.of(audio) if seconds else ""
        return Sound(name="line", token=token, seconds=round(seconds, 2))

    def _spoken(self, audio: str) -> SpokenLine:
        return spoken_line(self.queue.parent, audio)

    def _history(self, person: str) -> Sequence[tuple[Key, PersonLabel]]:
        """What the person has answered here, the latest first."""
        lines = self._lines()
        return [
            (key, said)
            for key, said in history(self.folder.labels(person), ())
            if key.item in lines and key.dimension in QUESTIONS
        ]
