"""What the user hears: speech edges, pauses with a first draft of the words, and turns.

The media path only hands over frames. A task of this module takes them in batches of 100 ms, finds
speech, lets `ear.EarTracker` decide, and asks the end-of-turn model and the recogniser. While nothing is
heard it sleeps: digital silence costs nothing, so a simulated hour stays cheap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from streams.audio import Pcm, Samples, sample_at, silence
from streams.endpoints.events import Edge
from streams.speech.interfaces import Recogniser, SpeechDetector, SpeechError, TurnDetector
from user_sim.ear import (
    Decision,
    DraftWanted,
    EarSettings,
    EarTracker,
    EdgeHeard,
    PauseHeard,
    TurnEnd,
    TurnOver,
)
from user_sim.listening import Listening
from user_sim.transcribing import Words, transcribe

BATCH_S = 0.1
"""Frames are taken in batches of this length."""

REST_S = 0.5
"""After so much digital silence, and with no turn open, the ear sleeps."""

LEAD_S = 0.3
"""Silence put before the first sound after a sleep: detectors need a little of it."""


WORDS_EVERY_S = 1.0
"""Where words are wanted while a turn goes on, so much of it is heard between two transcripts."""


@dataclass(frozen=True, slots=True)
class SpeechEdge:
    """The endpoint's speech began or stopped at sample `at` of its track; noticed a little later."""

    edge: Edge
    at: int

    @property
    def began(self) -> bool:
        """True at the beginning of speech."""
        return self.edge is Edge.START


@dataclass(frozen=True, slots=True)
class Paused:
    """The endpoint paused, and may be done; what was heard of this turn so far."""

    text: str


