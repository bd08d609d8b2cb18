"""Endpoints that misbehave, called by `viva run` over a socket: outcome, message, and nothing lost."""

from __future__ import annotations

import asyncio
import http
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from recordings.check import Severity, check
from recordings.format import Noticed, UnknownMessage
from recordings.reader import Episode
from streams.endpoints.fake import tone
from tests.agent.cli_calls import HELLO, Done, Handler, Viva, server, texts

pytestmark = pytest.mark.wall_clock

CANARY = "sk-canary0123456789abcdefgh"
ONE_TURN = HELLO[: HELLO.index("  - text: How are")]
REPLY = tone(0.4, rate=16000)


async def first_words(connection: ServerConnection) -> None:
    """Wait for the end of the user's first words: audible frames, then a silent one."""
    spoke = False
    async for message in connection:
        audible = np.frombuffer(message, np.int16).any() if isinstance(message, bytes) else False
        if spoke and not audible:
            return
        spoke = spoke or bool(audible)


async def listen_on(connection: ServerConnection) -> None:
    async for _ in connection:
        pass


def call(viva: Viva, handler: Handler, query: str = "", **options: Any) -> Done:
    (viva.folder / "hello.yaml").write_text(ONE_TURN)
    with server(handler, **options) as port:
        return viva.run(f"pcm+ws://127.0.0.1:{port}/?rate=16000{query}", "--json")


def ended(viva: Viva, done: Done) -> tuple[str, Episode]:
    """Outcome, and the episode, which agrees with itself."""
    episode = Episode.load(viva.folder / "run/hello")
    assert [p for p in check(episode) if p.severity is Severity.ERROR] == []
    (told,) = done.json["episodes"]
    assert told["outcome"] == episode.info.outcome.value
    return told["outcome"], episode


def received(episode: Episode) -> int:
    return int(episode.track("received")[0].size)


def test_an_account_that_has_used_up_its_sessions_spoils_the_call_and_lowers_nobodys_score(
    viva: Viva,
) -> None:
    def too_many(connection: ServerConnection, request: Request) -> Response:
        answer = connection.respond(http.HTTPStatus.TOO_MANY_REQUESTS, "slow down")
        answer.headers["Retry-After"] = "7"
        return answer

    done = call(viva, listen_on, process_request=too_many)
    outcome, episode = ended(viva, done)
    assert (done.code, outcome, episode.info.outcome.void) == (3, "rate_limited", True)
    assert "run fewer at a time" in done.err


