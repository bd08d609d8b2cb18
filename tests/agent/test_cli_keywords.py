"""`viva scenarios keywords`: proposed by rules or a language model, traced, and kept in the files."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable
from typing import Any

import pytest

from scenarios.load import load_pack
from tests.agent.cli_calls import Done, Viva
from tests.streams.openai_server import HANG, FakeServer, Reply, Request, chat, failure, serving

pytestmark = pytest.mark.wall_clock

PACK = """\
# Two questions
id: light
title: Blue light
turns:
  - text: What causes the Cherenkov light in water?
    item:
      kind: open
      answer: fast electrons  # as in a reactor
      explanation: They are faster than light in water.
      # from a book
      source: Jelley
---
id: pcr
title: A method
turns:
  - text: What does PCR copy?
    item: {kind: open, answer: DNA, keywords: {core_entity: [PCR]}}
---
id: hello
title: No question
turns:
  - text: Hello there.
"""
KEYWORDS = [
    {"text": "cherenkov light", "category": "core_entity"},
    {"text": "fast electrons", "category": "target_concept"},
    {"text": "phase velocity", "category": "knowledge_anchor"},
    {"text": "Vavilov", "category": "knowledge_anchor"},
    {"text": "of the", "category": "core_entity"},
]
CHAIN = "Light has a lower phase velocity in water. So electrons can outrun it."
Run = Callable[..., Done]


class Model:
    """A language model that answers every question alike, but for what it is told."""

    def __init__(self, **changes: Any) -> None:
        self.changes = changes
        self.asked: list[Any] = []

    def __call__(self, request: Request) -> Reply:
        found = re.search(r"<<<DATA (\S+)\n(.*)\nDATA", request.json["messages"][-1]["content"])
        assert found is not None
        self.asked.append(json.loads(found[2]))
        return chat(
            json.dumps({"nonce": found[1], "reasoning": CHAIN, "keywords": KEYWORDS} | self.changes)
        )


@pytest.fixture
def pack(viva: Viva) -> Viva:
    folder = viva.folder / "pack"
    folder.mkdir()
    (folder / "pack.yaml").write_text("version: 1\nid: pack\ntitle: Pack\nlicence: CC0-1.0\n")
    (folder / "all.yaml").write_text(PACK)
    return viva


def run(viva: Viva, server: FakeServer, *more: str) -> Done:
    return viva("scenarios", "keywords", "./pack", "--llm", f"{server.base_url}#m", "--json", *more)


def text(viva: Viva) -> str:
    return (viva.folder / "pack/all.yaml").read_text()


def test_rules_are_the_default_and_ask_nobody(pack: Viva) -> None:
    done = pack("scenarios", "keywords", "./pack", "--json")
    assert done.code == 0 and done.json.keys() == {"proposed"}
    assert [row["scenario"] for row in done.json["proposed"]] == ["pack/light", "pack/pcr"]
    assert done.json["proposed"][0]["keywords"]["target_concept"] == ["fast electrons"]
    assert text(pack) == PACK


def test_a_model_is_given_the_texts_as_data_and_what_it_cannot_trace_is_dropped(pack: Viva) -> None:
    with serving(model := Model()) as server:
        done = run(pack, server)
    assert done.code == 0, done.err
    light, pcr = done.json["proposed"]
    assert light["keywords"] == {
        "core_entity": ["Cherenkov light"],
        "target_concept": ["fast electrons"],
        "knowledge_anchor": ["phase velocity"],
    }
    assert light["sources"] == {
        "Cherenkov light": ["question"],
        "fast electrons": ["answer"],
        "phase velocity": ["reasoning"],
    }
    assert light["reasoning"] == CHAIN
    # of the second question only the chain's word is found; the other two stand nowhere in it
    assert pcr["keywords"] == {"knowledge_anchor": ["phase velocity"]}
    assert done.json["dropped"] == {"not_traceable": 2 + 2, "empty": 2}
    assert done.json["unanswered"] == {} and done.json["cost"]["calls"] == 2
    assert model.asked[0] == {
        "question": "What causes the Cherenkov light in water?",
        "answer": "fast electrons",
        "explanation": "They are faster than light in water.",
        "reasoning": "",
    }
    assert text(pack) == PACK


def test_write_puts_them_where_none_were_and_changes_nothing_else(pack: Viva) -> None:
    with serving(Model()) as server:
        done = run(pack, server, "--write")
    assert (done.code, done.json["written"], done.json["had_keywords"]) == (0, 1, 1)
    added = f"""\
      reasoning: {CHAIN}
      keywords:
        core_entity: [Cherenkov light]
        target_concept: [fast electrons]
        knowledge_anchor: [phase velocity]
