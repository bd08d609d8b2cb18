"""The rules judge: no language model. Keywords, sentence similarity, and checks for what similarity misses.

A fact is, in this order,

1. *contradicted*, if one of its `wrong` phrases is asserted;
2. *contradicted*, if a sentence that says at least half of it otherwise says the opposite: its keywords
   are negated, a number or unit differs, an antonym stands in the place of its word, two roles are
   exchanged, a word of it is ruled out, or what it says of all is restricted;
3. *stated*, if one alternative of every keyword group is asserted;
4. *stated*, if at least half the groups are, and a sentence is near to the fact's text;
5. *missing*.

A sentence counts only if it asserts: hedges ("might", "some say", "I'm not sure"), questions, and words
addressed to a judge state nothing and contradict nothing. A hedge in a sentence of its own takes back the
sentence before it. Negation has a scope: a negator reaches to the end of its clause, and two cancel out.

A false accusation steers the user wrongly, so that doubt speaks against a contradiction: a number
contradicts only one of the same dimension or beside the same word (`quantities`), and neither number nor
antonym does if the reply says the fact's own elsewhere; an antonym must stand beside words of the fact.

Limits: it knows what the scenario's author wrote down and a list of common antonyms. A contradiction that
is neither (another substance, another cause, another name) is *missing* at best, and *stated* if all
keywords are there. Irony, implication and anything that spans sentences are beyond it. Its antonyms,
hedges and the sentence model are English; for other languages keywords alone decide. What that comes to
on a hand-labelled set is in docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scenarios.facts.matching import tokens
from scenarios.schema import Fact
from scoring.judge import words
from scoring.judge.contract import FactLabel, FactVerdict, ReplyToJudge, Span, TurnVerdict
from scoring.judge.contrast import Asserted, Conflict, Contrast
from scoring.judge.negation import Mention, Polarity, mentions
from scoring.judge.sentences import Mode, Sentence, sentences, speaks_of_possibility
from streams.language.sentences import SentenceEncoder, Vectors
from streams.speech import workers

VERSION = 3
"""Raised whenever a verdict of the rules judge changes."""

MAX_COMPARED = 24
"""Sentences of a reply that are compared with the facts by similarity: the first ones."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines from which a sentence says something about a fact; fitted on the dev half of a labelled set.

    Attributes:
        topic: It is about the fact, so that saying something else contradicts it, if half the
            keyword groups are there too.
        near: It says the fact, if half the keyword groups are there too.
    """

    topic: float = 0.5
    near: float = 0.6


@dataclass(frozen=True, slots=True)
class _Judged:
    """A sentence beside a fact."""

    sentence: Sentence
    groups: tuple[Mention | None, ...]
    similarity: float

    @property
    def affirmed(self) -> set[int]:
        return {i for i, m in enumerate(self.groups) if m and m.polarity is Polarity.AFFIRMED}

    @property
    def denied(self) -> set[int]:
        return {i for i, m in enumerate(self.groups) if m and m.polarity is Polarity.DENIED}


class RulesJudge:
    """Judges by rules, the same reply always in the same way.

    Args:
        encoder: For similarity; None judges by keywords and contrasts alone.
        thresholds: From which similarity on; by default as fitted.
    """

    name = "rules"
    version = VERSION

    def __init__(
        self, encoder: SentenceEncoder | None = None, thresholds: Thresholds | None = None
    ) -> None:
        self._encoder = encoder
        self._thresholds = thresholds or Thresholds()
        self._known: dict[str, Vectors] = {}  # of facts: a pack's facts come again and again

    async def warm_up(self) -> None:
        """Load the sentence model."""
        if self._encoder is not None:
            await workers.run(self._encoder.encode, ["Hello."], kind="judge")

    async def judge(self, reply: ReplyToJudge) -> TurnVerdict:
        """Judge a reply; the work is done in a thread."""
        return await workers.run(self.verdict, reply, kind="judge")

    def verdict(self, reply: ReplyToJudge) -> TurnVerdict:
        """Judge a reply at once; blocks for some 10 ms per sentence."""
        facts = reply.question.reference
        if not reply.heard.strip():
            return self._made([FactVerdict(fact.id, None, "nothing_heard") for fact in facts])
        similar = self._similarities([fact.text for fact in facts], reply.heard)
        return self._made(
            [
                judge_fact(fact, reply.heard, nearness, self._thresholds)
                for fact, nearness in zip(facts, similar, strict=True)
            ]
        )

    def _made(self, facts: Sequence[FactVerdict]) -> TurnVerdict:
        model = self._encoder.name if self._encoder else None
        return TurnVerdict(self.name, self.version, tuple(facts), {"sentence_model": model})

    def _similarities(self, facts: Sequence[str], heard: str) -> list[list[float]]:
        """For each fact the similarity of each of the reply's first sentences."""
        texts = [sentence.text for sentence in _cut(heard, False)[:MAX_COMPARED]]
        if self._encoder is None or not texts or not facts:
            return [[] for _ in facts]
        new = [fact for fact in dict.fromkeys(facts) if fact not in self._known]
        vectors = self._encoder.encode([*new, *texts])
        self._known.update(zip(new, vectors, strict=False))
        known = np.stack([self._known[fact] for fact in facts])
        near: list[list[float]] = (known @ vectors[len(new) :].T).tolist()
        return near


