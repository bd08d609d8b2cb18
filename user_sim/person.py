"""A person in the user's place: what their words were for, and where they began and ended. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from scenarios.schema import Limits, PolicyKind, Scenario
from streams.speech.audible import audible_span, noise_floor
from user_sim.personas import make_policy
from user_sim.policy import Action, Line, Percept, Policy, Role

LONGEST_BACKCHANNEL_S = 1.2
"""What is longer is no "mm-hm", whatever the words."""

AT_ONCE_S = 0.2
"""Who begins within this of the other begins at the same time, and cuts into nothing."""

ENOUGH_OF_IT = 0.6
"""A part of the words said that stand in the line proposed: from here on it was that line."""

WORD_FOR_WORD = 0.8
"""The same of both: from here on the line's own words are taken as what was said."""

SEARCH_S = 0.2
"""The first and last audible sample are looked for so far beyond where speech was found."""

QUIET_S = 0.3
"""So much before speech tells how loud the room is."""

_SOUNDS = ("mm", "mhm", "mmhm", "hmm", "hm", "uh", "huh", "uhhuh", "ah", "oh")
_NODS = ("yes", "yeah", "yep", "okay", "ok", "right", "sure", "good", "great", "i", "see", "so", "really")
_WORD = re.compile(r"[\w']+")


class Mode(StrEnum):
    """What leads a person through a call."""

    FREE = "free"  # nothing
    GUIDED = "guided"  # the scenario's turns or aspects, in order; any words will do
    CO_PILOT = "co-pilot"  # the lines of the simulated user, to be said or not


class FreeTalk:
    """The policy of a call in which the person alone decides."""

    def observe(self, percept: Percept) -> Sequence[Action]:
        """Nothing follows."""
        return ()

    def lines_ahead(self) -> Sequence[Line]:
        """Nothing is prepared."""
        return ()


def policy_for(mode: Mode, scenario: Scenario, seed: int) -> Policy:
    """Who proposes what to say: the scenario's own user, without the behaviours that only a machine has."""
    if mode is Mode.FREE:
        return FreeTalk()
    return make_policy(scenario.model_copy(update={"behaviours": ()}), seed)


def free_scenario(language: str = "en") -> Scenario:
    """A call about anything: no turn, no aspect, up to an hour."""
    return Scenario(
        id="free-talk",
        title="Free talk",
        language=language,
        policy=PolicyKind.LLM,  # the kind whose words are not written down
        aim="Whatever the person at the microphone wants.",
        limits=Limits(max_duration_s=3600, max_turns=500, reply_timeout_s=300),
    )


def role_of(text: str, seconds: float, over_s: float | None) -> Role:
    """What words of a person were for.

    Args:
        text: What was understood; "" if nothing was.
        seconds: How long they lasted.
        over_s: How long the endpoint had been speaking when they began; None if it was silent.

    Words while the endpoint speaks are a backchannel if all of them are such and take no longer than one
    does; else they cut in.
    """
    if over_s is None or over_s < AT_ONCE_S:
        return Role.TURN
    words = _words(text)
    if words and seconds <= LONGEST_BACKCHANNEL_S and all(word in (*_SOUNDS, *_NODS) for word in words):
        return Role.BACKCHANNEL
    return Role.BARGE_IN


def was_said(line: str, text: str) -> tuple[bool, bool]:
    """Whether words are (a part of) a line that was proposed, and whether they are the whole of it.

    Compared as multisets of words: a recogniser hears numbers and names its own way, and people pause.
    """
    proposed, said = Counter(_words(line)), Counter(_words(text))
    if not said or not proposed:
        return True, False  # nothing was understood: nobody can say that it was something else
    common = (proposed & said).total()
    part = common / said.total() >= ENOUGH_OF_IT
    whole = common / said.total() >= WORD_FOR_WORD and common / proposed.total() >= WORD_FOR_WORD
    return part, whole


def _words(text: str) -> list[str]:
    return [word.strip("'") for word in _WORD.findall(text.casefold().replace("-", " "))]


def edges(pcm: bytes, rate: int, start: int, end: int) -> tuple[int, int]:
    """First audible sample of speech and one past the last; speech detectors know them to 30 ms only.

    Args:
        pcm: The user's track, or a part of it.
        rate: Samples per second.
        start: Where speech was found, in samples of `pcm`.
        end: One past it.
    """
    margin, quiet = round(SEARCH_S * rate), round(QUIET_S * rate)
    first, last = max(0, start - margin), end + margin
    before = pcm[2 * max(0, first - quiet) : 2 * first]
    span = audible_span(pcm[2 * first : 2 * last], rate, floor=noise_floor(before, rate))
    if span is None:
        return start, end
    return first + span[0], first + span[1]
