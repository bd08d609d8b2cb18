"""Who may ask the studio: names, origins, writing; and that nothing leads out of its folders."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from recordings.errors import RecordingError
from recordings.studio.answers import answer
from recordings.studio.guard import LARGEST_BODY, Names
from recordings.studio.library import Library, NotHere
from tests.recordings.studio.servers import client, ids
from tests.scoring.episodes import CallMaker, tone

WRITES = {"Content-Type": "application/json", "X-Viva": "1"}


async def note(request: Request) -> Response:
    return answer({"noted": await request.json()})


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(await socket.receive_text())
    await socket.close()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("guard") / "run"
    CallMaker().user(0.5, 1.5).reply(2.0, tone(0.5, 24000)).write(run / "call")
    return run


@pytest.fixture(scope="module")
def asked(run: Path) -> TestClient:
    return client(
        run, routes=[Route("/api/note", note, methods=["POST"]), WebSocketRoute("/ws/echo", echo)]
    )


# --- by which name


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8790", "localhost:8790", "LOCALHOST", "[::1]:8790", "127.0.0.1", "localhost:1"]
)
def test_the_studio_answers_to_the_names_of_the_loopback_interface(host: str, asked: TestClient) -> None:
    assert asked.get("/api/about", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8790", "127.0.0.1.evil.example", "localhost.evil.example:8790",
             "192.168.1.5:8790", "", "127.0.0.1:8790@evil.example", "[::1", "localhost:x", "a b"]
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/api/about", "/api/catalogue", "/app.js", "/nowhere"])
def test_a_page_whose_name_was_made_to_point_here_gets_nothing(
    host: str, path: str, asked: TestClient
) -> None:
    refused = asked.get(path, headers={"Host": host})
    assert refused.status_code == 421
    assert refused.json()["error"]["code"] == "wrong_host"


def test_a_studio_for_others_answers_to_addresses_and_to_its_own_name() -> None:
    open_to_all = Names.of("0.0.0.0")
    assert open_to_all.include("192.168.1.5:8790")
    assert open_to_all.include("[fe80::1]:8790")
    assert not open_to_all.include("evil.example:8790")
    named = Names.of("studio.lan")
    assert named.include("studio.lan:8790")
    assert not named.include("192.168.1.5:8790")


# --- from where


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:8790", "file://"]
)
def test_another_origin_is_refused(origin: str, asked: TestClient) -> None:
    for path in ("/api/about", "/"):
        refused = asked.get(path, headers={"Origin": origin})
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers


def test_the_page_itself_may_ask(asked: TestClient) -> None:
    own = {"Origin": "http://127.0.0.1:8790", "Sec-Fetch-Site": "same-origin"}
    assert asked.get("/api/about", headers=own).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_sound_or_picture_embedded_elsewhere_is_refused(site: str, asked: TestClient, run: Path) -> None:
    at = f"/api/episodes/{ids(asked)['call']}/audio/both"
    embedded = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "audio"}
    assert asked.get(at, headers=embedded).status_code == 403


def test_a_link_to_the_studio_may_be_followed(asked: TestClient) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert asked.get("/", headers=followed).status_code == 200
    assert asked.get("/api/catalogue", headers=followed).status_code == 403
    framed = {**followed, "Sec-Fetch-Dest": "iframe"}
    assert asked.get("/", headers=framed).status_code == 403


def test_a_foreign_page_opens_no_websocket(asked: TestClient) -> None:
    with asked.websocket_connect("/ws/echo", headers={"Host": "127.0.0.1:8790"}) as socket:
        socket.send_text("hello")
        assert socket.receive_text() == "hello"
    for headers in (
        {"Host": "127.0.0.1:8790", "Origin": "http://evil.example"},
        {"Host": "evil.example:8790", "Origin": "http://evil.example:8790"},
    ):
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            asked.websocket_connect("/ws/echo", headers=headers),
        ):
            pass
        assert refused.value.code == 1008


# --- who may write


def test_the_page_writes(asked: TestClient) -> None:
    assert asked.post("/api/note", json={"a": 1}, headers=WRITES).json() == {"noted": {"a": 1}}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain", "X-Viva": "1"}, 415),  # what a form of a foreign page can send
        ({"Content-Type": "application/x-www-form-urlencoded", "X-Viva": "1"}, 415),
        ({"Content-Type": "application/json"}, 403),
        ({"Content-Type": "application/json", "X-Viva": "0"}, 403),
        ({**WRITES, "Origin": "http://evil.example"}, 403),
        ({**WRITES, "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_who_is_not_the_page_writes_nothing(
    headers: dict[str, str], status: int, asked: TestClient
) -> None:
    assert asked.post("/api/note", content=b"{}", headers=headers).status_code == status


def test_a_body_that_is_too_large_is_not_read(asked: TestClient) -> None:
    refused = asked.post("/api/note", content=b" " * (LARGEST_BODY + 1), headers=WRITES)
    assert refused.status_code == 413


def test_a_body_without_a_length_is_not_read(asked: TestClient) -> None:
    refused = asked.post("/api/note", content=iter([b"{}"]), headers=WRITES)
    assert refused.status_code == 411


# --- what a page of it may do


@pytest.mark.parametrize("path", ["/", "/app.js", "/api/about", "/api/nowhere"])
def test_every_answer_says_what_the_page_may_load(path: str, asked: TestClient) -> None:
    headers = asked.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["object-src"] == policy["frame-ancestors"] == policy["form-action"] == "'none'"
    assert not any("unsafe" in part or "http" in part or "*" in part for part in policy.values())
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"


# --- no path leads out


def encoded(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "id",
    [encoded(text) for text in ("0:..", "0:../..", "0:/etc", "0:call/..", "0:call/../call", "0:./call",
                                "0:call/", "1:call", "-1:call", "x:call", ":call", "0:", "0", "0:nothing")]
    + [encoded(b"0:\xff\x00"), "%2e%2e", "..", "call", "", "a", "%00", "💥", "A" * 5000],
)  # fmt: skip
def test_an_id_that_was_made_up_leads_nowhere(id: str, asked: TestClient, run: Path) -> None:
    for path in ("", "/peaks?track=user&end=10&width=1", "/audio/user", "/events", "/curves", "/live"):
        refused = asked.get(f"/api/episodes/{id}{path}")
        assert refused.status_code in (403, 404), refused.text
        assert str(run) not in refused.text
    with pytest.raises(NotHere):
        Library([run]).episode(id)


@pytest.mark.parametrize("path", ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/static/../../app.py",
                                  "//etc/passwd", "/%2fetc%2fpasswd"])  # fmt: skip
def test_the_page_has_no_files_but_its_own(path: str, asked: TestClient) -> None:
    assert asked.get(path).status_code == 404


def test_an_episode_that_is_a_link_to_another_place_is_not_shown(tmp_path: Path) -> None:
    CallMaker().user(0.5, 1.5).write(tmp_path / "run" / "call")
    secret = CallMaker().user(0.5, 1.5).write(tmp_path / "elsewhere" / "secret")
    (tmp_path / "run" / "linked").symlink_to(secret)
    asked = client(tmp_path / "run")
    assert list(ids(asked)) == ["call"]
    assert asked.get(f"/api/episodes/{encoded('0:linked')}").status_code == 403


@pytest.mark.parametrize("name", ["user.wav", "events.jsonl", "episode.json", "turns.jsonl", "scores"])
def test_a_file_that_is_a_link_to_another_place_is_not_read(name: str, tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5).write(tmp_path / "run" / "call")
    other = CallMaker().user(0.5, 1.5).write(tmp_path / "elsewhere" / "secret")
    (other / "scores").mkdir()
    (call / name).unlink(missing_ok=True)
    (call / name).symlink_to(other / name)
    asked = client(tmp_path / "run")
    at = f"/api/episodes/{encoded('0:call')}"
    for path in ("", "?outline=1", "/audio/user", "/events", "/curves", "/peaks?track=user&end=9&width=1"):
        refused = asked.get(f"{at}{path}")
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "outside"


def test_a_score_file_that_is_a_link_to_another_place_is_not_read(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5).write(tmp_path / "run" / "call")
    (call / "scores").mkdir()
    (tmp_path / "secret.json").write_text("{}")
    (call / "scores" / "judge.json").symlink_to(tmp_path / "secret.json")
    asked = client(tmp_path / "run")
    assert asked.get(f"/api/episodes/{encoded('0:call')}").status_code == 403


def test_links_between_the_folders_that_are_shown_are_followed(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5).write(tmp_path / "run" / "call")
    os.rename(call / "user_clean.wav", tmp_path / "run" / "shared.wav")
    (call / "user_clean.wav").symlink_to(tmp_path / "run" / "shared.wav")
    asked = client(tmp_path / "run")
    assert asked.get(f"/api/episodes/{ids(asked)['call']}/audio/user_clean").status_code == 200


def test_a_folder_without_episodes_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="holds no episode"):
        Library([tmp_path])


def test_an_episode_by_itself_can_be_listened_to(run: Path) -> None:
    asked = client(run / "call")
    assert asked.get(f"/api/episodes/{ids(asked)['call']}").json()["episode"] == "call"


def test_an_episode_of_two_roots_is_shown_once(run: Path) -> None:
    assert list(ids(client(run, run / "call", run.parent))) == ["call"]
