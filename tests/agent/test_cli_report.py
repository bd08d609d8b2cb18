"""`viva report --html`: what goes into the file, and what is refused."""

from __future__ import annotations

from pathlib import Path

from tests.agent.cli_calls import Viva
from tests.scoring.episodes import CallMaker, tone


def run(folder: Path) -> Path:
    for name in ("a", "b"):
        CallMaker().user(0.5, 1.5).reply(2.0, tone(1.0, 24000)).write(folder / "run" / name)
    return folder / "run"


def test_a_file_holds_the_view_of_every_call(viva: Viva, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = viva("report", str(run(tmp_path)), "--html", str(page), "--audio", "opus")
    assert (done.code, done.err) == (0, f"report  {page}\n")
    text = page.read_text(encoding="utf-8")
    assert text.count('type="application/json"') == 2
    assert text.count("data:audio/ogg;base64,") == 2


def test_sound_goes_into_a_folder_beside_the_page(viva: Viva, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = viva("report", str(run(tmp_path)), "--html", str(page), "--folder", "--calls", "b")
    beside = tmp_path / "report_files"
    assert (done.code, done.err) == (0, f"report  {page} and {beside}\n")
    assert sorted(file.name for file in beside.iterdir()) == [
        f"0002-{side}.flac" for side in ("both", "endpoint", "user")
    ]


def test_a_call_that_is_not_there_is_named_with_those_that_are(viva: Viva, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = viva("report", str(run(tmp_path)), "--html", str(page), "--calls", "a,c")
    assert done.code == 2
    assert "--calls c: no such call is shown in this report, expected some of: a, b" in done.err
    assert not page.exists()


def test_an_audio_format_that_is_not_known_is_refused(viva: Viva, tmp_path: Path) -> None:
    done = viva("report", str(run(tmp_path)), "--html", str(tmp_path / "x.html"), "--audio", "mp3")
    assert done.code == 2
    assert "expected flac, opus or none" in done.err