def judge_fact(fact: Fact, heard: str, similarity: Sequence[float], thresholds: Thresholds) -> FactVerdict:
    """Judge one fact.

    Args:
        fact: The fact.
        heard: The reply.
        similarity: Of its sentences to the fact's text, -1 to 1; sentences beyond have none.
        thresholds: What a similarity means.
    """
    said = _asserting(fact, heard, similarity)
    wrong = next(filter(None, (_wrong(fact, judged.sentence) for judged in said)), None)
    if wrong is not None:
        return FactVerdict(fact.id, FactLabel.CONTRADICTED, evidence=(wrong,), reason="a wrong phrase")
    against = _contradiction(fact, said, thresholds)
    if against is not None:
        return against
    affirmed = {i for judged in said for i in judged.affirmed}
    best = max(said, key=lambda judged: judged.similarity, default=None)
    if len(affirmed) == len(fact.keywords):
        return FactVerdict(fact.id, FactLabel.STATED, evidence=_quoted(said), reason="all keywords")
    half = 2 * len(affirmed) >= len(fact.keywords)
    if best is not None and half and best.similarity >= thresholds.near:
        span = Span(best.sentence.start, best.sentence.end, best.sentence.text)
        reason = f"similarity {best.similarity:.2f}"
        return FactVerdict(fact.id, FactLabel.STATED, evidence=(span,), reason=reason)
    lacking = [group[0] for i, group in enumerate(fact.keywords) if i not in affirmed]
    return FactVerdict(fact.id, FactLabel.MISSING, reason=f"not heard: {', '.join(lacking)}")


def _asserting(fact: Fact, heard: str, similarity: Sequence[float]) -> list[_Judged]:
    """The sentences that assert, less those that the next one takes back."""
    found: list[_Judged] = []
    possible = speaks_of_possibility(fact.text)
    for i, sentence in enumerate(_cut(heard, possible)):
        groups = mentions(fact, sentence)
        if (
            sentence.mode is Mode.HEDGES
            and not any(groups)
            and found
            and found[-1].sentence.end <= sentence.start
        ):
            found.pop()  # "... I'm really not sure."
        elif sentence.mode is Mode.ASSERTS:
            near = similarity[i] if i < len(similarity) else 0.0
            found.append(_Judged(sentence, groups, near))
    return found


@lru_cache(maxsize=16)
def _cut(heard: str, may_be_possible: bool) -> tuple[Sentence, ...]:
    """The sentences of a reply, which all its facts share."""
    return tuple(sentences(heard, may_be_possible=may_be_possible))


def _wrong(fact: Fact, sentence: Sentence) -> Span | None:
    for phrase in fact.wrong:
        mention = mentions(Fact(id=fact.id, text=phrase, keywords=((phrase,),)), sentence)[0]
        if mention is not None and mention.polarity is Polarity.AFFIRMED:
            return _span(sentence, mention.start, mention.end)
    return None


def _contradiction(fact: Fact, said: Sequence[_Judged], thresholds: Thresholds) -> FactVerdict | None:
    contrast = _contrast(fact.text, fact.keywords)
    reply = Asserted.of(judged.sentence.tokens for judged in said)
    for judged in said:
        conflict = contrast.conflict(judged.sentence.tokens, reply) or _denial(judged)
        if conflict is not None and _topical(fact, judged, conflict, thresholds):
            span = _span(judged.sentence, conflict.start, conflict.end)
            return FactVerdict(fact.id, FactLabel.CONTRADICTED, evidence=(span,), reason=conflict.reason)
    return None


@lru_cache(maxsize=1024)
def _contrast(text: str, keywords: tuple[tuple[str, ...], ...]) -> Contrast:
    return Contrast.of(text, [word for group in keywords for word in group])


def _topical(fact: Fact, judged: _Judged, conflict: Conflict, thresholds: Thresholds) -> bool:
    """True if a sentence says so much of the fact that what conflicts with it is said of the same thing.

    The keyword groups of the words that were replaced count as said. Then all groups must be, or half in a
    sentence near to the fact; and if less than two were really said, the sentence must be near or hold most
    of the fact's words.
    """
    touched = judged.affirmed | judged.denied
    replaced = {
        i
        for i, group in enumerate(fact.keywords)
        if any(token.form in conflict.instead for phrase in group for token in tokens(phrase))
    }
    near = judged.similarity >= thresholds.topic
    said = len(touched | replaced)
    if said < len(fact.keywords):
        return near and bool(touched) and 2 * said >= len(fact.keywords)
    return near or len(touched) > 1 or _mostly_shared(fact, judged.sentence)


def _mostly_shared(fact: Fact, sentence: Sentence) -> bool:
    own = {token.form for token in tokens(fact.text)} - words.EMPTY
    return 2 * len(own & {token.form for token in sentence.tokens}) > len(own)


def _denial(judged: _Judged) -> Conflict | None:
    for i in sorted(judged.denied):
        mention = judged.groups[i]
        assert mention is not None  # it was denied
        return Conflict(mention.start, mention.end, "denied")
    return None


def _quoted(said: Sequence[_Judged]) -> tuple[Span, ...]:
    """The first mention of each keyword group, in the order of the groups."""
    found: dict[int, Span] = {}
    for judged in said:
        for i in sorted(judged.affirmed - found.keys()):
            mention = judged.groups[i]
            assert mention is not None  # it was affirmed
            found[i] = _span(judged.sentence, mention.start, mention.end)
    return tuple(found[i] for i in sorted(found))


def _span(sentence: Sentence, start: int, end: int) -> Span:
    return Span(sentence.start + start, sentence.start + end, sentence.text[start:end])
