"""Expressions of a file: those of JMESPath, read as the types that events need."""

from __future__ import annotations

import base64

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.endpoints.declarative.paths import Path
from streams.endpoints.pieces import FieldError

MESSAGE = {"type": "audio", "event": {"id": 7, "list": [{"a": 1}, {"a": 2}], "no": False, "empty": ""}}

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=8,
)


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(".".join), values)
def test_plain_names_select_what_the_library_selects(text: str, message: object) -> None:
    assert Path(text).find(message) == jmespath.search(text, message)


CONDITIONS = ["a && b", "a || b", "!a", "a[0]", "a[?b].a", "a == 'b'", "length(a)", "a.b"]


@given(st.sampled_from(CONDITIONS), st.dictionaries(st.sampled_from("ab"), values))
def test_what_holds_is_what_the_library_takes_for_true(text: str, message: object) -> None:
    try:
        kept = jmespath.search(f"[?{text}]", [message])  # a filter keeps what its condition is true for
    except jmespath.exceptions.JMESPathError:
        kept = []
    assert Path(text).holds(message) == bool(kept)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a b", "Unexpected token: b"),
        ("a[", "Invalid jmespath expression"),
        ("'x", "Bad jmespath expression"),
        ("", "empty"),
        ('type == "audio"', "\"audio\" is the field of that name; text is written 'audio'"),
    ],
)
def test_what_is_no_expression_says_why(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="a JMESPath expression: ") as caught:
        Path(text)
    assert reason in str(caught.value)


def test_a_name_is_text_or_a_whole_number() -> None:
    assert Path("event.id").name_in(MESSAGE) == "7"
    assert Path("type").name_in(MESSAGE) == "audio"
    assert Path("missing.id").name_in(MESSAGE) == ""
    for text, found in (("event.no", "bool"), ("event.list", "list"), ("event", "dict")):
        with pytest.raises(FieldError, match=f"field {text}: {found}, expected a string"):
            Path(text).name_in(MESSAGE)


def test_a_number_may_be_written_as_text_and_is_finite() -> None:
    message = {"n": 1.5, "t": "2.5", "b": True, "x": "soon", "big": 10**400, "inf": "inf"}
    assert Path("n").number_in(message) == 1.5
    assert Path("t").number_in(message) == 2.5
    assert Path("none").number_in(message) is None
    for text in ("b", "x", "big", "inf"):
        with pytest.raises(FieldError, match="expected a finite number"):
            Path(text).number_in(message)


def test_audio_is_base64_with_or_without_its_padding() -> None:
    data = b"\x01\x02\x03\x04"
    padded = base64.b64encode(data).decode()
    assert padded.endswith("==")
    for text in (padded, padded.rstrip("=")):
        assert Path("x").audio_in({"x": text}) == data
    for wrong in ("A?", "A", 5, None):
        with pytest.raises(FieldError, match="field x: "):
            Path("x").audio_in({"x": wrong})


def test_half_a_character_is_replaced() -> None:
    assert Path("x").text_in({"x": "a\ud800"}) == "a?"


def test_a_function_that_cannot_take_the_message_is_a_field_error_and_holds_not() -> None:
    path = Path("starts_with(x, 'a')")
    with pytest.raises(FieldError, match="starts_with"):
        path.find({"x": 5})
    assert not path.holds({"x": 5})
    assert path.holds({"x": "abc"})


def test_arguments_are_json_text() -> None:
    assert Path("x").json_in({"x": '{"a": 1}'}) == '{"a": 1}'
    assert Path("x").json_in({"x": {"a": 1}}) == '{"a": 1}'
    assert Path("x").json_in({}) == "{}"
