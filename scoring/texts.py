"""The words of every exchange: from the live turns, the events and the offline transcripts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recordings.format import EndpointText, Event, ReceivedPiece, Side, Turn, Verdict
from scoring.audible import Segment, common, total
from scoring.timeline import Exchange, Timeline
from scoring.transcripts import (
    NOT_TRANSCRIBED,
    Clip,
    Transcripts,
    heard_clips,
    received_clips,
    user_clips,
)


@dataclass(frozen=True, slots=True)
class Texts:
    """The words of one exchange. A text that is None has its cause in `unscored`.

    Attributes:
        intended: The user's words as written.
        aloud: The same in the form that was spoken.
        said: What a recogniser makes of the user's clean voice.
        endpoint_heard_user: The endpoint's own transcript of the user.
        endpoint_text: The endpoint's own text of its reply.
        endpoint_said: What a recogniser makes of the reply as it arrived.
        heard: What a recogniser makes of the reply as the user heard it.
        verdicts: Of the live judges, on the reply.
        unscored: Cause by field.
    """

    intended: str
    aloud: str
    said: str | None = None
    endpoint_heard_user: str | None = None
    endpoint_text: str | None = None
    endpoint_said: str | None = None
    heard: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    unscored: Mapping[str, str] = field(default_factory=dict)


class LiveTurns:
    """The live turns of an episode by exchange: each turn goes to the exchange it overlaps most."""

    def __init__(self, timeline: Timeline, turns: Sequence[Turn]) -> None:
        users = [[Segment(e.user.start, e.user.end)] for e in timeline.exchanges]
        replies = [[s for stretch in e.reply for s in stretch.segments] for e in timeline.exchanges]
        self._user: list[list[Turn]] = [[] for _ in users]
        self._endpoint: list[list[Turn]] = [[] for _ in replies]
        for turn in turns:
            mine = turn.side is Side.USER
            step = timeline.rate // turn.rate
            span = Segment(turn.start * step, max(turn.start, turn.end) * step)
            shared = [_shared(own, span) for own in (users if mine else replies)]
            if any(shared):
                (self._user if mine else self._endpoint)[shared.index(max(shared))].append(turn)

    def user(self, exchange: Exchange) -> list[Turn]:
        """The user's live turns of an exchange."""
        return self._user[exchange.index]

    def endpoint(self, exchange: Exchange) -> list[Turn]:
        """The endpoint's live turns of a reply."""
        return self._endpoint[exchange.index]


def _shared(segments: Sequence[Segment], span: Segment) -> int:
    """Ticks that segments in order have in common with a span; most have none, which is told at once."""
    if not segments or segments[-1].end <= span.start or span.end <= segments[0].start:
        return 0
    return total(common(segments, (span,)))


def clips_to_transcribe(
    timeline: Timeline, received: Sequence[ReceivedPiece], turns: Sequence[Turn]
) -> list[Clip]:
    """What the user said, what arrived, and what was heard where the call itself had no words for it."""
    live = LiveTurns(timeline, turns)
    clips: list[Clip] = []
    for exchange in timeline.exchanges:
        clips += user_clips(exchange) + received_clips(exchange, received)
        if all(turn.heard is None for turn in live.endpoint(exchange)):
            clips += heard_clips(exchange, timeline)
    return clips


def exchange_texts(
    timeline: Timeline,
    events: Sequence[Event],
    received: Sequence[ReceivedPiece],
    turns: Sequence[Turn],
    transcripts: Transcripts | None,
) -> list[Texts]:
    """The words of every exchange."""
    live, own = LiveTurns(timeline, turns), endpoint_texts(events)
    return [_texts(exchange, timeline, own, received, live, transcripts) for exchange in timeline.exchanges]


def endpoint_texts(events: Sequence[Event]) -> dict[str, str]:
    """The endpoint's own text by item, or by response where the protocol has no items."""
    texts: dict[str, str] = {}
    final: set[str] = set()
    for event in events:
        if not isinstance(event, EndpointText):
            continue
        name = event.item or event.response
        if name in final:
            continue
        before = texts.get(name, "") if event.mode == "delta" else ""
        texts[name] = before + event.text
        if event.mode == "final":
            final.add(name)
    return texts


def _texts(
    exchange: Exchange,
    timeline: Timeline,
    own: Mapping[str, str],
    received: Sequence[ReceivedPiece],
    live: LiveTurns,
    transcripts: Transcripts | None,
) -> Texts:
    asked, replied = live.user(exchange), live.endpoint(exchange)
    found = {
        "said": _transcribed(transcripts, user_clips(exchange)),
        "endpoint_heard_user": _live(asked, "heard", "no_transcript"),
    }
    if exchange.reply:
        heard = _live(replied, "heard", NOT_TRANSCRIBED)
        if heard[0] is None and transcripts is not None:
            later = transcripts.text(heard_clips(exchange, timeline))
            heard = heard if later[1] == NOT_TRANSCRIBED else later
        found["endpoint_text"] = _own_text(exchange, own, replied)
        found["endpoint_said"] = _transcribed(transcripts, received_clips(exchange, received))
        found["heard"] = heard
    else:
        found |= dict.fromkeys(("endpoint_text", "endpoint_said", "heard"), (None, exchange.unanswered))
    return Texts(
        intended=exchange.user.text,
        aloud=exchange.user.aloud,
        said=found["said"][0],
        endpoint_heard_user=found["endpoint_heard_user"][0],
        endpoint_text=found["endpoint_text"][0],
        endpoint_said=found["endpoint_said"][0],
        heard=found["heard"][0],
        verdicts=tuple(verdict for turn in replied for verdict in turn.verdicts),
        unscored={name: cause for name, (text, cause) in found.items() if text is None},
    )


def _own_text(
    exchange: Exchange, own: Mapping[str, str], replied: Sequence[Turn]
) -> tuple[str | None, str]:
    """The text of exactly what was heard of: a response cut before its first sound has no part in it."""
    names: dict[str, None] = {}
    for stretch in exchange.reply:
        if stretch.delivery is not None and not stretch.endless:
            names |= dict.fromkeys([*stretch.delivery.items, stretch.delivery.response])
    texts = [own[name].strip() for name in names if name and name in own]
    return (" ".join(texts), "") if any(texts) else _live(replied, "intended", "no_text")


def _transcribed(transcripts: Transcripts | None, clips: Iterable[Clip]) -> tuple[str | None, str]:
    return (None, NOT_TRANSCRIBED) if transcripts is None else transcripts.text(clips)


def _live(turns: Sequence[Turn], name: str, otherwise: str) -> tuple[str | None, str]:
    """A text of the live turns put together, or None and the cause that the call noted."""
    texts = [getattr(turn, name) for turn in turns]
    known = [text.strip() for text in texts if text is not None]
    if known:
        return " ".join(text for text in known if text), ""
    noted = [turn.unscored[name] for turn in turns if name in turn.unscored]
    return None, noted[0] if noted else otherwise
