from __future__ import annotations

import pytest

from scenarios.schema import Feature, Item, ItemKind
from scoring.science.answers import Answered, Condition
from scoring.science.contrasts import Contrast, contrasts
from scoring.science.marks import Stage
from scoring.science.stage_coupling import couple
from scoring.science.stages import scored, stage_table
from scoring.statistics.undefined import Undefined

OPTIONS = {"A": "helium", "B": "neon"}


def item(kind: ItemKind = ItemKind.OPEN, *features: Feature, pair: str = "") -> Item:
    if kind is ItemKind.CHOICE:
        return Item(kind=kind, options=OPTIONS, answer="B", pair=pair, features=features)
    return Item(kind=kind, answer="neon", pair=pair, features=features)


def answer(id: str, right: bool | None, *, system: str = "voice", key: Item | None = None) -> Answered:
    """Right, wrong, or not there."""
    return Answered(
        id,
        system,
        Condition.TEXT if system == "llm" else Condition.SPEECH,
        item=key or item(),
        answer={True: "It is neon.", False: "It is helium.", None: None}[right],
        unscored={} if right is not None else {"answer": "no_reply"},
    )


def only(*answers: Answered) -> Contrast:
    (found,) = contrasts(scored(answers))
    return found


def test_speech_is_compared_with_text_on_the_same_questions() -> None:
    spoken = {"a": True, "b": False, "c": False, "d": None, "e": True}
    written = {"a": True, "b": True, "c": True, "d": True, "f": True}
    found = only(
        *(answer(name, right) for name, right in spoken.items()),
        *(answer(name, right, system="llm") for name, right in written.items()),
    )
    assert (found.name, found.first, found.second) == ("speech_text", "voice", "llm")
    # a, b, c: 1/3 against 3/3; with d as wrong 1/4 against 4/4
    assert found.dropped.n == 3
    assert found.dropped.difference == pytest.approx(-2 / 3)
    assert (found.as_wrong.n, found.as_wrong.difference) == (4, -3 / 4)
    assert (found.unscored, found.unpaired) == ({"no_reply": 1}, 2)
    test = found.dropped.mcnemar
    assert test is not None and (test.b, test.c) == (0, 2)
    assert found.dropped.interval is not None and -2 / 3 in found.dropped.interval


def test_repeats_are_put_together_before_they_are_compared() -> None:
    found = only(answer("a", True), answer("a", False), answer("a", None), answer("a", True, system="llm"))
    assert (found.dropped.n, found.dropped.first, found.dropped.second) == (1, 1 / 2, 1)
    assert found.as_wrong.first == 1 / 3
    assert found.dropped.interval is None  # one item has no spread
    assert found.dropped.mcnemar is None  # half right is neither right nor wrong


def test_choice_is_compared_with_open_and_abbreviations_with_full_names() -> None:
    found = contrasts(
        scored(
            [
                answer("c1", True, key=item(ItemKind.CHOICE, pair="one")),
                answer("o1", False, key=item(pair="one")),
                answer("c2", True, key=item(ItemKind.CHOICE, pair="two")),
                answer("o2", True, key=item(pair="two")),
                answer("short", False, key=item(ItemKind.OPEN, Feature.ABBREVIATION, pair="three")),
                answer("full", True, key=item(pair="three")),
                answer("alone", True, key=item(ItemKind.CHOICE, pair="four")),
            ]
        )
    )
    assert [(one.name, one.dropped.n, one.dropped.difference) for one in found] == [
        ("choice_open", 2, 1 / 2),
        ("abbreviation_full_name", 1, -1),
    ]


def test_without_pairs_there_is_no_contrast() -> None:
    assert contrasts(scored([answer("a", True), answer("b", True, system="llm")])) == []


def test_stages_of_several_systems_are_coupled() -> None:
    """Three systems; who answers to the subject is right, item by item and on the whole."""
    from scenarios.schema import Keywords

    words = Keywords(core_entity=("neon",))
    systems = [
        scored(
            Answered(
                str(n),
                f"s{system}",
                item=item(),
                keywords=words,
                answer="It is neon." if n < 2 * system + 1 else "No idea.",
            )
            for n in range(6)
        )
        for system in range(3)
    ]
    tables = [stage_table(some) for some in systems]
    found = {(pair.first, pair.second): pair for pair in couple(tables, systems) if pair.main}
    assert len(found) == 6
    both = found[Stage.PERCEPTION, Stage.KNOWLEDGE]
    assert both.systems.n == 3
    assert not isinstance(both.systems.rho, Undefined) and both.systems.rho.value == 1.0
    assert both.systems.rho.p == pytest.approx(2 / 6)  # of the 3! orders, this one and its reverse
    assert both.items == Undefined("empty_cells")  # no item came through one stage alone
    none = found[Stage.RECOGNITION, Stage.KNOWLEDGE]
    assert (none.systems.n, none.items) == (0, Undefined("no_items"))
    assert list(couple(tables[:1], systems[:1])) == []


def heard(number: int, system: int) -> Answered:
    """A question with a term and an abbreviation; where a system loses the term, it answers wrong."""
    lost = number < 2 * system
    recognised = "What does the cobbler of DNA do?" if lost else "What does the nucleosome of dna do?"
    return Answered(
        str(number),
        f"s{system}",
        asked="What does the nucleosome of DNA do?",
        item=item(ItemKind.OPEN, Feature.TERMINOLOGY, Feature.ABBREVIATION),
        recognised=recognised,
        right=not lost,
    )


def test_recognition_is_coupled_by_words_terms_and_abbreviations_in_all_and_by_feature() -> None:
    systems = [scored(heard(number, system) for number in range(10)) for system in (0, 1, 3)]
    found = {
        (pair.part, *pair.measures): pair for pair in couple([stage_table(s) for s in systems], systems)
    }
    recognition = {name for name in found if name[1:] == (name[1], "knowledge_accuracy")}
    assert {(part, first) for part, first, _ in recognition if first.startswith("recognition")} == {
        *(("all", f"recognition_{error}") for error in ("wer", "eer", "aer_strict", "aer_loose")),
        *(("terminology", f"recognition_{error}") for error in ("wer", "eer")),
        *(("abbreviation", f"recognition_{error}") for error in ("wer", "aer_strict", "aer_loose")),
    }
    terms = found["terminology", "recognition_eer", "knowledge_accuracy"]
    assert terms.systems.rho.value == 1.0  # type: ignore[union-attr]
    # 22 answers came through both stages, 8 through neither, none through one alone
    assert terms.items == Undefined("empty_cells")
    # no system loses an abbreviation, in whatever case: a constant has no correlation
    loose = found["abbreviation", "recognition_aer_loose", "knowledge_accuracy"]
    assert (loose.systems.n, loose.systems.rho) == (3, Undefined("constant"))
    # strictly, "dna" is none, and those that say "DNA" are those that lose the term
    strict = found["all", "recognition_aer_strict", "knowledge_accuracy"]
    assert strict.systems.rho.value == -1.0  # type: ignore[union-attr]
    assert "special_expression" not in {part for part, _, _ in found}
