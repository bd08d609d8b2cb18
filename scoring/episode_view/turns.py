"""The transcript: every turn of either side with what was intended, said and heard. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recordings.format import Role, Side, Turn
from scenarios.spoken.terms import Rarity
from scoring.audible import Segment, common
from scoring.episode_view.axis import Axis
from scoring.episode_view.model import ShownText, ShownTurn, TextKind
from scoring.episode_view.words import Writer
from scoring.texts import LiveTurns, Texts
from scoring.timeline import Exchange, Stretch, Utterance
from scoring.view import EpisodeView

CALL_EARS = "the user's ear in the call"
SCENARIO = "the scenario"
ENDPOINT = "the endpoint itself"
AFTERWARDS = "a recogniser, afterwards"


@dataclass(frozen=True, slots=True)
class Contribution:
    """A turn before it has its number and its verdicts.

    Attributes:
        recorded: Turns of turns.jsonl that it is made of.
    """

    side: Side
    segments: tuple[Segment, ...]
    exchange: int | None = None
    role: Role = Role.TURN
    label: str = ""
    interrupted: bool = False
    recorded: tuple[Turn, ...] = ()
    texts: tuple[ShownText, ...] = ()

    @property
    def start(self) -> int:
        """First audible tick."""
        return self.segments[0].start


def contributions(
    view: EpisodeView, turns: Sequence[Turn], rarity: Rarity | None, wanted: Sequence[str] = ()
) -> list[Contribution]:
    """Every turn of either side, in the order in which they begin.

    Args:
        view: The episode as metrics see it.
        turns: Of turns.jsonl.
        rarity: Says which words are terms; None marks those wanted alone.
        wanted: Terms that the scenario names.
    """
    live, writer = LiveTurns(view.timeline, turns), Writer(view.language, rarity, wanted)
    found: list[Contribution] = []
    for exchange, texts in zip(view.timeline.exchanges, view.texts, strict=True):
        found.append(_asked(exchange, texts, live, writer))
        if exchange.reply:
            found.append(_replied(exchange, texts, live, writer))
    used = {id(turn) for one in found for turn in one.recorded}
    others = [turn for turn in turns if id(turn) not in used]
    found += _unasked(view, others, writer)
    found += _beside(view, others, writer)
    return sorted(found, key=lambda one: one.start)


def numbered(found: Sequence[Contribution]) -> tuple[ShownTurn, ...]:
    """The same as it is shown, without verdicts."""
    return tuple(
        ShownTurn(
            number=number,
            side=one.side,
            exchange=one.exchange,
            recorded=tuple(turn.index for turn in one.recorded),
            role=one.role,
            label=one.label,
            start=one.start,
            end=one.segments[-1].end,
            segments=tuple((segment.start, segment.end) for segment in one.segments),
            interrupted=one.interrupted,
            texts=one.texts,
        )
        for number, one in enumerate(found, start=1)
    )


def _asked(exchange: Exchange, texts: Texts, live: LiveTurns, writer: Writer) -> Contribution:
    recorded, missing = tuple(live.user(exchange)), texts.unscored
    forms = (texts.intended, texts.aloud) if texts.intended else ()
    said, heard = texts.said, texts.endpoint_heard_user
    return Contribution(
        Side.USER,
        tuple(Segment(u.start, u.end) for u in exchange.user.utterances),
        exchange.index,
        exchange.user.utterances[0].role,
        recorded[0].label if recorded else "",
        exchange.cut_ins > 0,
        recorded,
        (
            writer.plain(TextKind.INTENDED, SCENARIO, texts.intended, ""),
            writer.compared(TextKind.SAID, AFTERWARDS, said, forms, missing.get("said", "")),
            writer.compared(TextKind.HEARD, ENDPOINT, heard, forms, missing.get("endpoint_heard_user", "")),
        ),
    )


def _replied(exchange: Exchange, texts: Texts, live: LiveTurns, writer: Writer) -> Contribution:
    recorded, missing = tuple(live.endpoint(exchange)), texts.unscored
    own = (texts.endpoint_text,) if texts.endpoint_text else ()
    heard_by = CALL_EARS if any(turn.heard is not None for turn in recorded) else AFTERWARDS
    return Contribution(
        Side.ENDPOINT,
        _segments(exchange.reply),
        exchange.index,
        interrupted=exchange.interrupted,
        recorded=recorded,
        texts=(
            writer.plain(
                TextKind.INTENDED, ENDPOINT, texts.endpoint_text, missing.get("endpoint_text", "")
            ),
            writer.compared(
                TextKind.SAID, AFTERWARDS, texts.endpoint_said, own, missing.get("endpoint_said", "")
            ),
            # of a reply that was not heard to its end the rest is not wrong
            writer.compared(
                TextKind.HEARD,
                heard_by,
                texts.heard,
                () if exchange.interrupted else own,
                missing.get("heard", ""),
            ),
        ),
    )


def _unasked(view: EpisodeView, turns: Sequence[Turn], writer: Writer) -> Iterable[Contribution]:
    """What the user said that wants no answer."""
    owned = {id(u) for exchange in view.timeline.exchanges for u in exchange.user.utterances}
    axis = Axis(view.timeline)
    for utterance in view.timeline.utterances:
        if id(utterance) not in owned:
            segment = Segment(utterance.start, utterance.end)
            yield Contribution(
                Side.USER,
                (segment,),
                role=utterance.role,
                interrupted=utterance.cut,
                recorded=_overlapping(turns, Side.USER, (segment,), axis),
                texts=(_intended(utterance, writer),),
            )


def _beside(view: EpisodeView, turns: Sequence[Turn], writer: Writer) -> Iterable[Contribution]:
    """What the endpoint said that answers nothing: a greeting, a cut into the user's turn."""
    answered = {id(stretch) for exchange in view.timeline.exchanges for stretch in exchange.reply}
    greeting = {id(stretch) for stretch in view.timeline.greeting}
    axis = Axis(view.timeline)
    for stretch in view.timeline.stretches:
        if id(stretch) not in answered:
            segments = _segments((stretch,))
            recorded = _overlapping(turns, Side.ENDPOINT, segments, axis)
            own = " ".join(turn.intended or "" for turn in recorded).strip()
            heard = " ".join(turn.heard or "" for turn in recorded).strip()
            yield Contribution(
                Side.ENDPOINT,
                segments,
                label="greeting" if id(stretch) in greeting else "cut in",
                interrupted=stretch.cut,
                recorded=recorded,
                texts=(
                    writer.plain(TextKind.INTENDED, ENDPOINT, own or None, "no_text"),
                    writer.plain(TextKind.HEARD, CALL_EARS, heard or None, "no_transcript"),
                ),
            )


def _intended(utterance: Utterance, writer: Writer) -> ShownText:
    return writer.plain(TextKind.INTENDED, SCENARIO, utterance.text, "")


def _segments(stretches: Sequence[Stretch]) -> tuple[Segment, ...]:
    return tuple(segment for stretch in stretches for segment in stretch.segments)


def _overlapping(
    turns: Sequence[Turn], side: Side, segments: Sequence[Segment], axis: Axis
) -> tuple[Turn, ...]:
    place = axis.user if side is Side.USER else axis.endpoint
    return tuple(
        turn
        for turn in turns
        if turn.side is side
        and common((Segment(place(turn.start), place(max(turn.start, turn.end))),), segments)
    )
