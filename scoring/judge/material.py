"""What is judged, made from recordings: one item for each reply, one pair for each prompt of two calls."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from recordings.format import Side, Turn
from recordings.reader import Episode, Track
from scoring.blueprint.episodes import EpisodeBlueprints
from scoring.blueprint.record import GROUPS, Blueprint, Cause
from scoring.judge.contract import JudgeUnfit, Question
from scoring.judge.dimensions import Item, Pair, Reply, Spoken, Task
from scoring.judge.rejudge import questions
from streams.audio import Pcm

Asked = TypeVar("Asked", Item, Pair, Item | Pair)


class FamilyUnknown(JudgeUnfit):
    """A family of the blueprint that there is not."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"family {name!r}: a blueprint has none of that name. Known: {', '.join(GROUPS)}.")


def without(blueprint: Blueprint, families: Collection[str]) -> Blueprint:
    """A blueprint from which whole families are withheld.

    Raises:
        FamilyUnknown: One of them is none.
    """
    for name in families:
        if name not in GROUPS:
            raise FamilyUnknown(name)
    kept = {
        place: cause
        for place, cause in blueprint.unscored.items()
        if place.partition(".")[0] not in families
    }
    causes = kept | dict.fromkeys(families, Cause.WITHHELD)
    return blueprint.model_copy(
        update={**dict.fromkeys(families), "unscored": dict(sorted(causes.items()))}
    )


def withheld(asked: Asked, families: Collection[str]) -> Asked:
    """An item or a pair whose blueprints lack families, on both sides of the call."""
    if not families:
        return asked
    neutral = tuple(without(blueprint, families) for blueprint in asked.task.user_neutral)
    task = replace(asked.task, user=_spoken_without(asked.task.user, families), user_neutral=neutral)
    if isinstance(asked, Item):
        return replace(asked, task=task, reply=_reply_without(asked.reply, families))
    first, second = (_reply_without(reply, families) for reply in (asked.first, asked.second))
    return replace(asked, task=task, first=first, second=second)


def _reply_without(reply: Reply, families: Collection[str]) -> Reply:
    neutral = tuple(without(blueprint, families) for blueprint in reply.neutral)
    return Reply(_spoken_without(reply.spoken, families), neutral)


def _spoken_without(spoken: Spoken, families: Collection[str]) -> Spoken:
    if spoken.blueprint is None:
        return spoken
    return replace(spoken, blueprint=without(spoken.blueprint, families))


@dataclass(frozen=True, slots=True)
class Answered:
    """An item, and where it comes from.

    Attributes:
        turn: Of the endpoint, in its call.
        asked: The user's turn before it; None if it was not recorded.
        number: How often the user had said these words before in the call.
    """

    item: Item
    turn: int
    asked: int | None
    number: int


def answered(
    episode: Episode, blueprints: EpisodeBlueprints | None, *, with_sound: bool = False
) -> list[Answered]:
    """The replies of a call that can be judged: every turn of the endpoint after something was asked.

    Args:
        episode: The recording.
        blueprints: Of its turns; None leaves them out.
        with_sound: Whether the sound itself is cut out, as WAV files.

    Raises:
        RecordingError: The episode cannot be read.
    """
    found: list[Answered] = []
    before: Counter[str] = Counter()
    asked_at: dict[int, int] = {}
    for turn, question in _spoken_to(episode):
        user = _asked_before(episode, turn.index)
        if user is not None and user.index not in asked_at:
            asked_at[user.index] = before[question.asked]
            before[question.asked] += 1
        task = _task(episode, question, _side(episode, user, blueprints, question.asked, with_sound))
        reply = Reply(_side(episode, turn, blueprints, turn.heard or "", with_sound))
        item = Item(f"{episode.info.id}/{turn.index}", task, reply)
        found.append(
            Answered(item, turn.index, user.index if user else None, asked_at[user.index] if user else 0)
        )
    return _with_neutral(found)


def _with_neutral(found: Sequence[Answered]) -> list[Answered]:
    """Each reply with the blueprints of the others for which no manner was asked."""
    plain = {
        a.turn: a.item.reply.spoken.blueprint
        for a in found
        if not a.item.task.manner and a.item.reply.spoken.blueprint is not None
    }
    made = []
    for a in found:
        neutral = tuple(b for turn, b in plain.items() if turn != a.turn and b is not None)
        reply = replace(a.item.reply, neutral=neutral)
        made.append(replace(a, item=replace(a.item, reply=reply)))
    return made


