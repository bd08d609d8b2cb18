"""What commands print: one JSON object on standard output, everything for people on standard error."""

from __future__ import annotations

import json
import sys
from typing import Any


def print_json(value: Any) -> None:
    """Print one JSON object; NaN and infinity are errors, not output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def complain(error: BaseException, code: int) -> int:
    """Say what went wrong on standard error; returns the exit code."""
    sys.stderr.write(f"viva: {error}\n")
    return code
