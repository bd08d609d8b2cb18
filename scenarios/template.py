"""A scenario to start from, with a word on each part."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from scenarios.problems import Problem, ScenarioError
from scenarios.schema import PolicyKind, Slug

_ID: TypeAdapter[str] = TypeAdapter(Slug)

_HEAD = """\
# A call: who calls, what it wants, and what a good answer states. Check it with: viva scenarios check FILE
version: 1
id: {id}
title: A short name for people
language: en
policy: {policy}  # scripted: turns as written; adaptive: aspects, followed up; llm: a model plays it
opening: user  # or endpoint: the user waits for a greeting

persona:
  name: Alex
  description: Who calls, and why.
  expertise: undergraduate  # beginner, undergraduate, graduate, expert
  trait: curious  # curious, patient, anxious, overconfident, practical
  patience_s: 8  # seconds of silence after which the user asks again

"""

_BODIES = {
    PolicyKind.SCRIPTED: """\
turns:
  - text: How does BRCA1 repair DNA?
    spoken: How does bracka one repair D N A?  # only where it is said differently
    facts:  # what the reply should state
      - id: double-strand
        text: It helps to repair breaks of both strands.
        keywords:  # of each group at least one alternative must be heard
          - [double strand, both strands, double stranded]
          - [break, breaks, broken]
  - text: Thank you. And what happens without it?
    pause_s: 1  # seconds to wait after the reply
""",
    PolicyKind.ADAPTIVE: """\
aspects:
  - id: mechanism
    question:
      text: How does BRCA1 repair DNA?
      spoken: How does bracka one repair D N A?  # only where it is said differently
    facts:  # what the replies should state
      - id: double-strand
        point: the kind of damage  # what the user calls it when it asks again
        text: It helps to repair breaks of both strands.
        keywords:  # of each group at least one alternative must be heard
          - [double strand, both strands, double stranded]
          - [break, breaks, broken]
    follow_ups:  # said when a fact is missing, one after the other
      - text: What kind of damage is that?
    tries: 3  # turns at most before the user moves on
""",
    PolicyKind.LLM: """\
aim: Find out how BRCA1 repairs DNA, and what happens without it.
""",
}

_TAIL = """
goodbye:
  text: Thank you, that helps. Goodbye.

limits:
  max_duration_s: 300
  max_turns: 20
  reply_timeout_s: 20

repeats: 1
seed: 0
"""


def new_scenario(id: str, policy: PolicyKind = PolicyKind.SCRIPTED) -> str:
    """The text of a new scenario's file, with comments; it is valid as it stands.

    Raises:
        ScenarioError: The id is not one.
    """
    try:
        _ID.validate_python(id)
    except ValidationError:
        file = Path(f"{id}.yaml")
        raise ScenarioError(
            [Problem(file, 0, 0, ("id",), repr(id), "small letters, digits and . _ -, 80 at most")]
        ) from None
    plain = id if id[0].isalpha() and id not in ("null", "true", "false") else f'"{id}"'
    return _HEAD.format(id=plain, policy=policy.value) + _BODIES[policy] + _TAIL
