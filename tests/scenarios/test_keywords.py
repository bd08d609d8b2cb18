"""Proposed keywords: typed, weighted, and each to be found where it is said to stand."""

from __future__ import annotations

import json

import pytest

from agent.cli import exits
from agent.cli.judging.keywords import KeywordsRequest, keywords
from scenarios.keywords import WEIGHTS, candidates, propose
from scenarios.load import load_pack
from scenarios.schema import Item, ItemKind, Keywords

QUESTION = "What causes the Cherenkov light in the water of a reactor?"
ITEM = Item(
    kind=ItemKind.CHOICE,
    options={"A": "fast electrons", "B": "slow neutrons"},
    answer="A",
    explanation="Cherenkov light is made by fast electrons, like the bow wave of a ship.",
    reasoning="The refractive index slows light, so fast electrons outrun it.",
)


def test_a_candidate_weighs_what_its_sources_weigh() -> None:
    found = {one.text: one for one in candidates(QUESTION, ITEM)}
    # question 5 + explanation 3; answer 5 + explanation 3 (the reasoning has "fast electrons", too: + 2)
    assert (found["Cherenkov light"].weight, found["Cherenkov light"].sources) == (
        8,
        ("question", "explanation"),
    )
    assert found["fast electrons"].weight == 10
    assert found["bow wave"].sources == ("explanation",) and found["bow wave"].weight == 3
    assert "neutrons" not in " ".join(found)


def test_keywords_are_typed_by_where_they_stand() -> None:
    found = propose(QUESTION, ITEM)
    assert "Cherenkov light" in found.core_entity
    assert found.target_concept == ("fast electrons",)
    assert "bow wave" in found.knowledge_anchor
    assert propose(QUESTION, ITEM, most=1).core_entity == ("Cherenkov light",)


def test_every_proposal_of_the_shipped_pack_stands_in_its_sources() -> None:
    none = 0
    for one in load_pack("science-knowledge").scenarios:
        for turn in one.scenario.turns:
            assert turn.item is not None
            item = turn.item
            texts = dict(
                zip(
                    WEIGHTS,
                    (
                        turn.text,
                        item.options.get(item.answer, item.answer),
                        item.explanation,
                        item.reasoning,
                    ),
                    strict=True,
                )
            )
            found = candidates(turn.text, item)
            none += propose(turn.text, item) == Keywords()
            for candidate in found:
                assert candidate.sources, (one.name, candidate)
                first = texts[candidate.sources[0]].casefold()
                assert all(word.casefold() in first for word in candidate.text.split())
    assert none == 0


def test_the_command_prints_what_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    assert keywords(KeywordsRequest(["science-knowledge/cherenkov-open"], json=True)) == exits.PASS
    (row,) = json.loads(capsys.readouterr().out)["proposed"]
    assert row["scenario"] == "science-knowledge/cherenkov-open"
    assert set(row["sources"]) == {text for texts in row["keywords"].values() for text in texts}
    assert keywords(KeywordsRequest(["no-such-pack"])) == exits.BAD_INPUT
