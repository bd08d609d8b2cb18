from __future__ import annotations

import asyncio
import socket
import traceback
from collections.abc import AsyncIterator

import pytest
from pydantic import BaseModel

from streams.language.client import (
    Completion,
    LanguageModel,
    Message,
    TokenUsage,
    language_model,
)
from streams.language.errors import (
    KeyMissing,
    LanguageError,
    Malformed,
    Refused,
    SpecInvalid,
    TimedOut,
    Unreachable,
)
from tests.streams.openai_server import (
    HANG,
    FakeServer,
    Reply,
    Request,
    chat,
    chat_stream,
    failure,
    script,
    serving,
)

pytestmark = pytest.mark.wall_clock

CANARY = "sk-canary-4711-never-shown"
ASK = [Message("system", "Be brief."), Message("user", "What reads messenger RNA?")]


class Verdict(BaseModel):
    label: str
    score: int = 0


def model_at(server: FakeServer, **options: object) -> LanguageModel:
    return LanguageModel("m", server.base_url, environ={}, **options)  # type: ignore[arg-type]


async def collect(pieces: AsyncIterator[str]) -> list[str]:
    return [piece async for piece in pieces]


def test_an_answer_comes_with_usage_and_the_model_that_gave_it() -> None:
    with serving(script(chat("The ribosome."))) as server:
        answer = asyncio.run(model_at(server, max_tokens=20).complete(ASK))
    assert answer.text == "The ribosome."
    assert answer.usage == TokenUsage(prompt=7, completion=3)
    assert answer.model == "served-model"
    assert answer.seconds > 0
    assert not answer.truncated
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.json == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What reads messenger RNA?"},
        ],
        "temperature": 0.0,
        "max_tokens": 20,
    }


def test_one_client_serves_one_event_loop_after_another() -> None:
    with serving(script(chat("yes"))) as server:
        model = model_at(server)
        assert [asyncio.run(model.complete(ASK)).text for _ in range(3)] == ["yes"] * 3


def test_an_answer_that_was_cut_off_says_so() -> None:
    with serving(script(chat("The ribo", finish="length"))) as server:
        assert asyncio.run(model_at(server).complete(ASK)).truncated


def test_a_stream_gives_the_pieces_in_order() -> None:
    with serving(script(chat_stream("The ", "ribo", "some."))) as server:
        pieces = asyncio.run(collect(model_at(server).stream(ASK)))
    assert pieces == ["The ", "ribo", "some."]
    assert server.requests[0].json["stream"] is True


def test_a_stream_may_be_left_early() -> None:
    async def first(model: LanguageModel) -> str:
        pieces = model.stream(ASK)
        async for piece in pieces:
            await pieces.aclose()  # type: ignore[attr-defined]
            return piece
        raise AssertionError

    with serving(script(chat_stream("The ", "ribosome."))) as server:
        assert asyncio.run(first(model_at(server))) == "The "


