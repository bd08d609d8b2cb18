"""Finds the entry that answers a question, in a small body of knowledge. Pure; made for ASR spellings."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz, process

from streams.reference.verbatim import Verbatim
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

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""LibYAML's loader is ten times as fast as the one in Python, where it is there."""

_CLAUSE = re.compile(r"[.,;!?]+")
_REQUEST = frozenset(["more", "else", "about", "continue", "repeat", "on", "again", "how", "why", "what"])
"""Words of a clause that wants something."""


class Entry(BaseModel):
    """One answer, with questions that ask for it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    questions: tuple[str, ...]
    keywords: tuple[str, ...] = ()
    answer: str

    @cached_property
    def vocabulary(self) -> dict[str, float]:
        """Its words with their weights."""
        weak = dict.fromkeys(content(words(self.answer)), _ANSWER_WORDS)
        asked = " ".join((*self.questions, *self.keywords))
        return weak | dict.fromkeys(content(words(asked)), 1.0)


class Topic(BaseModel):
    """Entries about one thing, and the names of it, misspellings included.

    Attributes:
        small_talk: Greetings and the like, which are about nothing.
        verbatim: Questions that are known by their wording, such as a quiz has them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: str
    small_talk: bool = False
    verbatim: bool = False
    names: tuple[str, ...] = ()
    entries: tuple[Entry, ...]

    @cached_property
    def spellings(self) -> frozenset[str]:
        """Its names without spaces."""
        return frozenset("".join(words(name)) for name in self.names)


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


_Place = tuple[str, str]
"""Where an entry stands: its topic's name and its own id."""


@dataclass(frozen=True)
class KnowledgeBase:
    """All topics; questions that are known by their wording have answers of their own."""

    topics: tuple[Topic, ...]
    _rarity: dict[str, float] = field(init=False, default_factory=dict)
    _index: dict[str, dict[_Place, float]] = field(init=False, default_factory=dict)
    _polite: set[str] = field(init=False, default_factory=set)
    _spellings: dict[str, Topic] = field(init=False, default_factory=dict)
    _long_spellings: list[str] = field(init=False, default_factory=list)
    _long_words: list[str] = field(init=False, default_factory=list)
    _samples: dict[str, str] = field(init=False, default_factory=dict)
    verbatim: Verbatim = field(init=False, default_factory=Verbatim)

    def __post_init__(self) -> None:
        for topic in self.topics:
            for entry in () if topic.verbatim else topic.entries:
                for word, weight in entry.vocabulary.items():
                    self._index.setdefault(word, {})[topic.topic, entry.id] = weight
            if topic.small_talk:
                self._polite.update(
                    word for entry in topic.entries for q in entry.questions for word in words(q)
                )
            for entry in topic.entries if topic.verbatim else ():
                for question in entry.questions:
                    self.verbatim.add(question, entry.answer)
            for name in topic.spellings:
                self._spellings.setdefault(name, topic)
        self._rarity.update({word: self._rarity_of(len(places)) for word, places in self._index.items()})
        self._long_spellings.extend(sorted(name for name in self._spellings if len(name) > _FUZZY_LENGTH))
        self._long_words.extend(word for word in self._rarity if len(word) >= _FUZZY_LENGTH)

    @cached_property
    def _size(self) -> int:
        return sum(len(topic.entries) for topic in self.topics if not topic.verbatim)

    def _rarity_of(self, entries: int) -> float:
        """Weight of a word that so many entries have."""
        return math.log(1 + self._size / entries)

    @classmethod
    def load(cls) -> KnowledgeBase:
        """What ships with the endpoint."""
        folder = files("streams.reference.knowledge")
        paths = sorted(
            (path for path in folder.iterdir() if path.name.endswith(".yaml")), key=lambda p: p.name
        )
        documents = [document for path in paths for document in yaml.load(path.read_text("utf-8"), _LOADER)]  # noqa: S506
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
        topics = question.topics or tuple(
            topic for topic in self.topics if not (topic.small_talk or topic.verbatim)
        )
        covered = self._coverage(question)
        candidates = []
        for topic in topics:
            for entry in topic.entries:
                coverage = covered.get((topic.topic, entry.id), 0.0) if question.content else 1.0
                if coverage >= _COVERAGE:
                    score = self._score(question, topic, entry, coverage)
                    score += _STICKINESS * (topic is last)
                    score -= _TOLD * (bool(question.content) and entry.answer in told)
                    candidates.append(Found(topic, entry, coverage, score))
        return max(candidates, key=lambda found: found.score, default=None)

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
        strange = [word for word in question.content if word not in self._rarity and not self._alike(word)]
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
            topic = self._named("".join(window), exact=exact) if len(window) == length else None
            if topic is not None:
                return length, topic
        return 1, None

    def _named(self, joined: str, *, exact: bool) -> Topic | None:
        """The topic that has these words, joined, for a name, or (unless `exact`) one most alike."""
        if exact or len(joined) <= _FUZZY_LENGTH or joined in self._spellings:
            return self._spellings.get(joined)
        alike = process.extractOne(joined, self._long_spellings, scorer=fuzz.ratio, score_cutoff=_ALIKE)
        return None if alike is None else self._spellings[alike[0]]

    def _score(self, question: Question, topic: Topic, entry: Entry, coverage: float) -> float:
        implied = () if question.topics else (f"@{topic.topic}",)
        return coverage + _PHRASING * self._phrasing((*question.words, *implied), entry)

    def _coverage(self, question: Question) -> dict[_Place, float]:
        """The share of the question's content that entries explain, where it is more than nothing.

        A word that no entry knows weighs as much as the rarest.
        """
        rarest = self._rarity_of(1)
        weights = [self._rarity.get(word, rarest) for word in question.content]
        total = sum(weights)
        covered: dict[_Place, float] = defaultdict(float)
        for word, weight in zip(question.content, weights, strict=True):
            for place, likeness in self._explained(word).items():
                covered[place] += weight * likeness / total
        return covered

    def _explained(self, word: str) -> dict[_Place, float]:
        """The entries that have a word, or one spelt alike, with the weight of their best match."""
        found: dict[_Place, float] = {}
        for known, like in self._alike(word):
            for place, weight in self._index[known].items():
                found[place] = max(found.get(place, 0.0), weight * like)
        return found | self._index.get(word, {})

    def _phrasing(self, asked: Sequence[str], entry: Entry) -> float:
        said = " ".join(asked)
        samples = [self._sample(question) for question in entry.questions]
        # the set ratio finds a question within a longer one; the sort ratio decides between several
        return max(fuzz.token_set_ratio(said, it) + fuzz.token_sort_ratio(said, it) for it in samples) / 200

    def _sample(self, question: str) -> str:
        """The words of a question of an entry; kept, for they are read again for every question asked."""
        if question not in self._samples:
            self._samples[question] = " ".join(self.read(question).words)
        return self._samples[question]

    def _alike(self, word: str) -> Sequence[tuple[str, float]]:
        """Known words that are spelt alike, with their likeness (0 to 1)."""
        if len(word) < _FUZZY_LENGTH:
            return ()
        found = process.extract(word, self._long_words, scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=None)
        return [(known, likeness / 100) for known, likeness, _ in found]