"""
    before, after = PACK.split("      # from a book")
    assert text(pack) == f"{before}{added}      # from a book{after}"
    (item,) = (
        one.scenario.turns[0].item
        for one in load_pack(pack.folder / "pack").scenarios
        if one.scenario.id == "light"
    )
    assert item is not None and item.keywords.knowledge_anchor == ("phase velocity",)
    with serving(Model()) as server:
        again = run(pack, server, "--write")
    assert (again.json["written"], again.json["had_keywords"]) == (0, 2)


def test_rules_can_be_written_too(pack: Viva) -> None:
    done = pack("scenarios", "keywords", "./pack", "--write", "--most", "1")
    assert done.code == 0 and "wrote keywords of 1 items; 1 had some and keep them" in done.err
    assert text(pack).count("keywords:") == 2 and "# as in a reactor" in text(pack)
    assert pack("scenarios", "check", "./pack").code == 0


def test_a_chain_that_is_not_needed_or_not_fit_is_not_written(pack: Viva) -> None:
    for changes in (
        {"keywords": KEYWORDS[:2]},
        {"reasoning": "word " * 121},
        {"reasoning": "Light \u202ehas a lower phase velocity."},
    ):
        with serving(Model(**changes)) as server:
            light = run(pack, server).json["proposed"][0]
        assert "reasoning" not in light and "knowledge_anchor" not in light["keywords"]


@pytest.mark.parametrize(
    ("reply", "cause", "requests"),
    [
        (Model(keywords=[{"text": "water", "category": "other"}]), "label_unknown", 6),
        (Model(nonce="x"), "nonce_wrong", 6),
        (lambda _: chat("Cherenkov, water"), "malformed", 6),
        (lambda _: failure(401, "no"), "http_401", 2),
    ],
)
def test_items_without_an_answer_are_counted_by_cause(
    pack: Viva, reply: Callable[[Request], Reply], cause: str, requests: int
) -> None:
    with serving(reply) as server:
        done = run(pack, server, "--write")
    assert done.code == 3  # none was answered
    assert (done.json["proposed"], done.json["unanswered"], done.json["written"]) == ([], {cause: 2}, 0)
    assert len(server.requests) == requests and text(pack) == PACK


def test_a_spent_budget_leaves_the_rest_unasked_and_answers_are_remembered(pack: Viva) -> None:
    with serving(model := Model()) as server:
        first = run(pack, server, "--tokens", "5", "--cache", "kept")
        assert (first.code, first.json["unanswered"], len(first.json["proposed"])) == (
            3,
            {"not_asked": 1},
            1,
        )
        second = run(pack, server, "--cache", "kept")
    assert second.code == 0 and len(model.asked) == 2
    assert second.json["cost"]["calls"] == 1


def test_control_c_keeps_and_writes_what_was_answered(pack: Viva) -> None:
    model = Model()

    def reply(request: Request) -> Reply:
        if len(model.asked) == 1:
            os.kill(os.getpid(), signal.SIGINT)
            return HANG
        return model(request)

    with serving(reply) as server:
        done = run(pack, server, "--write")
    assert (done.code, done.json["written"]) == (130, 1)
    assert "interrupted" in done.err and "Cherenkov light" in text(pack).partition("keywords")[2]


def test_a_file_that_takes_no_lines_is_named_and_left_as_it_is(pack: Viva) -> None:
    shared = "id: two\ntitle: Two\nturns:\n  - &one\n    text: What does PCR copy?\n"
    shared += "    item: {kind: open, answer: DNA}\n  - *one\n"
    (pack.folder / "pack/all.yaml").write_text(shared)
    done = pack("scenarios", "keywords", "./pack", "--write")
    assert done.code == 2 and "all.yaml: an item is written in a way" in done.err
    assert text(pack) == shared


@pytest.mark.parametrize("llm", ["nobody", "http://127.0.0.1:9/v1", "openai:gpt-x"])
def test_a_model_that_is_none_is_bad_input(pack: Viva, monkeypatch: pytest.MonkeyPatch, llm: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert pack("scenarios", "keywords", "./pack", "--llm", llm).code == 2