def test_the_raw_traffic_stands_beside_the_events_if_it_is_asked_for(viva: Viva) -> None:
    (viva.folder / "hello.yaml").write_text(ONE_TURN)
    with server(answer_once) as port:
        done = viva.run(f"pcm+ws://127.0.0.1:{port}/?rate=16000", "--raw-log", "messages", "--json")
    outcome, episode = ended(viva, done)
    assert outcome == "completed"
    lines = (viva.folder / "run/hello/raw.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["audio"] is False
    sent = [json.loads(line) for line in lines if '"sent"' in line]
    assert {line["bytes"] for line in sent} == {640}  # 20 ms at 16000/s in 16 bits
    came = [json.loads(line) for line in lines if '"received"' in line]
    assert sum(line["bytes"] for line in came) == 2 * received(episode)


async def answer_once(connection: ServerConnection) -> None:
    await first_words(connection)
    await connection.send(REPLY)
    await listen_on(connection)


def test_a_rejected_key_is_told_with_its_variable_and_never_shown(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", CANARY)

    def reject(connection: ServerConnection, request: Request) -> Response:
        body = f"your key {request.headers['Authorization']} is not valid"
        return connection.respond(http.HTTPStatus.UNAUTHORIZED, body)

    done = call(viva, listen_on, "&key_env=MY_KEY", process_request=reject)
    outcome, _ = ended(viva, done)
    assert (done.code, outcome) == (3, "connect_failed")
    assert "HTTP 401" in done.err and "Set the environment variable MY_KEY" in done.err
    no_canary(viva, done)


@pytest.mark.parametrize("scheme", ["pcm+ws", "openai+ws"])
def test_a_key_that_the_endpoint_echoes_is_masked_everywhere(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    (viva.folder / "hello.yaml").write_text(ONE_TURN)

    async def echo(connection: ServerConnection) -> None:
        assert connection.request is not None
        said = connection.request.headers["Authorization"]
        error = {"type": "error", "error": {"type": "x", "code": "x", "message": f"I saw {said}"}}
        if scheme == "openai+ws":
            await connection.send(json.dumps({"type": "session.created", "session": {"id": said}}))
            await connection.recv()
            await connection.send(json.dumps({"type": "session.updated", "session": {"id": said}}))
            await asyncio.sleep(0.3)
        await connection.send(json.dumps(error))
        await connection.send(json.dumps({"type": said}))
        await connection.close(1011, f"no {said}"[:100])

    with server(echo) as port:
        rate = "rate=16000" if scheme == "pcm+ws" else "model=m"
        done = viva.run(f"{scheme}://127.0.0.1:{port}/?{rate}&key_env=OPENAI_API_KEY", "--json")
    outcome, episode = ended(viva, done)
    assert outcome == "endpoint_error"
    assert "***" in episode.info.reason
    no_canary(viva, done)


def no_canary(viva: Viva, done: Done) -> None:
    assert CANARY not in done.out + done.err
    assert [path for path, data in texts(viva.folder) if CANARY.encode() in data] == []


def test_a_handshake_that_breaks_off_is_told(viva: Viva) -> None:
    (viva.folder / "hello.yaml").write_text(ONE_TURN)

    async def leave(connection: ServerConnection) -> None:
        await connection.close(1013, "try again later")

    with server(leave) as port:
        done = viva.run(f"openai+ws://127.0.0.1:{port}/v1/realtime?model=m", "--json")
    outcome, _ = ended(viva, done)
    assert (done.code, outcome) == (3, "connect_failed")
    assert "closed during set-up with code 1013: try again later" in done.err


def test_an_endpoint_that_never_speaks_is_silent_and_that_is_a_result(viva: Viva) -> None:
    done = call(viva, listen_on)
    outcome, _ = ended(viva, done)
    assert (done.code, outcome) == (0, "endpoint_silent")
    assert done.json["metrics"]["unanswered_turns"]["value"] == 1.0


def test_what_was_said_before_an_endpoint_closes_mid_word_is_kept(viva: Viva) -> None:
    async def break_off(connection: ServerConnection) -> None:
        await first_words(connection)
        await connection.send(REPLY)
        connection.transport.abort()

    done = call(viva, break_off)
    outcome, episode = ended(viva, done)
    assert (done.code, outcome) == (0, "endpoint_error")
    assert received(episode) == len(REPLY) // 2
    assert np.count_nonzero(episode.track("endpoint")[0]) >= len(REPLY) // 2 - 100


def test_a_goodbye_is_no_error(viva: Viva) -> None:
    async def goodbye(connection: ServerConnection) -> None:
        await first_words(connection)
        await connection.send(REPLY)
        rest = asyncio.create_task(listen_on(connection))
        await asyncio.sleep(0.5)
        await connection.close(1000, "bye")
        await rest

    done = call(viva, goodbye)
    outcome, episode = ended(viva, done)
    assert done.code == 0
    assert outcome in ("endpoint_hung_up", "completed")
    assert received(episode) == len(REPLY) // 2


def test_odd_pieces_and_unknown_messages_lose_no_sample(viva: Viva) -> None:
    async def odd(connection: ServerConnection) -> None:
        await first_words(connection)
        for start in range(0, len(REPLY), 333):
            await connection.send(REPLY[start : start + 333])
        for strange in ("no json", "[1]", "{}", '{"type": 7}', '{"type": "response.new"}', "\x1b[2J"):
            await connection.send(strange)
        await connection.send(b"")
        await listen_on(connection)

    done = call(viva, odd)
    outcome, episode = ended(viva, done)
    assert (done.code, outcome) == (0, "completed")
    assert received(episode) == len(REPLY) // 2
    assert "response.new" in [e.type for e in episode.events if isinstance(e, UnknownMessage)]
    assert "\x1b" not in done.err


def test_a_frame_of_megabytes_is_taken_whole(viva: Viva) -> None:
    # 1.3 MB of 16 kHz PCM are 40.6 s; the call ends with the scenario's 3 s, and what was not heard is kept
    scenario = ONE_TURN.replace("max_duration_s: 20", "max_duration_s: 3")
    huge = tone(40.625, rate=16000)
    assert len(huge) == 1_300_000

    async def flood(connection: ServerConnection) -> None:
        await first_words(connection)
        await connection.send(huge)
        await listen_on(connection)

    with server(flood) as port:
        (viva.folder / "hello.yaml").write_text(scenario)
        done = viva.run(f"pcm+ws://127.0.0.1:{port}/?rate=16000", "--json")
    outcome, episode = ended(viva, done)
    assert (done.code, outcome) == (0, "max_duration")
    assert received(episode) == len(huge) // 2
    assert episode.info.unheard_tail_ms > 37_000


def test_an_error_event_is_on_record_and_on_the_screen(viva: Viva) -> None:
    error: Mapping[str, object] = {
        "type": "error",
        "error": {"type": "server_error", "code": "overloaded", "message": "busy \x1b[2J now"},
    }
    (viva.folder / "hello.yaml").write_text(ONE_TURN)

    async def complain(connection: ServerConnection) -> None:
        await connection.send(json.dumps({"type": "session.created", "session": {"id": "s"}}))
        await connection.recv()
        await connection.send(json.dumps({"type": "session.updated", "session": {"id": "s"}}))
        await asyncio.sleep(0.2)
        await connection.send(json.dumps(error))
        await listen_on(connection)

    with server(complain) as port:
        done = viva.run(f"openai+ws://127.0.0.1:{port}/v1/realtime?model=m", "--json")
    outcome, episode = ended(viva, done)
    assert (done.code, outcome) == (0, "endpoint_silent")
    assert [e.code for e in episode.events if isinstance(e, Noticed)] == ["overloaded"]
    assert "overloaded: busy" in done.err and "\x1b" not in done.err
