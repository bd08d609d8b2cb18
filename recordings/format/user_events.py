"""Events of the user's side: what was said and why, what was heard and decided."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from recordings.format.record import EventRecord


class Role(StrEnum):
    """What a user's utterance is for: the ground truth of who wanted what.

    The first group wants an answer, and takes the turn; the second does not, and a good endpoint goes on as
    if nothing had been said.
    """

    TURN = "turn"  # the scenario's own question, follow-up or goodbye
    BARGE_IN = "barge_in"  # cuts into a reply and wants another answer
    CORRECTION = "correction"  # a change of mind before the reply began
    REPROMPT = "reprompt"  # nothing came: "are you still there?"

    BACKCHANNEL = "backchannel"  # "mm-hm" while the endpoint talks
    ASIDE = "aside"  # said to somebody else in the room
    TIC = "tic"  # a cough, a throat cleared
    TALK_OVER = "talk_over"  # talks at the same time, and does not care

    @property
    def wants_answer(self) -> bool:
        """True if the endpoint should answer."""
        return self in _WANTS_ANSWER


_WANTS_ANSWER = frozenset({Role.TURN, Role.BARGE_IN, Role.CORRECTION, Role.REPROMPT})


class UtteranceStarted(EventRecord):
    """The user's voice goes into the microphone.

    Attributes:
        role: What it is for.
        behaviour: Id of the scenario's behaviour that made it, or "".
        pauses: Silences inside the utterance that the scenario asked for, as (first sample, one past the
            last) on the user's track: the user has not finished there.
        voice: Who spoke, as the scenario has it; "" is the machine's own voice, or a recording.
        style: Manner of speaking, likewise.
        gain_db: What brought a recording to the level of speech.
        start: First sample on the user's track.
        samples: Length of the clip.
        audible_start: First sample on the user's track that can be heard (a clip may begin with silence).
        audible_end: One past the last sample on the user's track that can be heard: latency counts from it.
    """

    kind: Literal["utterance_started"] = "utterance_started"
    utterance: str
    text: str
    spoken: str = ""
    label: str = ""
    expected: tuple[str, ...] = ()
    role: Role = Role.TURN
    behaviour: str = ""
    pauses: tuple[tuple[int, int], ...] = ()
    voice: str = ""
    style: str = ""
    gain_db: float = 0.0
    start: int
    samples: int
    audible_start: int
    audible_end: int


class UtteranceEnded(EventRecord):
    """The user's voice has ended, or was cut off after `samples`."""

    kind: Literal["utterance_ended"] = "utterance_ended"
    utterance: str
    samples: int
    cut: bool = False


class BehaviourSettled(EventRecord):
    """A behaviour that the scenario asks for has happened, or can no longer happen.

    Attributes:
        behaviour: Its id.
        type: What it is: "barge_in", "hesitation" ...
        happened: False is `did_not_happen`: it is left out of every rate, and counted.
        cause: Why it did not happen ("keyword_not_heard", "reply_too_short", "call_ended").
        utterance: The utterance that carried it, or "".
        trigger: What set it off, in words ("2.0 s of reply heard").
    """

    kind: Literal["behaviour_settled"] = "behaviour_settled"
    behaviour: str
    type: str
    happened: bool
    cause: str = ""
    utterance: str = ""
    trigger: str = ""


class KeysPressed(EventRecord):
    """The user pressed telephone keys.

    Attributes:
        by: "protocol": a message told the endpoint; "tones": they sounded on the user's track.
        start: First sample of the tones on the user's track.
        samples: Length of the tones.
    """

    kind: Literal["keys_pressed"] = "keys_pressed"
    digits: str
    behaviour: str = ""
    by: Literal["protocol", "tones"] = "protocol"
    start: int = 0
    samples: int = 0


class LineProposed(EventRecord):
    """A person was shown what to ask next.

    Attributes:
        text: The words.
        label: What it is for.
        expected: Ids of the facts that an answer should state.
        spoken: True if it has to be said in these words (co-pilot), False if any words will do (guided).
    """

    kind: Literal["line_proposed"] = "line_proposed"
    text: str
    label: str = ""
    expected: tuple[str, ...] = ()
    spoken: bool = False


class UserThinking(EventRecord):
    """Seconds the user needed to find and prepare its words: ours, never the endpoint's."""

    kind: Literal["user_thinking"] = "user_thinking"
    seconds: float


class HeardSpeech(EventRecord):
    """The user's ear: a stretch of endpoint speech began or ended, in samples of its track.

    Attributes:
        at: The edge, on the endpoint's track (it lies before `t`, when it was noticed).
    """

    kind: Literal["heard_speech"] = "heard_speech"
    edge: Literal["start", "stop"]
    at: int


class TurnEnded(EventRecord):
    """The user decided that the endpoint's turn is over.

    Attributes:
        start: First audible sample of the turn, on the endpoint's track.
        end: One past the last audible sample.
        heard: What the user made of it, or None if it understood nothing.
        by: What decided ("smart-turn", "silence", "user_spoke", "closed").
        probability: Of the end-of-turn model, if it was asked.
    """

    kind: Literal["turn_ended"] = "turn_ended"
    turn: int
    start: int = 0
    end: int = 0
    heard: str | None = None
    by: str
    probability: float | None = None
