from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.schema import Feature, Item, ItemKind, Keywords
from scoring.science.answers import Answered, Condition
from scoring.science.marks import MEASURES, Stage, marks, passes
from scoring.science.stages import row, scored, stage_table

DNA = Item(
    kind=ItemKind.OPEN,
    answer="deoxyribonucleic acid",
    keywords=Keywords(core_entity=("DNA",), target_concept=("acid",), knowledge_anchor=("genes",)),
    features=(Feature.ABBREVIATION,),
    terms=("nucleotides",),
)
GAS = Item(
    kind=ItemKind.CHOICE, options={"A": "helium", "B": "neon", "C": "xenon", "D": "argon"}, answer="B"
)


def asked(**more: object) -> Answered:
    whole: dict[str, object] = {
        "id": "dna",
        "system": "s",
        "asked": "What does DNA with its nucleotides stand for?",
        "item": DNA,
        "keywords": DNA.keywords,
        "domain": "life sciences",
        "recognised": "what does d n a with its nucleotides stand for",
        "answer": "Deoxyribonucleic acid, which holds the genes.",
        "written": "DNA is deoxyribonucleic acid.",
        "spoken": "DNA is deoxyribonucleic acid",
    }
    return Answered(**(whole | more))  # type: ignore[arg-type]


def choice(answer: str | None, **more: object) -> Answered:
    return asked(id="gas", item=GAS, keywords=Keywords(), answer=answer, domain="chemistry", **more)


def test_each_stage_is_marked_by_hand() -> None:
    found = marks(asked())
    got = {name: (mark.part, mark.whole) for name, mark in found.items() if not mark.cause}
    assert got["recognition_aer_strict"] == (1, 1)  # "d n a" is not as written
    assert got["recognition_aer_loose"] == (0, 1)
    assert got["recognition_eer"] == (0, 1)
    assert got["recognition_wer"] == (0, 8)  # the normaliser joins spelled letters
    # loosely relevant by "acid"; the core entity, "DNA", is not said
    assert [got[f"perception_{name}"] for name in ("loose", "strict")] == [(1, 1), (0, 1)]
    assert got["perception_beyond"] == (1, 1)  # "acid" and "genes" are not in the question
    assert got["knowledge_open"] == got["knowledge_accuracy"] == (1, 1)
    assert got["generation_wer"] == (0, 4)
    assert "knowledge_choice" not in found


def test_an_endpoint_without_a_transcript_is_unscored_and_counts_as_all_wrong() -> None:
    one = asked(recognised=None, unscored={"recognised": "no_transcript"})
    mark = marks(one)["recognition_wer"]
    assert (mark.cause, mark.part, mark.whole) == ("no_transcript", 8, 8)
    whole = row(scored([asked(), one]))["recognition_wer"]
    assert (whole.value, whole.as_wrong, whole.n) == (0.0, 0.5, 1)  # 8 of 16 words
    assert whole.unscored == {"no_transcript": 1}


def test_speech_without_a_text_of_its_own_cannot_be_counted_even_as_wrong() -> None:
    found = marks(asked(written=None, unscored={"written": "no_text"}))
    assert {name for name in found if name.startswith("generation")} == {"generation_wer"}
    assert (found["generation_wer"].cause, found["generation_wer"].whole) == ("no_text", 0)


def test_no_choice_is_no_guess_but_a_judge_may_decide() -> None:
    table = row(scored([choice("The answer is B."), choice("Hard to tell."), choice("Option A.")]))
    found = table["knowledge_choice"]
    assert (found.value, found.as_wrong, found.n) == (1 / 2, 1 / 3, 2)
    assert (found.unscored, found.chance) == ({"no_choice": 1}, 1 / 4)
    assert table["knowledge_coverage"].value == 2 / 3
    judged = row(scored([choice("Hard to tell.", right=True)]))
    assert judged["knowledge_choice"].value == 1
    assert judged["knowledge_coverage"].value == 0
    # beside it stands what the rule alone makes of it: strictly, what it cannot read is wrong
    rule = judged["knowledge_choice_rule"]
    assert (rule.value, rule.as_wrong, rule.unscored) == (None, 0.0, {"no_choice": 1})
    silent = row(scored([choice(None, right=True, unscored={"answer": "no_reply"})]))
    assert (silent["knowledge_choice"].value, silent["knowledge_choice_rule"].as_wrong) == (1, 0)
    assert table["knowledge_choice_rule"] == found
    # a letter that was said stands against a judge
    assert row(scored([choice("Option A.", right=True)]))["knowledge_choice"].value == 0


