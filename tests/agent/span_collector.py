"""A collector of spans behind a real socket."""

from __future__ import annotations

import gzip
import http.server
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def collector(*, zipped: bool = False) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A collector of spans, which takes what is posted to it: its address, and paths with bodies."""
    taken: list[tuple[str, bytes]] = []

    class Takes(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert (self.headers["Content-Encoding"] == "gzip") is zipped
            taken.append((self.path, gzip.decompress(body) if zipped else body))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Takes) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", taken
        server.shutdown()
        thread.join(5)


def span_names(taken: Sequence[tuple[str, bytes]]) -> list[str]:
    """Of the spans that a collector has taken."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    requests = [ExportTraceServiceRequest.FromString(body) for _, body in taken]
    return [
        span.name
        for request in requests
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
