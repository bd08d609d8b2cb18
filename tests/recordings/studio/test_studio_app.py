"""What the studio's routes answer, over recorded episodes, whole and spoiled."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.testclient import TestClient

from recordings.disk import write_info
from recordings.format import HeardSpeech, Noticed, Outcome, Side
from recordings.reader import Episode
from recordings.studio import stamps
from recordings.studio.bundle import STATIC
from recordings.studio.episode_routes import LONGEST_AT_ONCE_S
from recordings.studio.stamps import is_live
from recordings.wav import GrowingWav
from scoring.blueprint.episodes import EpisodeBlueprints, Studio, TurnBlueprint, make_blueprint
from scoring.blueprint.measure import Instruments
from scoring.digest.read import keep
from scoring.score import score
from streams.audio import to_float
from streams.clock import run as run_loop
from tests.recordings.studio.servers import client, ids, running
from tests.scoring.episodes import CallMaker, tone


def call(folder: Path, latency: float = 0.4, **more: Any) -> Path:
    made = CallMaker().user(0.5, 1.5).reply(1.5 + latency, tone(0.5, 24000))
    return made.write(folder, **more)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    call(tmp_path / "run" / "call")
    return tmp_path / "run"


@pytest.fixture
def asked(run: Path) -> TestClient:
    return client(run)


@pytest.fixture
def at(asked: TestClient) -> str:
    return f"/api/episodes/{ids(asked)['call']}"


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=lambda found: pytest.fail(f"{found} is no JSON"))


# --- the page


def test_the_page_is_served_with_its_types(asked: TestClient) -> None:
    page = asked.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert asked.get("/app.js").headers["content-type"].partition(";")[0].endswith("/javascript")
    assert asked.get("/style.css").headers["content-type"].startswith("text/css")


def test_the_page_asks_nothing_of_the_network() -> None:
    for path in STATIC.rglob("*"):
        if path.suffix in (".html", ".js", ".css"):
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert "http://" not in text and "https://" not in text, path


# --- the table


def test_the_table_has_columns_of_one_length(run: Path) -> None:
    call(run / "other", 0.6)
    scores = run_loop(score([run]), simulate=True)
    keep(scores.episodes)
    found = strict(client(run).get("/api/catalogue").text)
    columns = {column["name"]: column for column in found["columns"]}
    assert found["count"] == 2
    assert {len(column["values"]) for column in found["columns"]} == {2}
    assert columns["response_latency"]["values"] == [400.0, 600.0]
    assert columns["response_latency"]["unit"] == "ms"
    (told,) = found["runs"]
    assert (told["name"], told["episodes"], told["unscored"]) == ("run", 2, 0)
    assert columns["run_id"]["values"] == [told["id"]] * 2


def test_episodes_that_come_and_go_are_seen_at_once(asked: TestClient, run: Path) -> None:
    call(run / "later")
    assert list(ids(asked)) == ["call", "later"]
    shutil.rmtree(run / "later")
    assert list(ids(asked)) == ["call"]


def test_two_runs_are_compared(tmp_path: Path) -> None:
    for number in range(3):
        call(tmp_path / "one" / f"c{number}", 0.4, scenario={"id": f"s{number}"})
        call(tmp_path / "two" / f"c{number}", 1.4, scenario={"id": f"s{number}"})
    for name in ("one", "two"):
        scores = run_loop(score([tmp_path / name]), simulate=True)
        keep(scores.episodes)
    asked = client(tmp_path / "one", tmp_path / "two")
    first, second = (one["id"] for one in asked.get("/api/catalogue").json()["runs"])
    found = strict(asked.get(f"/api/compare?a={first}&b={second}").text)
    (comparison,) = found["comparisons"]
    assert comparison["metrics"]["response_latency"]["difference"] == pytest.approx(1000.0)
    assert [pair["scenario"] for pair in found["pairs"]] == ["s0", "s1", "s2"]
    assert all(pair["a"] and pair["b"] for pair in found["pairs"])


def test_runs_that_nobody_has_measured_are_compared_all_the_same(tmp_path: Path) -> None:
    before = {}
    for name, latency in (("one", 0.4), ("two", 1.4)):
        call(tmp_path / name / "c", latency)
        before[name] = sorted(path.name for path in (tmp_path / name).rglob("*"))
    asked = client(tmp_path / "one", tmp_path / "two")
    first, second = (one["id"] for one in asked.get("/api/catalogue").json()["runs"])
    (comparison,) = asked.get(f"/api/compare?a={first}&b={second}").json()["comparisons"]
    assert comparison["metrics"]["response_latency"]["difference"] == pytest.approx(1000.0)
    found = asked.get("/api/catalogue").json()
    columns = {column["name"]: column["values"] for column in found["columns"]}
    assert found["measuring"] == 0
    assert columns["scored"] == [True, True]
    assert columns["response_latency"] == [400.0, 1400.0]
    for name, files in before.items():  # and nothing was written
        assert sorted(path.name for path in (tmp_path / name).rglob("*")) == files


def test_what_cannot_be_compared_says_why(tmp_path: Path) -> None:
    call(tmp_path / "run" / "call", outcome=Outcome.UNFINISHED)
    asked = client(tmp_path / "run")
    (run,) = asked.get("/api/catalogue").json()["runs"]
    refused = asked.get(f"/api/compare?a={run['id']}")
    assert refused.status_code == 409
    assert "viva score" in refused.json()["error"]["message"]
    assert asked.get("/api/compare?a=nothing").status_code == 404


def test_a_run_that_has_just_begun_can_be_watched(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.json").write_text("{}")
    asked = client(run)
    assert asked.get("/api/catalogue").json()["count"] == 0
    call(run / "first")
    assert list(ids(asked)) == ["first"]


# --- an episode


def test_a_view_is_sent_again_only_when_something_changed(asked: TestClient, at: str, run: Path) -> None:
    first = asked.get(at)
    tag = first.headers["etag"]
    assert asked.get(at, headers={"If-None-Match": tag}).status_code == 304
    (run / "call" / "scores").mkdir()
    (run / "call" / "scores" / "judge.json").write_text("{")
    again = asked.get(at, headers={"If-None-Match": tag})
    assert again.status_code == 200
    assert [notice["level"] for notice in again.json()["notices"]] == ["error"]


def test_of_a_long_call_an_outline_comes_before_the_view(tmp_path: Path) -> None:
    CallMaker(length=LONGEST_AT_ONCE_S + 1).user(0.5, 1.5).write(tmp_path / "run" / "long")
    asked = client(tmp_path)
    at = f"/api/episodes/{ids(asked)['long']}"
    assert asked.get(f"{at}?outline=1").json()["complete"] is False
    assert asked.get(at).json()["complete"] is True
    assert asked.get(f"{at}?outline=1").json()["complete"] is True  # it is there by now


def test_a_short_call_is_shown_whole_at_once(asked: TestClient, at: str) -> None:
    assert asked.get(f"{at}?outline=1").json() == asked.get(at).json()


def test_what_cannot_be_read_is_a_problem_and_no_failure(asked: TestClient, at: str, run: Path) -> None:
    (run / "call" / "events.jsonl").write_text('{"t": 0.0, "kind": "nothing of ours"}\n{}\n')
    refused = asked.get(at)
    assert refused.status_code == 422
    assert "events.jsonl:1" in refused.json()["error"]["message"]
    assert str(run) not in refused.text


def test_a_folder_that_nobody_may_write_is_shown_like_any_other(run: Path) -> None:
    folders = [path for path in run.rglob("*") if path.is_dir()]
    for folder in (*folders, run):
        folder.chmod(0o555)
    asked = client(run)
    at = f"/api/episodes/{ids(asked)['call']}"
    for path in ("", "?outline=1", "/curves", "/events", "/audio/both", "/peaks?track=user&end=9&width=3"):
        assert asked.get(f"{at}{path}").status_code == 200, path
    assert sorted(path.name for path in run.rglob("*.json")) == ["episode.json"]


@pytest.mark.parametrize(
    "query",
    [
        "track=user",
        "track=user&end=10",
        "track=user&end=10&width=0",
        "track=user&end=10&width=8193",
        "track=user&end=10&width=1e3",
        "track=user&start=10&end=10&width=5",
        "track=user&start=5&end=-5&width=5",
        f"track=user&end={2**60}&width=5",
        f"track=user&end={'9' * 5000}&width=5",
    ],
)
def test_a_parameter_out_of_its_bounds_is_named(query: str, asked: TestClient, at: str) -> None:
    refused = asked.get(f"{at}/peaks?{query}")
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "bad_parameter"


def test_peaks_say_how_long_the_track_is(asked: TestClient, at: str) -> None:
    answer = asked.get(f"{at}/peaks?track=endpoint&start=0&end=81600&width=17")
    assert (answer.headers["x-viva-rate"], answer.headers["x-viva-samples"]) == ("24000", "81600")
    pairs = np.frombuffer(answer.content, "<i2").reshape(-1, 2)
    # 0.2 s a column; the reply of 0.5 s begins at 1.9 s
    assert np.flatnonzero(pairs[:, 1]).tolist() == [9, 10, 11]


def test_a_spectrogram_is_a_picture_of_the_size_that_was_asked_for(asked: TestClient, at: str) -> None:
    answer = asked.get(f"{at}/spectrogram?track=user&start=0&end=16000&width=30&height=20&top=4000")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-viva-top-hz"] == "4000"
    assert answer.content[16:24] == (30).to_bytes(4, "big") + (20).to_bytes(4, "big")


# --- events


def test_events_are_sent_a_page_at_a_time(tmp_path: Path) -> None:
    made = CallMaker(length=60.0).user(0.5, 1.5)
    made.note(*(HeardSpeech(t=2.0 + n / 10, edge="start", at=n) for n in range(250)))
    made.write(tmp_path / "run" / "call")
    asked = client(tmp_path / "run")
    at = f"/api/episodes/{ids(asked)['call']}/events"
    page = asked.get(f"{at}?offset=100&limit=50").json()
    assert (page["total"], page["offset"], len(page["events"])) == (253, 100, 50)
    assert page["kinds"]["heard_speech"] == 250
    assert [event["n"] for event in page["events"]] == list(range(100, 150))
    only = asked.get(f"{at}?kind=session_ended").json()
    assert (only["total"], only["events"][0]["outcome"]) == (1, "completed")
    assert asked.get(f"{at}?limit=501").status_code == 400


def test_events_are_sent_as_they_are_however_odd(run: Path, asked: TestClient, at: str) -> None:
    lines = [
        b'{"t": NaN, "kind": "noticed", "message": "not a number"}',
        json.dumps({"t": 1.0, "kind": "noticed", "message": "x" * 1_000_000}).encode(),
        b'{"kind": "noticed", "message": "<script>\\u202e"}',
        b"\xff\xfe no JSON",
        b'["a", "list"]',
        b'{"t": 2.0, "kind": "torn in the midd',
    ]
    (run / "call" / "events.jsonl").write_bytes(b"\n".join(lines))
    answer = asked.get(f"{at}/events")
    found = strict(answer.text)["events"]
    assert len(answer.content) < 20_000
    assert [event["n"] for event in found] == [0, 1, 2, 3, 4, 5]
    assert found[0]["t"] is None
    assert found[1]["message"].endswith("… (1000000 characters)")
    assert found[2]["message"] == "<script>\u202e"
    assert [event["kind"] for event in found[3:]] == ["torn"] * 3


# --- curves


def test_curves_are_those_of_the_blueprint(run: Path, asked: TestClient, at: str) -> None:
    episode = Episode.load(run / "call")
    pcm, rate = episode.track("user")
    samples = to_float(pcm[8000:24000])
    made = run_loop(make_blueprint(samples, rate, Studio(Instruments())), simulate=False)
    turn = TurnBlueprint(index=0, side=Side.USER, track="user.wav", start_s=0.5, end_s=1.5, blueprint=made)
    kept = EpisodeBlueprints(episode="call", models=(), turns=(turn,))
    (run / "call" / "scores").mkdir()
    path = run / "call" / "scores" / "blueprint.json"
    path.write_text(kept.model_dump_json())
    found = strict(asked.get(f"{at}/curves").text)
    (curves,) = found["turns"]
    assert (found["rate"], found["by"], curves["recorded"]) == (48000, "blueprint", 0)
    assert (curves["start"], curves["end"]) == (24000, 72000)
    assert made.loudness is not None
    assert curves["loudness"]["points"] == list(made.loudness.contour_lufs)
    first, last = made.loudness.contour_span_s
    assert curves["loudness"]["start"] == round((0.5 + first) * 48000)
    assert curves["loudness"]["end"] == round((0.5 + last) * 48000)
    # what is no number is no blueprint
    path.write_text(kept.model_dump_json().replace(str(made.loudness.integrated_lufs), "NaN"))
    assert strict(asked.get(f"{at}/curves").text)["by"] == "measured"
    assert asked.get(at).status_code == 200


def test_without_a_blueprint_the_curves_are_measured(tmp_path: Path) -> None:
    # the user: 200 Hz, which is a voice; the endpoint: 997 Hz, by which loudness is defined
    made = CallMaker(user_rate=16000)
    made.user(0.5, 1.5, dbfs=-20.0)
    made.user_parts = [(8000, tone(1.0, 16000, -20.0, 200.0))]
    made.reply(2.0, tone(2.0, 24000, -20.0, 997.0))
    made.turn(Side.ENDPOINT, 2.0, 4.0)
    made.write(tmp_path / "run" / "call")
    asked = client(tmp_path / "run")
    at = f"/api/episodes/{ids(asked)['call']}"
    assert asked.get(at).json()["curves"] == {"available": True, "cause": ""}
    found = strict(asked.get(f"{at}/curves").text)
    user, endpoint = found["turns"]
    voiced = [point for point in user["pitch"]["points"] if point is not None]
    assert len(voiced) > 90  # of 101 frames, one every 10 ms
    assert max(abs(point - 200.0) for point in voiced[3:-3]) < 1.0  # frames that are whole
    assert (user["pitch"]["start"], user["pitch"]["end"]) == (24000, 72000)
    # a sine of 997 Hz at full scale is -3.01 LUFS (BS.1770)
    assert endpoint["loudness"]["points"] == pytest.approx([-23.01] * 17, abs=0.1)
    # blocks of 0.4 s, one every 0.1 s: their middles from 2.2 s to 3.8 s
    assert (endpoint["loudness"]["start"], endpoint["loudness"]["end"]) == (105600, 182400)


# --- a call that is being recorded


@pytest.mark.wall_clock
def test_a_call_that_is_being_recorded_grows_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "QUIET_S", 600.0)  # a machine may be slow
    folder = call(tmp_path / "run" / "call", outcome=Outcome.UNFINISHED)
    user = folder / "user.wav"
    user.unlink()
    wav = GrowingWav(user, 16000)
    wav.append(bytes(32000))
    assert is_live(folder)
    info = Episode.load(folder).info
    with running(tmp_path / "run") as url, httpx.Client(base_url=url, timeout=60) as browser:
        (id,) = ids(browser).values()  # type: ignore[arg-type]
        assert browser.get(f"/api/episodes/{id}").json()["live"]
        seen = []
        with browser.stream("GET", f"/api/episodes/{id}/live") as stream:
            for line in stream.iter_lines():
                if not line.startswith("data: "):
                    continue
                seen.append(json.loads(line.removeprefix("data: ")))
                if len(seen) == 1:
                    wav.append(bytes(32000))
                elif len(seen) == 2:
                    wav.close()
                    write_info(folder, info.model_copy(update={"outcome": Outcome.COMPLETED}))
        assert not browser.get(f"/api/episodes/{id}").json()["live"]
    assert [round(one["duration_s"]) for one in seen][:2] == [1, 2]
    assert (seen[0]["live"], seen[-1]["live"]) == (True, False)


def test_a_call_whose_process_died_is_not_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = call(tmp_path / "run" / "call", outcome=Outcome.UNFINISHED)
    monkeypatch.setattr(stamps, "QUIET_S", -1.0)
    assert not is_live(folder)
    asked = client(tmp_path / "run")
    shown = asked.get(f"/api/episodes/{ids(asked)['call']}").json()
    assert (shown["live"], shown["outcome"], shown["void"]) == (False, "unfinished", True)


def test_a_call_that_has_written_nothing_yet_is_shown(tmp_path: Path) -> None:
    folder = call(tmp_path / "run" / "call", outcome=Outcome.UNFINISHED)
    for path in folder.iterdir():
        if path.name != "episode.json":
            path.unlink()
    asked = client(tmp_path / "run")
    at = f"/api/episodes/{ids(asked)['call']}"
    assert asked.get(at).json()["turns"] == []
    assert asked.get(f"{at}/audio/both").status_code == 200
    assert asked.get(f"{at}/events").json()["total"] == 0
    assert not any(asked.get(f"{at}/peaks?track=user&end=100&width=10").content)


# --- many at once


def test_many_looks_at_once_see_the_same(run: Path, asked: TestClient, at: str) -> None:
    keep(run_loop(score([run]), simulate=True).episodes)  # else the table is measured meanwhile
    paths = [at, f"{at}/peaks?track=user&end=54400&width=100", "/api/catalogue", f"{at}/audio/both"] * 5
    found: dict[str, set[bytes]] = {path: set() for path in paths}

    def look(path: str) -> None:
        found[path].add(asked.get(path).content)

    threads = [threading.Thread(target=look, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {path: len(answers) for path, answers in found.items()} == dict.fromkeys(paths, 1)


def test_a_message_of_the_endpoint_is_data(tmp_path: Path) -> None:
    made = CallMaker().user(0.5, 1.5, "<img src=x onerror=alert(1)>")
    made.note(Noticed(t=1.0, level="error", code="", message="</script><script>alert(1)</script>"))
    made.write(tmp_path / "run" / "call")
    asked = client(tmp_path / "run")
    answer = asked.get(f"/api/episodes/{ids(asked)['call']}")
    assert answer.headers["content-type"] == "application/json"
    assert "<img src=x" in answer.json()["turns"][0]["texts"][0]["text"]