@dataclass(frozen=True, slots=True)
class WordsSoFar:
    """What was heard of a turn that goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """The endpoint's turn is over.

    Attributes:
        text: What was heard; "" if it was not understood.
        understood: False if there are no words, see `cause`.
        start: First sample of its speech, on the endpoint's track.
        end: One past the last.
        by: What decided that it is over.
        probability: That it is complete, if the end-of-turn model answered.
        interrupted: It was still going on when the user spoke or playback was cut.
        cause: Why it was not understood: "no_recogniser", "no_speech", "recogniser_failed"; else "".
        note: What went wrong on our side, for people.
        audio: Its samples, int16 at the endpoint's rate.
    """

    text: str
    understood: bool
    start: int
    end: int
    by: TurnEnd
    probability: float | None
    interrupted: bool
    cause: str
    note: str
    audio: Pcm


HearingEvent = SpeechEdge | Paused | WordsSoFar | HeardTurn

Notify = Callable[[HearingEvent], None]


@dataclass(frozen=True, slots=True)
class _Batch:
    pcm: bytes
    fresh_start: int | None  # where a new waking stretch begins; None if the last one goes on


@dataclass(frozen=True, slots=True)
class _Ended:
    turn: TurnOver
    words: asyncio.Task[Words]
    audio: Pcm


class Hearing:
    """The user's ear on one endpoint.

    Events come in order: a turn's text may take a while, and the edges of what follows wait for it.

    Args:
        detector: Finds speech.
        turn_detector: Says whether a turn is complete; None goes by silence alone.
        recogniser: Makes words of it; None leaves every turn not understood.
        rate: Samples per second of the endpoint's track.
        language: What is spoken, as a language tag.
        notify: Called with every event, on the event loop.
        words_every_s: Tell the words of a turn that goes on each time so much more of it was heard; None
            transcribes at pauses alone.
    """

    def __init__(
        self,
        detector: SpeechDetector,
        turn_detector: TurnDetector | None,
        recogniser: Recogniser | None,
        *,
        rate: int,
        language: str = "en",
        notify: Notify,
        settings: EarSettings | None = None,
        words_every_s: float | None = None,
    ) -> None:
        self._detector = detector
        self._turn_detector = turn_detector
        self._recogniser = recogniser
        self._rate = rate
        self._language = language
        self._notify = notify
        self._settings = settings or EarSettings()
        self._ear = EarTracker(rate, self._settings, asks=turn_detector is not None)
        self._listening: Listening | None = None
        self._inbox: asyncio.Queue[_Batch | None] = asyncio.Queue()
        self._outbox: asyncio.Queue[SpeechEdge | _Ended | None] = asyncio.Queue()
        self._group: asyncio.TaskGroup
        self._undelivered = 0
        self._draft: tuple[tuple[int, int], asyncio.Task[Words]] | None = None
        self._note = ""
        self._words_every = None if words_every_s is None else sample_at(words_every_s, rate)
        self._words_at = 0
        self._finding_words = False
        # between the media path and the task
        self._asleep = True
        self._fresh_start: int | None = None
        self._buffer = bytearray()
        self._position = 0
        self._loud_until = 0

    @property
    def busy(self) -> bool:
        """True while a turn is going on, or one that is over has not been reported yet."""
        return self._ear.in_turn or self._undelivered > 0

    # --- the media path

    def feed(self, pcm: bytes, position: int) -> None:
        """The next heard frame, which begins at `position` of the endpoint's track. Returns at once."""
        self._position = position + len(pcm) // 2
        if pcm.count(0) != len(pcm):
            self._loud_until = self._position
            if self._asleep:
                self._wake(position)
        elif self._asleep:
            return
        self._buffer += pcm
        if len(self._buffer) >= 2 * BATCH_S * self._rate:
            self._hand_over()

    def interrupt(self, at_s: float, by: TurnEnd = TurnEnd.USER_SPOKE) -> None:
        """The user starts to talk, or playback is cut: a turn that is going on ends there.

        Args:
            at_s: When, in seconds since the start of the session.
            by: What ends the turn.
        """
        self._act(self._ear.interrupt(sample_at(at_s, self._rate), by))

    def finish(self) -> None:
        """No more frames will come: `run` hears out what it has, ends the open turn, and returns."""
        self._hand_over()
        self._inbox.put_nowait(None)

    def _wake(self, position: int) -> None:
        lead = min(position, sample_at(LEAD_S, self._rate))
        self._asleep = False
        self._fresh_start = position - lead
        self._buffer = bytearray(silence(lead))

    def _hand_over(self) -> None:
        if self._buffer:
            self._inbox.put_nowait(_Batch(bytes(self._buffer), self._fresh_start))
        self._buffer.clear()
        self._fresh_start = None

    # --- the task

    async def run(self) -> None:
        """Hear until `finish` was called.

        Raises:
            ExceptionGroup: With the `SpeechError` of a speech detector that failed.
        """
        async with asyncio.TaskGroup() as group:
            self._group = group
            group.create_task(self._listen(), name="hearing listens")
            group.create_task(self._deliver(), name="hearing delivers")

    async def _listen(self) -> None:
        while (batch := await self._inbox.get()) is not None:
            if batch.fresh_start is not None:
                self._listening = Listening(self._detector, batch.fresh_start, self._rate)
            assert self._listening is not None  # the first batch after a sleep is fresh
            heard = await self._listening.push(batch.pcm)
            self._act(self._ear.hear(heard.edges, heard.until))
            self._give_up_draft()
            self._find_words(self._listening)
            self._rest(self._listening)
        if self._listening is not None:
            heard = await self._listening.finish()
            self._act(self._ear.hear(heard.edges, heard.until))
            self._act(self._ear.close())
        self._outbox.put_nowait(None)

    def _rest(self, listening: Listening) -> None:
        """Forget what is not needed any more, and sleep if there is nothing to hear."""
        start = self._ear.turn_start
        margin = sample_at(REST_S, self._rate)
        listening.forget((self._ear.position if start is None else start) - margin)
        quiet = self._position - self._loud_until >= margin and self._inbox.empty()
        if quiet and self._ear.idle:
            self._asleep = True
            self._listening = None
            self._buffer.clear()

    def _find_words(self, listening: Listening) -> None:
        """Transcribe the turn that goes on, if it is time; one transcript at a time."""
        start, position = self._ear.turn_start, self._ear.position
        if self._words_every is None or self._finding_words or start is None or not self._ear.in_turn:
            return
        if position - max(start, self._words_at) >= self._words_every:
            self._words_at, self._finding_words = position, True
            self._group.create_task(self._tell_words(listening.speech(start, position)))

    async def _tell_words(self, samples: Samples) -> None:
        words = await transcribe(self._recogniser, samples, self._language)
        self._finding_words = False
        if words.text:
            self._notify(WordsSoFar(words.text))

    def _act(self, decisions: Sequence[Decision]) -> None:
        for decision in decisions:
            match decision:
                case EdgeHeard(began=began, at=at):
                    self._outbox.put_nowait(SpeechEdge(Edge.START if began else Edge.STOP, at))
                case PauseHeard():
                    self._group.create_task(self._ask(decision, self._audio_of(decision)))
                case DraftWanted():
                    words = self._words(decision.start, decision.end)
                    self._group.create_task(self._offer(decision, words))
                case TurnOver():
                    self._end(decision)

    async def _ask(self, pause: PauseHeard, samples: Samples) -> None:
        assert self._turn_detector is not None  # only an ear that asks reports pauses
        try:
            probability = await self._turn_detector.completion(samples)
        except SpeechError as failure:
            self._note = str(failure)  # without an answer the turn ends by silence
        else:
            self._act(self._ear.answer(pause, probability))

    async def _offer(self, wanted: DraftWanted, draft: asyncio.Task[Words]) -> None:
        words = await draft
        if words.text and self._ear.pause == (wanted.start, wanted.end):
            self._notify(Paused(words.text))

    def _end(self, turn: TurnOver) -> None:
        assert self._listening is not None  # the ear never sleeps within a turn
        self._undelivered += 1
        words, self._draft = self._words(turn.start, turn.end), None
        self._outbox.put_nowait(_Ended(turn, words, self._listening.sound(turn.start, turn.end)))

    def _words(self, start: int, end: int) -> asyncio.Task[Words]:
        """The words of a turn: those drafted at its last pause, if no speech has come since."""
        if self._draft is None or self._draft[0] != (start, end):
            assert self._listening is not None  # the ear never sleeps within a turn
            samples = self._listening.speech(start, end)
            task = self._group.create_task(transcribe(self._recogniser, samples, self._language))
            self._draft = (start, end), task
        return self._draft[1]

    def _give_up_draft(self) -> None:
        """Speech has come since the draft was wanted: a recogniser that has not begun with it need not."""
        if self._draft is not None and self._ear.pause != self._draft[0]:
            self._draft[1].cancel()
            self._draft = None

    def _audio_of(self, pause: PauseHeard) -> Samples:
        assert self._listening is not None  # the ear never sleeps within a turn
        return self._listening.speech(pause.start, pause.end, margin_s=self._settings.pause_s)

    async def _deliver(self) -> None:
        while (event := await self._outbox.get()) is not None:
            if isinstance(event, SpeechEdge):
                self._notify(event)
            else:
                self._notify(self._heard(event, await event.words))
                self._undelivered -= 1

    def _heard(self, ended: _Ended, words: Words) -> HeardTurn:
        turn, note = ended.turn, words.note or self._note
        self._note = ""
        return HeardTurn(
            text=words.text,
            understood=not words.cause,
            start=turn.start,
            end=turn.end,
            by=turn.by,
            probability=turn.probability,
            interrupted=turn.interrupted,
            cause=words.cause,
            note=note,
            audio=ended.audio,
        )
