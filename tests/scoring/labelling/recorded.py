"""Recorded calls of two systems on the same words: tones whose loudness is known; and a desk over them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from recordings.format import Side, Verdict
from recordings.label_files import LabelFolder
from recordings.reader import find_episodes, write_scores
from scoring.judge.dimensions import Dimension
from scoring.labelling.desk import LabellingDesk
from scoring.labelling.growth import Growth
from scoring.labelling.material import Material, material, opened
from scoring.labelling.plan import Work
from tests.scoring.episodes import CallMaker, tone
from tests.scoring.judge.calls import scenario

ASKED = ("How does it work?", "And why?")

SECRETS = ("hush-one", "hush-two", "hush-judge", "hush-reason")
"""What no answer may hold before a unit is labelled: runs, endpoints and episodes are called so."""


def call(
    folder: Path, endpoint: str, dbfs: float, asked: tuple[str, ...] = ASKED, words: str = "It cuts."
) -> Path:
    """An episode; a 24 kHz endpoint replies with two seconds of a tone. The judges have said something."""
    maker = CallMaker()
    verdict = Verdict(judge="hush-judge", label="stated", reason="hush-reason")
    for number, text in enumerate(asked):
        at = 1.0 + 6 * number
        maker.user(at, at + 1, text)
        maker.reply(at + 1.5, tone(2.0, 24000, dbfs))
        maker.turn(Side.ENDPOINT, at + 1.5, at + 3.5, heard="It cuts.", verdicts=(verdict,))
    name = folder.name.partition("-")[0]
    path = maker.write(folder, endpoint=endpoint, scenario=scenario(name, *asked))
    rated(path, "good")
    return path


def rated(path: Path, label: str, judge: str = "hush-judge") -> None:
    """Leave a judge's ratings beside an episode."""
    found = {d.value: {"label": label, "unscored": None, "reason": "hush-reason"} for d in Dimension}
    turns = [{"turn": turn, "overall": {"label": label}, "dimensions": found} for turn in (1, 3)]
    write_scores(path, "dimensions", {"judge": judge, "version": 1, "turns": turns})


def two_runs(folder: Path, scenarios: int = 2) -> tuple[Path, Path]:
    """Two systems on the same scenarios; the second is 12 dB quieter."""
    for system, dbfs in (("hush-one", -15.0), ("hush-two", -27.0)):
        for number in range(scenarios):
            call(folder / system / f"s{number}-{system}", f"fake://{system}", dbfs)
    return folder / "hush-one", folder / "hush-two"


def heard(*runs: Path) -> Material:
    """The material of some runs, each of a system named by its folder."""
    return material([(run.name, opened(folder)) for run in runs for folder in find_episodes(run)])


def ticking() -> Callable[[], str]:
    """A clock: each reading is a second later."""
    seconds = itertools.count()
    return lambda: f"2026-01-01T00:{(second := next(seconds)) // 60:02}:{second % 60:02}.000000+00:00"


def desk(folder: Path, *runs: Path, person: str = "", judge: str = "", **work: object) -> LabellingDesk:
    """A desk over some runs; the labels go into `folder`."""
    found = heard(*runs)
    return LabellingDesk(
        found,
        Work(found.units(), **work),  # type: ignore[arg-type]
        LabelFolder(folder),
        Growth(judge),
        ticking(),
        person,
    )
