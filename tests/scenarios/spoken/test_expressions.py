from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.spoken.expressions import Kind, expressions, features, is_formula
from scenarios.spoken.terms import Counts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Add 5 mM EDTA at −80 °C to H₂SO₄.", ["unit 5 mM", "unit −80 °C", "formula H₂SO₄"]),
        ("What does ΔG = −RT ln K mean?", ["equation ΔG = −RT ln K"]),
        ("5′-ATGC-3′ with 10⁻³ mol/L", ["sequence 5′-ATGC-3′", "unit 10⁻³ mol/L"]),
        ("BRCA1, SARS-CoV-2, Cas9", ["gene BRCA1", "gene SARS-CoV-2", "gene Cas9"]),
        ("IL-6, TNF-α, NF-κB, p53", ["gene IL-6", "gene TNF-α", "gene NF-κB", "gene p53"]),
        ("lacZ and c-Myc", ["gene lacZ", "gene c-Myc"]),
        ("²³⁵U, carbon-14 and C-14", ["isotope ²³⁵U", "isotope carbon-14", "isotope C-14"]),
        ("3.5×10⁸ m/s, x² and 1e-5", ["unit 3.5×10⁸ m/s", "exponent x²", "exponent 1e-5"]),
        ("CO2, NaCl, Ca(OH)2, Ca²⁺", ["formula CO2", "formula NaCl", "formula Ca(OH)2", "formula Ca²⁺"]),
        ("10–20 mg/mL for 5 min", ["unit 10–20 mg/mL", "unit 5 min"]),
        ("I see HIV, NASA and H5N1 in the GeV range.", []),
        ("The cat is on the mat. A plan: he said I am in.", []),
        ("5 T cells, 3 times, room 101, in 1984", []),
        ("", []),
    ],
)
def test_special_expressions_are_found_with_their_kind(text: str, found: list[str]) -> None:
    assert [f"{e.kind} {e.text}" for e in expressions(text)] == found


def test_an_equation_holds_what_stands_in_it() -> None:
    found = expressions("so λ = 500 nm holds")
    assert [(e.kind, e.text) for e in found] == [(Kind.EQUATION, "λ = 500 nm"), (Kind.UNIT, "500 nm")]


@pytest.mark.parametrize(
    "word", ["H2SO4", "H₂O", "NaCl", "KOH", "CO", "O2", "Fe2O3", "TiO2", "Na+", "SO₄²⁻"]
)
def test_formulas_are_formulas(word: str) -> None:
    assert is_formula(word)


@pytest.mark.parametrize(
    "word", ["HIV", "I", "He", "H5N1", "BRCA1", "GeV", "PCR", "B12", "No", "water", ""]
)
def test_other_words_are_no_formulas(word: str) -> None:
    assert not is_formula(word)


def test_the_features_of_a_text_are_named() -> None:
    counts = Counts({"add": 99, "to": 99, "the": 99})
    found = features("Add 5 mM EDTA to the agarose", counts)
    assert found.present == {"terminology", "abbreviation", "special_expression"}
    assert found.terminology == ("agarose",)
    assert found.abbreviation == ("mM", "EDTA")
    assert [e.text for e in found.special_expression] == ["5 mM"]
    assert features("Add to the", counts).present == frozenset()


@given(st.text(alphabet="ATC5′-=(+ x²10.,mMHeOp", max_size=60))
def test_places_are_those_of_the_text(text: str) -> None:
    for found in expressions(text):
        assert text[found.start : found.end] == found.text != ""
