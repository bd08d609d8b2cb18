"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[
    bool, typer.Option("--json", help="One JSON object on standard output; all else on standard error.")
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder of the run (default: recordings/episodes/NAME-DATE).", show_default=False),
]
VoiceOption = Annotated[
    str, typer.Option(help="The user's voice, e.g. piper, openai:tts-1@alloy.", envvar="VIVA_VOICE")
]
RecogniserOption = Annotated[
    str,
    typer.Option(
        help="What the user hears with, e.g. whisper:base, whisper:tiny, none.", envvar="VIVA_RECOGNISER"
    ),
]
DetectorOption = Annotated[
    str, typer.Option(help="Speech activity: silero or energy.", envvar="VIVA_DETECTOR")
]
TurnDetectorOption = Annotated[
    str,
    typer.Option(help="End of turn: smart-turn, or none for silence alone.", envvar="VIVA_TURN_DETECTOR"),
]
LlmOption = Annotated[
    str,
    typer.Option(
        help="Language model of an LLM user, e.g. http://127.0.0.1:8095/v1#NAME.", envvar="VIVA_LLM"
    ),
]
MaxLateness = Annotated[
    float, typer.Option(help="A 20 ms tick later than this (ms) makes an episode void.", min=20)
]
