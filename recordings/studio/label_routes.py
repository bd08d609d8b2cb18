"""Routes of labelling, of A/B listening, and of the check of scenarios: each below an address of its own.

What a desk gives out is blind, and so are errors: what a recording is called, and where it lies, is said in
the terminal only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from anyio import to_thread
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from recordings.errors import RecordingError
from recordings.reading import first_problem
from recordings.studio.answers import answer, problem
from recordings.studio.label_cards import (
    AnswerSent,
    Asks,
    AsksBlind,
    AsksForLabels,
    CannotAnswer,
    ChecksScenarios,
)

_FRESH = {"Cache-Control": "no-store"}


def labelling_routes(desk: Callable[[], AsksForLabels]) -> list[BaseRoute]:
    """Routes that ask for labels.

    Args:
        desk: Gives the desk, always the same; called in threads, since the first time may take long.
    """

    async def agreement(_: Request) -> Response:
        return await _told(lambda: desk().agreement())

    return [*_blind("/api/labelling", desk), Route("/api/labelling/agreement", agreement)]


def ab_routes(desk: Callable[[], AsksBlind]) -> list[BaseRoute]:
    """Routes that ask which of two replies is better; see `labelling_routes`."""
    return _blind("/api/ab", desk)


def review_routes(desk: Callable[[], ChecksScenarios]) -> list[BaseRoute]:
    """Routes that ask whether scenarios are what they say; see `labelling_routes`."""

    async def report(_: Request) -> Response:
        return await _told(lambda: desk().report())

    return [*_routes("/api/review", desk), Route("/api/review/report", report)]


def _blind(below: str, desk: Callable[[], AsksBlind]) -> list[BaseRoute]:
    async def revealed(request: Request) -> Response:
        token = request.path_params["token"]
        return await _told(lambda: desk().reveal(_person(request), token))

    return [*_routes(below, desk), Route(f"{below}/revealed/{{token}}", revealed, methods=["POST"])]


def _routes(below: str, desk: Callable[[], Asks]) -> list[BaseRoute]:
    async def about(_: Request) -> Response:
        return await _told(lambda: desk().about())

    async def following(request: Request) -> Response:
        return await _told(lambda: desk().next(_person(request)))

    async def take(request: Request) -> Response:
        body = await request.body()

        def work() -> BaseModel:
            try:
                sent = AnswerSent.model_validate_json(body)
            except ValidationError as error:
                raise CannotAnswer(
                    400, "no_answer", f"This is no answer: {first_problem(error)}."
                ) from error
            return desk().answer(sent)

        return await _told(work)

    async def sound(request: Request) -> Response:
        token = request.path_params["token"]
        return await _told(lambda: Response(desk().sound(token), 200, _FRESH, "audio/wav"))

    async def back(request: Request) -> Response:
        steps = request.query_params.get("steps", "1")
        number = int(steps) if steps.isdecimal() and len(steps) < 9 else 0
        return await _told(lambda: desk().back(_person(request), number))

    return [
        Route(below, about),
        Route(f"{below}/next", following),
        Route(f"{below}/answer", take, methods=["POST"]),
        Route(f"{below}/back", back),
        Route(f"{below}/sound/{{token}}.wav", sound),
    ]


def _person(request: Request) -> str:
    return request.query_params.get("person", "")


async def _told(work: Callable[[], Any]) -> Response:
    """The answer of a desk, made in a thread: it waits for the disk."""

    def attempt() -> Response:
        try:
            found = work()
        except CannotAnswer as error:
            return problem(error.status, error.code, str(error))
        except RecordingError as error:
            sys.stderr.write(f"viva: {error}\n")
            text = "The disk refuses, or a recording is damaged; the terminal says more. Nothing was taken."
            return problem(507 if error.disk_trouble else 500, "disk", text)
        return found if isinstance(found, Response) else answer(found, headers=_FRESH)

    return await to_thread.run_sync(attempt)
