"""What `pipecat eval suite` leaves behind: results.jsonl, and recordings of simulations (`record: true`).

A record of a simulation has `messages` (role and content, in order), `ended_by`, and `artifacts` with the
path of the recording, which is a mono mix of both sides. Records of scripted scenarios have no words of the
user: their recordings cannot be taken apart.

Source: pipecat-ai 1.14.0, pipecat/evals/suite.py, results.py and client_transport.py.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path, PureWindowsPath
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
        RecordingError: The results cannot be read, none of them has a recording and words of both sides, or
            it cannot be told which recording is whose.
    """
    # of a simulation that was held again into the same file, the last record is about what is there
    spoken = {
        _named(record): record
        for record in _records(folder / RESULTS)
        if any(_messages(record.get("messages")))
    }
    paths = _recordings(folder, spoken)
    stems = Counter(path.stem for path in paths.values())
    found = []
    for named, path in paths.items():
        below = path.relative_to(folder).with_suffix("").parts
        name = path.stem if stems[path.stem] == 1 else "-".join(below)
        found.append(_source(spoken[named], name, path, tuple(_messages(spoken[named].get("messages")))))
    if not found:
        raise RecordingError(
            folder / RESULTS,
            "has no recording with the words of both sides",
            "Only simulations that were recorded (`record: true`) can be imported.",
        )
    return found


Parts = tuple[str, ...]
"""Of a path, from its end."""


def _named(record: dict[str, Any]) -> Parts:
    """The path of a record's recording on the machine that made it; () if there is none."""
    artifacts = record.get("artifacts")
    named = artifacts.get("recording") if isinstance(artifacts, dict) else None
    return PureWindowsPath(named).parts[::-1] if isinstance(named, str) else ()  # parts at / and \


def _recordings(folder: Path, named: Iterable[Parts]) -> dict[Parts, Path]:
    """Which file is which: that whose path has most of its end in common with the one that is named.

    Raises:
        RecordingError: Several files or records fit equally well.
    """
    files = [path for path in sorted(folder.rglob("*.wav")) if not path.is_symlink()]
    ends = {path: path.resolve().parts[::-1] for path in files}
    fits = {
        parts: {path: shared for path in files if (shared := _shared(parts, ends[path]))} for parts in named
    }
    best: dict[Path, int] = {}
    for shares in fits.values():
        for path, shared in shares.items():
            best[path] = max(shared, best.get(path, 0))
    found: dict[Parts, Path] = {}
    for parts, shares in fits.items():
        most = max(shares.values(), default=0)
        mine = [path for path, shared in shares.items() if shared == most == best[path]]
        if len(mine) > 1 or set(mine) & set(found.values()):
            raise RecordingError(
                folder / RESULTS,
                f"names {'/'.join(parts[::-1])}, and which recording that is cannot be told",
                "Import each folder of recordings with results of its own.",
            )
        if mine:
            found[parts] = mine[0]
    return found


def _shared(parts: Parts, others: Parts) -> int:
    """How many parts two paths have in common, counted from their ends."""
    same = (one == other for one, other in zip(parts, others, strict=False))
    return sum(1 for _ in takewhile(bool, same))


def _source(record: dict[str, Any], name: str, path: Path, messages: Sequence[Message]) -> Source:
    ended = str(record.get("ended_by", ""))
    outcome = _ENDINGS.get(ended, Outcome.COMPLETED)
    if ended == "silence":  # whose turn it was is who kept silent
        outcome = Outcome.ENDPOINT_SILENT if messages[-1].side is Side.USER else Outcome.USER_FAILED
    return Source(
        name=slug(name),
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