def test_a_rate_limit_is_waited_out() -> None:
    limited = Reply({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.05"})
    with serving(script(limited, chat("The ribosome."))) as server:
        answer = asyncio.run(model_at(server).complete(ASK))
    assert answer.text == "The ribosome."
    assert len(server.requests) == 2
    assert answer.seconds >= 0.05


def test_a_server_that_keeps_failing_is_refused_after_the_retries() -> None:
    with serving(script(failure(500, "disk full"))) as server, pytest.raises(Refused) as caught:
        asyncio.run(model_at(server, retries=2).complete(ASK))
    assert len(server.requests) == 3  # 1 + 2 retries
    assert caught.value.status == 500
    assert str(caught.value) == (
        f"m at {server.base_url}: HTTP 500: disk full. The server's log may say more."
    )


def test_an_unknown_model_is_not_tried_again() -> None:
    with serving(script(failure(404, "no such model"))) as server, pytest.raises(Refused) as caught:
        asyncio.run(model_at(server).complete(ASK))
    assert len(server.requests) == 1
    assert "Check the model's name and the base URL." in str(caught.value)


@pytest.mark.parametrize("streaming", [False, True])
def test_a_silent_server_times_out(streaming: bool) -> None:
    with serving(script(HANG)) as server:
        model = model_at(server, timeout_s=0.2)
        with pytest.raises(TimedOut) as caught:
            asyncio.run(collect(model.stream(ASK)) if streaming else model.complete(ASK))
    assert caught.value.timeout_s == 0.2
    assert "no answer within 0.2 s" in str(caught.value)


def test_the_time_limit_covers_the_retries() -> None:
    slow = Reply({"error": {"message": "slow down"}}, 429, {"Retry-After": "30"})
    with serving(script(slow)) as server, pytest.raises(TimedOut):
        asyncio.run(model_at(server, timeout_s=0.3).complete(ASK))


def test_nobody_at_the_address_is_unreachable() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        with pytest.raises(Unreachable) as caught:
            asyncio.run(LanguageModel("m", url, retries=0, environ={}).complete(ASK))
    assert url in str(caught.value)
    assert "Check that the server runs there." in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"{ not json"),
        Reply(b"<html>welcome</html>", content_type="text/html"),
        Reply({"object": "list", "data": []}),
        Reply({"choices": []}),
        Reply({"choices": [{"message": {"role": "assistant", "content": None}}]}),
        Reply(b"[1, 2]"),
    ],
    ids=["broken", "html", "other", "no choices", "no text", "list"],
)
def test_an_answer_that_is_no_chat_completion_is_malformed(reply: Reply) -> None:
    with serving(script(reply)) as server, pytest.raises(Malformed):
        asyncio.run(model_at(server).complete(ASK))


