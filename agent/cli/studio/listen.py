"""`viva listen`: the studio, put together and served."""

from __future__ import annotations

import gc
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.configuration import ConfigurationError
from agent.cli.output import complain, print_json
from agent.cli.studio.labelling import LabelRequest, NothingToLabel, label_routes
from agent.cli.studio.review import NothingToReview, packs_among, packs_checked, review_routes_of
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp

    from agent.cli.mic.page import PageCalls
    from recordings.studio.library import Library
    from recordings.studio.parts import Parts
    from recordings.studio.server import Bound

USUAL = (Path("recordings/episodes"), Path("recordings/samples"))
"""Where episodes lie if no path is named."""


@dataclass(frozen=True, slots=True)
class ListenRequest:
    """What `viva listen` was asked to do.

    Attributes:
        paths: Episodes, runs, or folders that hold some; none takes those of this folder.
        port: None takes the first that is free.
        browser: Open the page.
        labelling: Who labels what, if anybody does.
        calls: Holds the calls of the page's microphone, if it may make any.
    """

    paths: tuple[Path, ...]
    host: str
    port: int | None
    browser: bool
    json: bool
    labelling: LabelRequest = field(default_factory=LabelRequest)
    calls: PageCalls | None = None

    @property
    def page(self) -> str:
        """What comes after the address to open the page that is meant."""
        packs, others = packs_among(self.paths)
        return self.labelling.page or ("#/review" if packs and not others else "")


def listen(request: ListenRequest) -> int:
    """Serve the studio until Ctrl+C; returns the exit code."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        remedy = "Install it with: pip install 'vivavoce[studio]'"
        return complain(ImportError(f"the studio needs {error.name}. {remedy}"), exits.OUR_FAILURE)
    from agent.cli.runs.gate_settings import read_settings
    from agent.cli.studio.parts import parts, warm_up
    from recordings.errors import RecordingError
    from recordings.label_files import NameUnfit
    from recordings.studio.server import NoSuchHost, PortTaken, bind, serve
    from scenarios.problems import ScenarioError
    from scoring.labelling.protocol import DimensionUnknown
    from streams.endpoints.errors import EndpointError
    from streams.speech.interfaces import SpeechError

    try:
        packs_checked(request.paths, request.labelling.review)
        library = _library(request.paths)
        made = parts(read_settings().effects)
        app = _app(library, request, made)
        bound = bind(request.host, request.port)
    except (RecordingError, PortTaken, NoSuchHost, ConfigurationError) as error:
        return complain(error, exits.BAD_INPUT)
    except (DimensionUnknown, NameUnfit, NothingToLabel, NothingToReview) as error:
        return complain(error, exits.BAD_INPUT)
    except (EndpointError, ScenarioError) as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    gc.freeze()  # what is loaded stays: nobody looks through it again while ten thousand rows are made
    _tell(bound, library, request)
    threading.Thread(target=warm_up, args=(made, library), name="viva-warm-up", daemon=True).start()
    with suppress(KeyboardInterrupt):
        run_loop(serve(app, bound))
    return exits.PASS


def more_routes(request: ListenRequest, library: Library) -> tuple[list[BaseRoute], list[str]]:
    """Routes beside those of listening, and the names under which the page asks whether they are there."""
    packs, _ = packs_among(request.paths)
    asked = request.labelling
    checks, names = review_routes_of(packs, asked)
    routes, features = label_routes(asked, library) if library.roots or asked.blind else ([], [])
    routes, features = [*routes, *checks], [*features, *names]
    if request.calls is not None:
        from recordings.studio.mic_socket import mic_routes

        request.calls.check()
        routes, features = [*routes, *mic_routes(request.calls.take)], [*features, "mic"]
    return routes, features


def _library(paths: tuple[Path, ...]) -> Library:
    from recordings.errors import RecordingError
    from recordings.studio.library import Library

    packs, others = packs_among(paths)
    if packs:
        return Library(others)
    usual = [path for path in USUAL if path.is_dir() and any(path.iterdir())]
    if not paths and not usual:
        remedy = "Name an episode or a run (viva listen PATH), or make one: viva demo"
        raise RecordingError(USUAL[0], "holds no episode", remedy)
    return Library(paths or usual)


def _app(library: Library, request: ListenRequest, made: Parts) -> ASGIApp:
    from recordings.studio.app import studio_app
    from recordings.studio.blind import Blind
    from recordings.studio.guard import Names

    routes, features = more_routes(request, library)
    names = Names.of(request.host)
    app = studio_app(library, made, routes, names=names, features=features)
    return Blind(app) if request.labelling.blind else app


def _tell(bound: Bound, library: Library, request: ListenRequest) -> None:
    """The address first, on a line of its own: other programs wait for it."""
    if request.json:
        print_json({"url": bound.url + request.page, "roots": [str(root) for root in library.roots]})
    else:
        sys.stdout.write(f"{bound.url}{request.page}\n")
    sys.stdout.flush()
    if bound.instead is not None:
        who = "another studio" if bound.instead.studio else "another program"
        sys.stderr.write(f"viva: port {bound.instead.port} is taken by {who}; this is {bound.url}\n")
    if not request.json:
        sys.stderr.write("Ctrl+C ends it.\n")
    if request.browser:
        import webbrowser

        webbrowser.open(bound.url + request.page)
