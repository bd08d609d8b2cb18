"""What room and line do to the user's voice: noise, echo, codec, loss. The same for every endpoint."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, field_validator, model_validator

from scenarios.basics import Strict, Text

SOUND_FILES = (".wav", ".flac")
"""Endings of the recordings that a scenario may name."""

MIN_ECHO_MS = 50
"""The line gets to know what the user hears two frames later; its resampler needs a few milliseconds."""


class Bed(StrEnum):
    """Noises that vivavoce makes itself."""

    PINK = "pink"
    BABBLE = "babble"  # at least six synthetic voices at once
    HUM = "hum"  # mains, 50 Hz and its harmonics
    KEYBOARD = "keyboard"
    CAFE = "cafe"  # babble, crockery and pink noise in a room


class Noise(Strict):
    """A noise that goes on for the whole call, at one level.

    Attributes:
        bed: One of `Bed`, or a mono WAV or FLAC file of any rate, relative to the scenario's file.
        snr_db: Level of the user's neutral speech (-26 dBov, active speech level) over the noise (RMS).
    """

    bed: str
    snr_db: float = Field(ge=-10, le=60)

    @field_validator("bed")
    @classmethod
    def _is_known(cls, bed: str) -> str:
        if bed not in set(Bed) and not bed.lower().endswith(SOUND_FILES):
            raise ValueError(f"{bed!r} needs {', '.join(Bed)}, or the path of a WAV or FLAC file")
        return bed

    @property
    def file(self) -> str | None:
        """The path, if the bed is a recording."""
        return None if self.bed in set(Bed) else self.bed


class SecondSpeaker(Strict):
    """Somebody else who talks in the same room, for the whole call.

    Attributes:
        snr_db: Level of the user's neutral speech over the other's, both as active speech level.
        lines: What the other says, over and over; empty takes small talk.
    """

    snr_db: float = Field(ge=-10, le=60)
    lines: tuple[Text, ...] = ()


class Reverberation(Strict):
    """A rectangular room around the user.

    Attributes:
        rt60_s: Seconds in which a sound decays by 60 dB.
        distance_m: From the mouth to the microphone. The direct sound keeps its level; what the room adds
            grows with the distance.
    """

    rt60_s: float = Field(ge=0.15, le=2.0)
    distance_m: float = Field(default=1.0, ge=0.1, le=3.0)


class Echo(Strict):
    """The endpoint's own voice comes back to it.

    Attributes:
        delay_ms: From the user's ear to the wire.
        gain_db: Level of the echo against what the user hears.
    """

    delay_ms: float = Field(le=2000)
    gain_db: float = Field(default=-20.0, ge=-60, le=0)

    @field_validator("delay_ms")
    @classmethod
    def _can_be_made(cls, delay: float) -> float:
        if delay < MIN_ECHO_MS:
            raise ValueError(f"the number {delay:g} needs a delay of {MIN_ECHO_MS} to 2000 ms")
        return delay


class Codec(StrEnum):
    """Through what the voice goes on its way, whatever the wire's own format."""

    NONE = "none"
    G711_ULAW = "g711_ulaw"
    G711_ALAW = "g711_alaw"
    NARROWBAND = "narrowband"  # the band of a telephone, 16 bits


class LossModel(StrEnum):
    """Which frames are lost."""

    INDEPENDENT = "independent"
    GILBERT_ELLIOTT = "gilbert_elliott"


class Concealment(StrEnum):
    """What stands in the place of a lost frame."""

    NONE = "none"  # silence
    REPEAT = "repeat"  # the last frame that came, fading out over 60 ms (as ITU-T G.711 Appendix I fades)


class PacketLoss(Strict):
    """20 ms frames that get lost.

    Attributes:
        rate: Share of the frames, 0 to 1.
        burst_frames: Mean number of frames lost in a row, for `gilbert_elliott`.
    """

    rate: float
    model: LossModel = LossModel.INDEPENDENT
    burst_frames: float | None = Field(default=None, ge=1, le=500)
    concealment: Concealment = Concealment.NONE

    @field_validator("rate")
    @classmethod
    def _is_a_share(cls, rate: float) -> float:
        if not 0 <= rate <= 1:
            raise ValueError(f"the number {rate:g} needs a share from 0 to 1 (0.05 is five per cent)")
        return rate

    @model_validator(mode="after")
    def _is_possible(self) -> PacketLoss:
        if self.model is LossModel.INDEPENDENT:
            if self.burst_frames is not None:
                raise ValueError("burst_frames with independent losses needs model: gilbert_elliott")
            return self
        if self.burst_frames is None:
            raise ValueError("model gilbert_elliott needs burst_frames, the mean length of a burst")
        most = self.burst_frames / (self.burst_frames + 1)
        if self.rate > most:
            raise ValueError(
                f"a rate of {self.rate:g} in bursts of {self.burst_frames:g} frames needs a rate of at most"
                f" {most:.3f}, or longer bursts: between two bursts at least one frame arrives"
            )
        return self


class Jitter(Strict):
    """Frames that come late, never out of order and never twice; in steps of 20 ms.

    Attributes:
        mean_ms: Mean of the exponentially distributed delay, before it is cut at `max_ms`.
        max_ms: A frame waits so long at most, unless the one before it comes later.
    """

    mean_ms: float = Field(gt=0, le=1000)
    max_ms: float = Field(default=200.0, ge=20, le=2000)

    @model_validator(mode="after")
    def _mean_is_below_the_most(self) -> Jitter:
        if self.mean_ms > self.max_ms:
            raise ValueError(
                f"a mean_ms of {self.mean_ms:g} needs a max_ms that is not below it, not {self.max_ms:g}"
            )
        return self


class Conditions(Strict):
    """Room and line, from the user's mouth to the wire, in the order in which they are applied.

    Attributes:
        gain_db: Of everything together: speech, noise, echo.
        clipping_dbfs: Samples are cut off at this level; an overdriven input is a high gain with 0 here.
    """

    reverberation: Reverberation | None = None
    second_speaker: SecondSpeaker | None = None
    noise: tuple[Noise, ...] = ()
    echo: Echo | None = None
    gain_db: float = Field(default=0.0, ge=-60, le=60)
    clipping_dbfs: float | None = Field(default=None, ge=-60, le=0)
    codec: Codec = Codec.NONE
    packet_loss: PacketLoss | None = None
    jitter: Jitter | None = None

    @property
    def clean(self) -> bool:
        """True if the voice reaches the wire as it is."""
        return self == Conditions()

    @property
    def snrs(self) -> dict[tuple[str | int, ...], float]:
        """Every level that is set against the user's speech, by its place below the conditions."""
        levels: dict[tuple[str | int, ...], float] = {
            ("noise", i, "snr_db"): noise.snr_db for i, noise in enumerate(self.noise)
        }
        if self.second_speaker is not None:
            levels["second_speaker", "snr_db"] = self.second_speaker.snr_db
        return levels
