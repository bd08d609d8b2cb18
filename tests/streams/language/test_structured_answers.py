from __future__ import annotations

from datetime import date

import pytest
import yaml
from pydantic import BaseModel, ValidationError

from streams.language.client import TokenUsage
from streams.language.prices import TABLE, price
from streams.language.structured import objects, parse


class Score(BaseModel):
    score: float
    reason: str = ""


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('```json\n{"score": 7, "reason": "ok"}\n```', 7),
        ('```json\n{"score": 7, "reason": "ok"}\n```\nHope this helps {really}.', 7),
        ('{"score": 0.9, "reason": "the snippet {foo: 1} looks right"}', 0.9),
        ('I see {this}. {"score": 8}', 8),
        ('<think>{"score": 1} or {"score": 2}?</think>{"score": 3}', 3),
        ('{"score": "8"}', 8),
    ],
)
def test_the_one_object_of_a_reply_is_read_whatever_stands_around_it(reply: str, score: float) -> None:
    assert parse(reply, Score).score == score


@pytest.mark.parametrize(
    "reply",
    [
        "There are 5 reasons why this is a score of 9.",
        "I cannot score this; 1 criterion is missing.",
        '{"score": 1} {"score": 2}',
        '{"score": 1}\n{"score": 1}',
        '[{"score": 1}, {"score": 2}]',
        '{"score": ',
        "",
        '{"a": ' * 5000,
    ],
)
def test_a_reply_with_none_or_two_is_none(reply: str) -> None:
    with pytest.raises(ValidationError):
        parse(reply, Score)


def test_objects_inside_others_are_not_counted() -> None:
    assert objects('a {"b": {"c": 1}} {d} {"e": 2}') == ['{"b": {"c": 1}}', '{"e": 2}']


def test_a_price_is_of_a_model_on_its_server_and_has_a_day() -> None:
    known = price("gpt-4o-mini", "https://api.openai.com/v1/")
    assert known is not None
    assert known.of(TokenUsage(1_000_000, 0)) == pytest.approx(0.15)
    assert date.fromisoformat(known.as_of) <= date(2026, 12, 31)
    # another server may offer a model of the same name at another price
    assert price("gpt-4o-mini", "http://127.0.0.1:8095/v1") is None
    assert price("gpt-99", "https://api.openai.com/v1") is None


def test_every_price_of_the_table_has_a_day_and_a_source() -> None:
    for server in yaml.safe_load(TABLE.read_text(encoding="utf-8")):
        assert server["as_of"].isoformat() and server["source"].startswith("https://")
