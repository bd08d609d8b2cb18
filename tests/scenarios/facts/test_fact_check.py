"""Facts in an answer: stated, missing, contradicted."""

from __future__ import annotations

from scenarios.facts.check import check_facts, point_of
from scenarios.schema import Fact

GUIDE = Fact(
    id="guide-match",
    text="A guide RNA matches the target.",
    keywords=(("guide RNA", "gRNA"), ("matches", "complementary")),
    wrong=("protein finds the target", "matches a protein"),
)
CUT = Fact(id="cut", text="Cas9 cuts DNA.", keywords=(("cuts", "cleaves"),), wrong=("repairs the DNA",))


def states(*replies: str) -> tuple[list[str], list[str], list[str]]:
    check = check_facts([GUIDE, CUT], *replies)
    return (
        [finding.fact.id for finding in check.stated],
        [fact.id for fact in check.missing],
        [finding.fact.id for finding in check.contradicted],
    )


def test_a_fact_needs_one_alternative_of_every_group() -> None:
    assert states("The guide RNA is complementary to it.") == (["guide-match"], ["cut"], [])
    assert states("There is a guide RNA.") == ([], ["guide-match", "cut"], [])


def test_the_groups_of_a_fact_may_come_in_different_replies() -> None:
    assert states("There is a guide RNA.", "It matches the target.") == (["guide-match"], ["cut"], [])


def test_a_negated_keyword_says_nothing() -> None:
    assert states("It does not cut DNA.") == ([], ["guide-match", "cut"], [])


def test_a_wrong_phrase_contradicts_even_beside_the_keywords() -> None:
    assert states("It cuts, then it repairs the DNA.") == ([], ["guide-match"], ["cut"])


def test_a_negated_wrong_phrase_contradicts_nothing() -> None:
    assert states("It never repairs the DNA, it cuts.") == (["cut"], ["guide-match"], [])


def test_a_later_reply_takes_a_contradiction_back_by_stating_the_fact() -> None:
    wrong = "The guide RNA matches a protein."
    assert states(wrong) == ([], ["cut"], ["guide-match"])
    # what was said up to the contradiction no longer counts: one group alone is not enough
    assert states(wrong, "Sorry, it matches DNA.") == ([], ["cut"], ["guide-match"])
    assert states(wrong, "Sorry, the guide RNA matches DNA.") == (["guide-match"], ["cut"], [])


def test_a_contradiction_after_the_right_statement_counts() -> None:
    assert states("It cuts.", "It repairs the DNA.") == ([], ["guide-match"], ["cut"])


def test_findings_quote_the_words_that_were_heard() -> None:
    check = check_facts([GUIDE], "Hello!", "A guide R N A, which is complementary.")
    evidence = check.stated[0].evidence
    assert [(e.reply, e.text) for e in evidence] == [(1, "guide R N A"), (1, "complementary")]


def test_nothing_heard_leaves_everything_missing() -> None:
    assert states() == ([], ["guide-match", "cut"], [])
    assert not check_facts([CUT]).satisfied
    assert check_facts([]).satisfied


def test_a_point_is_named_by_the_scenario_or_by_the_id() -> None:
    assert point_of(GUIDE) == "guide match"
    assert (
        point_of(GUIDE.model_copy(update={"point": "how it finds the target"})) == "how it finds the target"
    )
