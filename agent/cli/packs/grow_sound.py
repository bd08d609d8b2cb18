"""Speaks what a grown scenario's user says, and checks it: words, quality, and the manner it declares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.cli.packs.spoken_queries import Bench, check, speak
from scenarios.growing.cells import Example, example
from scenarios.lines import lines
from scenarios.load import LoadedScenario
from scoring.verify import Checked, Look
from streams.audio import to_float
from streams.speech import workers
from streams.speech.interfaces import SpeechError
from user_sim.manner.measure import Traits, traits
from user_sim.manner.verify import Check, checks
from user_sim.voice import UserVoiceFailed, Utterance

MANNER = "manner"
"""Cause of a refusal: what is to be noticed is not measured in the voice."""

_WEIGHTY = (Look.FAILED.value, Look.SILENT.value, MANNER, Look.WORDS.value, Look.QUALITY.value)


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of a scenario's words.

    Attributes:
        lines: Each as it was heard.
        manner: Traits of the turn that asks, against the bands of its style; empty if it is neutral.
    """

    lines: tuple[Checked, ...]
    manner: tuple[Check, ...] = ()

    @property
    def cause(self) -> str:
        """The weightiest reason why it is not taken; "" if it is."""
        found = {look.value for line in self.lines for look in line.looks}
        if any(not one.fits for one in self.manner):
            found.add(MANNER)
        return next((cause for cause in _WEIGHTY if cause in found), "")

    @property
    def detail(self) -> str:
        """What exactly was measured, in words."""
        wrong = [_missed(one) for one in self.manner if not one.fits]
        for line in self.lines:
            clear = line.comparison.clear if line.comparison else ()
            wrong += [f"{one.wanted or '-'} / {one.heard or '-'}" for one in clear]
            if Look.QUALITY in line.looks:
                wrong.append(f"P.808 {line.p808:.2f} below {line.floor:g}")
            wrong += [line.cause] if line.cause else []
        return "; ".join(wrong)[:400]

    def to_json(self) -> dict[str, Any]:
        """As in the journal."""
        return {
            "lines": [line.to_json() for line in self.lines],
            "manner": {
                one.trait: {"measured": one.measured, "band": list(one.band), "fits": one.fits}
                for one in self.manner
            },
        }


async def heard(one: LoadedScenario, bench: Bench) -> Heard:
    """Speak every line of a scenario and check it; what fails is a cause.

    Raises:
        ValueError: No turn of it asks for an expression.
    """
    checked = tuple([await check(one, place, say, bench) for place, say in lines(one.scenario)])
    if any(line.cause for line in checked):
        return Heard(checked)
    try:
        return Heard(checked, await manner(one, bench))
    except (SpeechError, UserVoiceFailed) as error:
        return Heard((*checked[:-1], replace(checked[-1], cause=f"manner: {error}")))


async def manner(one: LoadedScenario, bench: Bench) -> tuple[Check, ...]:
    """The turn that asks, spoken as it is to be and neutrally, by the same voice: the change in its traits.

    Raises:
        SpeechError: WORLD is not installed.
        UserVoiceFailed: A line cannot be spoken.
    """
    asking = _asking(one)
    style = asking.expression.perceive
    if not style:
        return ()
    neutral = asking.ask.model_copy(update={"style": "neutral"})
    before, after = [
        await workers.run(_traits, await speak(one, say, bench), kind="tts")
        for say in (neutral, asking.ask)
    ]
    return checks(style, [before], [after])


async def record(one: LoadedScenario, bench: Bench, path: Path) -> None:
    """Write what the user asks to a WAV file, as it is spoken.

    Raises:
        UserVoiceFailed: It cannot be spoken.
        OSError: The file cannot be written.
    """
    utterance = await speak(one, _asking(one).ask, bench)
    await workers.run(_write, utterance, path, kind="disk")


def _asking(one: LoadedScenario) -> Example:
    found = example(one.name, one.scenario)
    if found is None:
        raise ValueError(f"{one.name} has no turn with an expression")
    return found


def _missed(one: Check) -> str:
    measured = "unmeasured" if one.measured is None else f"{one.measured:.2f}"
    return f"{one.trait} {measured} not in {one.band[0]:g} to {one.band[1]:g}"


def _traits(utterance: Utterance) -> Traits | None:
    return traits(to_float(utterance.pcm), utterance.rate)


def _write(utterance: Utterance, path: Path) -> None:
    import soundfile

    from streams.audio import to_pcm

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        soundfile.write(file, to_pcm(utterance.pcm), utterance.rate, format="WAV")
