"""Finds the entry that answers a question, in a small body of knowledge. Pure; made for ASR spellings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz

from streams.reference.words import content, words

_ALIKE = 85
"""Similarity (0 to 100) from which two spellings count as the same word."""

_FUZZY_LENGTH = 5
"""Shorter words must match exactly: there is too little in them to be alike."""

_ANSWER_WORDS = 0.6
"""Weight of a word that only stands in the answer of an entry."""

_PHRASING = 0.5
"""Weight of the likeness of the whole question to a question of the entry."""

_STICKINESS = 0.25
"""Advantage of the topic that was talked about last."""

_TOLD = 0.05
"""Disadvantage of an entry that was told already: who asks again wants more."""

_COVERAGE = 0.4
"""Share of a question's content that an entry must explain."""

_CLAUSE = re.compile(r"[.,;!?]+")
_REQUEST = frozenset(["more", "else", "about", "continue", "repeat", "on", "again", "how", "why", "what"])
"""Words of a clause that wants something."""


class Entry(BaseModel):
    """One answer, with questions that ask for it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    questions: tuple[str, ...]
    keywords: tuple[str, ...]
    answer: str

    @cached_property
    def vocabulary(self) -> dict[str, float]:
        """Its words with their weights."""
        weak = dict.fromkeys(content(words(self.answer)), _ANSWER_WORDS)
        asked = " ".join((*self.questions, *self.keywords))
        return weak | dict.fromkeys(content(words(asked)), 1.0)


class Topic(BaseModel):
    """Entries about one thing, and the names of it, misspellings included."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: str
    small_talk: bool = False
    names: tuple[str, ...]
    entries: tuple[Entry, ...]

    @cached_property
    def spellings(self) -> frozenset[str]:
        """Its names without spaces."""
        return frozenset("".join(words(name)) for name in self.names)

    def named(self, joined: str, *, exact: bool) -> bool:
        """Whether these words, joined, are one of its names, or (unless `exact`) alike."""
        if exact or len(joined) <= _FUZZY_LENGTH or joined in self.spellings:
            return joined in self.spellings
        names = (name for name in self.spellings if len(name) > _FUZZY_LENGTH)
        return any(fuzz.ratio(joined, name) >= _ALIKE for name in names)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    Attributes:
        words: All its words, names of topics replaced by `@topic`.
        topics: Topics that it names.
        content: The words that say what it is about, without names.
    """

    words: tuple[str, ...]
    topics: tuple[Topic, ...]
    content: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The entry that fits best, of which topic, and the share of the question's content it explains."""

    topic: Topic
    entry: Entry
    coverage: float
    score: float


@dataclass(frozen=True, slots=True)
class Told:
    """An entry that was told, and whether it was heard to its end."""

    topic: Topic
    entry: Entry
    whole: bool


