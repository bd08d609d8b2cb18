"""The Prometheus endpoint of a run: on loopback, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from agent.cli.onlookers.metrics import MetricsUnfit

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from prometheus_client.registry import CollectorRegistry

HOST = "127.0.0.1"


class MetricsServer:
    """Serves the counts in a thread of its own, to this machine alone.

    Args:
        registry: What is served.
        port: 0 takes a free one.

    Raises:
        MetricsUnfit: The port is taken.
    """

    def __init__(self, registry: CollectorRegistry, port: int) -> None:
        from prometheus_client import make_wsgi_app

        try:
            self._server = make_server(HOST, port, _guarded(make_wsgi_app(registry)), _Server, _Silent)
        except OSError as error:
            found = f"--metrics-port {port}: {error.strerror or error}. Take another, or 0 for a free one"
            raise MetricsUnfit(found) from error
        self.port: int = self._server.server_address[1]
        thread = threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        thread.start()

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()


def _guarded(app: WSGIApplication) -> WSGIApplication:
    """Answers those alone who call this machine by its own name: a web page elsewhere cannot read it."""

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        host = str(environ.get("HTTP_HOST", "")).rpartition(":")[0] or str(environ.get("HTTP_HOST", ""))
        if host.lower() not in (HOST, "localhost"):
            start("403 Forbidden", [("Content-Type", "text/plain")])
            return [b"This is served to its own machine, as 127.0.0.1 or localhost.\n"]
        if environ.get("PATH_INFO") != "/metrics":
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b"The metrics are at /metrics.\n"]
        return app(environ, start)

    return answer


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    allow_reuse_address = True


class _Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """The screen belongs to the run."""
