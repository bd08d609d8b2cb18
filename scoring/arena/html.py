"""The leaderboard as one HTML file that asks nothing of the network."""

from __future__ import annotations

from pathlib import Path

from scoring.arena import picture
from scoring.arena.leaderboard import Leaderboard
from scoring.report import figures
from scoring.report.page import STYLE, render

_HERE = Path(__file__).parent


def write_html(board: Leaderboard, name: str, path: Path) -> None:
    """Write the leaderboard.

    Raises:
        OSError: The file cannot be written.
    """
    path.write_text(render_html(board, name), encoding="utf-8", errors="replace")


def render_html(board: Leaderboard, name: str) -> str:
    """The leaderboard as one page; `name` says what the battles are."""
    return render(
        _HERE / "leaderboard.html.j2",
        [STYLE, _HERE / "leaderboard.css"],
        name=name,
        board=board,
        by=board.request.slice_by.value if board.request.slice_by else "",
        picture=picture,
        figures=figures,
    )
