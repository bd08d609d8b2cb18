"""`viva serve`: the reference endpoint on a port."""

from __future__ import annotations

import sys

from agent.cli import exits
from agent.cli.output import complain
from streams.clock import run as run_loop


def serve(host: str, port: int, variant: str) -> int:
    """Serve until interrupted; prints `READY ws://...` when models are loaded and the port is open."""
    from streams.endpoints.errors import EndpointError
    from streams.language.errors import LanguageError
    from streams.reference.server import serve as serve_reference
    from streams.speech.interfaces import SpeechError

    def ready(address: str) -> None:
        sys.stdout.write(f"READY {address}\n")
        sys.stdout.flush()

    try:
        run_loop(serve_reference(host, port, variant, on_ready=ready))
    except (EndpointError, LanguageError, ValueError) as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except KeyboardInterrupt:
        return exits.PASS
    return exits.PASS
