from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.load import find
from scenarios.schema import Say, Scenario
from scenarios.spoken.lexicon import Lexicon
from scenarios.spoken.verbalise import spoken_form, verbalise

SAID = [
    ("5 mM EDTA at −80 °C", "five millimolar E D T A at minus eighty degrees Celsius"),
    ("H₂SO₄", "H two S O four"),
    ("ΔG = −RT ln K", "delta G equals minus R T natural log of K"),
    ("5′-ATGC-3′", "five prime A T G C three prime"),
    ("10⁻³ mol/L", "ten to the minus three moles per litre"),
    ("BRCA1", "bracka one"),
    ("SARS-CoV-2", "sars cov two"),
    ("CRISPR-Cas9", "crisper cas nine"),
    ("IL-6", "I L six"),
    ("m/z", "M over Z"),
    ("p53", "P fifty-three"),
    ("²³⁵U", "uranium two thirty-five"),
    ("pH 7.4", "P H seven point four"),
    ("3.5×10⁸ m/s", "three point five times ten to the eight metres per second"),
    ("x²", "X squared"),
    ("2ⁿ⁻¹ copies", "two to the N minus one copies"),
    ("xⁿ⁺¹", "X to the N plus one"),
    ("p ≥ 0.05", "p greater than or equal to zero point zero five"),
    ("α-helix and TNF-α", "alpha helix and T N F alpha"),
    ("1.5 Å", "one point five angstroms"),
    ("0.5 μm", "zero point five micrometres"),
    ("5%", "five percent"),
    ("5–10 mg", "five to ten milligrams"),
    ("12 March 2021", "the twelfth of March twenty twenty-one"),
    ("March 12, 2021", "March twelfth twenty twenty-one"),
    ("1984", "nineteen eighty-four"),
    ("2024", "twenty twenty-four"),
    ("in 2005", "in two thousand and five"),
    ("the 1990s", "the nineteen nineties"),
    ("21st century", "twenty-first century"),
    ("NASA", "nasa"),
    ("mRNA vaccines", "M R N A vaccines"),
    ("RNAs", "R N A's"),
    ("NaCl and Ca(OH)2", "N A C L and C A O H two"),
    ("(NH4)2SO4", "N H four two S O four"),
    ("CuSO4·5H2O", "C U S O four five H two O"),
    ("Ca²⁺", "C A two plus"),
    ("Na+ channels", "N A plus channels"),
    ("CD4+ T cells", "C D four plus T cells"),
    ("U-235 and C-14", "uranium two thirty-five and carbon fourteen"),
    ("E. coli K-12", "E coli K twelve"),
    ("vitamin B12", "vitamin B twelve"),
    ("COVID-19", "covid nineteen"),
    ("H5N1", "H five N one"),
    ("E = mc²", "E equals M C squared"),
    ("F = ma", "F equals M A"),
    ("PV = nRT", "P V equals N R T"),
    ("1 mL", "one millilitre"),
    ("1.0 mL", "one point zero millilitres"),
    ("a 5-mL tube", "a five millilitre tube"),
    ("3 pm", "three P M"),
    ("3:30 p.m.", "three thirty P M"),
    ("14:05", "fourteen oh five"),
    ("1:10", "one to ten"),
    ("$5.50", "five dollars and fifty cents"),
    ("£3 million", "three million pounds"),
    ("½", "one half"),
    ("2½ hours", "two and a half hours"),
    ("1/3", "one third"),
    ("555-0123", "five five five zero one two three"),
    ("0042", "zero zero four two"),
    ("1,000,000", "one million"),
    ("2.5.1", "two point five point one"),
    ("e.g. DNA", "for example D N A"),
    ("Fig. 2", "figure two"),
    ("WARNING: do NOT shake", "warning: do not shake"),
    ("IL-2 at 5 °C/min", "I L two at five degrees Celsius per minute"),
    ("kg/m³ is a unit", "kilograms per cubic metre is a unit"),
    ("9.81 m/s²", "nine point eight one metres per second squared"),
    ("10^-5", "ten to the minus five"),
    ("1e-5", "one times ten to the minus five"),
    ("±2", "plus or minus two"),
    ("5 ± 2 mM", "five plus or minus two millimolar"),
    ("~5 mL", "about five millilitres"),
    ("3 T MRI", "three tesla M R I"),
    ("a 5K run", "a five K run"),
    ("16S rRNA", "sixteen S R R N A"),
    ("PM2.5", "P M two point five"),
    ("HLA-B27", "H L A B twenty-seven"),
    ("P450", "P four fifty"),
    ("PCB-153", "P C B one fifty-three"),
    ("NF-κB", "N F kappa B"),
    ("λ = 500 nm", "lambda equals five hundred nanometres"),
    ("sin θ", "sine theta"),
    ("99.9 %", "ninety-nine point nine percent"),
    ("U.S. law", "U S law"),
    ("TCP/IP", "T C P I P"),
    ("log₂(x)", "log two (x)"),
    ("10 kDa", "ten kilodaltons"),
    ("kDa", "kilodaltons"),
    ("−5", "minus five"),
    ("-5 °C", "minus five degrees Celsius"),
    ("5′ end", "five prime end"),
    ("GPT-4", "G P T four"),
    ("3D", "three D"),
    ("Cas9", "cas nine"),
    ("Bcl2", "B C L two"),
    ("lacZ", "lac Z"),
    ("pKa", "P K A"),
    ("Wnt3a", "wint three A"),
    ("100 mmHg", "one hundred millimetres of mercury"),
    ("8.314 J mol⁻¹ K⁻¹", "eight point three one four joules per mole per kelvin"),
    ("S/N", "S N"),
    ("Fe₂O₃", "F E two O three"),
    ("O₂", "O two"),
    ("2H₂ + O₂ → 2H₂O", "two H two plus O two to two H two O"),
    ("0.05", "zero point zero five"),
    ("p < 0.05", "p less than zero point zero five"),
    ("37 °C", "thirty-seven degrees Celsius"),
    ("1st", "first"),
    ("-80°C", "minus eighty degrees Celsius"),
    ("50 μg/mL", "fifty micrograms per millilitre"),
    ("QT interval", "Q T interval"),
    ("β-actin", "beta actin"),
    ("N₂", "N two"),
    ("[Na⁺] = 140 mM", "[N A plus] equals one hundred and forty millimolar"),
    ("ATP7B", "A T P seven B"),
    ("R² = 0.98", "R squared equals zero point nine eight"),
    ("χ² test", "chi squared test"),
    ("12C", "twelve C"),
    ("half-life of ¹⁴C", "half-life of carbon fourteen"),
    ("carbon-14", "carbon fourteen"),
    ("1 M NaCl", "one molar N A C L"),
    ("Is it 5?", "Is it five?"),
    ("Room 101", "Room one hundred and one"),
    ("v2.0", "V two point zero"),
    ("A/B test", "A B test"),
    ("and/or", "and or"),
    ("10x", "ten times"),
    ("C++", "C plus plus"),
    ("GDP rose 3.2% in 2023.", "G D P rose three point two percent in twenty twenty-three."),
    ("100–200 km", "one hundred to two hundred kilometres"),
    ("IFN-γ", "I F N gamma"),
    ("a 3-year-old", "a three year old"),
    ("mid-1990s", "mid-nineteen nineties"),
    ("50 Hz", "fifty hertz"),
    ("2.4 GHz", "two point four gigahertz"),
    ("300 K", "three hundred kelvin"),
    ("1 bar", "one bar"),
    ("20 kV", "twenty kilovolts"),
    ("the 12th sample", "the twelfth sample"),
    ("7 × 10^−4", "seven times ten to the minus four"),
    ("Kₘ = 5 μM", "Kₘ equals five micromolar"),
    ("10 h", "ten hours"),
    ("RT-PCR", "R T P C R"),
    ("qPCR", "Q P C R"),
    ("ChIP-seq", "chip seek"),
    ("3′-UTR", "three prime U T R"),
    ("ELISA kit", "elisa kit"),
    ("GC content", "G C content"),
    ("Δp · Δx ≥ ħ/2", "delta p times delta x greater than or equal to h bar over two"),
    ("25 mg/kg", "twenty-five milligrams per kilogram"),
    ("y = 2x + 1", "y equals two X plus one"),
    ("O(n²)", "O(N squared)"),
    ("π ≈ 3.14", "pi approximately equals three point one four"),
    ("€20", "twenty euros"),
    ("−20 to −80 °C", "minus twenty to minus eighty degrees Celsius"),
    ("1:1000", "one to one thousand"),
    ("at 1:15 p.m.", "at one fifteen P M"),
    ("open 24/7", "open twenty-four seven"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_what_is_written_is_said(written: str, spoken: str) -> None:
    assert verbalise(written) == spoken


@pytest.mark.parametrize("spoken", [spoken for _, spoken in SAID])
def test_what_is_said_is_said_again_as_it_is(spoken: str) -> None:
    assert verbalise(spoken) == spoken


@pytest.mark.parametrize(
    "prose",
    [
        "Hello, how are you?",
        "A state-of-the-art X-ray of a T-cell;  with   odd spaces \u2013 and a dash.",
        "iPhone and AlphaFold by McDonald",
        "It\u2019s \u201cfine\u201d, isn't it? I am. No!",
        "Na ja, es geht",
        "",
        "\n",
    ],
)
def test_plain_prose_is_unchanged(prose: str) -> None:
    assert verbalise(prose) == prose


PIECES = st.sampled_from(
    [text for pair in SAID for text in pair] + ["the", "and", ".", ",", "(", ")", "-", "of", "A", "5", "m"]
)


@given(st.lists(PIECES, max_size=4).map(" ".join))
def test_a_spoken_form_has_no_digits_or_signs_left(text: str) -> None:
    spoken = verbalise(text)
    assert not any(
        character.isdigit() or character in "=+%\u00b0\u00d7\u2265\u2212\u2032\u03b1"
        for character in spoken
    )


def test_a_lexicon_of_ones_own_is_heard_in_longer_names_too(tmp_path: Path) -> None:
    (tmp_path / "lexicon.yaml").write_text("said: {TLR: toller}\nwords: [FRAP]\n")
    own = Lexicon.shipped().extended(tmp_path / "lexicon.yaml")
    assert verbalise("TLR4 and FRAP", own) == "toller four and frap"
    assert spoken_form("en-GB", tmp_path)("TLR4") == "toller four"
    assert verbalise("TLR4") == "T L R four"


def test_other_languages_are_spoken_as_they_are_written(tmp_path: Path) -> None:
    assert spoken_form("de", tmp_path)("5 mM EDTA") == "5 mM EDTA"


def said(scenario: Scenario) -> list[Say]:
    turns: list[Say] = [*scenario.turns, *(a.question for a in scenario.aspects)]
    follow_ups = [say for aspect in scenario.aspects for say in aspect.follow_ups]
    return turns + follow_ups + ([scenario.goodbye] if scenario.goodbye else [])


def test_the_demo_sounds_as_it_was_written() -> None:
    for loaded in find("demo"):
        for say in said(loaded.scenario):
            spoken = say.spoken or say.text
            assert verbalise(spoken) == spoken


@given(st.text(alphabet="xN2 ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ₀₁₂₃.-", max_size=12))
def test_whatever_stands_above_or_below_the_line_keeps_its_plain_letters(written: str) -> None:
    assert verbalise(written).casefold().count("x") >= written.count("x")


def test_without_the_library_for_numbers_texts_are_spoken_as_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert spoken_form("en", tmp_path)("5 mM EDTA") == "5 mM EDTA"
