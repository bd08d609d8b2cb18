"""The user in the call: what it hears becomes percepts, what its policy decides becomes speech."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence

from agent.alarms import Alarms
from agent.call import Call
from agent.expected import Expected
from agent.mouth import Mouth, Speaks
from agent.observers import FinishedTurn, TurnObserver
from agent.quiet import QuietWatch
from recordings import format as record
from recordings.format import Outcome, Verdict
from scenarios.schema import Limits
from streams.audio import to_pcm
from streams.clock import now
from user_sim import policy as user
from user_sim.hearing import HeardTurn, Hearing, HearingEvent, Paused, SpeechEdge, WordsSoFar
from user_sim.policy import Action, Advice, Composed, Ending, Percept, Policy
from user_sim.voice import UserVoice

Composer = Callable[[user.Compose], Awaitable[Composed]]

ADVICE_WAIT_S = 0.3
"""The user waits so long for a live judge's advice before it goes on without."""

MIN_ANSWER_S = 0.3
"""What the endpoint says must outlast the user's own words by this much to be an answer to them."""

LAST_JUDGEMENT_S = 2.0
"""The end of a call waits so long for judges of its last turn."""

_OUTCOMES = {
    Ending.DONE: (Outcome.COMPLETED, "the user reached the end of the scenario"),
    Ending.HUNG_UP: (Outcome.COMPLETED, "the user hung up, as the scenario asks for"),
    Ending.IMPATIENT: (Outcome.ENDPOINT_SILENT, "the user gave up waiting for an answer"),
    Ending.FAILED: (Outcome.USER_FAILED, "the user found no words"),
    Ending.ADVISED: (Outcome.USER_STOPPED, "the live judge advised the user to stop"),
}


MouthOf = Callable[[Call, Limits, "Caller"], Speaks]
"""Makes a mouth for a call; what it notices it tells the caller."""


