"""Where samples meet seconds: the user's microphone and the user's ear, as pure timelines.

Both count samples from the start of the session and are told the time; neither reads a clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from streams.audio import AudioFormat, Frame, sample_at, silence


@dataclass(frozen=True, slots=True)
class Spoken:
    """A stretch of user speech that went into the microphone.

    Attributes:
        utterance: The caller's name for it.
        start: First sample on the user's track.
        samples: How many samples were really sent.
    """

    utterance: str
    start: int
    samples: int


@dataclass(slots=True)
class _Saying:
    utterance: str
    pcm: bytes
    start: int | None = None
    sent: int = 0


class Microphone:
    """The user's side of the timeline: one frame per tick for ever, speech or silence.

    `say` queues speech, which starts at the next frame that is free; `next_frame` is called once a
    tick. A frame holds the audio of the 20 ms that have just passed, as with a real microphone.
    """

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.position = 0
        """Samples handed out so far."""
        self._format = AudioFormat(rate)
        self._quiet = Frame(silence(self._format.frame_samples), rate)
        self._queue: deque[_Saying] = deque()
        self._finished: list[Spoken] = []

    @property
    def speaking(self) -> bool:
        """True while speech is queued."""
        return bool(self._queue)

    @property
    def saying(self) -> tuple[str, ...]:
        """Names of what is queued, in order; the first is being said."""
        return tuple(saying.utterance for saying in self._queue)

    def say(self, pcm: bytes, utterance: str) -> int:
        """Queue speech; returns the sample of the user's track at which it will start.

        Raises:
            AudioFormatError: Half a sample at the end.
        """
        self._format.samples(len(pcm))
        queued = sum(len(item.pcm) // 2 - item.sent for item in self._queue)
        self._queue.append(_Saying(utterance, pcm))
        return self.position + queued

    def stop(self) -> list[Spoken]:
        """Stop speaking now; returns what was cut off, with the samples that were sent."""
        cut = [
            Spoken(s.utterance, self.position if s.start is None else s.start, s.sent) for s in self._queue
        ]
        self._queue.clear()
        return cut

    def next_frame(self) -> Frame:
        """The audio of the next 20 ms."""
        if not self._queue:
            self.position += self._quiet.samples
            return self._quiet
        wanted = self._format.frame_samples
        parts: list[bytes] = []
        while wanted and self._queue:
            saying = self._queue[0]
            if saying.start is None:
                saying.start = self.position + self._format.frame_samples - wanted
            part = saying.pcm[2 * saying.sent : 2 * (saying.sent + wanted)]
            parts.append(part)
            saying.sent += len(part) // 2
            wanted -= len(part) // 2
            if 2 * saying.sent >= len(saying.pcm):
                self._queue.popleft()
                self._finished.append(Spoken(saying.utterance, saying.start, saying.sent))
        parts.append(silence(wanted))
        self.position += self._format.frame_samples
        return Frame(b"".join(parts), self.rate)

    def finished(self) -> list[Spoken]:
        """What was said to its end since the last call."""
        done, self._finished = self._finished, []
        return done


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a delivered piece of audio stands on the heard timeline.

    Attributes:
        start: Its first sample on the endpoint's track, or None if its item had been cut before.
        samples: Its length.
    """

    start: int | None
    samples: int


@dataclass(frozen=True, slots=True)
class ItemPlayback:
    """How much of one item was heard.

    Attributes:
        item: The endpoint's id of it.
        received: Samples that arrived.
        heard: Samples that were played; cumulative, never more than arrived.
    """

    item: str
    received: int
    heard: int


@dataclass(frozen=True, slots=True)
class ReachedMark:
    """A mark that playback has come to.

    Attributes:
        name: The endpoint's name for it.
        at: Where it stands on the endpoint's track: everything before this sample was heard.
        playback: How much was heard of the item that the mark stands in or behind; None if there is none.
    """

    name: str
    at: int
    playback: ItemPlayback | None


@dataclass(slots=True)
class _Item:
    response: str
    received: int = 0
    heard: int = 0
    cut: bool = False
    ended: bool = False


@dataclass(frozen=True, slots=True)
class _Mark:
    name: str
    at: int
    item: str | None


@dataclass(slots=True)
class _Piece:
    start: int
    pcm: bytes
    item: str
    taken: int = field(default=0)


