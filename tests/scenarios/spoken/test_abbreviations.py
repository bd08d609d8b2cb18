from __future__ import annotations

import csv
from pathlib import Path

import pytest

from scenarios.spoken.abbreviations import abbreviations, runs

AB3P = Path(__file__).parents[2] / "data" / "ab3p" / "med1250_abbreviations.tsv"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DNA mRNA pH H2O NaCl GeV 3D tRNAs", ["DNA", "mRNA", "pH", "H2O", "NaCl", "GeV", "3D", "tRNAs"]),
        ("IL-6, COVID-19 and RT-PCR", ["IL", "COVID", "RT", "PCR"]),
        ("p53 T4 E1 Ub U.S. X-ray", []),
        ("McDonald iPhone WARNING", ["McDonald", "iPhone", "WARNING"]),
        ("H₂SO₄ ＤＮＡ", ["H2SO4", "DNA"]),
        ("DNA and DNA", ["DNA", "DNA"]),
        ("", []),
    ],
)
def test_the_rule_takes_what_it_is_known_to_take(text: str, found: list[str]) -> None:
    assert abbreviations(text) == found


def test_runs_keep_their_case_and_cut_at_everything_else() -> None:
    assert runs("the IL-6 (mRNA), H₂O") == ["the", "IL", "6", "mRNA", "H2O"]


def test_the_rule_finds_as_many_gold_short_forms_as_was_measured() -> None:
    with AB3P.open(encoding="utf-8", newline="") as file:
        short = [row["short"] for row in csv.DictReader(file, delimiter="\t")]
    assert len(short) == 1221
    whole = sum(abbreviations(form) == [form] for form in short)
    some = sum(bool(abbreviations(form)) for form in short)
    assert (whole, some) == (939, 1088)  # 76.9 %, 89.1 %
