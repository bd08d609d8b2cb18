from __future__ import annotations

import json
from pathlib import Path

from tests.agent.cli_calls import Viva

PAIRS = """\
{"id": "a", "reference": "five of ten", "hypothesis": "5 of eleven", "terms": []}
{"id": "b", "reference": "the DNA", "hypothesis": "the d n a", "terms": ["DNA"]}
"""


def test_pairs_of_texts_are_compared(viva: Viva, tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(PAIRS)
    done = viva("text", str(file), "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert (found["wer"]["value"], found["wer"]["errors"], found["wer"]["words"]) == (1 / 5, 1, 5)
    assert (found["aer_strict"]["value"], found["aer_loose"]["value"]) == (1.0, 0.0)
    assert [item["id"] for item in found["items"]] == ["a", "b"]
    table = viva("text", str(file))
    assert table.code == 0 and "20.00 %" in table.out


def test_a_counts_file_says_what_a_term_is(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": 1, "reference": "a gel of agarose", "hypothesis": "a gel"}\n')
    counts = tmp_path / "counts.tsv"
    counts.write_text("gel\t10\nof\t10\nagarose\t9\n")
    done = viva("text", str(tmp_path / "p.jsonl"), "--counts", str(counts), "--json")
    assert json.loads(done.out)["eer"]["errors"] == json.loads(done.out)["eer"]["terms"] == 1
    counts.write_text("gel 10\n")
    done = viva("text", str(tmp_path / "p.jsonl"), "--counts", str(counts))
    assert done.code == 2 and "counts.tsv:1" in done.err


def test_a_bad_line_is_bad_input(viva: Viva, tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(PAIRS + '{"id": "c"}\n')
    done = viva("text", str(file), "--json")
    assert (done.code, done.out) == (2, "")
    assert "pairs.jsonl:3: found no reference" in done.err
    assert viva("text", str(tmp_path / "absent.jsonl")).code == 2


def test_either_pairs_or_a_text_must_be_given(viva: Viva) -> None:
    for done in (viva("text"), viva("text", "x.jsonl", "--say", "x")):
        assert done.code == 2 and "--say" in done.err


def test_a_text_is_said_aloud(viva: Viva, tmp_path: Path) -> None:
    assert viva("text", "--say", "5 mM EDTA").out == "five millimolar E D T A\n"
    assert json.loads(viva("text", "--say", "", "--json").out) == {"text": "", "spoken": ""}
    lexicon = tmp_path / "mine.yaml"
    lexicon.write_text("said:\n  EDTA: edetic acid\n")
    assert viva("text", "--say", "EDTA", "--lexicon", str(lexicon)).out == "edetic acid\n"
    lexicon.write_text("sayd:\n  EDTA: edetic acid\n")
    done = viva("text", "--say", "EDTA", "--lexicon", str(lexicon))
    assert done.code == 2 and "mine.yaml:1" in done.err
