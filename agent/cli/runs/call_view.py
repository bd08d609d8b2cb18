"""What the screen knows of a call: a state machine over its events. Pure: events in, lines out."""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass, field

from agent.observers import Levels
from recordings import format as record
from scoring.report.safe import neutralise

KEPT_LINES = 200
"""Lines of a call that are remembered; the record has them all."""

_SHOWN_BY_WORDS = frozenset({"backchannel", "talk_over", "aside", "cough", "dtmf"})
"""Behaviours whose own line says what they are."""

_OF_A_PERSON = frozenset({"taken_over", "given_back"})
"""Notes about who speaks on the user's side."""

NOT_UNDERSTOOD = "(not understood)"


@dataclass(slots=True)
class Line:
    """One line of the live transcript.

    Attributes:
        t: Session time of its first audible sample, or of the event.
        side: "user", "endpoint", "us" or "end".
        latency_ms: From the user's last audible sample; of the first reply to a question only.
        verdicts: Of the live judges, by judge; they come after the line.
        note: It is about the call, not words of it.
    """

    t: float
    side: str
    text: str
    latency_ms: float | None = None
    verdicts: dict[str, record.VerdictGiven] = field(default_factory=dict)
    note: bool = False


@dataclass(slots=True)
class Question:
    """An utterance of the user, in seconds of session time: a reply's latency counts from its end."""

    utterance: str
    start_s: float
    end_s: float
    clip_s: float
    answered: bool = False

    def latency_ms(self, start_s: float) -> float:
        """Of a reply that begins at `start_s`; negative if it cut in."""
        return (start_s - self.end_s) * 1000