def test_an_item_at_fault_counts_against_nobody() -> None:
    # the schema refuses such an item in a pack; one of another source may have it
    alike = GAS.model_copy(update={"options": {"A": "Neon", "B": "neon."}})
    found = row(scored([Answered("x", "s", item=alike, answer="Option B.")]))
    cell = found["knowledge_choice"]
    assert (cell.value, cell.as_wrong, cell.unscored) == (None, None, {"options_alike": 1})
    assert found["knowledge_coverage"] == found["knowledge_accuracy"] == cell
    bare = asked(keywords=Keywords(core_entity=("DNA",)))
    strict = row(scored([bare]))["perception_strict"]
    assert (strict.value, strict.as_wrong) == (None, None)
    assert strict.unscored == {"category_without_keywords": 1}
    assert "perception_loose" not in marks(asked(keywords=Keywords()))


def test_a_question_in_writing_is_neither_heard_nor_spoken() -> None:
    found = marks(asked(condition=Condition.TEXT, recognised=None, spoken=None))
    assert {MEASURES[name].stage for name in found} == {Stage.PERCEPTION, Stage.KNOWLEDGE}


def test_a_spoken_form_is_as_good_as_the_written() -> None:
    one = asked(asked="What is BRCA1?", aloud="What is bracka one?", recognised="what is bracka 1")
    found = marks(one)
    assert found["recognition_wer"].part == 0
    assert found["recognition_aer_loose"].part == 1  # heard, but not written as the abbreviation it is


def test_words_come_through_a_stage_if_what_matters_does() -> None:
    one = asked(recognised="and what does dna with nucleotides mean")
    assert passes(one, marks(one))[Stage.RECOGNITION] is True  # term and abbreviation are there
    one = asked(recognised="what does the array with its nucleotides stand for")
    assert passes(one, marks(one))[Stage.RECOGNITION] is False
    one = asked(recognised=None)
    assert Stage.RECOGNITION not in passes(one, marks(one))


def test_a_table_is_parted_by_domain_and_feature_with_macro_means() -> None:
    table = stage_table(scored([asked(), choice("A"), choice("A."), choice("B.")]))
    assert table.questions == 2  # repeats are of the same question
    found = table.whole["knowledge_accuracy"]
    assert (found.value, found.n) == (2 / 4, 4)
    assert {name: r["knowledge_accuracy"].value for name, r in table.by_feature.items()} == {
        "abbreviation": 1.0,
        "none": 1 / 3,
    }
    assert table.macro["knowledge_accuracy"]["domain"] == pytest.approx((1 + 1 / 3) / 2)
    assert table.heat["knowledge_accuracy"]["chemistry"]["none"].n == 3


def test_a_table_is_of_one_system() -> None:
    with pytest.raises(ValueError, match="expected the questions of one system, found those of 2"):
        stage_table(scored([asked(), asked(system="other")]))


ANSWERS = st.lists(
    st.sampled_from(["B", "A", None, "Well.", "neon", "B or A: option A, option B"]), min_size=1
)


@settings(max_examples=25, deadline=None)
@given(ANSWERS, st.randoms(use_true_random=False))
def test_no_order_of_questions_changes_a_table(
    given_answers: list[str | None], chance: random.Random
) -> None:
    questions = [choice(answer, unscored={"answer": "no_reply"}) for answer in given_answers]
    shuffled = questions[:]
    chance.shuffle(shuffled)
    first, second = row(scored(questions)), row(scored(shuffled))
    assert first == second
    found = first["knowledge_choice"]
    assert found.n + sum(found.unscored.values()) == len(questions)
    assert found.value is None or found.as_wrong is None or found.as_wrong <= found.value