def test_a_choice_is_asked_for_by_schema_and_read_as_a_value() -> None:
    with serving(script(chat('{"label": "right", "score": 2}'))) as server:
        choice = asyncio.run(model_at(server).choose(ASK, Verdict))
    assert choice.value == Verdict(label="right", score=2)
    assert choice.attempts == 1
    assert isinstance(choice.completion, Completion)
    sent = server.requests[0].json
    schema = sent["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["label", "score"]  # a default is no excuse: strict servers demand all
    assert schema["additionalProperties"] is False
    assert '"required": ["label", "score"]' in sent["messages"][-1]["content"]
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"label": "right", "score": 2}\n```',
        'Here it is: {"label": "right", "score": 2} Good luck!',
        '<think>{"label": "wrong"}? No.</think>{"label": "right", "score": 2}',
    ],
)
def test_words_around_the_json_are_passed_over(text: str) -> None:
    with serving(script(chat(text))) as server:
        assert asyncio.run(model_at(server).choose(ASK, Verdict)).value == Verdict(label="right", score=2)


def test_an_invalid_reply_is_shown_to_the_model_with_its_fault() -> None:
    replies = script(chat("It is right."), chat('{"score": 1}'), chat('{"label": "right", "score": 1}'))
    with serving(replies) as server:
        choice = asyncio.run(model_at(server).choose(ASK, Verdict))
    assert choice.attempts == 3
    last = server.requests[2].json["messages"]
    assert [message["role"] for message in last[1:]] == ["user", "assistant", "user", "assistant", "user"]
    assert last[-2]["content"] == '{"score": 1}'
    assert "label: Field required" in last[-1]["content"]


def test_a_model_that_never_fits_is_malformed_and_its_raw_reply_is_kept() -> None:
    with serving(script(chat("no idea"))) as server, pytest.raises(Malformed) as caught:
        asyncio.run(model_at(server).choose(ASK, Verdict, retries=1))
    assert len(server.requests) == 2
    assert caught.value.raw == "no idea"
    assert "no valid Verdict in 2 replies" in str(caught.value)


def test_a_server_without_response_formats_is_asked_in_words_and_remembered() -> None:
    answer = chat('{"label": "right", "score": 2}')
    with serving(
        lambda request: failure(400, "unknown field") if "response_format" in request.json else answer
    ) as server:
        model = model_at(server)
        for _ in range(2):
            assert asyncio.run(model.choose(ASK, Verdict)).value.label == "right"
    formats = ["response_format" in request.json for request in server.requests]
    assert formats == [True, True, False, False]  # two formats are tried, once


def test_a_server_that_knows_json_objects_only_is_asked_for_one_with_the_schema() -> None:
    def respond(request: Request) -> Reply:
        form = request.json["response_format"]
        if form["type"] != "json_object":
            return failure(500, "response_format.type should be 'text' or 'json_object'")
        assert form["schema"]["required"] == ["label", "score"]
        return chat('{"label": "right", "score": 2}')

    with serving(respond) as server:
        model = model_at(server, retries=0)
        for _ in range(2):
            assert asyncio.run(model.choose(ASK, Verdict)).value.label == "right"
        assert len(server.requests) == 3


def test_a_refusal_for_another_reason_stays_that_refusal() -> None:
    with serving(script(failure(400, "context too long"))) as server, pytest.raises(Refused) as caught:
        asyncio.run(model_at(server).choose(ASK, Verdict))
    assert "context too long" in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        failure(401, f"Incorrect API key provided: {CANARY}"),
        failure(500, f"crashed with Bearer {CANARY}"),
        Reply(f"<p>{CANARY}</p>".encode(), content_type="text/html"),
        Reply(f'{{"choices": "{CANARY}"'.encode()),
        Reply({"choices": [], "echo": CANARY}),
        HANG,
    ],
    ids=["401", "500", "html", "broken", "echo", "hang"],
)
def test_no_failure_shows_the_key(reply: Reply) -> None:
    with serving(script(reply)) as server:
        model = LanguageModel(
            "m", server.base_url, key_env="TEST_KEY", timeout_s=0.3, environ={"TEST_KEY": CANARY}
        )
        with pytest.raises(LanguageError) as caught:
            asyncio.run(model.complete(ASK))
    assert server.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    shown = "".join(traceback.format_exception(caught.value))
    assert CANARY not in shown + repr(caught.value) + str(vars(caught.value)) + repr(model)


def test_a_key_goes_only_where_it_was_meant_to_go() -> None:
    with serving(script(chat("yes"))) as server:
        model = LanguageModel("m", server.base_url, environ={"OPENAI_API_KEY": CANARY})
        asyncio.run(model.complete(ASK))
    assert CANARY not in str(server.requests[0].headers)


def test_a_missing_key_is_noticed_before_any_request() -> None:
    with pytest.raises(KeyMissing) as caught:
        language_model("openai:gpt-4o-mini", {})
    assert caught.value.key_env == "OPENAI_API_KEY"
    assert str(caught.value) == (
        "gpt-4o-mini at https://api.openai.com/v1: OPENAI_API_KEY is not set."
        " Set OPENAI_API_KEY to the server's key."
    )


def test_a_spec_names_server_model_and_options() -> None:
    local = language_model("http://127.0.0.1:8095/v1#smollm2", {})
    assert (local.model, local.base_url) == ("smollm2", "http://127.0.0.1:8095/v1")
    hosted = language_model("https://host/v1?key_env=HOST_KEY&timeout_s=5#big/model", {"HOST_KEY": "k"})
    assert (hosted.model, hosted.base_url) == ("big/model", "https://host/v1")
    vendor = language_model("openai:gpt-4o-mini", {"OPENAI_API_KEY": "k"})
    assert (vendor.model, vendor.base_url) == ("gpt-4o-mini", "https://api.openai.com/v1")


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("gpt-4o-mini", "names no server"),
        ("openai:", "names no model"),
        ("http://127.0.0.1:1/v1", "names no model"),
        ("http://127.0.0.1:1/v1?timeout_s=soon#m", "timeout_s is 'soon'"),
        ("http://127.0.0.1:1/v1?max_tokens=0#m", "max_tokens is '0'"),
        (f"https://user:{CANARY}@host/v1?api_key={CANARY}#m", "unknown option api_key"),
    ],
)
def test_a_spec_that_names_no_model_says_why_and_shows_no_key(spec: str, found: str) -> None:
    with pytest.raises(SpecInvalid, match=found) as caught:
        language_model(spec, {})
    assert CANARY not in str(caught.value) + repr(caught.value)
