"""What commands print: one JSON object on standard output, everything for people on standard error."""

from __future__ import annotations

import json
import sys
from typing import Any


def print_json(value: Any) -> None:
    """Print one JSON object, in ASCII, whatever the terminal's encoding; NaN and infinity are errors."""
    sys.stdout.write(json.dumps(value, allow_nan=False) + "\n")


def complain(error: BaseException, code: int) -> int:
    """Say what went wrong on standard error; returns the exit code."""
    text = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error
    sys.stderr.write(f"viva: {text}\n")
    return code
