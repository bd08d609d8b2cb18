"""Commands that measure what was recorded, or written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.options import Json, RecogniserOption, VoiceOption

app = typer.Typer()


@app.command(epilog="Example:  viva score recordings/episodes/demo-20260101-120000 --json")
def score(
    paths: Annotated[list[Path], typer.Argument(help="Episodes, runs, or folders of runs.")],
    recogniser: RecogniserOption = "default",
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that transcribe and measure (default: one for each core).",
            min=1,
            show_default=False,
        ),
    ] = None,
    blueprints: Annotated[
        bool, typer.Option("--blueprints", help="Make the acoustic blueprint of every turn, too.")
    ] = False,
    on: Annotated[
        str,
        typer.Option(
            help="Do it on a Ray cluster: ray (of this machine), or ray://HEAD:10001 (docs/scale.md).",
            show_default=False,
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Measure recorded episodes again: any time, on any machine, with today's metrics."""
    from agent.cli.scores.score import ScoreRequest
    from agent.cli.scores.score import score as command

    exits.leave(command(ScoreRequest(tuple(paths), recogniser, workers, blueprints, on, json)))


@app.command(epilog="Example:  viva report recordings/episodes/demo-20260101-120000 --html report.html")
def report(
    paths: Annotated[list[Path], typer.Argument(help="Episodes, runs, or folders of runs.")],
    html: Annotated[
        Path | None, typer.Option(help="Write one self-contained HTML file, to look at and to listen to.")
    ] = None,
    audio: Annotated[
        str, typer.Option(help="Sound in it: flac (every sample), opus (smaller), or none.")
    ] = "flac",
    calls: Annotated[
        str,
        typer.Option(help="Episodes that can be listened to, ID,ID,...; all that are shown by default."),
    ] = "",
    folder: Annotated[
        bool, typer.Option("--folder", help="Sound in files beside the page, not inside: for long calls.")
    ] = False,
    json: Json = False,
) -> None:
    """Show scores: in the terminal, as JSON, or as one HTML file with timelines to listen to."""
    from agent.cli.scores.score import ReportRequest
    from agent.cli.scores.score import report as command

    if audio not in ("flac", "opus", "none"):
        raise typer.BadParameter(f"--audio {audio}: expected flac, opus or none")
    exits.leave(command(ReportRequest(tuple(paths), html, audio, calls, folder, json)))


@app.command(epilog="Example:  viva agreement people.csv judge.csv --json")
def agreement(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="CSV files with columns item,label (FILE#COLUMN takes another column), people's labels "
            "(JSONL), or episodes (EPISODE#JUDGE). The first is the reference."
        ),
    ],
    truth: Annotated[
        str, typer.Option(help="Compare two judges by what they get right of this source.")
    ] = "",
    labels: Annotated[str, typer.Option(help="The possible labels, e.g. 1,2,both_good,both_bad.")] = "",
    ordered: Annotated[
        str, typer.Option(help="The same from lowest to highest, e.g. poor,fair,good: weights differences.")
    ] = "",
    swapped: Annotated[
        bool,
        typer.Option("--swapped", help="The last source saw sides exchanged: turn its labels back, once."),
    ] = False,
    both_orders: Annotated[
        bool,
        typer.Option(
            "--both-orders", help="Two sources are one judge, the second with the sides exchanged."
        ),
    ] = False,
    probe: Annotated[
        str,
        typer.Option(
            help="Say what the verdicts of one source rest on (P1, P2 of TRACE) under a fusion, e.g. "
            "content-first: it has labels of content, paralinguistics and voice_quality."
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Say how far two label sources agree: people, judges, or a judge in both orders."""
    from agent.cli.judging.agreement import AgreementRequest
    from agent.cli.judging.agreement import agreement as command

    request = AgreementRequest(tuple(sources), truth, labels, ordered, swapped, both_orders, json, probe)
    exits.leave(command(request))


@app.command(epilog='Example:  viva text PAIRS.jsonl --json    Or:  viva text --say "5 mM EDTA"')
def text(
    pairs: Annotated[
        str,
        typer.Argument(
            help='File of lines {"id", "reference", "hypothesis", "terms"?}; - reads standard input.',
            show_default=False,
        ),
    ] = "",
    say: Annotated[str | None, typer.Option(help="Print how this text is said aloud.")] = None,
    counts: Annotated[
        Path | None,
        typer.Option(help="File of lines TERM<TAB>COUNT: below 10 is a term (default: wordfreq)."),
    ] = None,
    lexicon: Annotated[
        Path | None, typer.Option(help="YAML file of names and how they are said; adds to our own.")
    ] = None,
    spoken_digits: Annotated[
        bool, typer.Option(help="In the loose abbreviation rule 'H two O' is H2O.")
    ] = True,
    json: Json = False,
) -> None:
    """Compare pairs of texts: errors in words, terms and abbreviations; or say a text aloud."""
    from agent.cli.scores.text import TextRequest
    from agent.cli.scores.text import text as command

    exits.leave(command(TextRequest(pairs, say, counts, lexicon, spoken_digits, json)))


@app.command(epilog="Example:  viva blueprint reply.wav --json    Or:  viva blueprint RUN --compact")
def blueprint(
    path: Annotated[Path, typer.Argument(help="A recording (WAV, FLAC, OGG), an episode, or a run.")],
    text: Annotated[bool, typer.Option("--text", help="In full, as text: the default.")] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="As text of less than half the tokens.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Draw pictures: a file for a recording, a folder for episodes.")
    ] = None,
    recogniser: Annotated[
        str, typer.Option(help="Writes down what is said, e.g. whisper:base; none leaves it unscored.")
    ] = "none",
    affect: Annotated[str, typer.Option(help="Id or folder of a classifier of emotion.")] = "",
    accent: Annotated[str, typer.Option(help="Id or folder of a classifier of accent.")] = "",
    channel: Annotated[
        int, typer.Option(help="Channel of a recording with several, from 1; they are never mixed.", min=0)
    ] = 0,
    json: Json = False,
) -> None:
    """Say what speech sounds like, of a recording or of every turn: quality, pitch, pace, and more."""
    from agent.cli.scores.blueprint import BlueprintRequest
    from agent.cli.scores.blueprint import blueprint as command

    if text and compact:
        raise typer.BadParameter("--text and --compact exclude each other")
    exits.leave(command(BlueprintRequest(path, recogniser, affect, accent, compact, svg, channel, json)))


@app.command(epilog="Example:  viva voices --check")
def voices(
    check: Annotated[
        bool, typer.Option("--check", help="Measure every style, and have each recognised (minutes).")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for a WAV of every voice and style.", show_default=False)
    ] = None,
    voice: VoiceOption = "default",
    recogniser: RecogniserOption = "default",
    json: Json = False,
) -> None:
    """List the users' voices and styles; check them, or listen to them."""
    from agent.cli.packs.voices import voices as command

    exits.leave(command(check, out, voice, recogniser, json))
