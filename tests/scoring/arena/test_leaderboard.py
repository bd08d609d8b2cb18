from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from scoring.arena.battles import BattleSet, Skipped
from scoring.arena.elo import elo
from scoring.arena.html import render_html, write_html
from scoring.arena.importers import load
from scoring.arena.leaderboard import Leaderboard, Request, SliceBy, Tally, leaderboard
from scoring.arena.outcomes import Covariate, outcomes
from scoring.arena.picture import LEFT, WIDTH, draw
from scoring.arena.terminal import print_leaderboard
from tests.scoring.arena.matches import SPEAKBENCH, Series, battles

EVIL = '<script>alert(1)</script> "quoted" \u202egnp.exe \x1b[31m[red]'


def board(*series: Series, skipped: tuple[Skipped, ...] = (), **request: object) -> Leaderboard:
    found = BattleSet(tuple(battles(*series)), skipped)
    return leaderboard(found, Request(resamples=100, **request))  # type: ignore[arg-type]


def printed(made: Leaderboard, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    with console.capture() as capture:
        print_leaderboard(made, console)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_every_system_has_its_ratings_and_its_counts() -> None:
    found = board(("A", "B", "aab=+--"), ("B", "C", "ab"))
    by_name = {one.system: one for one in found.overall.standings}
    assert by_name["A"].tally == Tally(wins=2, losses=1, tie=1, both_good=1, both_bad=2)
    assert (by_name["A"].tally.ties, by_name["A"].tally.battles) == (4, 7)
    assert by_name["A"].tally.win_rate == pytest.approx(4 / 7)  # (2 + 4 / 2) / 7
    assert by_name["B"].tally == Tally(wins=2, losses=3, tie=1, both_good=1, both_bad=2)
    assert by_name["C"].elo is not None
    assert found.overall.standings[0].system == "A"


def test_the_json_has_the_shape_that_other_programs_read() -> None:
    found = board(("A", "B", "aab="), ("B", "C", "ab"), skipped=(Skipped(9, "self_battle", "D", ("D",)),))
    made = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert set(made) >= {"systems", "connected", "ridge", "unscored"}
    assert (made["connected"], made["ridge"], made["unscored"]) == (True, False, {"self_battle": 1})
    assert made["skipped"] == [{"line": 9, "cause": "self_battle", "found": "D"}]
    one = made["systems"]["A"]
    assert set(one) >= {"bradley_terry", "elo", "wins", "losses", "ties", "battles"}
    assert set(one["bradley_terry"]) >= {"rating", "low", "high", "rank"}
    assert (one["wins"], one["losses"], one["ties"], one["battles"]) == (2, 1, 1, 4)
    assert one["bradley_terry"]["low"] < one["bradley_terry"]["rating"] < one["bradley_terry"]["high"]
    # named, but without a battle that counts: null, not 1000
    assert made["systems"]["D"]["bradley_terry"] is None
    assert made["systems"]["D"]["elo"] is None
    assert made["systems"]["D"]["battles"] == 0


def test_one_system_only_has_a_defined_result() -> None:
    found = board(skipped=(Skipped(2, "self_battle", "A", ("A",)),)).to_json()
    assert found["systems"] == {
        "A": {"bradley_terry": None, "elo": None, "elo_order_sd": None, **Tally().to_json()}
    }
    assert (found["connected"], found["ridge"]) == (True, False)


def test_the_win_rate_against_a_baseline_counts_its_battles_alone() -> None:
    found = board(("A", "B", "aab="), ("A", "C", "bbb"), ("B", "C", "aaa"), baseline="A")
    against = {one.system: one.against for one in found.overall.standings}
    assert against == {"A": None, "B": Tally(wins=1, losses=2, tie=1), "C": Tally(wins=3)}
    assert against["B"] is not None and against["B"].win_rate == 0.375  # (1 + 1 / 2) / 4
    with pytest.raises(ValueError, match="the baseline 'X' has no battle; systems are A, B"):
        board(("A", "B", "a"), baseline="X")


def test_each_slice_is_a_run_of_its_own_and_the_average_is_the_mean_of_slices() -> None:
    held = [
        battle.model_copy(update={"level": "L1" if index < 6 else "L2" if index < 12 else None})
        for index, battle in enumerate(battles(("A", "B", "aabaab"), ("A", "C", "abbabb"), ("B", "C", "a")))
    ]
    found = leaderboard(BattleSet(tuple(held)), Request(slice_by=SliceBy.LEVEL, resamples=0))
    assert [(table.name, table.battles) for table in found.slices] == [("L1", 6), ("L2", 6)]
    first, second = (elo(outcomes(part)[0], shuffles=0) for part in (held[:6], held[6:12]))
    for table, alone in zip(found.slices, (first, second), strict=True):
        for standing in table.standings:
            assert standing.elo is not None
            assert standing.elo.rating == alone[standing.system].rating  # from 1000, not a split
    assert found.averages["A"].elo == pytest.approx((first["A"].rating + second["A"].rating) / 2)
    assert (found.averages["A"].slices, found.averages["B"].slices) == (2, 1)
    made = found.to_json()["slices"]
    assert isinstance(made, dict)
    assert (made["by"], list(made["tables"])) == ("level", ["L1", "L2"])


def test_battles_left_out_by_a_covariate_are_counted_with_the_unscored() -> None:
    found = board(("A", "B", "ab"), covariates=(Covariate.POSITION,))
    assert found.unscored == {"position_unknown": 2}
    assert all(one.bradley_terry is None and one.elo for one in found.overall.standings)


def test_the_picture_stands_on_the_axis_of_ratings() -> None:
    found = draw(board(("A", "B", "aab=" * 20), ("B", "C", "ab" * 20)).overall)
    values = [float(text) for _, text in found.axis]
    places = [x for x, _ in found.axis]
    assert (places[0], places[-1]) == (LEFT, LEFT + WIDTH)
    scale = WIDTH / (values[-1] - values[0])
    for line in found.lines:
        assert (line.x - LEFT) / scale + values[0] == pytest.approx(float(line.text), abs=1)
        assert LEFT <= line.low <= line.x <= line.high <= LEFT + WIDTH
        assert line.elo_low <= line.elo <= line.elo_high
    assert found.lines[0].y < found.lines[1].y < found.height


def test_the_page_draws_every_interval_and_asks_nothing_of_the_network(tmp_path: Path) -> None:
    made = leaderboard(load(SPEAKBENCH), Request(resamples=50, baseline="moshi", slice_by=SliceBy.LEVEL))
    write_html(made, "speakbench", tmp_path / "x.html")
    html = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert html.count('class="interval"') == 13
    assert "default-src 'none'" in html
    assert not re.search(r'(src|href)="|url\(|@import|style="', html)
    assert "prefers-color-scheme: dark" in html


def test_names_of_others_are_data_in_page_and_terminal() -> None:
    made = board((EVIL, "B", "ab"), ("B", "C", "a"))
    html = render_html(made, EVIL)
    assert "<script" not in html and "&lt;script&gt;" in html
    assert "\u202e" not in html and "\x1b" not in html
    text = "\n".join(printed(made, 120))
    assert "\x1b" not in text and "\u202e" not in text
    assert "[red]" in text


def test_what_is_doubtful_is_said() -> None:
    made = board(("A", "B", "aaa"), ("C", "D", "ab"), skipped=(Skipped(2, "unknown_label", "x"),))
    text = " ".join(printed(made, 80))
    assert "not connected: ratings of the 2 groups are not comparable" in text
    assert "ridge: some systems never lost, or never won, a point" in text
    assert "unscored: 1 unknown label" in text.replace("\N{NO-BREAK SPACE}", " ")
    html = render_html(made, "x")
    assert "Not connected:" in html and "Ridge:" in html
    assert "not connected" not in " ".join(printed(board(("A", "B", "ab")), 80))


@pytest.mark.parametrize("width", [80, 104, 140])
def test_the_table_fits_the_terminal(width: int) -> None:
    text = printed(leaderboard(load(SPEAKBENCH), Request(resamples=50)), width)
    assert max(map(len, text)) <= width
    assert not any("…" in line for line in text)
    assert text[2].split()[:3] == ["1", "gpt4o-audio", "1286"]
    assert ("±" in text[2]) == (width >= 104)  # the noise of the order, where there is room
    assert any("●" in line for line in text) == (width == 140)
