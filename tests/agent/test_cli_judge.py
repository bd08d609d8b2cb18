from __future__ import annotations

import json

import pytest

from tests.agent.cli_calls import ENGINES, Viva

FACTS = """\
version: 1
id: facts
title: One fact
persona:
  patience_s: 1
limits:
  max_duration_s: 20
  reply_timeout_s: 1.5
turns:
  - text: What is a mole?
    facts:
      - id: mole
        text: A mole is 6.02 times 10 to the 23 particles.
        keywords: [[particles]]
"""


def test_a_run_is_judged_by_rules_and_can_be_judged_again(viva: Viva) -> None:
    (viva.folder / "facts.yaml").write_text(FACTS)
    call = ("run", "facts.yaml", "--endpoint", "fake://", "--simulated", "--out", "run", *ENGINES)
    assert viva(*call, "--judge", "rules:none", "--json").code == 0
    turns = [json.loads(line) for line in (viva.folder / "run/facts/turns.jsonl").read_text().splitlines()]
    causes = {v["judge"]: v["unscored"] for turn in turns for v in turn["verdicts"]}
    assert causes == {"rules": "nothing_heard"}  # these calls have no recogniser
    again = viva("judge", "run", "--judge", "rules:none", "--json")
    assert again.code == 0
    (episode,) = again.json["episodes"]
    assert episode["unjudged"] == {"nothing_heard": len(causes)}
    assert (viva.folder / "run/facts/scores/judge.json").is_file()


def test_a_run_without_a_judge_gives_no_verdicts(viva: Viva) -> None:
    call = ("run", "hello.yaml", "--endpoint", "fake://", "--simulated", "--out", "run", *ENGINES)
    assert viva(*call, "--judge", "none", "--json").code == 0
    assert '"judge"' not in (viva.folder / "run/hello/turns.jsonl").read_text()


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (("--judge", "jury"), "Known: rules, llm, trace-rules, trace-llm, none."),
        (("--judge", "llm"), "--judge-llm"),
        (("--judge", "llm", "--judge-llm", "http://127.0.0.1:9/v1"), "Put the model's name"),
        (("--judge", "llm", "--judge-llm", "http://h/v1#m", "--judge-usd", "1"), "budget in tokens"),
    ],
)
def test_a_judge_that_cannot_be_had_is_bad_input(viva: Viva, options: tuple[str, ...], remedy: str) -> None:
    for command in (("run", "hello.yaml", "--endpoint", "fake://", *ENGINES), ("judge", ".")):
        done = viva(*command, *options)
        assert (done.code, done.out) == (2, "")
        assert remedy in done.err


def test_a_judge_on_a_server_does_not_judge_in_simulated_time(viva: Viva) -> None:
    call = ("run", "hello.yaml", "--endpoint", "fake://", "--simulated", *ENGINES)
    done = viva(*call, "--judge", "llm", "--judge-llm", "http://127.0.0.1:9/v1#m")
    assert done.code == 2 and "Leave out --simulated" in done.err
