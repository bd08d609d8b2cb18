from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.format import Verdict
from recordings.strict_json import NotStrict, encode, replace_file


def loads_strictly(data: bytes) -> Any:
    def refuse(constant: str) -> Any:
        raise AssertionError(constant)

    return json.loads(data.decode("utf-8"), parse_constant=refuse)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(codec="utf-8")),
        lambda x: st.lists(x) | st.dictionaries(st.text(st.characters(codec="utf-8")), x),
        max_leaves=8,
    )
)
def test_plain_data_comes_back_as_it_was(value: Any) -> None:
    assert loads_strictly(encode(value)) == value


@given(st.text())
def test_any_text_is_written_as_valid_utf8(text: str) -> None:
    found = loads_strictly(encode({"text": text}))["text"]
    found.encode("utf-8")


def test_half_characters_are_replaced_and_whole_ones_joined() -> None:
    assert loads_strictly(encode(["a\ud800b", "\ud83d\ude00"])) == ["a\ufffdb", "😀"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_has_no_word_for_is_named_with_its_place(number: float) -> None:
    with pytest.raises(NotStrict, match=r"^turns\[1\]\.wer is "):
        encode({"turns": [{"wer": 0.5}, {"wer": np.float64(number)}]})


def test_numpy_values_and_models_are_written_as_plain_ones() -> None:
    value = {
        "a": np.float32(0.5),
        "b": np.int64(3),
        "c": np.array([1, 2]),
        "d": Verdict(judge="j", label="yes"),
    }
    assert loads_strictly(encode(value))["a"] == 0.5
    assert loads_strictly(encode(value))["c"] == [1, 2]
    assert loads_strictly(encode(value))["d"]["label"] == "yes"


def test_what_has_no_json_form_is_an_error() -> None:
    with pytest.raises(TypeError, match="object cannot be written as JSON"):
        encode({"a": object()})


def test_a_file_is_replaced_or_left_alone(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.json", b"1")
    replace_file(tmp_path / "a.json", b"2")
    assert (tmp_path / "a.json").read_bytes() == b"2"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_failed_replacement_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_file(tmp_path / "a.json", b"2")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
