"""Keys are put into items, and nothing else of a file changes: comments, order, line ends."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scenarios
from scenarios.document import read_documents
from scenarios.insert import CannotInsert, with_keys

FILE = Path("questions.yaml")
KEYS = {"keywords": {"core_entity": ["DNA"], "target_concept": ["helicase", "the fork"]}}

BLOCK = """\
# Our questions
id: helicase   # the enzyme
title: Helicase
turns:
  - text: Which enzyme unwinds DNA?

    item:
      # asked openly
      kind: open
      answer: helicase  # and nothing else
      # why
      explanation: >-
        Helicase moves along a strand
        and parts the helix.

      # where from
      source: Alberts
"""
FLOW = """\
id: pcr
title: PCR
turns:
  - {text: "What is copied?", item: {kind: open, answer: DNA , source: "A, B"}}  # short
"""


def put(text: str, entries: dict[tuple[str, int], dict[str, Any]]) -> str:
    return with_keys(FILE, text.encode(), entries).decode()


def added(before: str, after: str) -> list[str]:
    """The lines that are new; none may have gone."""
    found = [
        line for line in difflib.ndiff(before.splitlines(True), after.splitlines(True)) if line[0] != "?"
    ]
    assert not [line for line in found if line[0] == "-"]
    return [line[2:] for line in found if line[0] == "+"]


def test_lines_follow_the_explanation_and_every_comment_stays_where_it_is() -> None:
    after = put(BLOCK, {("helicase", 0): KEYS})
    assert added(BLOCK, after) == [
        "      keywords:\n",
        "        core_entity: [DNA]\n",
        "        target_concept: [helicase, the fork]\n",
    ]
    assert "and parts the helix.\n      keywords:" in after
    assert "the fork]\n\n      # where from\n      source" in after


def test_inside_of_braces_they_follow_the_answer() -> None:
    after = put(FLOW, {("pcr", 0): KEYS})
    there = "answer: DNA, keywords: {core_entity: [DNA], target_concept: [helicase, the fork]} , source"
    assert after == FLOW.replace("answer: DNA , source", there)


@pytest.mark.parametrize(
    "file", sorted((Path(scenarios.__file__).parent / "science-knowledge").glob("*.yaml"))
)
def test_every_item_that_we_ship_takes_new_lines_and_nothing_else_changes(file: Path) -> None:
    if file.name in ("pack.yaml", "lexicon.yaml"):
        return
    data = file.read_bytes()
    entries = {(document.data["id"], 0): {"noted": ["a: b", "no"]} for document in read_documents(file)}
    before, after = data.decode(), with_keys(file, data, entries).decode()
    new = added(before, after)
    assert len(entries) >= 20 and len(new) == len(entries)
    assert {line.strip() for line in new} == {"noted: ['a: b', 'no']"}


def test_several_items_of_a_file_get_their_own_and_the_rest_none() -> None:
    text = f"{BLOCK}---\n{FLOW}---\n{BLOCK.replace('id: helicase', 'id: third')}"
    after = put(text, {("pcr", 0): KEYS, ("third", 0): {"noted": "x", **KEYS}})
    noted = [document.data["turns"][0]["item"].keys() for document in read_documents(FILE, after.encode())]
    assert ["keywords" in keys for keys in noted] == [False, True, True]
    assert ["noted" in keys for keys in noted] == [False, False, True]


@pytest.mark.parametrize(
    "text",
    [
        BLOCK.replace("\n", "\r\n"),
        BLOCK.rstrip("\n"),
        "\n".join(BLOCK.splitlines()[:10]),  # ends after the answer's comment, without a line end
        f"\ufeff{BLOCK}",
        BLOCK.replace(">-", "|"),
        BLOCK.replace("explanation", "reasoning"),
        BLOCK.replace(" helicase  # and", ' "heli\\x63ase"  # and'),
        BLOCK.replace("answer: helicase", "answer: helicase\n        of the fork"),
        f"{BLOCK}...\n",
    ],
    ids=["CRLF", "no end", "comment ends", "BOM", "literal", "reasoning", "escapes", "two lines", "closed"],
)
def test_other_ways_to_write_the_same_are_kept(text: str) -> None:
    data = text.encode()
    made = with_keys(FILE, data, {("helicase", 0): KEYS})
    assert made.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    assert (b"\r\n" in made) == (b"\r\n" in data) and made.replace(b"\r\n", b"").count(b"\r") == 0
    before, after = read_documents(FILE, data), read_documents(FILE, made)
    before[0].data["turns"][0]["item"] |= KEYS
    assert [document.data for document in after] == [document.data for document in before]
    assert [line for line in text.splitlines() if line not in made.decode().splitlines()] == []


SHARED = """\
id: two
title: Two
turns:
  - text: One?
    item: &same {kind: open, answer: DNA}
  - text: Two?
    item: *same
"""


@pytest.mark.parametrize(
    ("text", "key", "found"),
    [
        (SHARED, ("two", 1), "an alias, say"),
        (BLOCK, ("helicase", 1), r"no item in turns\[1\] of helicase"),
        (BLOCK, ("other", 0), r"no item in turns\[0\] of other"),
        (BLOCK.replace("source: Alberts", "keywords: {}"), ("helicase", 0), "an alias, say"),
        (BLOCK.replace(">-", "|+"), ("helicase", 0), "an alias, say"),
        ("id: [", ("x", 0), "line 1: found .*, expected valid YAML"),
    ],
)
def test_where_something_else_would_change_nothing_is_written(
    text: str, key: tuple[str, int], found: str
) -> None:
    with pytest.raises(CannotInsert, match=rf"^questions\.yaml: .*{found}.*by hand"):
        with_keys(FILE, text.encode(), {key: KEYS})


WORDS = st.text(
    st.characters(codec="utf-8", categories=["L", "M", "N", "P", "S", "Zs"]), min_size=1, max_size=30
)


@given(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from([BLOCK, FLOW]))
def test_any_words_come_back_as_they_were_put_in(words: list[str], text: str) -> None:
    id = "helicase" if text is BLOCK else "pcr"
    keys = {"keywords": {"core_entity": words}}
    (document,) = read_documents(FILE, with_keys(FILE, text.encode(), {(id, 0): keys}))
    assert document.data["turns"][0]["item"]["keywords"] == {"core_entity": words}
