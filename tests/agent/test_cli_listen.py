"""`viva listen` as another program or a person meets it: its first line, ports, Ctrl+C, what is missing."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from recordings.format import Outcome
from streams.clock import utc_now
from tests.architecture.sources import ROOT
from tests.scoring.episodes import CallMaker, tone

VIVA = [sys.executable, "-m", "agent.cli.main"]

pytestmark = pytest.mark.wall_clock


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("listen") / "run"
    CallMaker().user(0.5, 1.5).reply(2.0, tone(0.5, 24000)).write(run / "call")
    return run


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


@contextmanager
def listening(
    *arguments: str, cwd: Path | None = None, **more: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A studio in a process of its own, with its first line."""
    process = subprocess.Popen(
        [*VIVA, "listen", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=environment(**more),
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        if process.stderr is not None:
            process.stderr.close()


def refused(*arguments: str, cwd: Path | None = None) -> tuple[int, str]:
    command = [*VIVA, "listen", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment(), check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr


def taken(*, listen: bool = True) -> socket.socket:
    """A port that somebody else has."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    if listen:
        sock.listen()
    return sock


def test_the_first_line_is_the_address_and_ctrl_c_is_a_good_end(run: Path) -> None:
    with listening(str(run), "--port", "0", "--no-browser") as (url, process):
        assert httpx.get(f"{url}api/about").json()["vivavoce"]
        assert httpx.get(f"{url}api/catalogue").json()["count"] == 1
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (0, "")
        assert "Traceback" not in err


def test_ctrl_c_ends_quietly_while_a_sound_is_half_sent_and_a_call_watched(tmp_path: Path) -> None:
    made = CallMaker(length=300.0).user(0.5, 1.5)
    folder = made.write(tmp_path / "run" / "call", outcome=Outcome.UNFINISHED)
    ahead = utc_now().timestamp() + 600
    os.utime(folder / "events.jsonl", (ahead, ahead))  # it goes on as long as the test does
    with listening(str(tmp_path), "--port", "0", "--no-browser") as (url, process):
        columns = httpx.get(f"{url}api/catalogue").json()["columns"]
        at = f"/api/episodes/{next(one['values'][0] for one in columns if one['name'] == 'id')}"
        # 29 MB are more than the sockets hold: the server waits for somebody to read on
        with asked(url, f"{at}/audio/both") as sound, asked(url, f"{at}/live") as watched:
            assert sound.recv(12) == watched.recv(12) == b"HTTP/1.1 200"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "Ctrl+C ends it.\n")


def asked(url: str, path: str) -> socket.socket:
    """A connection by which something was asked for; nothing of the answer is read."""
    place = httpx.URL(url)
    sock = socket.create_connection((place.host, place.port or 0), timeout=60)
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: {place.host}:{place.port}\r\n\r\n".encode())
    return sock


def test_it_listens_to_this_machine_only(run: Path) -> None:
    with listening(str(run), "--port", "0", "--no-browser") as (url, process):
        assert url.startswith("http://127.0.0.1:")
        port = httpx.URL(url).port
        table = Path(f"/proc/{process.pid}/net/tcp")
        if table.exists():
            rows = [line.split() for line in table.read_text().splitlines()[1:]]
            bound = {row[1] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}
            assert bound == {f"0100007F:{port:04X}"}  # 127.0.0.1, little-endian
        assert httpx.get(f"{url}api/about", headers={"Host": "evil.example"}).status_code == 421


def test_programs_read_one_json_object(run: Path) -> None:
    with listening(str(run), "--port", "0", "--no-browser", "--json") as (line, _):
        found = json.loads(line)
        assert found["roots"] == [str(run.resolve())]
        assert httpx.get(f"{found['url']}api/about").status_code == 200


def test_the_page_opens_in_the_browser(run: Path, tmp_path: Path) -> None:
    told = tmp_path / "opened"
    os.mkfifo(told)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {told}\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    with listening(str(run), "--port", "0", BROWSER=str(browser)) as (url, _):
        assert told.read_text().strip() == url


def test_a_port_of_another_studio_is_named_and_the_next_offered(run: Path) -> None:
    with listening(str(run), "--port", "0", "--no-browser") as (url, _):
        port = httpx.URL(url).port
        code, told = refused(str(run), "--port", str(port), "--no-browser")
        assert code == 2
        assert f"port {port} is taken by another studio: open {url}" in told
        assert "--port " in told


def test_a_port_of_another_program_is_named(run: Path) -> None:
    with taken() as sock:
        port = sock.getsockname()[1]
        code, told = refused(str(run), "--port", str(port), "--no-browser")
    assert code == 2
    assert f"port {port} is taken by another program" in told


def test_without_a_port_the_next_free_one_is_taken_and_said(run: Path) -> None:
    with (
        listening(str(run), "--no-browser") as (first, _),
        listening(str(run), "--no-browser") as (second, other),
    ):
        assert first != second
        assert httpx.get(f"{second}api/about").status_code == 200
        assert other.stderr is not None
        said = other.stderr.readline()
        assert "is taken by another" in said and second in said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "is no folder"),
        (["."], "holds no episode"),
        ([], "viva demo"),
        (["--port", "70000"], "Invalid value for '--port'"),
        (["{run}", "--host", "no-such-host.invalid"], "no address of this machine"),
        (["{run}", "--host", "192.0.2.1"], "cannot listen at 192.0.2.1"),
        (["{run}", "--mic", "nonsense"], "nonsense"),
        (["{run}", "--mic", "fake://", "--mic-scenario", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_shown_is_bad_input(
    arguments: list[str], complaint: str, run: Path, tmp_path: Path
) -> None:
    named = [argument.format(run=run) for argument in arguments]
    code, told = refused(*named, "--no-browser", cwd=tmp_path)
    assert code == 2
    assert complaint in told


def test_without_a_path_the_runs_of_this_folder_are_shown(run: Path, tmp_path: Path) -> None:
    episodes = tmp_path / "recordings" / "episodes"
    episodes.mkdir(parents=True)
    CallMaker().user(0.5, 1.5).write(episodes / "run" / "call")
    with listening("--port", "0", "--no-browser", cwd=tmp_path) as (url, _):
        assert httpx.get(f"{url}api/catalogue").json()["count"] == 1