class Speaker:
    """The user's ear: plays what arrives at 1x, whatever the pace of delivery.

    A piece starts at max(its arrival, the end of what is queued). Late audio of an item or response
    that was cut stays unheard. Invariant: received = heard + dropped + pending, per item and in sum.
    """

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.position = 0
        """Samples handed out by `heard` so far."""
        self.received = 0
        self.dropped = 0
        self.late = 0
        """Pieces that arrived for an item after it was cut."""
        self._format = AudioFormat(rate)
        self._end = 0
        self._queue: deque[_Piece] = deque()
        self._items: dict[str, _Item] = {}
        self._cut_responses: set[str] = set()
        self._completed: list[ItemPlayback] = []
        self._marks: deque[_Mark] = deque()
        self._last_item: str | None = None

    def play(self, pcm: bytes, *, at: float, item: str, response: str = "") -> Placed:
        """Take delivery of PCM16 audio.

        Args:
            pcm: Whole 16-bit samples at this speaker's rate.
            at: Arrival in seconds since the start of the session.
            item: The endpoint's id of what this audio belongs to.
            response: The id of the response around it, where the protocol has one.

        Raises:
            AudioFormatError: Half a sample at the end.
        """
        samples = self._format.samples(len(pcm))
        state = self._items.setdefault(item, _Item(response))
        state.received += samples
        self.received += samples
        if state.cut or (response and response in self._cut_responses):
            state.cut = True
            self.dropped += samples
            self.late += 1
            return Placed(None, samples)
        start = max(sample_at(at, self.rate), self._end, self.position)
        if samples:
            self._queue.append(_Piece(start, pcm, item))
            self._end = start + samples
            self._last_item = item
        return Placed(start, samples)

    def end_item(self, item: str) -> None:
        """Nothing more will come for this item: it is complete once it has been heard."""
        state = self._items.get(item)
        if state is not None and not (state.cut or state.ended):
            state.ended = True
            self._complete(item, state)

    def end_response(self, response: str) -> None:
        """Nothing more will come for any item of this response."""
        for item, state in list(self._items.items()):
            if state.response == response:
                self.end_item(item)

    def flush(self, *, at: float, responses: tuple[str, ...] = ()) -> list[ItemPlayback]:
        """Cut everything that has begun and not been heard to its end.

        Args:
            at: When the cut takes effect, in seconds since the start of the session.
            responses: Responses that have begun without audio yet; their audio will stay unheard.

        Returns:
            The items that lost audio or were still to be delivered. Empty if nothing was playing:
            a flush is no proof of an interruption.
        """
        cut_at = max(sample_at(at, self.rate), self.position)
        self._cut_responses.update(responses)
        kept: deque[_Piece] = deque()
        for piece in self._queue:
            length = len(piece.pcm) // 2
            keep = min(max(cut_at - piece.start, 0), length)
            self.dropped += length - keep
            if keep > piece.taken:
                kept.append(_Piece(piece.start, piece.pcm[: 2 * keep], piece.item, piece.taken))
        self._queue = kept
        self._marks = deque(mark for mark in self._marks if mark.at <= cut_at)
        self._end = max((p.start + len(p.pcm) // 2 for p in kept), default=self.position)
        return [cut for item, state in self._items.items() if (cut := self._cut(item, state))]

    def _cut(self, item: str, state: _Item) -> ItemPlayback | None:
        heard = state.heard + sum(len(p.pcm) // 2 - p.taken for p in self._queue if p.item == item)
        if state.cut or (state.ended and heard == state.received):
            return None
        state.cut = True
        if state.response:
            self._cut_responses.add(state.response)
        return ItemPlayback(item, state.received, heard)

    def heard(self, until: int) -> bytes:
        """What the ear hears from the last call up to sample `until`, silence where nothing plays."""
        if not self._queue and until > self.position:
            quiet, self.position = until - self.position, until
            return silence(quiet)
        parts: list[bytes] = []
        while self.position < until and self._queue and self._queue[0].start < until:
            piece = self._queue[0]
            begin = piece.start + piece.taken
            if begin > self.position:
                parts.append(silence(begin - self.position))
                self.position = begin
            part = piece.pcm[2 * piece.taken : 2 * (until - piece.start)]
            parts.append(part)
            self._advance(piece, len(part) // 2)
        if until > self.position:
            parts.append(silence(until - self.position))
            self.position = until
        return b"".join(parts)

    def _advance(self, piece: _Piece, samples: int) -> None:
        piece.taken += samples
        self.position += samples
        state = self._items[piece.item]
        state.heard += samples
        if 2 * piece.taken == len(piece.pcm):
            self._queue.popleft()
            self._complete(piece.item, state)

    def _complete(self, item: str, state: _Item) -> None:
        if state.ended and not state.cut and state.heard == state.received:
            self._completed.append(ItemPlayback(item, state.received, state.heard))

    def completed(self) -> list[ItemPlayback]:
        """Items that ended and were heard to their end since the last call."""
        done, self._completed = self._completed, []
        return done

    def mark(self, name: str) -> None:
        """Note a mark: playback reaches it when all that has arrived by now was heard.

        A flush before that drops it.
        """
        self._marks.append(_Mark(name, self.end, self._last_item))

    def reached(self) -> list[ReachedMark]:
        """Marks that playback has come to since the last call, in order."""
        found: list[ReachedMark] = []
        while self._marks and self._marks[0].at <= self.position:
            mark = self._marks.popleft()
            playback = None
            if mark.item is not None:
                state = self._items[mark.item]
                playback = ItemPlayback(mark.item, state.received, state.heard)
            found.append(ReachedMark(mark.name, mark.at, playback))
        return found

    @property
    def pending(self) -> int:
        """Samples that arrived and wait to be heard."""
        return sum(len(p.pcm) // 2 - p.taken for p in self._queue)

    @property
    def end(self) -> int:
        """Sample at which the ear falls silent if nothing more arrives."""
        return max(self._end, self.position)
