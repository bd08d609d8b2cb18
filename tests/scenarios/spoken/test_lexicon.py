from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.load import load_pack
from scenarios.problems import ScenarioError
from scenarios.spoken.lexicon import Lexicon, spelled

OURS = Lexicon.shipped()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("EDTA", "E D T A"),  # unknown, five letters at most
        ("DNTP", "D N T P"),
        ("XKCDQR", "X K C D Q R"),  # no vowel: spelled, however long (S3-Bench)
        ("NASA", "nasa"),
        ("CRISPR", "crisper"),
        ("mRNA", "M R N A"),
        ("siRNA", "S I R N A"),
        ("RNAs", "R N A's"),
        ("GANs", "gans"),
        ("NaCl", "N A C L"),
        ("lacZ", "lac Z"),
        ("PhD", "P H D"),
        ("WARNING", "warning"),
        ("NOT", "not"),
        ("US", "U S"),
        ("UNFCCC", "U N F C C C"),
        ("AlphaFold", "AlphaFold"),
        ("McDonald", "McDonald"),
        ("iPhone", "iPhone"),
        ("water", "water"),
        ("Water", "Water"),
        ("A", "A"),
    ],
)
def test_names_are_said_as_words_or_letter_by_letter(name: str, said: str) -> None:
    assert OURS.say(name) == said


def test_letters_are_spelled_as_capitals() -> None:
    assert spelled("m-RNA") == "M R N A"


def test_a_file_of_ones_own_wins(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "said: {EDTA: edetic acid, NASA: the agency}\nwords: [FRAP]\nletters: [ELISA, CRISPR]\n"
    )
    own = OURS.extended(file)
    said = [own.say(name) for name in ("EDTA", "NASA", "FRAP", "ELISA", "CRISPR", "AIDS")]
    assert said == ["edetic acid", "the agency", "frap", "E L I S A", "C R I S P R", "aids"]
    assert OURS.say("ELISA") == "elisa"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sayd:\n  EDTA: x\n", "own.yaml:1"),
        ("said:\n  - EDTA\n", "own.yaml:2"),
        ("said:\n  EDTA: 5\n", "own.yaml:2"),
        ("words: NASA\n", "own.yaml:1"),
        ("letters: [1]\n", "own.yaml:1"),
        ("- EDTA\n", "own.yaml:1"),
        ("said: [\n", "own.yaml"),
    ],
)
def test_a_bad_lexicon_is_named_with_its_line(tmp_path: Path, text: str, found: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        OURS.extended(file)
    assert found in str(caught.value)


def test_a_pack_may_hold_a_lexicon_and_a_bad_one_is_a_problem_of_the_pack(tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text("version: 1\nid: p\ntitle: P\nlicence: CC0\n")
    (tmp_path / "a.yaml").write_text("version: 1\nid: a\ntitle: A\nturns:\n  - text: Hello.\n")
    lexicon = tmp_path / "lexicon.yaml"
    lexicon.write_text("words: [FRAP]\n")
    assert [item.scenario.id for item in load_pack(tmp_path).scenarios] == ["a"]
    lexicon.write_text("word: [FRAP]\n")
    with pytest.raises(ScenarioError, match=r"lexicon\.yaml:1"):
        load_pack(tmp_path)
