from __future__ import annotations

import pytest

from streams.devices.choose import Listed, choose
from streams.devices.interfaces import DeviceMissing

DEVICES = [
    Listed(0, "HDA Intel: ALC295 (hw:0,0)", "ALSA", 2, 2, 48000),
    Listed(1, "USB Headset: Audio (hw:1,0)", "ALSA", 1, 2, 48000),
    Listed(2, "USB Headset", "ALSA", 1, 2, 44100),
    Listed(3, "HDMI", "ALSA", 0, 8, 48000),
    Listed(4, "pulse", "ALSA", 32, 32, 44100, default=("input", "output")),
]


def test_a_device_is_known_by_a_part_of_its_name() -> None:
    assert choose(DEVICES, "alc295", "input").index == 0
    assert choose(DEVICES, "hdmi", "output").index == 3


def test_the_whole_name_decides_between_several() -> None:
    assert choose(DEVICES, "usb headset", "input").index == 2


def test_without_a_name_the_systems_choice_is_taken() -> None:
    assert choose(DEVICES, "", "input").index == 4


@pytest.mark.parametrize(
    ("wanted", "side", "sentence"),
    [
        ("usb", "input", r"several input devices fit: 'USB Headset: Audio \(hw:1,0\)', 'USB Headset'"),
        ("hdmi", "input", "no input device is called so; there are: 'HDA Intel"),
        ("scarlett", "output", "no output device is called so"),
    ],
)
def test_a_name_that_fits_none_or_several_is_answered_with_what_there_is(
    wanted: str, side: str, sentence: str
) -> None:
    with pytest.raises(DeviceMissing, match=sentence):
        choose(DEVICES, wanted, side)


def test_a_machine_without_devices_says_so() -> None:
    with pytest.raises(DeviceMissing, match="there is no input device"):
        choose(DEVICES[3:4], "", "input")
