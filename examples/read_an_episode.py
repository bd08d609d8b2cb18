"""Read an episode: who spoke when, and what was heard.

Run:  python examples/read_an_episode.py recordings/episodes/RUN/EPISODE
"""

from __future__ import annotations

import sys
from pathlib import Path

from recordings.check import check
from recordings.reader import Episode


def main(path: Path) -> None:
    """Print an episode's turns, and whether its files agree with each other."""
    episode = Episode.load(path)
    info = episode.info
    print(f"{info.id}: {info.outcome.value}, {info.duration_s:.1f} s with {info.endpoint.address}")
    for turn in episode.turns:
        words = turn.intended if turn.side.value == "user" else turn.heard
        print(f"{turn.start_s:7.2f} to {turn.end_s:7.2f} s  {turn.side.value:<8}  {words or turn.unscored}")
    pcm, rate = episode.track("endpoint")
    print(f"the endpoint's track: {len(pcm)} samples at {rate} Hz")
    problems = check(episode)
    print("\n".join(map(str, problems)) or "all files agree")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
