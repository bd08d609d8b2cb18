"""An episode's endpoint, to be called again: what arrived then, as the events it arrived as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from recordings.errors import RecordingError
from recordings.format import (
    Absent,
    EndAnnounced,
    EndpointText,
    EndpointUserItem,
    EndpointUserSpeech,
    EndpointUserText,
    Event,
    Flushed,
    Noticed,
    Outcome,
    PlaybackReported,
    ResponseBegan,
    ResponseFinished,
    SessionResumed,
    SessionStarted,
    ToolCall,
    UnknownMessage,
    UsageReported,
)
from recordings.reader import Episode
from streams.endpoints.events import (
    AudioReceived,
    Closed,
    Edge,
    Ending,
    EndpointEvent,
    Flush,
    ItemEnded,
    Notice,
    NoticeLevel,
    Party,
    Ready,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    Resumed,
    TextMode,
    TextReceived,
    ToolCalled,
    Unknown,
    Usage,
    UsageUnit,
    UserItemPlaced,
    UserSpeech,
    UserTextReceived,
)

# the order of what arrived at one instant: a flush cuts the audio before it, and an end comes last
_BEGIN, _BEFORE, _CUT, _AFTER, _END, _GONE = range(6)

_Ranked = tuple[float, int, EndpointEvent]


def replay(episode: Episode) -> list[EndpointEvent]:
    """What the endpoint sent, in order; `at` counts seconds from sample 0 of the session.

    A session that plays these events receives the same audio, texts, flushes and ends of responses.
    Marks are left out: the record holds when playback reached them, not when they were asked for. The
    end of an item, which the record does not hold either, follows its last audio where no end of a
    response says as much. If the endpoint hung up, the last event is its `Closed`.

    Raises:
        RecordingError: It is not known when its audio arrived; or a file of it cannot be read.
    """
    if Absent.ARRIVALS in episode.info.absent:
        found = "does not say when its audio arrived"
        raise RecordingError(episode.path, found, "Only calls that were recorded here can be replayed.")
    ranked = [*_audio(episode), *_item_ends(episode), *_others(episode)]
    ranked.sort(key=lambda event: event[:2])
    return [event for _, _, event in ranked]


def _audio(episode: Episode) -> Iterator[_Ranked]:
    flushes = [event for event in episode.events if isinstance(event, Flushed) and event.by == "endpoint"]
    samples, _ = episode.track("received")
    arrived: Counter[str] = Counter()
    for piece in episode.received:
        arrived[piece.item] += piece.samples
        pcm = samples[piece.offset : piece.offset + piece.samples].tobytes()
        after = any(
            flush.t == piece.t and not _cuts(flush, piece.item, arrived[piece.item]) for flush in flushes
        )
        rank = _AFTER if after else _BEFORE
        yield (
            piece.t,
            rank,
            AudioReceived(at=piece.t, raw=piece.raw, pcm=pcm, item=piece.item, response=piece.response),
        )


def _cuts(flush: Flushed, item: str, arrived: int) -> bool:
    """True if the flush found this much of the item already delivered."""
    return any(cut == item and arrived <= received for cut, _, received in flush.items)


def _item_ends(episode: Episode) -> Iterator[_Ranked]:
    ended = {event.response for event in episode.events if isinstance(event, ResponseFinished)}
    completed = {
        event.item
        for event in episode.events
        if isinstance(event, PlaybackReported) and event.state == "completed"
    }
    last = {piece.item: piece for piece in episode.received}
    for item, piece in last.items():
        if item in completed and piece.response not in ended:
            yield piece.t, _END, ItemEnded(at=piece.t, item=item, response=piece.response)


def _others(episode: Episode) -> Iterator[_Ranked]:
    begun: list[str] = []
    for event in episode.events:
        if isinstance(event, ResponseBegan):
            begun.append(event.response)
            yield event.t, _BEGIN, ResponseStarted(at=event.t, response=event.response)
        elif isinstance(event, Flushed):
            if event.by == "endpoint":
                yield event.t, _CUT, Flush(at=event.t, responses=tuple(begun))
        elif isinstance(event, ResponseFinished):
            status = ResponseStatus(event.status)
            ended = ResponseEnded(at=event.t, response=event.response, status=status, reason=event.reason)
            yield event.t, _END, ended
        elif (sent := _sent(event)) is not None:
            yield event.t, _BEFORE, sent
    if episode.info.outcome is Outcome.ENDPOINT_HUNG_UP:
        at = episode.info.duration_s
        yield at, _GONE, Closed(at=at, by=Party.ENDPOINT, reason=episode.info.reason)


def _sent(event: Event) -> EndpointEvent | None:
    """What the endpoint sent to cause a recorded event; None if the event is of our own making."""
    match event:
        case SessionStarted(t=t, session=session, model=model):
            return Ready(at=t, session=session, model=model)
        case EndpointText(t=t, text=text, mode=mode, item=item, response=response):
            return TextReceived(at=t, text=text, mode=TextMode(mode), item=item, response=response)
        case EndpointUserText(t=t, text=text, mode=mode, item=item, failed=failed):
            return UserTextReceived(at=t, text=text, mode=TextMode(mode), item=item, failed=failed)
        case EndpointUserItem(t=t, item=item, previous=previous):
            return UserItemPlaced(at=t, item=item, previous=previous)
        case EndpointUserSpeech(t=t, edge=edge, server_ms=server_ms, item=item):
            return UserSpeech(at=t, edge=Edge(edge), server_ms=server_ms, item=item)
        case ToolCall(t=t, call=call, name=name, arguments=arguments, cancelled=cancelled):
            return ToolCalled(at=t, call=call, name=name, arguments=arguments, cancelled=cancelled)
        case UsageReported(t=t, unit=unit, values=values, cumulative=cumulative, response=of, model=model):
            return Usage(
                at=t, unit=UsageUnit(unit), values=values, cumulative=cumulative, response=of, model=model
            )
        case Noticed(t=t, by="endpoint", level=level, code=code, message=message, reset_s=reset):
            return Notice(at=t, level=NoticeLevel(level), code=code, message=message, reset_s=reset)
        case UnknownMessage(t=t, type=type_):
            return Unknown(at=t, type=type_)
        case EndAnnounced(t=t, time_left_s=time_left_s, reason=reason, resumable=resumable):
            return Ending(at=t, time_left_s=time_left_s, reason=reason, resumable=resumable)
        case SessionResumed(t=t, gap_s=gap_s, held=held):
            return Resumed(at=t, gap_s=gap_s, held=held)
        case _:
            return None
