"""One server's variety of OpenAI Realtime as a value: all that differs, and nothing that decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from streams.audio import AudioFormat, Encoding
from streams.endpoints.events import TextMode, UsageUnit
from streams.endpoints.protocol import Pace, PlaybackReport, TurnMode


class Shape(StrEnum):
    """How `session.update` is laid out."""

    GA = "ga"  # nested: session.audio.input.format
    BETA = "beta"  # flat: session.input_audio_format


class Evidence(StrEnum):
    """Where the facts of a dialect come from."""

    RUN = "run"  # a server of it was called
    DOCUMENTED = "documented, not run"  # read in its documentation or its client


def _format(value: object) -> object:
    """A format as files write it, `pcm_16000` or `g711_ulaw`; values of ours stay."""
    return AudioFormat.parse(value) if isinstance(value, str | dict) else value


def _name(audio: AudioFormat) -> str:
    return f"{audio.encoding.removesuffix('16')}_{audio.rate}"


Format = Annotated[AudioFormat, BeforeValidator(_format), PlainSerializer(_name)]
"""In files a format is a name that `AudioFormat.parse` knows: `pcm_16000`, `mulaw_8000`."""

PCM_8K = AudioFormat(8000)
PCM_16K = AudioFormat(16000)
PCM_24K = AudioFormat(24000)
MULAW = AudioFormat(8000, Encoding.MULAW)
ALAW = AudioFormat(8000, Encoding.ALAW)

BETA_NAMES: Mapping[str, AudioFormat] = {"pcm16": PCM_24K, "g711_ulaw": MULAW, "g711_alaw": ALAW}
"""What OpenAI's beta calls its formats."""

GA_NAMES: Mapping[Encoding, str] = {
    Encoding.PCM16: "audio/pcm",
    Encoding.MULAW: "audio/pcmu",
    Encoding.ALAW: "audio/pcma",
}
"""What OpenAI calls encodings today."""