@dataclass(frozen=True)
class KnowledgeBase:
    """All topics."""

    topics: tuple[Topic, ...]
    _rarity: dict[str, float] = field(init=False, default_factory=dict)
    _polite: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        entries = [entry for topic in self.topics for entry in topic.entries]
        spread = Counter(word for entry in entries for word in entry.vocabulary)
        for topic in self.topics:
            if topic.small_talk:
                self._polite.update(
                    word for entry in topic.entries for q in entry.questions for word in words(q)
                )
        self._rarity.update({word: math.log(1 + len(entries) / n) for word, n in spread.items()})

    @classmethod
    def load(cls) -> KnowledgeBase:
        """What ships with the endpoint."""
        folder = files("streams.reference.knowledge")
        paths = sorted(
            (path for path in folder.iterdir() if path.name.endswith(".yaml")), key=lambda p: p.name
        )
        documents = [document for path in paths for document in yaml.safe_load(path.read_text("utf-8"))]
        return cls(tuple(Topic.model_validate(document) for document in documents))

    def read(self, text: str) -> Question:
        """Find names of topics and the words that matter."""
        found = words(text)
        marked: list[str] = []
        topics: dict[str, Topic] = {}
        at = 0
        while at < len(found):
            length, topic = self._name_at(found, at)
            if topic is None:
                marked.append(found[at])
            else:
                marked.append(f"@{topic.topic}")
                topics[topic.topic] = topic
            at += length
        about = tuple(content([word for word in marked if not word.startswith("@")]))
        return Question(tuple(marked), tuple(topics.values()), about)

    def find(self, question: Question, *, last: Topic | None, told: Iterable[str] = ()) -> Found | None:
        """The entry that answers a question, or None.

        Args:
            question: What is asked.
            last: The topic that was talked about last.
            told: Answers that were given already.
        """
        if not question.content and not question.topics:
            return None
        told = set(told)
        topics = question.topics or tuple(topic for topic in self.topics if not topic.small_talk)
        candidates = [
            self._rate(question, topic, entry, last=last, told=told)
            for topic in topics
            for entry in topic.entries
        ]
        best = max(candidates, key=lambda found: found.score)
        return best if best.coverage >= _COVERAGE else None

    def small_talk(self, text: str) -> Entry | None:
        """The answer to a greeting, thanks or goodbye, if nothing else was said; the last one counts."""
        question = self.read(text)
        if question.topics or set(question.content) - self._polite:
            return None
        for clause in reversed(_CLAUSE.split(text)):
            said = " ".join(words(clause))
            if said and (entry := self._courtesy(said)) is not None:
                return entry
            if _REQUEST & set(said.split()):
                return None
        return None

    def _courtesy(self, said: str) -> Entry | None:
        pairs = [
            (fuzz.token_sort_ratio(said, " ".join(words(question))), entry)
            for topic in self.topics
            if topic.small_talk
            for entry in topic.entries
            for question in entry.questions
        ]
        likeness, entry = max(pairs, key=lambda pair: pair[0])
        return entry if likeness >= _ALIKE else None

    def unknown(self, question: Question) -> str:
        """The words of a question that no entry has, or all its content, to be spoken."""
        strange = [word for word in question.content if self._best(word, self._rarity) is None]
        return " ".join((strange or question.content)[:4])

    def told(self, text: str) -> Told | None:
        """Which entry the assistant's words are of; None if of none."""
        for topic in self.topics:
            for entry in topic.entries:
                if entry.answer.startswith(text):
                    return Told(topic, entry, whole=text == entry.answer)
        return None

    def _name_at(self, found: Sequence[str], at: int) -> tuple[int, Topic | None]:
        for length in (3, 2, 1):
            window = found[at : at + length]
            # a name that is only alike must not swallow the words around it
            exact = not content([window[0]]) or not content([window[-1]])
            for topic in self.topics:
                if len(window) == length and topic.named("".join(window), exact=exact):
                    return length, topic
        return 1, None

    def _rate(
        self, question: Question, topic: Topic, entry: Entry, *, last: Topic | None, told: set[str]
    ) -> Found:
        weights = [(word, self._weight(word)) for word in question.content]
        total = sum(weight for _, weight in weights)
        explained = sum(weight * (self._best(word, entry.vocabulary) or 0.0) for word, weight in weights)
        coverage = explained / total if total else 1.0
        implied = () if question.topics else (f"@{topic.topic}",)
        score = coverage + _PHRASING * self._phrasing((*question.words, *implied), entry)
        score += _STICKINESS * (topic is last) - _TOLD * (bool(question.content) and entry.answer in told)
        return Found(topic, entry, coverage, score)

    def _weight(self, word: str) -> float:
        rarest = math.log(1 + sum(len(topic.entries) for topic in self.topics))
        best = self._best(word, self._rarity)
        return rarest if best is None else self._rarity.get(word, rarest)

    def _phrasing(self, asked: Sequence[str], entry: Entry) -> float:
        said = " ".join(asked)
        samples = (" ".join(self.read(question).words) for question in entry.questions)
        # the set ratio finds a question within a longer one; the sort ratio decides between several
        return max(fuzz.token_set_ratio(said, it) + fuzz.token_sort_ratio(said, it) for it in samples) / 200

    def _best(self, word: str, vocabulary: dict[str, float]) -> float | None:
        """Weight of the word's best match, or None if nothing is alike."""
        if word in vocabulary:
            return vocabulary[word]
        if len(word) < _FUZZY_LENGTH:
            return None
        alike = [
            weight * likeness / 100
            for known, weight in vocabulary.items()
            if len(known) >= _FUZZY_LENGTH and (likeness := fuzz.ratio(word, known)) >= _ALIKE
        ]
        return max(alike, default=None)
