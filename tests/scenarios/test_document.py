from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scenarios.document import read_document


def data_of(tmp_path: Path, text: str) -> Any:
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    document = read_document(tmp_path / "x.yaml")
    assert not document.problems
    return document.data


def problems_of(tmp_path: Path, content: str | bytes) -> list[str]:
    path = tmp_path / "x.yaml"
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return [str(problem).removeprefix(str(path)) for problem in read_document(path).problems]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"),
        ("Yes", "Yes"),
        ("on", "on"),
        ("off", "off"),
        ("012", "012"),
        ("0x1F", "0x1F"),
        ("0o17", "0o17"),
        ("12:30", "12:30"),
        ("190:20:30", "190:20:30"),
        ("1_000", "1_000"),
        ("2026-01-01", "2026-01-01"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1.2.3", "1.2.3"),
        ("<<", "<<"),
        ("=", "="),
        ("'5'", "5"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-12", -12),
        ("1.5", 1.5),
        (".5", 0.5),
        ("2.", 2.0),
        ("1.5E-2", 0.015),
        ("0E0", "0E0"),
        ("012.5", "012.5"),
    ],
)
def test_a_plain_scalar_is_what_people_mean(tmp_path: Path, written: str, meant: object) -> None:
    (value,) = data_of(tmp_path, f"[{written}]" if written else "-")
    assert value == meant
    assert type(value) is type(meant)


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029\ufeff"))
_PLAIN = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT
)


@given(st.recursive(_PLAIN, lambda x: st.lists(x) | st.dictionaries(_TEXT, x), max_leaves=10))
def test_what_a_yaml_library_writes_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    if value is None:
        return  # a file that only says `null` is as good as empty
    text = yaml.safe_dump(value, allow_unicode=True)
    assert data_of(tmp_path_factory.mktemp("yaml"), text) == value


def test_aliases_stand_for_what_they_name(tmp_path: Path) -> None:
    assert data_of(tmp_path, "a: &x [1, 2]\nb: *x\n") == {"a": [1, 2], "b": [1, 2]}


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert data_of(tmp_path, "\ufeffa: 1") == {"a": 1}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            "a: 1\nb:\n  a: 2\n  a: 3\n",
            ":4:3: b.a: found the key a second time, expected it once (it stands in line 3 too)",
        ),
        ("a: [1, 2\nb: 3\n", ":2:2: found while parsing a flow sequence, expected ',' or ']', but got"),
        ("a: b: c\n", ":1:5: found mapping values are not allowed here, expected valid YAML"),
        ("", ": found an empty file, expected a YAML mapping"),
        ("# nothing\n", ": found an empty file, expected a YAML mapping"),
        ("a: 1\n---\nb: 2\n", ":3:1: found 2 documents, parted by ---, expected one"),
        (b"a: 1\nb: \xff\n", ":2:1: found a byte 0xff, expected UTF-8 text"),
        (b"a: \x01\n", ": found unacceptable character #x0001: special characters are not allowed"),
        (
            "a: !!python/object/apply:os.system [ls]\n",
            ":1:4: a: found the tag 'tag:yaml.org,2002:python/object",
        ),
        ("a: !!binary aGk=\n", ":1:4: a: found the tag 'tag:yaml.org,2002:binary', expected plain YAML"),
        ("a: !!int no\n", ":1:4: a: found the tag"),
        ("a: 1.e+999\n", ":1:4: a: found the number 1.e+999, expected a finite number"),
        ('a: "\\ud800"\n', ":1:4: a: found half a character"),
        ("? [a, b]\n: 1\n", ":1:1: found a key that is a list or a mapping, expected text as key"),
        ("a: &x\n  b: *x\n", ":1:4: a.b: found an alias that makes the document endless"),
        ("[" * 600, ": found lists or mappings nested hundreds of levels deep"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, content: str | bytes, problem: str) -> None:
    (found,) = problems_of(tmp_path, content)
    assert found.startswith(problem)


def test_a_small_file_that_unfolds_to_billions_of_values_is_refused_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    (found,) = problems_of(tmp_path, "\n".join(lines))
    assert "an alias that makes the document endless" in found


def test_all_that_is_wrong_is_said(tmp_path: Path) -> None:
    assert len(problems_of(tmp_path, "a: 1\na: 2\nb: !x 1\nb: 3\n")) == 3