@dataclass(slots=True)
class CallView:
    """One call as it is shown.

    Attributes:
        place: Which of the run's calls it is, "2/6"; "" if it is the only one.
        reply_start_s: Where the reply began that is being heard or transcribed, else None.
        latencies: In ms, one per answered utterance.
        turns: Lines of the endpoint by turn, where verdicts belong.
    """

    name: str
    endpoint: str
    place: str = ""
    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    levels: Levels = field(default_factory=Levels)
    user_rate: int = 0
    endpoint_rate: int = 0
    question: Question | None = None
    before: Question | None = None
    endpoint_speaking: bool = False
    reply_start_s: float | None = None
    outcome: record.Outcome | None = None
    reason: str = ""
    latencies: list[float] = field(default_factory=list)
    turns: dict[int, Line] = field(default_factory=dict)

    @property
    def median_latency_ms(self) -> float | None:
        """So far, or None before the first reply."""
        return statistics.median(self.latencies) if self.latencies else None

    @property
    def pending(self) -> Line | None:
        """The reply that is being heard: its latency is known before its words."""
        if self.reply_start_s is None or self.outcome is not None:
            return None
        doing = "speaking …" if self.endpoint_speaking else "…"
        return Line(self.reply_start_s, "endpoint", doing, self._latency(self.reply_start_s), note=True)

    def take(self, event: record.Event) -> Line | None:
        """Note an event; returns the line it made or changed, if there is one."""
        match event:
            case record.SessionStarted():
                self.user_rate, self.endpoint_rate = event.user_rate, event.endpoint_rate
            case record.UtteranceStarted(role=role, text=text) if not role.wants_answer:
                said = event.audible_start / self.user_rate  # a person's words are known later
                return self._line(Line(said, "user", f"{text}  [{_name(role)}]", note=True))
            case record.UtteranceStarted():
                return self._asked(event)
            case record.BehaviourSettled():
                return self._behaved(event)
            case record.KeysPressed(digits=digits):
                return self._line(Line(event.t, "user", f"[keys {digits}]", note=True))
            case record.UtteranceEnded(cut=True):
                self._broken_off(event)
            case record.HeardSpeech(edge=edge, at=at):
                self.endpoint_speaking = edge == "start"
                if self.endpoint_speaking and self.reply_start_s is None:
                    self.reply_start_s = at / self.endpoint_rate
            case record.TurnEnded():
                return self._heard(event)
            case record.VerdictGiven(turn=turn) if turn in self.turns:
                self.turns[turn].verdicts[event.judge] = event
                return self.turns[turn]
            case record.Flushed(items=items, by=by) if items:
                return self._line(Line(event.t, "endpoint", f"playback cut by the {by}", note=True))
            case record.ToolCall(name=name, arguments=arguments, cancelled=taken_back):
                does = "takes back" if taken_back else "calls"
                return self._line(Line(event.t, "endpoint", f"[{does} {name} {arguments}]", note=True))
            case record.ToolAnswered(name=name, output=output):
                return self._line(Line(event.t, "us", f"[{name}: {output}]", note=True))
            case record.Noticed(code=code, message=message, by="us") if code in _OF_A_PERSON:
                return self._line(Line(event.t, "us", f"[{message}]", note=True))
            case record.LineProposed(text=text, spoken=spoken):
                return self._line(Line(event.t, "us", f"[{'say' if spoken else 'ask'}: {text}]", note=True))
            case record.Noticed(level=level, code=code, message=message) if level != "info":
                return self._line(Line(event.t, event.by, f"{code}: {message}", note=True))
            case record.SessionResumed(gap_s=gap_s):
                return self._line(
                    Line(event.t, "us", f"[went on over a new connection after {gap_s:.1f} s]", note=True)
                )
            case record.SessionEnded(outcome=outcome, reason=reason):
                self.outcome, self.reason, self.endpoint_speaking = outcome, reason, False
                return self._line(Line(event.t, "end", ending(outcome, reason), note=True))
            case _:
                pass
        return None

    def _line(self, line: Line) -> Line:
        line.text = neutralise(line.text)  # others' words must not steer the terminal
        self.lines.append(line)
        return line

    def _behaved(self, event: record.BehaviourSettled) -> Line | None:
        """What the words themselves do not show: why the user says them, or that it did not happen."""
        name = _name(event.type)
        if event.happened:
            trigger = f": {event.trigger}" if event.trigger else ""
            shown = event.type not in _SHOWN_BY_WORDS
            return self._line(Line(event.t, "user", f"[{name}{trigger}]", note=True)) if shown else None
        found = f"[{name} {event.behaviour} did not happen: {event.cause.replace('_', ' ')}]"
        return self._line(Line(event.t, "us", found, note=True))

    def _asked(self, event: record.UtteranceStarted) -> Line:
        rate = self.user_rate
        self.before = self.question
        self.question = Question(
            event.utterance, event.audible_start / rate, event.audible_end / rate, event.start / rate
        )
        return self._line(Line(self.question.start_s, "user", event.text))

    def _broken_off(self, event: record.UtteranceEnded) -> None:
        question = self.question
        if question is not None and question.utterance == event.utterance:
            question.end_s = min(question.end_s, question.clip_s + event.samples / self.user_rate)

    def _heard(self, event: record.TurnEnded) -> Line:
        start = event.start / self.endpoint_rate
        latency = self._latency(start)
        question = self._answered_by(start)
        if question is not None and latency is not None:
            question.answered = True
            self.latencies.append(latency)
        self.reply_start_s = None
        text = event.heard if event.heard is not None else NOT_UNDERSTOOD
        line = self._line(Line(start, "endpoint", text, latency))
        self.turns[event.turn] = line
        return line

    def _latency(self, start_s: float) -> float | None:
        question = self._answered_by(start_s)
        return None if question is None or question.answered else question.latency_ms(start_s)

    def _answered_by(self, start_s: float) -> Question | None:
        """The last utterance begun by then: the user may talk again before the end of a turn is known."""
        for question in (self.question, self.before):
            if question is not None and question.start_s <= start_s:
                return question
        return None


def _name(kind: str) -> str:
    """A behaviour or role as people call it."""
    return "barge-in" if kind == "barge_in" else kind.replace("_", " ")


def ending(outcome: record.Outcome, reason: str) -> str:
    """How a call ended, as a sentence."""
    name = outcome.value.replace("_", " ")
    return f"{name}: {reason}" if reason else name


def clock_text(seconds: float) -> str:
    """Session time as m:ss.d."""
    minutes, rest = divmod(round(seconds * 10), 600)
    return f"{minutes}:{rest // 10:02d}.{rest % 10}"
