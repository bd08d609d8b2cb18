"""Events of what lies between a person or a voice and the wire: devices, and conditions of the line."""

from __future__ import annotations

from typing import Any, Literal

from recordings.format.record import EventRecord


class DeviceOpened(EventRecord):
    """A person speaks from now on: by what they speak and listen. Times in seconds.

    What the person says is on the user's track `capture_delay_s` (and the device's `input_latency_s`) after
    they have said it; what stands on the endpoint's track is in their ear `playback_delay_s` (and
    `output_latency_s`) later.

    Attributes:
        device: Its name.
        mode: "free", "guided" or "co-pilot".
        input_rate: Samples per second of what it captures.
        output_rate: The same of what it plays.
        input_latency_s: As the device says; 0.0 if it does not.
        output_latency_s: Likewise.
    """

    kind: Literal["device_opened"] = "device_opened"
    device: str
    mode: str
    input_rate: int
    output_rate: int
    capture_delay_s: float
    playback_delay_s: float
    input_latency_s: float = 0.0
    output_latency_s: float = 0.0


class DeviceTrouble(EventRecord):
    """A sound device did something to the sound.

    Attributes:
        fault: "overrun" (captured samples are lost), "late" (they came late: the track lags by more from
            here on), "shift" (the device's time jumped), "underrun" or "dropped" (the person did not hear
            some of it).
        seconds: How much; 0.0 if unknown, negative if it was skipped.
    """

    kind: Literal["device_trouble"] = "device_trouble"
    fault: str
    seconds: float


class DeviceReport(EventRecord):
    """What a sound device was like; written when the person speaks no more.

    Attributes:
        input_drift_ppm: By how much its clock was faster than ours; the track is mended by it.
        output_drift_ppm: The same of what it played.
        clipped: Captured samples at full scale.
        offset: Mean of the captured samples, of full scale.
        echo_delay_s: The endpoint was heard in the microphone, so much later; None if it was not.
        echo_gain_db: Its level there, against what was played.
        echo_correlation: How sure that is, 0 to 1.
    """

    kind: Literal["device_report"] = "device_report"
    input_drift_ppm: float
    output_drift_ppm: float
    clipped: int = 0
    offset: float = 0.0
    echo_delay_s: float | None = None
    echo_gain_db: float | None = None
    echo_correlation: float | None = None


class LineCondition(EventRecord):
    """What the line and the room do to the user's voice in this call; written at its start.

    Attributes:
        settings: Every parameter as it is applied: beds, levels in dBov, seeds, codec, loss model.
        delay_samples: By how much the wire lags behind the clean track, in samples of the user's track.
    """

    kind: Literal["line_condition"] = "line_condition"
    settings: dict[str, Any]
    delay_samples: int = 0


class LineReport(EventRecord):
    """What the line did, over the whole call; written at its end.

    Attributes:
        values: Frames sent, lost, concealed, delayed; clipped samples; levels and SNR per utterance in dB.
    """

    kind: Literal["line_report"] = "line_report"
    values: dict[str, Any]
