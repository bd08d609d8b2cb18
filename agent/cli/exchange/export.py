"""`viva export`: episodes in the formats of other programs."""

from __future__ import annotations

import sys
from pathlib import Path

from agent.cli import exits
from agent.cli.output import complain, print_json


def export(paths: list[Path], to: str, out: Path, json: bool) -> int:
    """Write every episode at or below the paths in a format, and say where."""
    from recordings.errors import RecordingError
    from recordings.exporting.formats import ENDINGS, TABLES, export_one, targets
    from recordings.reader import Episode, find_episodes

    if to not in ENDINGS:
        found = ValueError(f"the format is {to!r}, expected {', '.join(ENDINGS)}")
        return complain(found, exits.BAD_INPUT)
    try:
        folders = {folder.resolve(): folder for path in paths for folder in find_episodes(path)}
        episodes = [Episode.load(folder) for folder in folders.values()]
        out.parent.mkdir(parents=True, exist_ok=True)
        written = [out]
        if to in TABLES:
            turns: int | None = TABLES[to](episodes, out)
        else:
            turns, written = None, targets(episodes, to, out)
            for episode, path in zip(episodes, written, strict=True):
                path.parent.mkdir(parents=True, exist_ok=True)
                export_one(episode, to, path)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    if json:
        counted = {} if turns is None else {"turns": turns}
        files = [str(path) for path in written]
        print_json({"format": to, "episodes": len(episodes), "files": files, **counted})
    else:
        count = f"{len(episodes)} episode{'s' * (len(episodes) != 1)}"
        sys.stderr.write(f"wrote {count} as {to}: {out}\n")
    return exits.PASS
