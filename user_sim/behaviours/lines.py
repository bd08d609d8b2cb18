"""What a behaviour makes the user say."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.behaviours import (
    Aside,
    Backchannel,
    BargeIn,
    Behaviour,
    ChangeOfMind,
    Cough,
    Reprompt,
    TalkOver,
)
from scenarios.schema import Say
from user_sim.phrases import Phrases
from user_sim.policy import Line


def lines_of(behaviour: Behaviour, phrases: Phrases) -> Sequence[Line]:
    """Everything that a behaviour may make the user say, each line heard from its first sample on."""
    match behaviour:
        case BargeIn(say=say) | ChangeOfMind(say=say) | TalkOver(say=say) | Aside(say=say):
            return [_line(say)]
        case Reprompt(say=say):
            return [Line(phrases.still_there, prompt=True) if say is None else _line(say)]
        case Backchannel(phrases=own):
            return [Line(phrase, prompt=True) for phrase in own or phrases.backchannels]
        case Cough(sound=sound, audio=audio):
            return [Line(f"({sound})", audio=audio or "", noise="" if audio else sound.value, prompt=True)]
        case _:
            return []


def _line(say: Say) -> Line:
    return Line(say.text, say.spoken or "", say.style, say.audio or "", prompt=True)
