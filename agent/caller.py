"""The user in the call: what it hears becomes percepts, what its policy decides becomes speech."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence

from agent.call import Call
from agent.observers import FinishedTurn, TurnObserver
from agent.quiet import QuietWatch
from recordings import format as record
from recordings.format import Outcome, Verdict
from scenarios.schema import Fact, Limits
from streams.clock import now
from user_sim import policy as user
from user_sim.hearing import HeardTurn, Hearing, HearingEvent, Paused, SpeechEdge
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
    Ending.IMPATIENT: (Outcome.ENDPOINT_SILENT, "the user gave up waiting for an answer"),
    Ending.FAILED: (Outcome.USER_FAILED, "the user found no words"),
    Ending.ADVISED: (Outcome.USER_STOPPED, "the live judge advised the user to stop"),
}


class Caller:
    """Drives one policy through one call."""

    def __init__(
        self,
        call: Call,
        policy: Policy,
        voice: UserVoice,
        limits: Limits,
        composer: Composer | None,
        observers: Sequence[TurnObserver],
        facts: Sequence[Fact],
    ) -> None:
        self._call = call
        self._policy = policy
        self._voice = voice
        self._limits = limits
        self._composer = composer
        self._observers = observers
        self._facts = {fact.id: fact for fact in facts}
        self._expected: tuple[str, ...] = ()
        self._percepts: asyncio.Queue[Percept] = asyncio.Queue()
        self._actions: asyncio.Queue[tuple[Action, float]] = asyncio.Queue()
        self._own: set[asyncio.Task[None]] = set()
        self._judging: set[asyncio.Task[None]] = set()
        self._endpoint_turn: int | None = None
        self._utterances = 0
        self._user_turn: int | None = None
        self._said_until = -call.microphone.rate
        self._saying = 0
        self.hearing: Hearing
        self.quiet: QuietWatch

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
            self._voice.prefetch(self._policy.lines_ahead())

    def _decide(self, action: Action) -> None:
        match action:
            case user.StopTalking():
                self.stop_talking(self._call.t())
            case user.Compose():
                self.quiet.thinking = True
                self._spawn(self._compose(action), "user composes", self._own)
            case _:
                self._saying += isinstance(action, user.Say)
                self.quiet.thinking = True
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
                    await self._say(action, decided_at)
                    self._saying -= 1
                case user.PressKeys(digits=digits):
                    for digit in digits:
                        await self._call.endpoint.dtmf(digit)
                case user.HangUp(ending=ending):
                    await self._hang_up(ending)
                case _:
                    pass
            self.quiet.thinking = not self._actions.empty()

    async def _say(self, action: user.Say, decided_at: float) -> None:
        call, line = self._call, action.line
        if self._utterances >= self._limits.max_turns:
            reason = f"the user has had the scenario's max_turns of {self._limits.max_turns} turns"
            call.end(Outcome.MAX_TURNS, reason, by="us")
            return
        utterance = await self._voice.prepare(line)
        pause = decided_at + action.delay_s - now()
        if pause > 0:
            await asyncio.sleep(pause)
        thought = now() - decided_at - action.delay_s
        call.log(record.UserThinking(t=call.t(), seconds=max(0.0, round(thought, 6))))
        name = f"u{self._utterances}"
        self._utterances += 1
        start = call.microphone.say(utterance.pcm, name)
        call.said_everything.clear()
        first, last = start + utterance.audible_start, start + utterance.audible_end
        self.hearing.interrupt(start / call.microphone.rate)
        self._user_turn = call.book.user_speaks(line.text, action.label, first, last)
        self._expected, self._said_until = action.expected, last
        call.log(
            record.UtteranceStarted(
                t=start / call.microphone.rate,
                utterance=name,
                text=line.text,
                spoken=line.spoken,
                label=action.label,
                expected=action.expected,
                start=start,
                samples=utterance.samples,
                audible_start=first,
                audible_end=last,
            )
        )

    def stop_talking(self, t: float) -> None:
        """Break off at session time `t`, if the user is speaking."""
        call = self._call
        for cut in call.microphone.stop():
            call.log(record.UtteranceEnded(t=t, utterance=cut.utterance, samples=cut.samples, cut=True))
            if self._user_turn is not None:
                call.book.user_cut(self._user_turn, cut.start + cut.samples)
        call.said_everything.set()

    async def _hang_up(self, ending: Ending) -> None:
        await self._call.said_everything.wait()
        self._call.end(*_OUTCOMES[ending], by="user")

    # --- hearing

    def heard(self, event: HearingEvent) -> None:
        """The ear has noticed something."""
        match event:
            case SpeechEdge():
                self._edge(event)
            case Paused(text=text):
                self.tell(user.HeardSoFar(text))
            case HeardTurn():
                self._turn(event)

    def _edge(self, event: SpeechEdge) -> None:
        call = self._call
        call.log(record.HeardSpeech(t=call.t(), edge=event.edge.value, at=event.at))
        if event.began and self._endpoint_turn is None:
            self._endpoint_turn = call.book.endpoint_began(event.at)
            self.tell(user.EndpointBegan())

    def _turn(self, heard: HeardTurn) -> None:
        call = self._call
        index, self._endpoint_turn = self._endpoint_turn, None
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
            finished = self._finished(index, heard)
            verdicts: set[asyncio.Task[None]] = set()
            for observer in self._observers:
                self._spawn(self._judge(observer, finished), observer.name, verdicts)
            self._judging |= verdicts
            await asyncio.wait(set(verdicts), timeout=ADVICE_WAIT_S)
        if self._answers(heard):
            self.tell(user.TurnHeard(heard.text, heard.understood, heard.interrupted))
        else:
            self.tell(user.HeardSoFar(heard.text))

    def _answers(self, heard: HeardTurn) -> bool:
        """Whether a turn is for the user to react to.

        A turn that the user talks over is heard, but is no answer: the user is talking already. What
        the endpoint still said while the user spoke is none either, unless it went on well beyond that.
        """
        if self._saying or (heard.interrupted and self._call.microphone.speaking):
            return False
        said_s = self._said_until / self._call.microphone.rate
        return heard.end / self._call.speaker.rate > said_s + MIN_ANSWER_S

    def _finished(self, index: int, heard: HeardTurn) -> FinishedTurn:
        book = self._call.book
        ended = book.last_user_end_s(index)
        return FinishedTurn(
            turn=index,
            asked=book.asked(index),
            heard=heard.text,
            audio=heard.audio,
            rate=book.endpoint_rate,
            latency_s=None if ended is None else heard.start / book.endpoint_rate - ended,
            facts=[self._facts[name] for name in self._expected if name in self._facts],
        )

    async def _judge(self, observer: TurnObserver, finished: FinishedTurn) -> None:
        judgement = await observer.turn_finished(finished)
        call, verdict = self._call, judgement.verdict
        call.book.verdict(finished.turn, verdict)
        call.log(event_of(finished.turn, verdict, call.t()))
        if isinstance(judgement.advice, Advice):
            self.tell(judgement.advice)


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
