"""Science over a run: stage tables, dialogues, coupling and contrasts, from calls and from results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recordings.reader import read_scores
from scoring.science.answers import Answered, Condition, answers
from scoring.science.audience import Guess, kept_guess
from scoring.science.contrasts import Contrast, contrasts
from scoring.science.dialogue import Dialogue, DialogueScores, score_dialogues
from scoring.science.dialogues import dialogue, judge_of
from scoring.science.imported import Result, Rule, as_answered
from scoring.science.stage_coupling import Coupled, couple
from scoring.science.stages import Scored, StageTable, scored, stage_table
from scoring.view import EpisodeView

AUDIENCE = "audience"
"""Name of the file in an episode's `scores/` with a judge's guess of the level."""


@dataclass(frozen=True, slots=True)
class DialogueTable:
    """The dialogues of one system.

    Attributes:
        judges: Replies judged, by who labelled their facts.
        guessers: Dialogues, by who guessed the level.
    """

    system: str
    judges: Mapping[str, int]
    guessers: Mapping[str, int]
    scores: DialogueScores


@dataclass(frozen=True, slots=True)
class Science:
    """All tables of a run; each may be empty."""

    stages: tuple[StageTable, ...] = ()
    dialogues: tuple[DialogueTable, ...] = ()
    coupling: tuple[Coupled, ...] = ()
    contrasts: tuple[Contrast, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.stages or self.dialogues)


@dataclass(frozen=True, slots=True)
class Call:
    """A call to score, with the guess of a judge if one was asked."""

    view: EpisodeView
    guess: Guess | None = None


def stored_guess(folder: Path) -> Guess | None:
    """The guess that a judge left beside an episode, if it is one.

    Raises:
        RecordingError: The file is no JSON.
    """
    if not (folder / "scores" / f"{AUDIENCE}.json").is_file():
        return None
    return kept_guess(read_scores(folder, AUDIENCE))


def collect(calls: Sequence[Call], results: Iterable[Result] = (), rule: Rule = Rule.WORDS) -> Science:
    """Put calls that are not void, and results, together.

    A result without an item takes that of the call with the same id, and its domain.

    Args:
        calls: To score.
        results: Made elsewhere.
        rule: How their references are looked for.
    """
    asked = [one for call in calls for _, one in answers(call.view)]
    known = {one.id: one for one in asked}
    every = scored([*asked, *(_as_asked(result, known.get(result.id), rule) for result in results)])
    by_system: dict[tuple[str, str], list[Scored]] = {}
    for one in every:
        by_system.setdefault((one.answered.condition.value, one.answered.system), []).append(one)
    tables = [stage_table(some) for _, some in sorted(by_system.items())]
    speaking = [some for (how, _), some in sorted(by_system.items()) if how == Condition.SPEECH.value]
    return Science(
        stages=tuple(tables),
        dialogues=tuple(_dialogues(calls)),
        coupling=tuple(couple([t for t in tables if t.condition == Condition.SPEECH.value], speaking)),
        contrasts=tuple(contrasts(every)),
    )


def _as_asked(result: Result, call: Answered | None, rule: Rule) -> Answered:
    if call is not None and not result.domain:
        result = result.model_copy(update={"domain": call.domain})
    return as_answered(result, call.item if call else None, rule)


def _dialogues(calls: Sequence[Call]) -> Iterable[DialogueTable]:
    by_system: dict[str, list[tuple[Call, Dialogue]]] = {}
    for call in calls:
        if (held := dialogue(call.view, call.guess)) is not None:
            by_system.setdefault(call.view.info.endpoint.address, []).append((call, held))
    for system, held_by in sorted(by_system.items()):
        yield DialogueTable(
            system=system,
            judges=Counter(judge_of(call.view) for call, _ in held_by),
            guessers=Counter(call.guess.judge if call.guess else "rules" for call, _ in held_by),
            scores=score_dialogues([one for _, one in held_by]),
        )
