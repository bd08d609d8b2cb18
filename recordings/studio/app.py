"""The studio as an ASGI application."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from recordings.errors import RecordingError
from recordings.studio import audio_routes, episode_routes, live, table_routes
from recordings.studio.answers import Refused, answer, problem, problem_of
from recordings.studio.guard import Guard, Names
from recordings.studio.library import Library, NotHere
from recordings.studio.page import Page
from recordings.studio.parts import Parts
from recordings.studio.peaks import Peaks
from recordings.studio.state import Studio


def studio_app(
    library: Library,
    parts: Parts,
    more_routes: Sequence[BaseRoute] = (),
    *,
    names: Names | None = None,
    features: Sequence[str] = (),
) -> Starlette:
    """Put the studio together.

    Args:
        library: What it shows.
        parts: What comes from other rooms.
        more_routes: Of labelling, A/B listening, the microphone; guarded like the others.
        names: By which it may be called; by default those of the loopback interface.
        features: Names of what the further routes are for; the page asks for them.
    """

    async def about(_: Request) -> Response:
        return answer({"vivavoce": _version(), "features": list(features)})

    app = Starlette(
        routes=[
            Route("/api/about", about),
            *table_routes.ROUTES,
            *episode_routes.ROUTES,
            *audio_routes.ROUTES,
            *live.ROUTES,
            *more_routes,
            Route("/api/{rest:path}", _nothing),
            *Page().routes,
        ],
        middleware=[Middleware(Guard, names=names or Names())],
        exception_handlers={
            500: _failure,
            Refused: _problem,
            NotHere: _problem,
            RecordingError: _problem,
        },
    )
    app.state.studio = Studio(library, parts, Peaks())
    return app


async def _nothing(_: Request) -> Response:
    return problem(404, "no_such_route", "There is nothing at this address.")


async def _problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused | NotHere | RecordingError)
    return problem_of(error)


async def _failure(_: Request, error: Exception) -> Response:
    """For the page; the server prints where it happened."""
    text = f"The studio failed at this ({type(error).__name__}): a fault of ours, or a spoiled recording."
    return problem(500, "failed", text)


def _version() -> str:
    try:
        return version("vivavoce")
    except PackageNotFoundError:
        return ""
