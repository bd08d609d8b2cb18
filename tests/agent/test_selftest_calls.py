"""The self-test in calls without models: what is planted is found, to the sample; what is not, is not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agent.cli.selftest.call import examine
from agent.cli.selftest.selftest import SelftestRequest, UnknownDefect, planned
from agent.selftest.hold import hold
from agent.selftest.plan import DOSES, Trial, scenario, trials
from scoring.selftest.detectors import DETECTORS, findings
from scoring.selftest.readings import Readings
from streams.audio import to_pcm16
from streams.clock import run
from streams.reference.defects.kinds import Defect
from streams.speech.fake import ScriptedRecogniser
from streams.speech.interfaces import ModelIdentity, Speech
from tests.agent.cli_calls import Viva

RATE = 24000


class Hum:
    """A voice that hums 0.25 s a word: at once at its peak, and it fades away."""

    identity = ModelIdentity("fake", "hum", "1")
    fingerprint = "hum"

    async def speak(self, text: str) -> Speech:
        n = RATE // 4 * len(text.split())
        fade = np.minimum(1, np.arange(n, 0, -1) / (0.15 * RATE)) ** 3
        return Speech(to_pcm16(0.5 * fade * np.cos(2 * np.pi * 400 / RATE * np.arange(n))), RATE)


def read(trial: Trial, folder: Path) -> Readings:
    info = run(hold(trial, folder / trial.name, Hum()), simulate=True)
    assert info.outcome == "completed"
    return run(examine(trial, folder / trial.name, ScriptedRecogniser(())))


def test_a_clean_call_is_what_the_thresholds_take_it_for(tmp_path: Path) -> None:
    readings = read(Trial(None, 0, 3), tmp_path)
    assert findings(readings) == {}
    assert readings.latency_s == pytest.approx(1.0, abs=1e-9)
    assert readings.cut_s == pytest.approx(0.8, abs=0.0005)
    assert readings.hole_s == pytest.approx(0.25, abs=0.002)  # it fades a little before its end


@pytest.mark.parametrize(
    ("defect", "dose"),
    [(Defect.LATE, 0.3), (Defect.YIELDS_LATE, 1.5), (Defect.DEAD_AIR, 0.9), (Defect.ECHO, -46)],
)
def test_what_is_planted_is_found_with_its_dose_and_nothing_else(
    defect: Defect, dose: float, tmp_path: Path
) -> None:
    found = findings(read(Trial(defect, dose, 3), tmp_path))
    assert list(found) == [defect.value]
    assert found[defect.value] == pytest.approx(dose, abs=0.002 if dose > 0 else 0.2)


def test_every_defect_of_the_plan_has_a_detector() -> None:
    assert [defect.value for defect in DOSES] == list(DETECTORS)


def test_doses_take_turns_over_the_seeds_and_controls_come_first() -> None:
    plan = list(trials(4, 2, [Defect.LATE]))
    assert [(trial.defect, trial.dose, trial.seed) for trial in plan] == [
        (None, 0, 0),
        (None, 0, 1),
        (Defect.LATE, 0.3, 0),
        (Defect.LATE, 0.8, 1),
        (Defect.LATE, 0.3, 2),
        (Defect.LATE, 0.8, 3),
    ]


def test_the_user_of_a_seed_is_the_same_for_every_defect_and_another_for_another_seed() -> None:
    assert scenario(4) == scenario(4)
    assert scenario(4) != scenario(5)


def test_the_whole_self_test_has_ten_calls_a_defect_and_fifty_controls() -> None:
    plan = planned(SelftestRequest())
    assert sum(trial.defect is None for trial in plan) == 50
    assert len(plan) == 50 + 10 * len(DOSES)


def test_a_name_that_is_no_defect_is_bad_input(viva: Viva) -> None:
    with pytest.raises(UnknownDefect, match="'lat' is no defect"):
        planned(SelftestRequest(defects=("lat",)))
    done = viva("selftest", "--defect", "lat")
    assert done.code == 2
    assert "Known are late" in done.err


@pytest.mark.models
def test_the_command_prints_one_object_and_keeps_its_recordings(viva: Viva, tmp_path: Path) -> None:
    done = viva("selftest", "--quick", "--defect", "late", "--json", "--out", str(tmp_path / "kept"))
    assert done.code == 0
    assert done.json["overall"] == {"precision": 1.0, "recall": 1.0}
    assert done.json["defects"]["late"]["n"] == 1
    assert abs(done.json["defects"]["late"]["dose_error_ms"]["worst"]) < 5
    assert done.json["control"] == {"episodes": 1, "false_alarms": 0}
    kept = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert kept == ["control--s3000", "late-0.3--s3000"]
    assert json.loads((tmp_path / "kept" / "late-0.3--s3000" / "episode.json").read_text())
