"""Messages with places to fill in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.endpoints.declarative.templates import Messages, Template, settled

VALUES: dict[str, object] = {"id": 7, "name": "Mia", "yes": True, "$KEY": "secret"}


def filled(value: object) -> object:
    return Template(value).fill(VALUES.get)  # type: ignore[arg-type]


def test_a_string_that_is_one_placeholder_takes_the_value_with_its_type() -> None:
    assert filled({"a": "{id}", "b": "{yes}", "c": "no {id}"}) == {"a": 7, "b": True, "c": "no 7"}


def test_a_variable_of_the_environment_is_filled_in_too() -> None:
    assert filled("Bearer ${KEY}") == "Bearer secret"
    assert Template("Bearer ${KEY}{id}").names == {"$KEY", "id"}


def test_what_has_no_value_is_left_out_with_the_text_around_it() -> None:
    value = {"a": "{none}", "b": "x{none}", "c": [1, "{none}"], "d": {"e": "{none}"}, "f": None}
    assert filled(value) == {"c": [1], "d": {}}
    assert Messages(["{none}", "plain {name}"]).filled(VALUES.get) == ["plain Mia"]


def test_a_brace_of_the_message_itself_is_doubled() -> None:
    assert filled("{{id}} {name} }}{{") == "{id} Mia }{"
    for wrong in ("{", "}", "a } b", "{a{b}}", "{a} {"):
        with pytest.raises(ValueError, match=r"a template: a single [{}]"):
            Template(wrong)


def test_messages_go_out_as_json_or_as_text() -> None:
    messages = Messages([{"type": "x", "id": "{id}"}, "plain {name}"])
    assert messages.filled(VALUES.get) == ['{"type": "x", "id": 7}', "plain Mia"]
    assert bool(messages) and not Messages()


def test_a_recorded_message_fits_the_template_it_came_from() -> None:
    template = Template({"type": "pong", "id": "{id}", "more": {"a": "{name}"}})
    assert template.fits({"type": "pong", "id": 3, "more": {"a": "x"}})
    assert template.fits({"type": "pong", "more": {}})  # values that were not there
    assert not template.fits({"type": "ping", "id": 3, "more": {"a": "x"}})
    assert not template.fits({"type": "pong", "id": 3, "other": 1})
    assert not template.fits({"id": 3})


parameters = st.dictionaries(
    st.sampled_from(["a", "b"]), st.none() | st.integers() | st.text("{}$ab", max_size=4)
)


@given(parameters, st.lists(st.sampled_from(["${a}", "${b}", "x"]), min_size=1, max_size=3))
def test_what_an_address_gives_is_never_a_placeholder(
    given_: dict[str, int | str | None], parts: list[str]
) -> None:
    values = {"a": None, "b": None, **given_}
    made = settled({"text": "".join(parts)}, values)
    if len(parts) > 1 and any(values[part[2]] is None for part in parts if part != "x"):
        assert made is None
        return
    assert not Template(made).names
    expected = "".join("x" if part == "x" else str(values[part[2]]) for part in parts)
    if made is not None:
        assert filled(made) == {"text": values[parts[0][2]] if parts in (["${a}"], ["${b}"]) else expected}


def test_entries_of_a_parameter_without_value_go_and_mappings_of_nothing_else() -> None:
    value = {"keep": None, "a": "${a}", "b": {"c": "${a}", "d": {}}, "e": {"f": "${a}"}, "g": ["${a}", 1]}
    assert settled(value, {"a": None}) == {"keep": None, "b": {"d": {}}, "g": [1]}  # type: ignore[arg-type]


def test_a_whole_parameter_keeps_its_type() -> None:
    assert settled({"rate": "${rate}", "name": "pcm_${rate}"}, {"rate": 16000}) == {
        "rate": 16000,
        "name": "pcm_16000",
    }
    assert json.dumps(filled({"x": "{{"})) == '{"x": "{"}'
