"""What an OpenAI Realtime server says of its rate limits, and what a session may make of it."""

from __future__ import annotations

import pytest

from streams.endpoints.events import EndpointEvent, Notice, NoticeLevel, ResponseEnded, ResponseStatus
from tests.streams.endpoints.realtime_messages import Json, codec, done, receive, server

TOKENS = {"name": "tokens", "limit": 40000, "remaining": 39500, "reset_seconds": 0.75}
REQUESTS = {"name": "requests", "limit": 100, "remaining": 0, "reset_seconds": 12.5}


def noticed(*messages: Json) -> Notice:
    (notice,) = (event for event in receive(codec(), *messages) if isinstance(event, Notice))
    return notice


def test_what_is_left_is_a_note() -> None:
    found = noticed(server("rate_limits.updated", rate_limits=[TOKENS]))
    assert (found.level, found.reset_s, found.fatal) == (NoticeLevel.INFO, None, False)


def test_what_is_used_up_is_told_with_the_time_until_it_is_lifted() -> None:
    later = {**REQUESTS, "name": "input_tokens", "reset_seconds": 20.0}
    found = noticed(server("rate_limits.updated", rate_limits=[TOKENS, REQUESTS, later]))
    assert (found.level, found.reset_s, found.fatal) == (NoticeLevel.RATE_LIMIT, 20.0, False)
    assert "requests: 0.0 of 100.0 left, reset in 12.5 s" in found.message


@pytest.mark.parametrize(
    ("message", "reset_s"),
    [
        ("Rate limit reached. Please try again in 6s.", 6.0),
        ("Rate limit reached. Please try again in 350ms. Visit the site.", 0.35),
        ("Rate limit reached. Please try again in 1.5 s", 1.5),
        ("You exceeded your current quota.", None),
    ],
)
def test_a_refusal_ends_the_session_and_says_when_to_try_again(message: str, reset_s: float | None) -> None:
    found = noticed(server("error", error={"type": "x", "code": "rate_limit_exceeded", "message": message}))
    assert (found.level, found.fatal) == (NoticeLevel.RATE_LIMIT, True)
    assert (found.message, found.reset_s) == (message, reset_s)


@pytest.mark.parametrize(
    "code", ["rate_limit_exceeded", "inference_rate_limit_exceeded", "insufficient_quota"]
)
def test_a_response_that_fails_for_the_accounts_limits_is_a_refusal(code: str) -> None:
    details = {"type": "failed", "error": {"type": "x", "code": code, "message": "no"}}
    events: list[EndpointEvent] = receive(codec(), done("r1", "failed", status_details=details))
    notice, ended = events
    assert isinstance(notice, Notice) and isinstance(ended, ResponseEnded)
    assert (notice.level, notice.code, notice.fatal) == (NoticeLevel.RATE_LIMIT, code, True)
    assert ended.status is ResponseStatus.FAILED


def test_other_failures_are_none() -> None:
    details = {"type": "failed", "error": {"type": "server_error", "code": "server_error"}}
    (ended,) = receive(codec(), done("r1", "failed", status_details=details))
    assert isinstance(ended, ResponseEnded)
