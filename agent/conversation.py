"""A call while it goes on: who speaks and who listens, put together, from the first tick to the last."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agent.call import Call, End
from agent.caller import Caller, MouthOf
from agent.engines import Engines
from agent.expected import Expected
from agent.inbox import Inbox
from agent.media import MediaPath
from agent.quiet import QuietWatch
from agent.take_over import Seat
from agent.tools import ToolBench
from recordings.format import Lateness, SessionStarted
from scenarios.behaviours import needs_words, waits_for_verdict
from streams.endpoints.events import Ready
from user_sim.hearing import WORDS_EVERY_S, Hearing
from user_sim.policy import Policy
from user_sim.voice import UserVoice

if TYPE_CHECKING:
    from agent.session import SessionPlan


class Conversation:
    """The tasks of one call.

    Args:
        call: The call, with its line and whoever speaks into it.
        plan: What the session is.
        engines: The user's ears.
        policy: Decides what the user does.
        voice: Speaks for it, at the rate of the call.
        bench: The scenario's tools.
        seat: The user's, which a person may take meanwhile.
    """

    def __init__(
        self,
        call: Call,
        plan: SessionPlan,
        engines: Engines,
        policy: Policy,
        voice: UserVoice,
        bench: ToolBench,
        seat: Seat | None,
    ) -> None:
        scenario, limits = plan.scenario.scenario, plan.scenario.scenario.limits
        self._call, self._bench, self._person, self._seat = call, bench, plan.person, seat
        self._caller = Caller(
            call,
            policy,
            voice,
            limits,
            engines.composer,
            plan.observers,
            Expected.of(plan.scenario),
            judges_so_far=waits_for_verdict(scenario.behaviours),
            mouth=self._mouth(voice),
            prepares=plan.person is None,
        )
        self._hearing = Hearing(
            engines.detector,
            engines.turn_detector,
            engines.recogniser,
            rate=call.speaker.rate,
            language=scenario.language,
            notify=self._caller.heard,
            words_every_s=WORDS_EVERY_S if needs_words(scenario.behaviours) else None,
        )
        self._inbox = Inbox(call, self._hearing, bench)
        quiet = QuietWatch(
            call,
            lambda: self._hearing.busy,
            self._caller.tell,
            patience_s=scenario.persona.patience_s,
            reply_timeout_s=limits.reply_timeout_s,
        )
        self._caller.attach(self._hearing, quiet)
        if plan.control is not None:
            plan.control.attach(call, self._caller.tell, seat)
        alarms = self._caller.alarms
        self._media = MediaPath(
            call, self._inbox, self._hearing, quiet, alarms, limits, plan.max_lateness_s
        )

    def _mouth(self, voice: UserVoice) -> MouthOf | None:
        if self._person is not None:
            return self._person.mouth
        return None if self._seat is None else self._seat.mouth(voice)

    @property
    def ticks(self) -> int:
        """Ticks so far, of 20 ms each."""
        return self._media.pacer.ticks

    def lateness(self) -> Lateness | None:
        """How late they were."""
        return self._media.pacer.lateness()

    async def hold(self, ready: Ready) -> End:
        """Talk until the call is over; whatever a task of it raises ends all of them."""
        call = self._call
        self._log_start(ready)
        async with asyncio.TaskGroup() as group:
            self._bench.begin(call, group)
            if self._person is not None:
                self._person.begin(group)
            if self._seat is not None:
                self._seat.begin(group)
            inbox = group.create_task(self._inbox.run(), name="inbox")
            hearing = group.create_task(self._hearing.run(), name="hearing")
            group.create_task(self._media.run(), name="media path")
            await self._caller.run(group)
            end = await call.over
            self._caller.stop()
            self._bench.stop()
            self._hearing.finish()
            await hearing
            if self._person is not None:
                await self._person.end()
            if self._seat is not None:
                end = await self._seat.over(end)
            await self._caller.judged()
            inbox.cancel()
        return end

    def _log_start(self, ready: Ready) -> None:
        call = self._call
        call.log(
            SessionStarted(
                t=0.0,
                session=ready.session,
                model=ready.model,
                user_rate=call.microphone.rate,
                endpoint_rate=call.speaker.rate,
            )
        )
        if call.line is not None:
            call.log(call.line.condition())
            if (notice := call.line.without_effect()) is not None:
                call.log(notice)

    def settle(self, t: float) -> None:
        """Put down what was being said and heard when the call ended, at session time `t`."""
        self._caller.stop_talking(t)
        self._caller.settle(t)
        if self._person is not None:
            self._person.report(t)

    async def hung_up(self, t: float) -> None:
        """The endpoint was let go: put down what it sent last."""
        await self._inbox.settle(t)
