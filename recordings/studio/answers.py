"""What the studio sends back: strict JSON, and problems in one form."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from recordings.errors import RecordingError
from recordings.strict_json import NotStrict, encode
from recordings.studio.library import NotHere


class Refused(Exception):
    """A request that cannot be answered, and why.

    Attributes:
        status: Of HTTP.
        code: For programs.
        text: For people.
    """

    def __init__(self, status: int, code: str, text: str) -> None:
        self.status = status
        self.code = code
        self.text = text
        super().__init__(status, code, text)

    def __str__(self) -> str:
        return self.text


def answer(value: BaseModel | Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A value as JSON; numbers that JSON has no word for are null."""
    if isinstance(value, BaseModel):
        body = value.model_dump_json().encode()
    else:
        try:
            body = encode(value)
        except NotStrict:
            body = encode(_finite(value))
    return Response(body, status, headers, media_type="application/json")


def problem(status: int, code: str, text: str) -> Response:
    """Why there is no answer."""
    return answer({"error": {"code": code, "message": text}}, status)


def problem_of(error: Refused | NotHere | RecordingError) -> Response:
    """The same of an error."""
    match error:
        case Refused():
            return problem(error.status, error.code, error.text)
        case NotHere():
            return problem(403 if error.code == "outside" else 404, error.code, error.text)
        case RecordingError():
            # the name of the file is enough: where the studio's folders lie is nobody's business
            text = f"{error.path.name}: {error.found}." + (f" {error.remedy}" if error.remedy else "")
            return problem(422, "unreadable", text)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
