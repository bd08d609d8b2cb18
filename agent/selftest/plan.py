"""Which calls the self-test holds: every defect, in doses, over seeds, and clean controls. Pure.

All calls are made alike, so that whatever is measured in one is measured in all: a plain question, one with
a pause of 0.5 s in the middle, one whose answer the user hears with an "mm-hm", one whose answer it cuts
into with another question, and a last one. The seed chooses the questions and the moments; what a defect
makes of a reply is the same in all calls, so that a recogniser has to hear it only once.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from scenarios.basics import Fact, Say
from scenarios.behaviours import Backchannel, BargeIn, Hesitation
from scenarios.schema import Limits, Persona, Scenario, Turn
from streams.reference.defects.kinds import Defect
from streams.reference.rehearsal import SHIPPED, Answer

DOSES: dict[Defect, tuple[float, ...]] = {
    Defect.LATE: (0.3, 0.8),
    Defect.NEVER_YIELDS: (1,),
    Defect.YIELDS_LATE: (1.5, 2.0),
    Defect.YIELDS_TO_BACKCHANNEL: (0.1, 0.2),
    Defect.CUTS_IN: (0.25, 0.35),
    Defect.TALKS_OVER: (0.9, 1.3),
    Defect.DEAD_AIR: (0.9, 1.5),
    Defect.DROPS_WORDS: (0.15, 0.3),
    Defect.SWAPS_FACT: (0.5, 1),
    Defect.SWAPS_NUMBER: (0.5, 1),
    Defect.CLIPS: (0.01, 0.05),
    Defect.NOISE: (25, 20),
    Defect.ECHO: (-52, -46),
    Defect.REPEATS: (1, 2),
    Defect.ANSWERS_PREVIOUS: (1, 2),
    Defect.STOPS_MID_WORD: (0.5, 0.8),
    Defect.GOES_SILENT: (1, 3),
    Defect.LEAKS: (1, 3),
    Defect.FALLS_BEHIND: (0.85, 0.7),
}
"""The doses that are tried, the smaller one first."""

QUICK = (Defect.LATE, Defect.YIELDS_LATE, Defect.DEAD_AIR, Defect.SWAPS_NUMBER)
"""Defects of the quick self-test: one each of timing, turns, sound and words."""

CONTROLS = 50
"""Clean calls of the whole self-test."""

SEEDS = 10
"""Calls for each defect; its doses take turns."""

PAUSE_S = 0.5
"""Pause in the middle of the user's second question."""

MM_HM_AFTER_S = 0.8
"""Seconds of the third answer that are heard before the user says "mm-hm"."""

CUTS_AFTER_S = (0.9, 1.5)
"""Seconds of the fourth answer that are heard before the user cuts in, at least and at most."""

TURNS = 5
"""Questions of a call, without the one that cuts in."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One call.

    Attributes:
        defect: What is planted; None in a control.
        dose: How much of it.
        seed: Chooses questions and moments.
        wall_clock: In real time, not in simulated time.
    """

    defect: Defect | None
    dose: float
    seed: int
    wall_clock: bool = False

    @property
    def name(self) -> str:
        """Safe as a folder's name."""
        what = f"{self.defect}-{self.dose:g}" if self.defect else "control"
        return f"{what}--s{self.seed}{'--live' if self.wall_clock else ''}"

    @property
    def address(self) -> str:
        """The endpoint."""
        planted = f"&defects={self.defect}:{self.dose:g}" if self.defect else ""
        return f"reference://?mode=rehearsed&first={first_answer(self.seed)}{planted}"


def trials(
    seeds: int = SEEDS,
    controls: int = CONTROLS,
    only: Collection[Defect] = (),
    *,
    begin: int = 0,
    wall_clock: bool = False,
) -> Iterator[Trial]:
    """All calls: the controls first, then every defect.

    Args:
        seeds: Calls for each defect; its doses take turns, so that half of them get each of two.
        controls: Clean calls.
        only: Defects to plant; none is all.
        begin: The first seed. Thresholds were fixed with others than those of a report.
        wall_clock: In real time.
    """
    for seed in range(begin, begin + controls):
        yield Trial(None, 0, seed, wall_clock)
    for defect, doses in DOSES.items():
        if only and defect not in only:
            continue
        for seed in range(begin, begin + seeds):
            yield Trial(defect, doses[seed % len(doses)], seed, wall_clock)


def first_answer(seed: int) -> int:
    """The answer that a call begins with."""
    return 7 * seed % len(SHIPPED.answers)


def questions(seed: int) -> tuple[Answer, ...]:
    """What is asked in a call, in the order in which the endpoint hears it."""
    known = SHIPPED.from_answer(first_answer(seed))
    return tuple(known.answer(number) for number in range(TURNS + 1))


def scenario(seed: int) -> Scenario:
    """What the user does in a call; the same for every defect."""
    draw = random.Random(f"self-test {seed}")  # noqa: S311 (no secret)
    plain, hesitant, listened, cut, instead, last = questions(seed)
    return Scenario(
        id="selftest",
        title="A call of the self-test",
        persona=Persona(patience_s=4),
        turns=tuple(
            Turn(text=answer.question, facts=facts_of(answer))
            for answer in (plain, hesitant, listened, cut, last)
        ),
        behaviours=(
            Hesitation(
                id="thinks", kind="hesitation", turn=2, after_word=draw.choice((7, 8)), pause_s=PAUSE_S
            ),
            Backchannel(
                id="listens",
                kind="backchannel",
                turn=3,
                phrases=(draw.choice(("mm-hm", "I see", "okay")),),
                at_pauses=False,
                every_s=MM_HM_AFTER_S,
                at_most=1,
            ),
            BargeIn(
                id="cuts",
                kind="barge_in",
                turn=4,
                after_s=round(draw.uniform(*CUTS_AFTER_S), 3),
                say=Say(text=instead.question),
                facts=facts_of(instead),
            ),
        ),
        limits=Limits(max_duration_s=180, max_turns=20, reply_timeout_s=9),
        seed=seed,
    )


def facts_of(answer: Answer) -> tuple[Fact, Fact]:
    """The fact and the number of an answer, as a judge takes them."""
    key = answer.fact[0].lower().replace(" ", "-")
    said, counted = answer.said()[0], answer.said()[-1]
    right, wrong = answer.fact
    many, other = answer.number
    return (
        Fact(id=f"{key}.fact", text=said, keywords=((right,),), wrong=(wrong,)),
        Fact(id=f"{key}.number", text=counted, keywords=((many,),), wrong=(other,)),
    )
