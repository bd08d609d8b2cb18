"""A studio in which somebody labels, and can see nothing else until it is done."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from recordings.studio.answers import problem

OPEN = ("/api/about", "/api/labelling", "/api/ab", "/api/review")
"""Everything else would say whose replies these are, or what a judge thinks of them."""


class Blind:
    """Around an app: lets through labelling and the page itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        path = scope.get("path", "")
        shut = path.startswith("/ws") or (path.startswith("/api/") and not _below(path, OPEN))
        if not shut:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "blind"})
        else:
            text = "Whoever labels is blind: no names are shown here. Without --label the studio shows all."
            await problem(403, "blind", text)(scope, receive, send)


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(f"{root}/") for root in roots)