class Caller:
    """Drives one policy through one call.

    Args:
        call: The call.
        policy: Decides what the user does.
        voice: Speaks for it.
        limits: Where the call ends at the latest.
        composer: Finds words for an LLM user.
        observers: Judge each turn as it ends.
        expected: What the scenario expects of answers.
        judges_so_far: Judges also see what was heard of a turn that goes on; only the user is told.
        mouth: Makes whoever speaks instead of `voice`, or besides it.
        prepares: `voice` prepares what it may say next.
    """

    def __init__(
        self,
        call: Call,
        policy: Policy,
        voice: UserVoice,
        limits: Limits,
        composer: Composer | None,
        observers: Sequence[TurnObserver],
        expected: Expected,
        *,
        judges_so_far: bool = False,
        mouth: MouthOf | None = None,
        prepares: bool = True,
    ) -> None:
        self._call = call
        self._policy = policy
        self._voice = voice
        self._composer = composer
        self._observers = observers
        self._expected = expected
        self._judges_so_far = judges_so_far
        self._percepts: asyncio.Queue[Percept] = asyncio.Queue()
        self._actions: asyncio.Queue[tuple[Action, float]] = asyncio.Queue()
        self._own: set[asyncio.Task[None]] = set()
        self._judging: set[asyncio.Task[None]] = set()
        self._endpoint_turn: int | None = None
        self._saying = 0
        self.alarms = Alarms(self.tell)
        self._prepares = prepares
        self._mouth: Speaks = (
            Mouth(call, voice, limits, self.alarms) if mouth is None else mouth(call, limits, self)
        )

    def attach(self, hearing: Hearing, quiet: QuietWatch) -> None:
        """The ear, and the watch over silences: both need this caller first."""
        self._quiet = quiet
        self._mouth.hearing = hearing

    def tell(self, percept: Percept) -> None:
        """Something for the user to notice; returns at once."""
        self._percepts.put_nowait(percept)

    async def run(self, group: asyncio.TaskGroup) -> None:
        """Begin: the user's tasks live in the session's group."""
        self._group = group
        self._spawn(self._act(), "user acts", self._own)
        self._spawn(self._perceive(), "user perceives", self._own)
        self.tell(user.CallStarted())

    def stop(self) -> None:
        """The call is over: the user neither listens nor acts any more."""
        for task in self._own:
            task.cancel()

    async def judged(self) -> None:
        """Wait a little for live judges of the last turn, then stop them."""
        if self._judging:
            await asyncio.wait(self._judging, timeout=LAST_JUDGEMENT_S)
        for task in self._judging:
            task.cancel()

    def _spawn(self, work: Coroutine[None, None, None], name: str, among: set[asyncio.Task[None]]) -> None:
        task = self._group.create_task(work, name=name)
        among.add(task)
        task.add_done_callback(among.discard)

    # --- percepts

    async def _perceive(self) -> None:
        while True:
            percept = await self._percepts.get()
            for action in self._policy.observe(percept):
                self._decide(action)
            if self._prepares:
                self._voice.prefetch(self._policy.lines_ahead())

    def _decide(self, action: Action) -> None:
        match action:
            case user.StopTalking():
                self.stop_talking(self._call.t())
            case user.Compose():
                self._quiet.thinking = True
                self._spawn(self._compose(action), "user composes", self._own)
            case user.WakeMe(since=since, seconds=seconds):
                self.alarms.ask(since, seconds)
            case user.Say(role=role) if not role.takes_turn:
                self._spawn(self._mouth.say_beside(action), "user says beside", self._own)
            case user.PressKeys(causes=causes) if causes:
                self._spawn(self._mouth.press(action), "user presses keys", self._own)
            case _:
                self._saying += isinstance(action, user.Say)
                self._quiet.thinking = True
                self._actions.put_nowait((action, now()))

    async def _compose(self, request: user.Compose) -> None:
        if self._composer is None:
            raise user_failed("this scenario's user needs a language model, and none is configured")
        self.tell(await self._composer(request))

    # --- actions

    async def _act(self) -> None:
        while True:
            action, decided_at = await self._actions.get()
            match action:
                case user.Say():
                    await self._mouth.say(action, decided_at)
                    self._saying -= 1
                case user.PressKeys():
                    await self._mouth.press(action)
                case user.HangUp():
                    await self._hang_up(action)
                case _:
                    pass
            self._quiet.thinking = not self._actions.empty()

    def stop_talking(self, t: float) -> None:
        """Break off at session time `t`, if the user is speaking."""
        self._mouth.stop(t)

    async def _hang_up(self, action: user.HangUp) -> None:
        if action.ending is not Ending.HUNG_UP:
            await self._call.said_everything.wait()
        self._mouth.settled(action.causes, self._call.t())
        self._call.end(*_OUTCOMES[action.ending], by="user")

    def settle(self, t: float) -> None:
        """The call is over, at session time `t`: say what did not happen of what the scenario asks for."""
        for action in self._policy.observe(user.CallOver()):
            if isinstance(action, user.DidNotHappen):
                self._call.log(
                    record.BehaviourSettled(
                        t=t, behaviour=action.behaviour, type=action.type, happened=False, cause=action.why
                    )
                )

    # --- hearing

    def heard(self, event: HearingEvent) -> None:
        """The ear has noticed something."""
        match event:
            case SpeechEdge():
                self._edge(event)
            case Paused(text=text):
                self.tell(user.HeardSoFar(text))
            case WordsSoFar(text=text):
                self.tell(user.SpokenSoFar(text))
                if self._judges_so_far and self._endpoint_turn is not None:
                    work = self._judge_so_far(self._endpoint_turn, text)
                    self._spawn(work, "live judges of words so far", self._judging)
            case HeardTurn():
                self._turn(event)

    def _edge(self, event: SpeechEdge) -> None:
        call = self._call
        call.log(record.HeardSpeech(t=call.t(), edge=event.edge.value, at=event.at))
        at = event.at / call.speaker.rate
        if not event.began:
            self.alarms.speech_ended(at)
        elif self._endpoint_turn is None:
            self._endpoint_turn = call.book.endpoint_began(event.at)
            self.alarms.reply_began(at)
            self.tell(user.EndpointBegan())
        else:
            self.alarms.speech_began()
            if self.alarms.reply_from is not None:
                self.tell(user.WentOn(at - self.alarms.reply_from))

    def _turn(self, heard: HeardTurn) -> None:
        call = self._call
        index, self._endpoint_turn = self._endpoint_turn, None
        self.alarms.reply_over()
        if index is None:
            index = call.book.endpoint_began(heard.start)
        call.book.endpoint_finished(
            index,
            start=heard.start,
            end=heard.end,
            heard=heard.text if heard.understood else None,
            unscored=heard.cause,
            interrupted=heard.interrupted,
        )
        call.log(
            record.TurnEnded(
                t=call.t(),
                turn=index,
                start=heard.start,
                end=heard.end,
                heard=heard.text if heard.understood else None,
                by=heard.by,
                probability=heard.probability,
            )
        )
        call.write_turns()
        self._spawn(self._judge_and_tell(index, heard), "live judges", self._judging)

    async def _judge_and_tell(self, index: int, heard: HeardTurn) -> None:
        if self._observers:
            finished = self._finished(index, heard.text, heard)
            verdicts: set[asyncio.Task[None]] = set()
            for observer in self._observers:
                self._spawn(self._judge(observer, finished), observer.name, verdicts)
            self._judging |= verdicts
            await asyncio.wait(set(verdicts), timeout=ADVICE_WAIT_S)
        if self._answers(heard):
            self.tell(user.TurnHeard(heard.text, heard.understood, heard.interrupted))
        else:
            self.tell(user.HeardSoFar(heard.text, over=True))

    def _answers(self, heard: HeardTurn) -> bool:
        """Whether a turn is for the user to react to.

        A turn that the user talks over is heard, but is no answer: the user is talking already. What
        the endpoint still said while the user spoke is none either, unless it went on well beyond that. Nor
        is what it says while it waits for a tool.
        """
        if self._call.awaited:
            return False
        if self._saying or (heard.interrupted and self._call.taking_turn):
            return False
        said_s = self._mouth.said_until / self._call.microphone.rate
        return heard.end / self._call.speaker.rate > said_s + MIN_ANSWER_S

    def _finished(self, index: int, text: str, heard: HeardTurn | None = None) -> FinishedTurn:
        """A turn as judges see it; without `heard` it goes on."""
        book, expected = self._call.book, self._expected
        ended = None if heard is None else book.last_user_end_s(index)
        asked = book.asked(index)
        return FinishedTurn(
            turn=index,
            asked=asked,
            heard=text,
            audio=to_pcm(b"") if heard is None else heard.audio,
            rate=book.endpoint_rate,
            latency_s=None if heard is None or ended is None else heard.start / book.endpoint_rate - ended,
            facts=[expected.facts[name] for name in book.expected(index) if name in expected.facts],
            item=expected.items.get(asked),
            expression=expected.expressions.get(asked),
            fusion=expected.fusion,
        )

    async def _judge(self, observer: TurnObserver, finished: FinishedTurn) -> None:
        try:
            judgement = await observer.turn_finished(finished)
        except asyncio.CancelledError:
            self._on_record(finished.turn, Verdict(judge=observer.name, unscored="call_ended"))
            raise
        verdict = judgement.verdict
        self._on_record(finished.turn, verdict)
        if isinstance(judgement.advice, Advice):
            self.tell(judgement.advice)

    def _on_record(self, turn: int, verdict: Verdict) -> None:
        self._call.judged(turn, verdict)
        self._call.log(event_of(turn, verdict, self._call.t()))

    async def _judge_so_far(self, index: int, text: str) -> None:
        so_far = self._finished(index, text)
        for observer in self._observers:
            verdict = (await observer.turn_finished(so_far)).verdict
            if verdict.label is not None and self._endpoint_turn == index:
                self.tell(user.Judged(verdict.label, verdict.judge))


def event_of(turn: int, verdict: Verdict, t: float) -> record.VerdictGiven:
    """A verdict as an event."""
    return record.VerdictGiven(
        t=t,
        turn=turn,
        judge=verdict.judge,
        label=verdict.label,
        unscored=verdict.unscored,
        reason=verdict.reason,
        evidence=verdict.evidence,
    )


def user_failed(found: str) -> Exception:
    """The user could not go on: our fault."""
    from user_sim.voice import UserVoiceFailed

    return UserVoiceFailed(found)
