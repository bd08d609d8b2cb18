"""`viva mic` and `viva mic-report` as a user meets them: bad input, devices, keys, and the report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from agent.cli.mic import sound as mic
from agent.cli.mic.keys import press
from agent.cli.mic.screen import agenda, meter
from agent.person import Person
from recordings.format import Outcome
from streams import clock
from streams.devices.checkup import check_up
from streams.devices.choose import Listed, choose
from streams.devices.fake import FakeDevice
from streams.devices.interfaces import DeviceError
from streams.endpoints.fake import FakeEndpoint
from streams.speech.energy import EnergyDetector
from tests.agent.calls import hold as simulated
from tests.agent.calls import scripted
from tests.agent.cli_calls import Viva
from tests.agent.person_calls import hold
from tests.agent.test_person_calls import replies
from tests.streams.devices.sounds import bursts
from user_sim.person import Mode


def test_without_an_address_nothing_is_called(viva: Viva) -> None:
    done = viva("mic")
    assert done.code == 2 and "Missing argument 'ENDPOINT'" in done.err


def test_without_portaudio_it_says_how_to_get_it(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    for arguments in (("--list-devices",), ("--check",), ("fake://",)):
        done = viva("mic", *arguments)
        assert done.code == 3 and "pip install 'vivavoce[mic]'" in done.err


def test_an_unknown_scenario_is_bad_input(viva: Viva) -> None:
    done = viva("mic", "fake://", "--scenario", "nowhere")
    assert done.code == 2 and "nowhere" in done.err


def test_a_mode_that_goes_by_a_scenario_needs_one(viva: Viva) -> None:
    for mode in ("guided", "co-pilot"):
        done = viva("mic", "fake://", "--mode", mode)
        assert done.code == 2 and f"--mode {mode} goes by a scenario: name one with --scenario" in done.err


def test_a_scenario_with_a_user_of_a_language_model_needs_one(viva: Viva) -> None:
    (viva.folder / "learn.yaml").write_text("id: learn\ntitle: Learn\npolicy: llm\naim: Learn something.\n")
    done = viva("mic", "fake://", "--scenario", "learn.yaml")
    assert done.code == 2 and "needs one. Add --llm" in done.err


def test_devices_are_listed(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Listed(0, "USB Headset", "ALSA", 1, 2, 48000, ("input", "output"))
    monkeypatch.setattr("streams.devices.portaudio.listed", lambda: [both])
    done = viva("mic", "--list-devices")
    assert done.out == "USB Headset  [input/output, 48000 Hz, ALSA]  (default input and output)\n"
    assert viva("mic", "--list-devices", "--json").json["devices"][0]["name"] == "USB Headset"


def checked(device: FakeDevice, viva: Viva, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(mic.Sound, "open", lambda _: device)
    monkeypatch.setattr(mic, "run_loop", lambda main: clock.run(main, simulate=True))
    return viva("mic", "--check", "--json")


def test_a_check_finds_the_round_trip_and_asks_for_headphones(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = FakeDevice(echo=(0.05, 0.1), air=bursts((0.0, 30.0), peak=0.0005))
    done = checked(device, viva, monkeypatch)
    assert done.code == 1
    [problem] = done.json["problems"]
    assert problem == "the microphone hears the ear at -20 dB: wear headphones"
    # 60 ms wait to be played, a block of 10 ms is on its way, 50 ms of air, about 14 ms of capture
    assert done.json["round_trip_s"] == pytest.approx(0.13, abs=0.015)
    assert done.json["spread_s"] < 0.001


def test_a_muted_microphone_is_a_problem_and_has_no_level(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = checked(FakeDevice(), viva, monkeypatch)
    assert done.code == 1 and done.json["noise_dbfs"] is None and done.json["round_trip_s"] is None
    assert "muted" in done.json["problems"][0]


def test_an_offset_of_the_microphone_is_a_problem_and_no_noise_of_the_room(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:  # D16
    # a tone of 0.01 on 0.02: its RMS is 0.01 / sqrt(2), -43 dBFS; that of both together would be -33.5
    hum = bursts((0.0, 30.0), peak=0.01)
    done = checked(FakeDevice(air=lambda times: 0.02 + hum(times)), viva, monkeypatch)
    assert done.code == 1
    assert done.json["problems"] == [
        "the microphone has an offset of +2.0 % of full scale: try another input"
    ]
    assert done.json["offset"] == pytest.approx(0.02, abs=1e-4)
    assert done.json["noise_dbfs"] == pytest.approx(-43.0, abs=0.1)
    assert done.json["peak_dbfs"] == pytest.approx(-30.5, abs=0.1)  # 0.03: the tone on the offset


def test_a_microphone_at_full_scale_is_a_problem(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    done = checked(FakeDevice(air=bursts((0.0, 30.0), peak=1.2)), viva, monkeypatch)
    assert (done.code, done.json["problems"]) == (1, ["the microphone is at full scale: turn it down"])


def test_what_a_checkup_needs_is_a_device(tmp_path: Path) -> None:
    gone = FakeDevice(unplugged_at=30)
    with pytest.raises(DeviceError, match="unplugged"):
        clock.run(check_up(gone), simulate=True)


def test_a_key_does_one_deed_and_keys_before_the_call_do_nothing() -> None:
    person = Person(FakeDevice(), EnergyDetector(), push_to_talk=True)
    assert press(person, " ") == "talking" and person.talking
    assert press(person, " ") == "muted" and not person.talking
    assert press(person, "n") == "left out" and press(person, "q") == "hanging up"
    assert press(person, "x") == ""


def test_meters_show_levels_from_60_db_below_full_scale() -> None:
    # 12 cells for 60 dB: half of full scale is 6 dB below it, 1.2 cells less than all
    assert meter(0) == "." * 12 and meter(32768) == "#" * 12 and meter(16384) == "#" * 11 + "."


def test_the_agenda_holds_turns_in_order() -> None:
    assert agenda(scripted(turns=2)) == ["question 0", "question 1"]


def test_people_and_the_simulated_user_are_compared_on_what_both_called_with(
    viva: Viva, tmp_path: Path
) -> None:
    scenario = scripted(turns=2)
    person = hold(
        tmp_path / "person",
        FakeDevice(air=bursts((2.0, 2.6), (6.0, 6.6))),
        FakeEndpoint(replies(2)),
        ["question zero", "question one"],
        ["a", "b"],
        scenario=scenario,
        mode=Mode.GUIDED,
        hang_up_s=None,
    )
    machine = simulated(tmp_path / "machine", FakeEndpoint(replies(2)), scenario)
    assert {person.info.outcome, machine.info.outcome} == {Outcome.COMPLETED}
    found = viva("mic-report", str(tmp_path / "person"), str(tmp_path / "machine"), "--json").json
    assert found["scenarios"] == ["call"]
    turn = found["traits"]["turn_s"]
    # bursts of 0.6 s on both sides
    assert turn["people"]["mean"] == pytest.approx(0.6, abs=0.002) and turn["people"]["n"] == 2
    assert turn["simulated"]["mean"] == pytest.approx(0.6, abs=0.001)
    assert found["verdicts"]["agreement"] is None
    shown = viva("mic-report", str(tmp_path))
    assert shown.code == 0 and "length of a turn, s" in shown.out


def test_calls_of_one_kind_alone_are_nothing_to_compare(viva: Viva, tmp_path: Path) -> None:
    hold(tmp_path, FakeDevice(), FakeEndpoint(), scenario=scripted(), mode=Mode.GUIDED, hang_up_s=3.0)
    done = viva("mic-report", str(tmp_path))
    assert done.code == 2 and "no scenario of both" in done.err


def test_a_device_that_is_not_there_is_bad_input(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Listed(0, "USB Headset", "ALSA", 1, 2, 48000, ("input", "output"))
    monkeypatch.setattr(mic.Sound, "open", lambda sound: choose([both], sound.input, "input"))
    done = viva("mic", "--check", "--input", "scarlett")
    assert done.code == 2 and "there are: 'USB Headset'" in done.err


TAKES_OVER = ("--mqtt", "mqtt://127.0.0.1:1/viva", "--mqtt-allow", "pause,take-over")


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ((), "Add --mqtt mqtt://BROKER/PREFIX and --mqtt-allow take_over, or leave --mic-input out"),
        (TAKES_OVER[2:], "Add --mqtt mqtt://BROKER/PREFIX and --mqtt-allow take_over"),
        (TAKES_OVER[:2], "in this run. Add --mqtt-allow take_over"),
        ((*TAKES_OVER, "--simulated"), "Leave --simulated out"),
        ((*TAKES_OVER, "--on", "ray"), "Leave --on out"),
        ((*TAKES_OVER, "--workers", "1"), "Add --workers 0"),
    ],
)
def test_a_microphone_by_which_nobody_could_take_over_is_bad_input(
    viva: Viva, options: tuple[str, ...], remedy: str
) -> None:
    done = viva.run("fake://", "--mic-input", "USB", *options)
    assert done.code == 2 and remedy in done.err
    assert not (viva.folder / "run").exists()


def test_viva_toml_may_name_a_microphone_whatever_is_run(viva: Viva) -> None:
    (viva.folder / "viva.toml").write_text('[run]\nmic_input = "USB"\n')
    assert viva.simulated("fake://", "--dry-run").code == 0


def test_a_microphone_for_taking_over_that_is_not_there_is_bad_input_before_any_call(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Listed(0, "USB Headset", "ALSA", 1, 2, 48000, ("input", "output"))
    monkeypatch.setattr(mic.Sound, "open", lambda sound: choose([both], sound.input, "input"))
    done = viva.run("fake://", *TAKES_OVER, "--mic-input", "scarlett")
    assert done.code == 2 and "no input device is called so; there are: 'USB Headset'" in done.err
    assert not (viva.folder / "run").exists()
