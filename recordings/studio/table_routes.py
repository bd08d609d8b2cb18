"""Routes of many episodes: the table of all, and what differs between two runs."""

from __future__ import annotations

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recordings.studio.answers import Refused, answer
from recordings.studio.parts import NotComparable
from recordings.studio.state import studio


async def catalogue_route(request: Request) -> Response:
    """Runs, and every episode in columns."""
    here = studio(request)

    def work() -> Response:
        found = here.library.episodes()
        roots = [{"name": root.name, "path": str(root)} for root in here.library.roots]
        return answer({"roots": roots, **here.parts.tables.catalogue(found)})

    return await to_thread.run_sync(work)


async def compare_route(request: Request) -> Response:
    """What differs between two runs, or inside one."""
    here = studio(request)
    first = here.library.run(request.query_params.get("a", ""))
    second_id = request.query_params.get("b", "")
    second = here.library.run(second_id) if second_id else None
    by = request.query_params.get("by", "endpoint")

    def work() -> Response:
        try:
            return answer(here.parts.tables.compare(here.library.episodes(), first, second, by))
        except NotComparable as error:
            raise Refused(409, "not_comparable", str(error)) from None

    return await to_thread.run_sync(work)


ROUTES = (Route("/api/catalogue", catalogue_route), Route("/api/compare", compare_route))
