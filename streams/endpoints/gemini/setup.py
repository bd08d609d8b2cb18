"""The first message of a Gemini Live session: what is asked of the endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streams.endpoints.protocol import TurnMode

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiOptions:
    """What a session asks for; what is None is left to the server.

    Attributes:
        model: With or without `models/` in front.
        turns: `SERVER_VAD` is automatic activity detection; with `MANUAL` we mark the user's turns.
        resumption: Ask for handles, with which the session goes on over another connection.
        compression: Let the server forget the oldest turns; audio sessions end after 15 minutes without.
        tools: Functions as `{"name": ..., "description": ..., "parameters": JSON Schema}`.
    """

    model: str
    voice: str | None = None
    language: str | None = None
    instructions: str | None = None
    turns: TurnMode = TurnMode.SERVER_VAD
    resumption: bool = True
    compression: bool = False
    tools: Sequence[Mapping[str, object]] = ()


def setup(options: GeminiOptions, handle: str = "") -> Json:
    """The `setup` message; `handle` names the session that it takes up again."""
    name = options.model if "/" in options.model else f"models/{options.model}"
    speech: Json = {}
    if options.voice is not None:
        speech["voiceConfig"] = {"prebuiltVoiceConfig": {"voiceName": options.voice}}
    if options.language is not None:
        speech["languageCode"] = options.language
    generation: Json = {"responseModalities": ["AUDIO"]}
    if speech:
        generation["speechConfig"] = speech
    asked: Json = {
        "model": name,
        "generationConfig": generation,
        "inputAudioTranscription": {},
        "outputAudioTranscription": {},
    }
    if options.instructions is not None:
        asked["systemInstruction"] = {"parts": [{"text": options.instructions}]}
    if options.tools:
        asked["tools"] = [{"functionDeclarations": [_function(each) for each in options.tools]}]
    if options.turns is TurnMode.MANUAL:
        asked["realtimeInputConfig"] = {"automaticActivityDetection": {"disabled": True}}
    if options.resumption:
        asked["sessionResumption"] = {"handle": handle} if handle else {}
    if options.compression:
        asked["contextWindowCompression"] = {"slidingWindow": {}}
    return {"setup": asked}


def _function(tool: Mapping[str, object]) -> Json:
    return {name: each for name, each in tool.items() if name in ("name", "description", "parameters")}
