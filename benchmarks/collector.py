"""Takes whatever is posted to it, and says on which port: python -m benchmarks.collector"""

import http.server


class Takes(http.server.BaseHTTPRequestHandler):
    """Reads, and answers that all is well."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Takes)
    print(server.server_address[1], flush=True)
    server.serve_forever()
