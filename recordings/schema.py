"""JSON Schemas of the files of an episode, for readers in any language.

They are generated from `recordings.format` and committed under `recordings/schema/`;
`python -m recordings.schema` writes them anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from recordings.format import EpisodeInfo, Event, Marked, ReceivedPiece, RunInfo, Turn
from recordings.strict_json import encode

FOLDER = Path(__file__).parent / "schema"
"""Where the committed schemas are."""

_FILES: dict[str, tuple[str, TypeAdapter[Any]]] = {
    "episode": ("episode.json", TypeAdapter(EpisodeInfo)),
    "event": ("one line of events.jsonl", TypeAdapter(Event)),
    "received": ("one line of received.jsonl", TypeAdapter(ReceivedPiece)),
    "turn": ("one line of turns.jsonl", TypeAdapter(Turn)),
    "run": ("run.json", TypeAdapter(RunInfo)),
    "journal": ("one line of run.jsonl", TypeAdapter(Marked)),
}


def schemas() -> dict[str, bytes]:
    """The schema files: name and content."""
    made = {}
    for name, (title, adapter) in _FILES.items():
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **adapter.json_schema(),
            "title": title,
        }
        made[f"{name}.schema.json"] = encode(schema, indent=2) + b"\n"
    return made


def main() -> None:
    """Write the committed schemas anew."""
    FOLDER.mkdir(exist_ok=True)
    for name, content in schemas().items():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    main()
