from __future__ import annotations

import pytest

from scenarios.schema import Feature, Item, ItemKind
from scoring.science.answers import Answered, Condition
from scoring.science.contrasts import Contrast, contrasts
from scoring.science.marks import Stage
from scoring.science.run import couple
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
    found = {(pair.first, pair.second): pair for pair in couple(tables, systems)}
    assert len(found) == 6
    both = found[Stage.PERCEPTION, Stage.KNOWLEDGE]
    assert both.systems.n == 3
    assert not isinstance(both.systems.rho, Undefined) and both.systems.rho.value == 1.0
    assert both.systems.rho.p == pytest.approx(2 / 6)  # of the 3! orders, this one and its reverse
    assert both.items == Undefined("empty_cells")  # no item came through one stage alone
    none = found[Stage.RECOGNITION, Stage.KNOWLEDGE]
    assert (none.systems.n, none.items) == (0, Undefined("no_items"))
    assert list(couple(tables[:1], systems[:1])) == []
