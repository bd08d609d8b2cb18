"""Answers kept on the disk by content: the same question to the same model is asked once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from recordings.strict_json import encode, replace_file


class KeptAnswer(BaseModel):
    """An answer that was valid when it came.

    Attributes:
        nonce: The one that its prompt held.
        prompt: The prompt, as (role, content).
        raw: The reply as it came.
        model: The model that answered, as the server named it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    nonce: str
    prompt: tuple[tuple[str, str], ...]
    raw: str
    model: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class AnswerCache:
    """A folder with one file per answer, named by its key.

    A file that cannot be read or is not whole counts as absent; one that cannot be written is left out: a
    cache only saves money.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> KeptAnswer | None:
        """The answer of a key, or None; blocks for one small read."""
        try:
            return KeptAnswer.model_validate_json(self._path(key).read_bytes())
        except (OSError, ValidationError):
            return None

    def put(self, key: str, answer: KeptAnswer) -> bool:
        """Keep an answer; False if the disk did not take it. Blocks for one small write."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, encode(answer, indent=1) + b"\n")
        except OSError:
            return False
        return True

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def content_key(content: Mapping[str, Any]) -> str:
    """SHA-256 of everything that matters to an answer, in hexadecimal."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
