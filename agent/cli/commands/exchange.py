"""Commands that take recordings in from elsewhere, and give them out to other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.options import Json, Out, RecogniserOption

app = typer.Typer()


Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Stereo recordings, folders of them, runs of tau2-bench or pipecat, a CSV of answers.",
        show_default=False,
    ),
]
Stereo = Annotated[Path | None, typer.Option(help="A call in one file: the user left, the endpoint right.")]
# names of their own: `endpoint` in viva.toml is the address of one, and no file
UserFile = Annotated[Path | None, typer.Option("--user", help="The user's side of a call.")]
EndpointFile = Annotated[Path | None, typer.Option("--endpoint", help="The endpoint's side of it.")]
Offset = Annotated[
    float, typer.Option(help="Seconds from the user's first sample to the endpoint's first.")
]
Transcript = Annotated[
    Path | None,
    typer.Option(help="Who said what when: JSON, JSONL, RTTM, WebVTT, Audacity labels, TextGrid."),
]
Speaker = Annotated[str, typer.Option(help="The name of this side in transcripts.")]
OwnWords = Annotated[
    bool, typer.Option("--own-words", help="Transcripts hold the endpoint's own text, not what was heard.")
]
Speech = Annotated[
    str,
    typer.Option(
        help="Tells the user's speech from other sound: silero or energy; none takes all for speech.",
        envvar="VIVA_DETECTOR",
    ),
]


@app.command("import", epilog="Example:  viva import --user U.wav --endpoint E.wav --out DIR --json")
def import_(
    paths: Paths = None,
    stereo: Stereo = None,
    user_file: UserFile = None,
    endpoint_file: EndpointFile = None,
    offset: Offset = 0.0,
    swapped: Annotated[bool, typer.Option("--swapped", help="The user is on the right.")] = False,
    transcript: Transcript = None,
    user_speaker: Speaker = "",
    endpoint_speaker: Speaker = "",
    own_words: OwnWords = False,
    scenario: Annotated[str, typer.Option(help="What was asked: a shipped scenario or a file.")] = "",
    name: Annotated[str, typer.Option(help="The endpoint's name in tables.")] = "",
    language: Annotated[str, typer.Option(help="Language of calls without a scenario.")] = "en",
    recogniser: RecogniserOption = "default",
    detector: Speech = "default",
    out: Out = None,
    json: Json = False,
) -> None:
    """Make episodes of calls that were recorded elsewhere, and score them."""
    from agent.cli.exchange.imported import ImportRequest
    from agent.cli.exchange.imported import import_ as command

    request = ImportRequest(
        paths=tuple(paths or ()),
        stereo=stereo,
        user=user_file,
        endpoint=endpoint_file,
        transcript=transcript,
        offset_s=offset,
        scenario=scenario,
        name=name,
        user_speaker=user_speaker,
        endpoint_speaker=endpoint_speaker,
        own_words=own_words,
        swapped=swapped,
        language=language,
        recogniser=recogniser,
        detector=detector,
        out=out,
        json=json,
    )
    exits.leave(command(request))


@app.command(epilog="Example:  viva export recordings/episodes/RUN --to textgrid --out praat")
def export(
    paths: Annotated[list[Path], typer.Argument(help="Episodes, runs, or folders of runs.")],
    to: Annotated[
        str,
        typer.Option(
            help="wav, flac, opus: both sides in stereo; audacity, textgrid, rttm, elan, webvtt: who says "
            "what when; jsonl, parquet: a row a turn; hf: a folder of clips; episode: packed as FLAC."
        ),
    ],
    out: Annotated[Path, typer.Option(help="A file for one episode or a table; else a folder.")],
    json: Json = False,
) -> None:
    """Write recorded calls in the formats of other programs."""
    from agent.cli.exchange.export import export as command

    exits.leave(command(paths, to, out, json))
