"""`viva import`: calls and answers made elsewhere become episodes and results, and are scored."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json
from agent.cli.runs.run import default_folder
from agent.cli.runs.run import recogniser as make_recogniser
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.cli.exchange.call import How
    from recordings.importing.found import Source


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What the command line asked for.

    Attributes:
        paths: Recordings, folders of them, runs of other programs.
        transcript: Of the one call that is named by `stereo`, or `user` and `endpoint`.
        scenario: Name or file of the scenario that the calls are about; "" for none.
    """

    paths: tuple[Path, ...] = ()
    stereo: Path | None = None
    user: Path | None = None
    endpoint: Path | None = None
    transcript: Path | None = None
    offset_s: float = 0.0
    scenario: str = ""
    name: str = ""
    user_speaker: str = ""
    endpoint_speaker: str = ""
    own_words: bool = False
    swapped: bool = False
    language: str = "en"
    recogniser: str = "default"
    detector: str = "default"
    out: Path | None = None
    json: bool = False


class ImportMisasked(ValueError):
    """Options that do not go together."""


def import_(request: ImportRequest) -> int:
    """Import everything that was named, score what came of it, and tell."""
    from recordings.errors import RecordingError
    from recordings.importing.lines import WordsUnreadable
    from scenarios.problems import ScenarioError
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    tables = [path for path in request.paths if path.suffix.casefold() == ".csv"]
    try:
        if tables:
            return _answers(request, tables)
        sources = sources_of(request)
        how = _how(request)
    except (ImportMisasked, EngineMisnamed, ScenarioError, WordsUnreadable) as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    out = request.out or default_folder("imported")
    try:
        return run_loop(_all(sources, how, out, json=request.json))
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)


def sources_of(request: ImportRequest) -> list[Source]:
    """The calls that were named.

    Raises:
        ImportMisasked: Options that do not go together.
        RecordingError: A folder cannot be read, or holds no recording.
    """
    from dataclasses import replace

    from recordings.importing.found import Source, Words, pair_name, slug, words_of

    if (request.user is None) != (request.endpoint is None):
        raise ImportMisasked("--user and --endpoint go together; a file of both sides is --stereo")
    named = [request.stereo] if request.stereo else []
    found = [Source(slug(path.stem), "stereo", (path,), words_of(path)) for path in named]
    if request.user and request.endpoint:
        found.append(Source(pair_name(request.user), "pair", (request.user, request.endpoint)))
    if request.transcript is not None:
        if len(found) != 1 or request.paths:
            raise ImportMisasked("--transcript belongs to one call: one --stereo, or --user and --endpoint")
        found = [replace(found[0], words=(Words(request.transcript),))]
    for path in request.paths:
        if not path.is_dir():
            found.append(Source(slug(path.stem), "stereo", (path,), words_of(path)))
        else:
            found += _in_folder(path)
    if not found:
        raise ImportMisasked(
            "nothing to import: name --stereo F.wav, --user U.wav --endpoint E.wav, or a folder"
        )
    return found


def _in_folder(folder: Path) -> list[Source]:
    from recordings.importing import pipecat, tau2
    from recordings.importing.found import sources_in

    if tau2.is_tau2(folder):
        return tau2.sources(folder)
    if pipecat.is_pipecat(folder):
        return pipecat.sources(folder)
    return sources_in(folder)


def _answers(request: ImportRequest, tables: Sequence[Path]) -> int:
    """Import tables of single answers, and show the tables of science that come of them.

    Raises:
        ImportMisasked: Calls are named beside them.
        SpeechError: The recogniser is not known or not installed.
        ScenarioError: There is no such scenario, or it is not valid.
    """
    from agent.cli.exchange.answers import Listening, import_tables
    from scenarios.load import find
    from scoring.csvfile import FileUnfit
    from scoring.science.imported import ResultUnreadable

    if len(tables) < len(request.paths) or request.stereo or request.user:
        raise ImportMisasked("tables of answers and calls are imported apart")
    how = Listening(
        system=request.name,
        scenarios=find(request.scenario) if request.scenario else (),
        language=request.language,
        recogniser=make_recogniser(request.recogniser),
    )
    out = request.out or default_folder("imported")
    try:
        return run_loop(import_tables(tables, out, how, json=request.json))
    except (FileUnfit, ResultUnreadable) as error:
        return complain(error, exits.BAD_INPUT)


def _how(request: ImportRequest) -> How:
    """Engines and scenario.

    Raises:
        SpeechError: An engine is not known or not installed.
        ScenarioError: There is no such scenario, or it is not valid.
        ImportMisasked: The name is that of several scenarios.
    """
    from agent.cli.exchange.call import How
    from scenarios.load import find
    from streams.speech import select

    scenarios = find(request.scenario) if request.scenario else ()
    if len(scenarios) > 1:
        names = ", ".join(one.name for one in scenarios[:5])
        raise ImportMisasked(f"--scenario {request.scenario} holds {len(scenarios)} scenarios: {names} ...")
    scenario = scenarios[0] if scenarios else None
    return How(
        endpoint=request.name,
        offset_s=request.offset_s,
        user_speaker=request.user_speaker,
        endpoint_speaker=request.endpoint_speaker,
        own_words=request.own_words,
        swapped=request.swapped,
        language=scenario.scenario.language if scenario else request.language,
        scenario=scenario,
        detector=None if request.detector == "none" else select.detector(request.detector),
        recogniser=make_recogniser(request.recogniser),
    )


async def _all(sources: Sequence[Source], how: How, out: Path, *, json: bool) -> int:
    """Import one after the other; what fails is told, and the others go on."""
    from agent.cli.exchange.call import import_call
    from agent.cli.exchange.progress import progress
    from recordings.errors import RecordingError
    from recordings.importing.lines import WordsUnreadable
    from recordings.importing.tracks import OffsetInvalid
    from scoring.report.collect import collect, collect_json
    from scoring.report.terminal import print_report

    made: list[Path] = []
    failed: list[dict[str, str]] = []
    code = exits.PASS
    with progress(len(sources)) as step:
        for source in sources:
            try:
                made.append(await import_call(source, how, out))
            except (RecordingError, WordsUnreadable, OffsetInvalid) as error:
                ours = isinstance(error, RecordingError) and exits.for_disk(error) == exits.OUR_FAILURE
                code = max(code, exits.OUR_FAILURE if ours else exits.BAD_INPUT)
                failed.append({"name": source.name, "error": str(error)})
                complain(error, code)
            step(source.name)
    told: dict[str, Any] = {"imported": [str(path) for path in made], "failed": failed}
    if not made:
        if json:
            print_json({"run": str(out), "episodes": [], **told})
        return code
    if json:
        print_json({**await collect_json(made, how.recogniser), "run": str(out), **told})
    else:
        print_report(await collect(made, how.recogniser, again=True))
        sys.stderr.write(f"imported {len(made)} of {len(sources)} calls into {out}\n")
    return code