def _spoken_to(episode: Episode) -> Iterator[tuple[Turn, Question]]:
    return ((turn, question) for turn, question in questions(episode) if question.asked)


def _asked_before(episode: Episode, index: int) -> Turn | None:
    asked = (t for t in episode.turns if t.side is Side.USER and t.role.wants_answer and t.index < index)
    return max(asked, key=lambda turn: turn.index, default=None)


def _side(
    episode: Episode,
    turn: Turn | None,
    blueprints: EpisodeBlueprints | None,
    words: str,
    with_sound: bool,
) -> Spoken:
    if turn is None:
        return Spoken(words)
    track: Track = "user" if turn.side is Side.USER else "endpoint"
    return Spoken(
        words=words,
        blueprint=blueprints.of(turn.index) if blueprints else None,
        wav=_cut(episode, track, turn) if with_sound else b"",
        seconds=(turn.end - turn.start) / turn.rate,
    )


def _cut(episode: Episode, track: Track, turn: Turn) -> bytes:
    """A turn as a WAV file; b"" if nothing of it was recorded."""
    pcm, rate = episode.track(track)
    return wav_bytes(pcm[max(0, turn.start) : turn.end], rate)


def wav_bytes(pcm: Pcm, rate: int) -> bytes:
    """Sound as a WAV file; b"" of no sample."""
    import soundfile

    if not pcm.size:
        return b""
    file = io.BytesIO()
    soundfile.write(file, pcm, rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


def _task(episode: Episode, question: Question, user: Spoken) -> Task:
    expression = _expression(episode, question.asked)
    return Task(
        question=question,
        user=user,
        manner=str(expression.get("manner") or ""),
        perceive=str(expression.get("perceive") or ""),
        wanted=tuple(str(text) for text in expression.get("content") or ()),
    )


def _expression(episode: Episode, asked: str) -> dict[str, Any]:
    """What the scenario, as it was recorded, expects of the manner of the reply to these words."""
    for turn in episode.scenario.get("turns") or ():
        if turn.get("text") == asked and isinstance(turn.get("expression"), dict):
            found: dict[str, Any] = turn["expression"]
            return found
    return {}


def level_of(episode: Episode) -> str | None:
    """The level of expression of a scenario ("L3"), if it has one."""
    levels = {
        turn["expression"].get("level")
        for turn in episode.scenario.get("turns") or ()
        if isinstance(turn.get("expression"), dict)
    } - {None}
    return f"L{levels.pop()}" if len(levels) == 1 else None


@dataclass(frozen=True, slots=True)
class Paired:
    """The pairs of two calls, and what cannot be compared.

    Attributes:
        prompts: The user's words of each pair, and how often they had been said before.
        turns: The endpoint's turns of each pair, in both calls.
        unpaired: Replies to words that were asked in one call only, by cause.
    """

    pairs: tuple[Pair, ...]
    prompts: tuple[str, ...]
    turns: tuple[tuple[int, int], ...]
    unpaired: Counter[str]


def paired(first: Sequence[Answered], second: Sequence[Answered], name: str) -> Paired:
    """Pair the replies of two calls to the same words; of several replies to one, the first that was heard.

    Args:
        first: Replies of one call.
        second: Of the other, of the same scenario and seed.
        name: Of the pairs: each is called `NAME#NUMBER`.
    """
    one, two = _by_prompt(first), _by_prompt(second)
    both = [prompt for prompt in one if prompt in two]
    pairs = []
    for number, prompt in enumerate(both, 1):
        a, b = one[prompt].item, two[prompt].item
        pairs.append(Pair(f"{name}#{number}", a.task, a.reply, b.reply))
    lonely = len(one) + len(two) - 2 * len(both)
    unpaired = Counter({"asked_of_one_only": lonely}) if lonely else Counter[str]()
    turns = tuple((one[prompt].turn, two[prompt].turn) for prompt in both)
    return Paired(tuple(pairs), tuple(prompt[0] for prompt in both), turns, unpaired)


def _by_prompt(replies: Sequence[Answered]) -> dict[tuple[str, int], Answered]:
    found: dict[tuple[str, int], Answered] = {}
    for reply in replies:
        key = (reply.item.task.question.asked, reply.number)
        kept = found.get(key)
        if kept is None or (not kept.item.reply.spoken.words and reply.item.reply.spoken.words):
            found[key] = reply
    return found