class Dialect(BaseModel):
    """What differs between servers. A dialect file has the same fields.

    Attributes:
        name: As in `dialect=NAME`.
        source: Where the facts were read, and what could not be found.
        evidence: Whether a server of it was ever called.
        scheme: The protocol of its addresses, `SCHEME://MODEL` and `SCHEME+ws://HOST:PORT/PATH`.
        url: The vendor's own address with `{model}` and `{resource}` to fill in; empty if it has none.
        query: Parameters that every address of one's own needs; those in the address come first.
        key_env: Environment variable that holds the key; empty if no key is needed.
        key_header: Name of the header that carries the key.
        key_value: That header's value, with `{key}` to fill in.
        headers: Sent with every handshake.
        subprotocols: Offered in the handshake.
        shape: How `session.update` is laid out.
        session: Further fields of `session.update`.
        model_in_session: The model is named in `session.update`, not in the address.
        turns_on_top: `voice` and `turn_detection` stand at the top of a GA session.
        nested_tools: A tool is `{"type": "function", "function": {...}}`.
        input: Audio that we send unless the address says otherwise.
        output: Audio that we ask for unless the address says otherwise.
        rates: Rates of PCM that the vendor's server takes and gives; empty is any.
        encodings: GA names of the encodings that there are.
        input_names: Beta names of the formats that we may send.
        output_names: Beta names of the formats that we may ask for.
        rate_field: Where a beta session names the rate of its input; the name of the format then does not.
        pace: How fast audio is delivered, where it is known.
        turn_modes: What the server offers.
        semantic_vad: The name of semantic turn detection.
        manual: The name of turn detection by the client; empty sends null.
        vad_flags: Turn detection takes `create_response` and `interrupt_response`.
        transcription: Model for the transcript of the user; empty leaves it to the server.
        user_text: How that transcript comes before it is final: in pieces, whole each time, or not at all.
        playback: How the server learns what was heard: `conversation.item.truncate` and `.delete`, or
            `playback.ack`, or not.
        events: Server events of other names, and which of ours they are.
        silent: Server events that tell nothing new; the raw traffic has them.
        pongs: Server events that want an answer, and the type of that answer.
        closing: Type of the message that says goodbye; empty if there is none.
        usage_unit: What the server counts; nothing if it does not count.
        max_session_s: Longest session; nothing if there is no limit or it is not known.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    source: str = ""
    evidence: Evidence = Evidence.DOCUMENTED
    scheme: str = ""
    url: str = ""
    query: Mapping[str, str] = {}
    key_env: str = ""
    key_header: str = "Authorization"
    key_value: str = "Bearer {key}"
    headers: Mapping[str, str] = {}
    subprotocols: tuple[str, ...] = ()
    shape: Shape
    session: Mapping[str, Any] = {}
    model_in_session: bool = False
    turns_on_top: bool = False
    nested_tools: bool = False
    input: Format = PCM_24K
    output: Format = PCM_24K
    rates: tuple[int, ...] = ()
    encodings: Mapping[Encoding, str] = GA_NAMES
    input_names: Mapping[str, Format] = BETA_NAMES
    output_names: Mapping[str, Format] = BETA_NAMES
    rate_field: str = ""
    pace: Pace = Pace.BURST
    turn_modes: frozenset[TurnMode] = frozenset(TurnMode)
    semantic_vad: str = "semantic_vad"
    manual: str = ""
    vad_flags: bool = True
    transcription: str = ""
    user_text: TextMode = TextMode.DELTA
    playback: PlaybackReport = PlaybackReport.TRUNCATE
    events: Mapping[str, str] = {}
    silent: frozenset[str] = frozenset()
    pongs: Mapping[str, str] = {}
    closing: str = ""
    usage_unit: UsageUnit | None = UsageUnit.TOKENS
    max_session_s: float | None = Field(default=None, gt=0)

    def key_headers(self, key: str) -> dict[str, str]:
        """The handshake's headers with this key; an empty key sends none."""
        if not key:
            return dict(self.headers)
        return {**self.headers, self.key_header: self.key_value.replace("{key}", key)}

    def offered(self, *, output: bool) -> frozenset[Encoding]:
        """The encodings of one direction."""
        if self.shape is Shape.GA:
            return frozenset(self.encodings)
        return frozenset(each.encoding for each in self._names(output).values())

    def offered_rates(self, *, output: bool) -> frozenset[int]:
        """The rates of PCM of one direction, where the server has no others; empty is any."""
        if self.shape is Shape.GA or self.rates:
            return frozenset(self.rates)
        formats = self._names(output).values()
        return frozenset(each.rate for each in formats if each.encoding is Encoding.PCM16)

    def beta_name(self, audio: AudioFormat, *, output: bool) -> str:
        """What a beta session calls a format; a rate without a name of its own has that of its encoding."""
        names = self._names(output)
        same = [name for name, each in names.items() if each.encoding is audio.encoding]
        return next((name for name in same if names[name] == audio), same[0])

    def beta_format(self, name: str, *, output: bool) -> AudioFormat | None:
        """What a beta session means by a name; None if it is not in the table."""
        return self._names(output).get(name)

    def _names(self, output: bool) -> Mapping[str, AudioFormat]:
        return self.output_names if output else self.input_names


@dataclass(frozen=True, slots=True, kw_only=True)
class RealtimeOptions:
    """What a session asks of the server; None leaves it to the server or to the dialect.

    Attributes:
        model: Its name, where the address has it.
        voice: The server's name of the voice.
        instructions: System prompt.
        turns: Who decides that the user's turn is over.
        transcription: Model for the transcript of the user; empty turns it off.
        language: Language hint for that transcript, as `en`.
        tools: Functions in the GA shape, `{"type": "function", "name": ..., "parameters": ...}`.
        input: Audio that we send.
        output: Audio that we ask for.
    """

    model: str = ""
    voice: str | None = None
    instructions: str | None = None
    turns: TurnMode = TurnMode.SERVER_VAD
    transcription: str | None = None
    language: str | None = None
    tools: tuple[Mapping[str, object], ...] = ()
    input: AudioFormat | None = None
    output: AudioFormat | None = None
