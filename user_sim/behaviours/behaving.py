"""A messy user: any policy, and around it what the scenario's behaviours make of it. Pure.

The policy inside decides what the user asks; this one hears everything first, and adds or changes.
What is said beside the turn ("mm-hm", a cough) never reaches the policy inside. When the user cuts in
with another question, the policy is told with `SaidInstead` and hears the answer as its next reply.

What a reply sets off for turn n, the reply to turn n sets off: not while the user's own words are on their
way, nor, after it cut in, before its next turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scenarios.behaviours import (
    Backchannel,
    BargeIn,
    Behaviour,
    ChangeOfMind,
    Dtmf,
    Filler,
    HangUp,
    Hesitation,
    OldQuestion,
    Reprompt,
    Restart,
    Silence,
)
from user_sim import policy as user
from user_sim.behaviours.lines import lines_of
from user_sim.behaviours.moments import BETWEEN, REPLY, WAITING, DuringReply, Fired, InSilence, awaits_reply
from user_sim.behaviours.occasions import Occasions
from user_sim.behaviours.shaping import Shape, misfit, shaped
from user_sim.phrases import phrases
from user_sim.policy import Action, Cause, Line, Percept, Policy, Role, Say

_SHAPES: tuple[type[Shape], ...] = (Hesitation, Filler, Restart)
_BESIDE = {"talk_over": Role.TALK_OVER, "aside": Role.ASIDE, "cough": Role.TIC}


class Behaving:
    """A policy that behaves as the scenario asks for.

    Args:
        policy: Decides what the user asks.
        behaviours: What the scenario asks for.
        seed: Of this call.
        language: Of the scenario, for set phrases.
    """

    def __init__(self, policy: Policy, behaviours: Sequence[Behaviour], seed: int, language: str) -> None:
        self._inner = policy
        self._behaviours = behaviours
        self._phrases = phrases(language)
        self._occasions = Occasions(behaviours, seed)
        self._reply = DuringReply(self._occasions)
        self._silence = InSilence(self._occasions)
        self._turn = 0
        self._expected: tuple[str, ...] = ()
        self._said = Role.TURN
        self._replying = False  # the endpoint is heard, and has not been talked into
        self._talking = False  # words that take the turn are on their way
        self._done = False  # the next reply is to no turn: the user cut in, or has said goodbye
        self._over = False

    def observe(self, percept: Percept) -> Sequence[Action]:
        """Take note of a percept; returns what to do now."""
        if isinstance(percept, user.CallOver):
            return self._occasions.never_happened()
        if self._over:
            return ()
        match percept:
            case user.ReplyGoesOn(seconds=seconds):
                fired, wakes = self._reply.goes_on(seconds)
                return [*self._all(fired), *wakes]
            case user.WentOn(seconds=seconds):
                return self._all(self._reply.went_on(seconds))
            case user.QuietSoFar(seconds=seconds):
                return self._all(self._silence.so_far(seconds))
            case user.SpokenSoFar(text=text):
                return self._reply.words(text)
            case user.Judged(label=label, judge=judge):
                return self._reply.judged(label, judge)
            case user.HeardSoFar(text=text, over=False):
                return [*self._reply.words(text), *self._pass_on(percept)]
            case user.EndpointBegan():
                return [*self._pass_on(percept), *self._reply_begins()]
            case user.TurnHeard() | user.HeardSoFar():
                return self._turn_over(percept)
            case user.SaidAll():
                return [*self._pass_on(percept), *self._said_all()]
            case _:
                return self._pass_on(percept)

    # --- the turns of the policy inside

    def _pass_on(self, percept: Percept) -> list[Action]:
        actions: list[Action] = []
        for action in self._inner.observe(percept):
            self._over = self._over or isinstance(action, user.HangUp)
            actions += self._turn_of(action) if isinstance(action, Say) else [action]
        return actions

    def _turn_of(self, say: Say) -> list[Action]:
        self._take_turn(say.role)
        if say.role is not Role.TURN or say.parting:
            self._done = self._done or say.parting
            return [say]
        self._turn += not say.again
        self._done, self._expected = False, say.expected
        for behaviour in self._occasions.due(REPLY, self._turn):
            if awaits_reply(behaviour):
                self._occasions.missed(behaviour, "no_reply")
        delay, causes = say.delay_s, list(say.causes)
        for silence in self._occasions.due((Silence,), self._turn):
            delay += silence.seconds
            trigger = f"{silence.seconds:g} s before the turn"
            causes += self._occasions.happens(silence, self._turn, trigger)
        words, shapes = self._shaped(say.line)
        said = replace(say, line=words, delay_s=delay, causes=(*causes, *shapes))
        return [said, *(self._silence.begin(BETWEEN, self._turn) if delay else ())]

    def _take_turn(self, role: Role) -> None:
        self._talking, self._replying, self._said = True, False, role
        self._reply.cut()

    def _shaped(self, line: Line) -> tuple[Line, list[Cause]]:
        shapes: list[Shape] = []
        causes: list[Cause] = []
        for shape in self._occasions.due(_SHAPES, self._turn):
            why = misfit(line, shape)
            if why:
                self._occasions.missed(shape, why)
            else:
                shapes.append(shape)
                causes += self._occasions.happens(shape, self._turn, _described(shape))
        return self._said_as(line, shapes, self._turn), causes

    def _said_as(self, line: Line, shapes: Sequence[Shape], turn: int) -> Line:
        if not shapes:
            return line
        return shaped(line, shapes, self._phrases.fillers, self._occasions.seeded(shapes[0], turn))

    # --- moments

    def _said_all(self) -> Sequence[Action]:
        self._talking = False
        if self._over or (self._done and self._said is Role.TURN):
            return ()
        own = self._said is Role.TURN
        for hang_up in self._occasions.due((HangUp,), self._turn if own else 0):
            if hang_up.after_s is None:
                return self._act(Fired(hang_up, "its words are said"))
        if self._replying:  # it began while the last silent samples of the clip were sent
            return self._reply_begins()
        return self._silence.begin(WAITING if own else (Reprompt,), self._turn)

    def _turn_over(self, percept: user.TurnHeard | user.HeardSoFar) -> list[Action]:
        self._replying = False
        self._reply.over(percept.text)
        actions = self._pass_on(percept)
        answer = isinstance(percept, user.TurnHeard) and not percept.interrupted
        if answer or self._talking or self._over or (self._done and self._said is Role.TURN):
            return actions
        return [*actions, *self._silence.begin((Reprompt,), self._turn)]  # what was asked is still open

    def _reply_begins(self) -> Sequence[Action]:
        self._replying = True
        self._silence.broken()
        return () if self._talking or self._done or self._over else self._reply.begin(self._turn)

    def _all(self, fired: Sequence[Fired]) -> list[Action]:
        """What is said beside the turn goes first, since what takes the turn ends the moment."""
        beside = [one for one in fired if one.behaviour.kind in (*_BESIDE, "backchannel", "dtmf")]
        taking = [one for one in fired if one not in beside]
        actions: list[Action] = []
        for one in [*beside, *taking[:1]]:
            actions += self._act(one)
        for one in taking[1:]:
            self._occasions.missed(one.behaviour, "reply_was_cut")
        return actions

    def _act(self, fired: Fired) -> list[Action]:
        behaviour = fired.behaviour
        once = not isinstance(behaviour, Backchannel | Reprompt)
        causes = self._occasions.happens(behaviour, self._turn, fired.trigger, once=once)
        lines = lines_of(behaviour, self._phrases)
        match behaviour:
            case BargeIn():
                self._done = True
                return self._instead(Role.BARGE_IN, behaviour, causes)
            case ChangeOfMind():
                return self._instead(Role.CORRECTION, behaviour, causes)
            case Reprompt():
                self._take_turn(Role.REPROMPT)
                label, role = "still there?", Role.REPROMPT
                return [Say(lines[0], label, expected=self._expected, role=role, causes=causes)]
            case Backchannel():
                first = self._occasions.seeded(behaviour, self._turn).randrange(len(lines))
                line = lines[(first + self._occasions.count(behaviour)) % len(lines)]
                return [Say(line, behaviour.kind, role=Role.BACKCHANNEL, causes=causes)]
            case Dtmf(digits=digits):
                return [user.PressKeys(digits, causes)]
            case HangUp():
                self._over = True
                return [user.HangUp(user.Ending.HUNG_UP, causes)]
            case _:
                return [Say(lines[0], behaviour.kind, role=_BESIDE[behaviour.kind], causes=causes)]

    def _instead(
        self, role: Role, behaviour: BargeIn | ChangeOfMind, causes: tuple[Cause, ...]
    ) -> list[Action]:
        """Say something else that wants an answer, and tell the policy inside."""
        self._take_turn(role)
        self._expected = tuple(fact.id for fact in behaviour.facts)
        (line,) = lines_of(behaviour, self._phrases)
        dropped = behaviour.old_question is OldQuestion.DROPPED
        said = Say(line, behaviour.kind, expected=self._expected, role=role, causes=causes)
        return [said, *self._pass_on(user.SaidInstead(line.text, dropped))]

    # --- ahead

    def lines_ahead(self) -> Sequence[Line]:
        """The next turn as it will be said, and what the behaviours may make the user say before it."""
        inner = list(self._inner.lines_ahead())
        if self._over or not inner:
            return ()
        coming = [
            line
            for behaviour in self._behaviours
            if behaviour.turn in (None, self._turn, self._turn + 1)
            and not self._occasions.exhausted(behaviour)
            for line in lines_of(behaviour, self._phrases)
        ]
        next_turn = self._turn + 1
        shapes = list(self._occasions.due(_SHAPES, next_turn, ahead=True))
        next_lines = [
            self._said_as(line, [one for one in shapes if not misfit(line, one)], next_turn)
            for line in inner
        ]
        return [*next_lines[:1], *coming, *next_lines[1:]]


def _described(shape: Shape) -> str:
    match shape:
        case Hesitation(after_word=word, pause_s=seconds):
            return f"{seconds:g} s after word {word}"
        case Filler(before_word=word):
            return f"before word {word}"
        case Restart(words=words):
            return f"after {words} words"
