"""`viva score` and `viva report`: numbers from recordings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from agent.cli import exits
from agent.cli.output import complain, print_json
from agent.cli.runs.run import recogniser as make_recogniser
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from scoring.parallel import Told, Work
    from scoring.score import RunScores

T = TypeVar("T")

MINUTES_FOR_A_PROCESS = 5
"""Of sound (at 16 kHz), from which on a process of its own is worth its start."""


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What `viva score` was asked for.

    Attributes:
        recogniser: Named as on the command line.
        workers: Processes for the costly part; None is one for each core.
        blueprints: Make the acoustic blueprint of every turn too.
        on: Where that is done: "ray", or "ray://HOST:PORT"; "" is this machine.
    """

    paths: tuple[Path, ...]
    recogniser: str = "default"
    workers: int | None = None
    blueprints: bool = False
    on: str = ""
    json: bool = False


def score(request: ScoreRequest) -> int:
    """Score episodes and write scores/ beside them."""
    from agent.cli.runs.working_copy import brought, kept
    from agent.suite.hold import HolderUnfit
    from recordings.errors import RecordingError
    from scoring.report.collect import collect, collect_json
    from scoring.report.terminal import print_report
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        ears = make_recogniser(request.recogniser)
        paths = brought(request.paths)
        _make_ready(request, paths)
    except EngineMisnamed as error:
        return complain(error, exits.BAD_INPUT)
    except (SpeechError, HolderUnfit) as error:
        return complain(error, exits.OUR_FAILURE)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    if request.json:
        code = _told(collect_json(paths, ears), print_json)
    else:
        code = _told(collect(paths, ears, again=True), print_report)
    try:
        kept(request.paths)
    except RecordingError as error:
        complain(error, exits.OUR_FAILURE)
        sys.stderr.write(
            f"viva: what was made is in {', '.join(map(str, paths))}; score again to bring it\n"
        )
        return exits.OUR_FAILURE
    return code


def _make_ready(request: ScoreRequest, paths: Sequence[Path]) -> None:
    """Words and blueprints, in several processes; the rest finds them beside the episodes.

    Args:
        request: What was asked for.
        paths: Its paths, as folders of this machine.
    """
    from recordings.reader import find_episodes
    from scoring.parallel import Work, make_ready

    named = {
        folder.resolve(): (folder, name)
        for name, path in zip(request.paths, paths, strict=True)
        for folder in find_episodes(path)
    }
    folders = dict(named.values())
    processes = request.workers or _worthwhile(list(folders))
    alone = not request.on and min(processes, len(folders)) < 2
    if not request.blueprints and (request.recogniser == "none" or alone):
        return
    work = Work(partial(make_recogniser, request.recogniser), request.blueprints)
    done = 0

    def told(_: Path) -> None:
        nonlocal done
        done += 1
        sys.stderr.write(f"{done} of {len(folders)} episodes heard\n")

    if request.on:
        _on_cluster(request.on, folders, work, told)
    else:
        make_ready(folders, work, processes, told)


def _on_cluster(on: str, folders: Mapping[Path, Path], work: Work, told: Told) -> None:
    """Do it on the nodes of a cluster, which read and write runs at URLs there; others are sent to them.

    Args:
        on: The cluster.
        folders: For the folder of each episode here, how its run was named.
        work: What is done.
        told: Told of each episode that is done, and here.
    """
    from agent.suite.workers.cluster import join
    from recordings.store import Store, as_url, is_url
    from scoring.cluster import on_cluster

    urls = {folder: as_url(name) if is_url(name) else "" for folder, name in folders.items()}
    stores = {url: Store(url) for url in urls.values() if url}

    def done(folder: Path) -> None:
        if urls[folder]:
            stores[urls[folder]].get_scores(folder)
        told(folder)

    on_cluster(join(on), urls, work, done)


def _worthwhile(folders: Sequence[Path]) -> int:
    """Processes for the sound of these episodes: each loads the models first, which takes seconds."""
    from scoring.parallel import sound_bytes

    minutes = sum(map(sound_bytes, folders)) / (2 * 60 * 16000)
    return max(1, min(os.cpu_count() or 1, round(minutes / MINUTES_FOR_A_PROCESS)))


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What `viva report` was asked for.

    Attributes:
        audio: "flac", "opus" or "none": sound of the HTML file.
        calls: Ids of the episodes that can be listened to in it, with commas; "" is all.
        folder: Sound in files beside it.
    """

    paths: tuple[Path, ...]
    html: Path | None
    audio: str = "flac"
    calls: str = ""
    folder: bool = False
    json: bool = False


def report(request: ReportRequest) -> int:
    """Show scores; what is not scored yet is scored without a recogniser."""
    from agent.cli.runs.end import say_what_is_left
    from scoring.report.collect import collect, collect_json
    from scoring.report.terminal import print_report

    code = exits.PASS
    if request.html is not None:
        code = _told(collect(request.paths, one_by_one=True), _html_writer(request, request.html))
    if request.json and code == exits.PASS:
        code = _told(collect_json(request.paths), print_json)
    elif request.html is None:
        code = _told(collect(request.paths), print_report)
    say_what_is_left(request.paths)
    return code


def _html_writer(request: ReportRequest, path: Path) -> Callable[[RunScores], None]:
    from scoring.report.embed import Export, with_folder
    from scoring.report.html import write_html
    from scoring.report.sound import Audio

    calls = tuple(name.strip() for name in request.calls.split(",") if name.strip())
    export = Export(Audio(request.audio), calls)
    if request.folder:
        export = with_folder(export, path)

    def write(scores: RunScores) -> None:
        write_html(scores, path, export)
        beside = f" and {export.files}" if export.files else ""
        sys.stderr.write(f"report  {path}{beside}\n")

    return write


def _told(work: Coroutine[Any, Any, T], tell: Callable[[T], object]) -> int:
    """Measure, then tell; returns the exit code."""
    from recordings.errors import RecordingError
    from scoring.report.embed import NoSuchCall
    from scoring.science.imported import ResultUnreadable
    from streams.speech.interfaces import SpeechError

    try:
        tell(run_loop(work))
    except (ResultUnreadable, NoSuchCall) as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    return exits.PASS
