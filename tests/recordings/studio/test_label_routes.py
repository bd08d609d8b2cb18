"""Labelling and A/B listening over the app: blind to the last byte, strict, and kept by the guard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from agent.cli.studio.labelling import LabelRequest, NothingToLabel, label_routes
from recordings.label_files import NameUnfit
from recordings.studio.blind import Blind
from recordings.studio.library import Library
from scoring.arena.store import read
from scoring.labelling.protocol import DimensionUnknown
from tests.recordings.studio.servers import HOST, app_of
from tests.scoring.labelling.recorded import SECRETS, two_runs

WRITES = {"X-Viva": "1"}


class Heard:
    """A studio for labelling; everything that it ever answered is kept, headers included."""

    def __init__(self, folder: Path, blind: bool = True, **changes: Any) -> None:
        self.folder = folder
        self.bytes: list[bytes] = []
        request = LabelRequest(
            "ann", "ann", labels=folder / "labels", store=folder / "battles.jsonl", **changes
        )
        roots = sorted(path for path in folder.iterdir() if path.name.startswith("hush"))
        routes, features = label_routes(request, Library(roots))
        app = app_of(*roots, routes=routes, features=features)
        self.asked = TestClient(Blind(app) if blind else app, base_url=HOST)

    def get(self, path: str) -> Any:
        return self._kept(self.asked.get(path))

    def post(self, path: str, body: Any) -> Any:
        return self._kept(self.asked.post(path, json=body, headers=WRITES))

    def _kept(self, response: Any) -> Any:
        head = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
        self.bytes.append(head.encode() + b"\n\n" + response.content)
        return response.json() if "json" in response.headers["content-type"] else response.content

    def leaked(self) -> set[str]:
        return {secret for secret in SECRETS for answer in self.bytes if secret.encode() in answer}

    def answer(self, below: str, card: Any, label: str | None, **more: Any) -> Any:
        return self.post(
            f"{below}/answer", {"person": "ann", "token": card["token"], "label": label, **more}
        )


@pytest.fixture
def studio(tmp_path: Path) -> Heard:
    two_runs(tmp_path, 1)
    return Heard(tmp_path, dimensions=("content", "voice_quality"))


LABEL = {"absolute": "good", "relative": "1"}


def test_no_byte_says_whose_replies_they_are_until_all_is_labelled(studio: Heard) -> None:
    assert studio.get("/api/about")["features"] == ["labelling", "ab"]
    assert studio.get("/api/labelling")["units"] == 2
    found = studio.get("/api/labelling/next?person=ann")
    steps = 0
    while found["card"] is not None:
        card = found["card"]
        for sound in card["sounds"]:
            assert studio.get(f"/api/labelling/sound/{sound['token']}.wav")[:4] == b"RIFF"
        found = studio.answer("/api/labelling", card, LABEL[card["part"]])
        studio.get("/api/labelling/back?person=ann&steps=1")
        steps += 1
        # of what is not labelled to its end nothing is told
        if found["card"] is not None:
            url = f"/api/labelling/revealed/{found['card']['token']}?person=ann"
            assert studio.post(url, {})["error"]["code"] == "not_labelled_yet"
    assert steps == 2 * (2 * 2 + 2)  # units x (replies x dimensions + comparisons)
    assert studio.leaked() == set()
    told = studio.post(f"/api/labelling/revealed/{card['token']}?person=ann", {})
    assert {reply["system"] for reply in told["replies"]} == {"fake://hush-one", "fake://hush-two"}
    assert studio.leaked() >= {"hush-one", "hush-two", "hush-judge", "hush-reason"}


def test_no_byte_of_a_battle_says_whose_replies_they_are(studio: Heard) -> None:
    studio.get("/api/ab")
    found = studio.get("/api/ab/next?person=ann")
    answered = []
    while found["card"] is not None:
        card = found["card"]
        for sound in card["sounds"]:
            studio.get(f"/api/ab/sound/{sound['token']}.wav")
        url = f"/api/ab/revealed/{card['token']}?person=ann"
        assert studio.post(url, {})["error"]["code"] == "not_labelled_yet"
        answered.append(card)
        found = studio.answer("/api/ab", card, "2", plays={"first": 2, "second": 1})
        assert studio.get("/api/ab/back?person=ann&steps=1")["given"]["label"] == "2"
    assert studio.get("/api/ab/back?person=ann&steps=-1")["error"]["code"] == "nothing_before"
    assert studio.leaked() == set()
    battles = read(studio.folder / "battles.jsonl").battles
    assert len(battles) == len(answered) == 2
    for battle in battles:
        # the second one won: as shown, which is logged
        assert battle.first is not None and battle.label is not None
        assert battle.label.value == {"a": "b", "b": "a"}[battle.first.value]
        assert battle.judge == "person:ann"
        assert battle.evidence["plays"] == {"first": 2, "second": 1}
        gains = {item[:8]: level["gain_db"] for item, level in battle.evidence["levels"].items()}
        assert gains["hush-two"] - gains["hush-one"] == pytest.approx(12.0, abs=0.02)
    again = studio.answer("/api/ab", answered[0], "1")
    assert again["error"]["code"] == "answered_before"
    assert len(read(studio.folder / "battles.jsonl").battles) == 2


@pytest.mark.parametrize("path", ["/api/catalogue", "/api/compare?a=x", "/api/episodes/x", "/api/nothing"])
def test_a_studio_for_labelling_shows_nothing_else(studio: Heard, path: str) -> None:
    assert studio.get(path)["error"]["code"] == "blind"
    assert studio.asked.get("/index.html").status_code == 200


def test_without_a_name_labelling_is_beside_the_rest_and_asks_for_one(tmp_path: Path) -> None:
    two_runs(tmp_path, 1)
    routes, _ = label_routes(LabelRequest(labels=tmp_path / "labels"), Library([tmp_path / "hush-one"]))
    asked = TestClient(app_of(tmp_path / "hush-one", routes=routes), base_url=HOST)
    assert asked.get("/api/catalogue").json()["count"] == 1
    assert asked.get("/api/labelling").json()["person"] == ""
    assert asked.get("/api/labelling/next?person=bob").json()["card"]["part"] == "absolute"
    refused = asked.get("/api/labelling/next?person=..%2Fbob").json()
    assert refused["error"]["code"] == "name_unfit"


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        ('{"person": "ann"', WRITES, 400, "no_answer"),
        ('{"person": "ann", "token": "x", "label": "good", "sneaky": 1}', WRITES, 400, "no_answer"),
        ('{"person": "ann", "token": "x", "label": "good"}', WRITES, 409, "no_such_question"),
        ('{"person": "bob", "token": "x", "label": "good"}', WRITES, 403, "somebody_else"),
        ('{"person": "ann", "token": "x", "label": "good"}', {}, 403, "not_the_page"),
        ("{}", {**WRITES, "Origin": "http://evil.example"}, 403, "foreign_origin"),
    ],
)
def test_what_is_no_answer_is_refused(
    studio: Heard, body: str, headers: dict[str, str], status: int, code: str
) -> None:
    sent = studio.asked.post(
        "/api/labelling/answer", content=body, headers={"Content-Type": "application/json", **headers}
    )
    assert (sent.status_code, sent.json()["error"]["code"]) == (status, code)
    assert not (studio.folder / "labels" / "ann.jsonl").exists()


def test_an_error_of_the_disk_names_no_recording(studio: Heard, capsys: pytest.CaptureFixture[str]) -> None:
    found = studio.get("/api/labelling/next?person=ann")
    for wav in studio.folder.glob("hush-*/*/*.wav"):
        wav.write_bytes(b"gone")
    answer = studio.answer("/api/labelling", found["card"], "good")
    while "error" not in answer:
        answer = studio.answer("/api/labelling", answer["card"], "good")
    assert answer["error"]["code"] == "disk"
    assert studio.leaked() == set()
    assert "hush-" in capsys.readouterr().err  # the terminal says which


def test_a_label_is_on_the_disk_when_the_answer_comes(studio: Heard) -> None:
    card = studio.get("/api/labelling/next?person=ann")["card"]
    studio.answer("/api/labelling", card, None, unscored="inaudible", note="<b>hm</b>", words_shown=True)
    (line,) = (studio.folder / "labels" / "ann.jsonl").read_text().splitlines()
    kept = json.loads(line)
    assert (kept["label"], kept["unscored"], kept["note"]) == (None, "inaudible", "<b>hm</b>")
    assert kept["shown"] == {"place": 1, "plays": {}, "words_shown": True}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"label": "../ann"}, NameUnfit),
        ({"dimensions": ("prosody",)}, DimensionUnknown),
        ({"ab": "ann"}, NothingToLabel),  # one run alone has no pairs
    ],
)
def test_what_cannot_be_labelled_is_said_at_once(
    tmp_path: Path, changes: dict[str, Any], error: type[Exception]
) -> None:
    two_runs(tmp_path, 1)
    with pytest.raises(error):
        label_routes(LabelRequest(**changes), Library([tmp_path / "hush-one"]))
