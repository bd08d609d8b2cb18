"""Builds `session.update` in both shapes, and reads back what the server made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from streams.audio import AudioFormat, Encoding
from streams.endpoints.openai_realtime.dialect import Dialect, RealtimeOptions, Shape
from streams.endpoints.pieces import FieldError, Fields
from streams.endpoints.protocol import Tool, TurnMode

Json = dict[str, object]

_PCM_DEFAULT_RATE = 24000


def session(dialect: Dialect, options: RealtimeOptions) -> Json:
    """The `session` object of `session.update`."""
    made = _beta_session(dialect, options) if dialect.shape is Shape.BETA else _ga_session(dialect, options)
    if dialect.model_in_session and options.model:
        made["model"] = options.model
    return made | dict(dialect.session)


def _ga_session(dialect: Dialect, options: RealtimeOptions) -> Json:
    turns: Json = {"turn_detection": _turn_detection(dialect, options)}
    voice = _given(voice=options.voice)
    heard: Json = {"format": _ga_format(dialect, options.input or dialect.input)}
    spoken: Json = {"format": _ga_format(dialect, options.output or dialect.output)}
    top: Json = {}
    if dialect.turns_on_top:
        top |= turns | voice
    else:
        top |= {"type": "realtime", "output_modalities": ["audio"]}
        heard |= turns
        spoken |= voice
    heard |= _given(transcription=_transcription(dialect, options))
    return top | {"audio": {"input": heard, "output": spoken}} | _words(dialect, options)


def _beta_session(dialect: Dialect, options: RealtimeOptions) -> Json:
    heard, spoken = options.input or dialect.input, options.output or dialect.output
    asked: Json = {
        "modalities": ["text", "audio"],
        "input_audio_format": dialect.beta_name(heard, output=False),
        "output_audio_format": dialect.beta_name(spoken, output=True),
        "turn_detection": _turn_detection(dialect, options),
    }
    if dialect.rate_field:
        asked[dialect.rate_field] = heard.rate
    asked |= _given(voice=options.voice, input_audio_transcription=_transcription(dialect, options))
    return asked | _words(dialect, options)


def _words(dialect: Dialect, options: RealtimeOptions) -> Json:
    tools = [_tool(dialect, each) for each in options.tools]
    return _given(instructions=options.instructions, tools=tools or None)


def functions(tools: Sequence[Tool]) -> list[Json]:
    """Tools in the GA shape."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        }
        for tool in tools
    ]


def _tool(dialect: Dialect, tool: Mapping[str, object]) -> Json:
    if not dialect.nested_tools:
        return dict(tool)
    return {"type": "function", "function": {name: each for name, each in tool.items() if name != "type"}}


def _turn_detection(dialect: Dialect, options: RealtimeOptions) -> Json | None:
    if options.turns is TurnMode.MANUAL:
        return {"type": dialect.manual} if dialect.manual else None
    semantic = options.turns is TurnMode.SEMANTIC_VAD
    detection: Json = {"type": dialect.semantic_vad if semantic else "server_vad"}
    if dialect.vad_flags:
        detection |= {"create_response": True, "interrupt_response": True}
    return detection


def _transcription(dialect: Dialect, options: RealtimeOptions) -> Json | None:
    model = dialect.transcription if options.transcription is None else options.transcription
    return _given(model=model or None, language=options.language) or None


def _ga_format(dialect: Dialect, audio: AudioFormat) -> Json:
    name: Json = {"type": dialect.encodings[audio.encoding]}
    return name | {"rate": audio.rate} if audio.encoding is Encoding.PCM16 else name


def _given(**values: object) -> Json:
    return {name: value for name, value in values.items() if value is not None}


def settled(
    dialect: Dialect, session: Fields, *, asked: tuple[AudioFormat, AudioFormat]
) -> tuple[AudioFormat, AudioFormat]:
    """Input and output format of a `session.updated`, in either shape; what it leaves open is as asked.

    Raises:
        FieldError: A format is not known. There is no default: a guess would change every time and pitch.
    """
    audio = session.child("audio")
    nested = audio.child("input").raw("format"), audio.child("output").raw("format")
    flat = session.raw("input_audio_format"), session.raw("output_audio_format")
    heard, spoken = (
        _read_format(dialect, deep if deep is not None else plain, was, output=output)
        for deep, plain, was, output in zip(nested, flat, asked, (False, True), strict=True)
    )
    return heard, spoken


def _read_format(dialect: Dialect, spec: object, asked: AudioFormat, *, output: bool) -> AudioFormat:
    if spec is None:
        return asked
    if not isinstance(spec, str | dict):
        raise FieldError(f"audio format {spec!r:.80}")
    if isinstance(spec, dict):
        encoding = next(
            (each for each, name in dialect.encodings.items() if name == spec.get("type")), None
        )
        spec = spec if encoding is None else {**spec, "type": encoding.value}
    elif dialect.shape is Shape.BETA:
        if spec == dialect.beta_name(asked, output=output):
            return asked  # an echo; on servers of one's own the name may stand for another rate
        known = dialect.beta_format(spec, output=output)
        if known is not None:
            return known
    rate = asked.rate if asked.encoding is Encoding.PCM16 else _PCM_DEFAULT_RATE
    try:
        return AudioFormat.parse(spec, default_rate=rate)
    except ValueError as exc:
        raise FieldError(f"audio format {spec!r:.80}: {exc}") from None
