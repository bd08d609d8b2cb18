"""What `pipecat eval suite` leaves behind: results.jsonl, and recordings of simulations (`record: true`).

A record of a simulation has `messages` (role and content, in order), `ended_by`, and `artifacts` with the
path of the recording, which is a mono mix of both sides. Records of scripted scenarios have no words of the
user: their recordings cannot be taken apart.

Source: pipecat-ai 1.14.0, pipecat/evals/suite.py, results.py and client_transport.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from recordings.errors import RecordingError
from recordings.format import Outcome, Side
from recordings.importing.found import Source, slug
from recordings.importing.mix import Message
from recordings.reading import read_bytes

RESULTS = "results.jsonl"

_SIDES = {"user": Side.USER, "assistant": Side.ENDPOINT}
_ENDINGS = {
    "end_call": Outcome.COMPLETED,
    "bot": Outcome.ENDPOINT_HUNG_UP,
    "max_turns": Outcome.MAX_TURNS,
    "max_duration": Outcome.MAX_DURATION,
    "error": Outcome.HARNESS_FAILED,
}
_GAPS = (
    "pipecat: pauses of up to 0.2 s are missing in its recordings, so latencies may be too short by that"
)


def is_pipecat(folder: Path) -> bool:
    """Whether a folder is one of results of pipecat's evals."""
    path = folder / RESULTS
    return path.is_file() and next((True for record in _records(path) if "artifacts" in record), False)


def sources(folder: Path) -> list[Source]:
    """Every recorded simulation, by its recording.

    Raises:
        RecordingError: The results cannot be read, or none of them has a recording and words of both sides.
    """
    recordings = {path.name: path for path in sorted(folder.rglob("*.wav")) if not path.is_symlink()}
    found = []
    for record in _records(folder / RESULTS):
        artifacts = record.get("artifacts")
        named = str(artifacts.get("recording", "")) if isinstance(artifacts, dict) else ""
        # the path is one of the machine it was made on; here only the name counts
        path = recordings.get(PureWindowsPath(PurePosixPath(named).name).name)
        messages = tuple(_messages(record.get("messages")))
        if path is not None and messages:
            found.append(_source(record, path, messages))
    if not found:
        raise RecordingError(
            folder / RESULTS,
            "has no recording with the words of both sides",
            "Only simulations that were recorded (`record: true`) can be imported.",
        )
    return found


def _source(record: dict[str, Any], path: Path, messages: Sequence[Message]) -> Source:
    ended = str(record.get("ended_by", ""))
    outcome = _ENDINGS.get(ended, Outcome.COMPLETED)
    if ended == "silence":  # whose turn it was is who kept silent
        outcome = Outcome.ENDPOINT_SILENT if messages[-1].side is Side.USER else Outcome.USER_FAILED
    return Source(
        name=slug(path.stem),
        format="pipecat",
        sounds=(path,),
        endpoint=str(record.get("name") or record.get("bot") or "pipecat"),
        outcome=outcome,
        reason=f"pipecat: {ended}" if ended else "",
        notes=(_GAPS,),
        mixed=tuple(messages),
    )


def _messages(listed: object) -> Iterator[Message]:
    for one in listed if isinstance(listed, list) else ():
        side = _SIDES.get(str(one.get("role"))) if isinstance(one, dict) else None
        if side is not None and isinstance(one.get("content"), str) and one["content"].strip():
            yield Message(side, " ".join(one["content"].split()))


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(read_bytes(path, "results of pipecat's evals").split(b"\n"), 1):
        if row.strip():
            try:
                record = json.loads(row)
            except (ValueError, RecursionError) as error:
                raise RecordingError(f"{path}:{number}", "is no JSON") from error
            if isinstance(record, dict):
                yield record
