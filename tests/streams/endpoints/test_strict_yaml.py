from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from streams.endpoints.strict_yaml import FileInvalid, load, read


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    rate: int
    words: tuple[str, ...] = ()


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    inner: Inner | None = None
    by_name: dict[str, Inner] = {}
    all: tuple[Inner, ...] = ()


def written(folder: Path, text: str) -> Path:
    path = folder / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(FileInvalid) as caught:
        load(written(folder, text), Outer)
    return [str(fault).removeprefix(str(folder / "x.yaml")) for fault in caught.value.faults]


def test_plain_scalars_are_text_but_for_null_truth_and_decimal_numbers(tmp_path: Path) -> None:
    text = "a: [no, on, 012, 12:30, 2026-01-01, 0x10, 1_000, null, ~, true, 7, -1, 2.5, 1.5e3, .inf]"
    assert read(written(tmp_path, text)).data["a"] == [
        "no", "on", "012", "12:30", "2026-01-01", "0x10", "1_000", None, None, True, 7, -1, 2.5, 1500.0,
        ".inf",
    ]  # fmt: skip


def test_a_key_that_is_not_known_is_placed_and_the_nearest_is_named_at_every_depth(tmp_path: Path) -> None:
    assert faults(tmp_path, "inner:\n  rate: 5\n  wrds: []\n") == [
        ":3:3: inner.wrds: found an unknown key `wrds`, expected one of rate, words; did you mean `words`?"
    ]
    assert faults(tmp_path, "by_name:\n  a: {rte: 1}\n")[1] == (
        ":2:7: by_name.a.rte: found an unknown key `rte`, expected one of rate, words; did you mean `rate`?"
    )
    assert faults(tmp_path, "all: [{x: 1, rate: 2}]") == [
        ":1:8: all[0].x: found an unknown key `x`, expected one of rate, words"
    ]


def test_wrong_types_are_said_in_the_words_of_the_file(tmp_path: Path) -> None:
    assert faults(tmp_path, "inner: {rate: fast, words: [1]}") == [
        ":1:15: inner.rate: found 'fast', expected a valid integer",
        ":1:29: inner.words[0]: found the number 1, expected text; put it in quotes",
    ]
    assert faults(tmp_path, "all: 5") == [":1:6: all: found the number 5, expected a list"]
    assert faults(tmp_path, "inner: []") == [
        ":1:8: inner: found a list of 0, expected a mapping of keys to values"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found no mapping, expected a mapping of keys to values"),
        ("- a", "found no mapping"),
        ("a: 1\na: 2", ":2:1: a: found the key a second time, expected it once"),
        (
            "a: !!binary x",
            ":1:4: a: found the tag 'tag:yaml.org,2002:binary', expected plain YAML",
        ),
        ("a: &x [*x]", "an alias without end"),
        ("? [a]\n: 1", "found a key that is no text"),
        ("a: [", ":1:5: found expected the node content"),
        ("a: " + "9" * 5000, "found the number 99999999999999999999, expected a number of usual size"),
        ("a: " + "[" * 500, "RecursionError"),
        ("a: 1\n---\nb: 2", "expected valid YAML"),
    ],
)
def test_what_is_no_plain_yaml_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(FileInvalid) as caught:
        read(written(tmp_path, text))
    assert said in str(caught.value)


def test_aliases_that_blow_up_are_an_attack(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(FileInvalid, match="a document of finite size"):
        read(written(tmp_path, "\n".join(lines)))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: \xff")
    with pytest.raises(FileInvalid, match="plain YAML in UTF-8"):
        read(path)


@given(text=st.text(alphabet="ab:-[]{}&*!|> \n'\"#?,0", max_size=30))
def test_whatever_is_in_a_file_is_read_or_refused(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = written(tmp_path_factory.getbasetemp(), text)
    try:
        assert isinstance(read(path).data, dict)
    except FileInvalid as error:
        assert str(path) in str(error)
