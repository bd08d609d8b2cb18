from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenarios.load import load_scenario
from scenarios.problems import ScenarioError

HEAD = """\
id: messy
title: A messy call
persona: {patience_s: 8}
turns:
  - text: What is it?
  - text: And how does it work, in short?
behaviours:
"""


def problems(tmp_path: Path, *behaviours: str, head: str = HEAD) -> list[str]:
    file = tmp_path / "x.yaml"
    file.write_text(head + "".join(f"  - {{{behaviour}}}\n" for behaviour in behaviours))
    try:
        load_scenario(file)
    except ScenarioError as error:
        place = re.compile(rf"^{re.escape(str(file))}:(\d+):\d+: ")
        return [place.sub(r"line \1: ", str(problem)) for problem in error.problems]
    return []


GOOD = (
    "id: a, kind: barge_in, turn: 1, after_s: 2, say: {text: Stop}",
    "id: b, kind: barge_in, turn: 1, after_s: 4, say: {text: Stop}, old_question: open",
    "id: c, kind: barge_in, keyword: price, say: {text: Stop}",
    "id: d, kind: barge_in, verdict: wrong, say: {text: No}",
    "id: e, kind: barge_in, random: [1, 3], say: {text: Stop}, chance: 0.5, at_most: 1",
    "id: f, kind: backchannel",
    "id: g, kind: backchannel, phrases: [yes], at_pauses: false, every_s: 3",
    "id: h, kind: hesitation, turn: 1, after_word: 2, pause_s: 1.5, filler: um",
    "id: i, kind: filler",
    "id: j, kind: restart, words: 2",
    "id: k, kind: silence, turn: 2, seconds: 4",
    "id: l, kind: change_of_mind, turn: 1, after_s: 0.3, say: {text: 'No, wait'}",
    "id: m, kind: reprompt, after_s: 4",
    "id: n, kind: talk_over, after_s: 1, say: {text: But}",
    "id: o, kind: aside, quiet_s: 0.5, say: {text: 'Not now, Tom'}",
    "id: p, kind: cough, after_s: 1, sound: throat",
    "id: q, kind: dtmf, after_s: 1, digits: '12#'",
    "id: r, kind: hang_up, turn: 2, after_s: 9",
)


def test_every_kind_is_read(tmp_path: Path) -> None:
    assert problems(tmp_path, *GOOD) == []


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (
            "id: a, kind: barge",
            "line 8: behaviours[0].kind: found 'barge', expected one of barge_in, backchannel,",
        ),
        ("id: a, after_s: 1", "line 8: behaviours[0]: found no key `kind`, expected one"),
        (
            "id: a, kind: barge_in, after: 1, say: {text: x}",
            "line 8: behaviours[0].after: found an unknown key `after`, expected one of id, turn,",
        ),
        (
            "id: a, kind: barge_in, say: {text: x}",
            "line 8: behaviours[0]: found a behaviour with no trigger, expected exactly one of",
        ),
        (
            "id: a, kind: barge_in, after_s: 1, keyword: x, say: {text: x}",
            "line 8: behaviours[0]: found a behaviour with after_s and keyword, expected exactly one of",
        ),
        (
            "id: a, kind: barge_in, random: [3, 2], say: {text: x}",
            "line 8: behaviours[0]: found random: [3, 2], expected a smaller number before a larger one",
        ),
        (
            "id: a, kind: barge_in, after_s: 0, say: {text: x}",
            "line 8: behaviours[0].after_s: found the number 0, expected greater than 0",
        ),
        (
            "id: a, kind: barge_in, keyword: '', say: {text: x}",
            "line 8: behaviours[0].keyword: found empty text, expected text that is not empty",
        ),
        (
            "id: a, kind: barge_in, keyword: '...', say: {text: x}",
            "line 8: behaviours[0].keyword: found '...', expected a word that can be heard",
        ),
        (
            "id: a, kind: barge_in, turn: 3, after_s: 1, say: {text: x}",
            "line 8: behaviours[0].turn: found turn 3, expected a turn from 1 to 2: the call",
        ),
        (
            "id: a, kind: barge_in, after_s: 400, say: {text: x}",
            "line 8: behaviours[0].after_s: found 400 s, expected less than the 300 s of",
        ),
        (
            "id: a, kind: backchannel, phrases: []",
            "line 8: behaviours[0].phrases: found a list of 0, expected Tuple should have at least 1 item",
        ),
        (
            "id: a, kind: backchannel, at_pauses: false",
            "line 8: behaviours[0]: found a backchannel with at_pauses: false, expected every_s",
        ),
        (
            "id: a, kind: hesitation, turn: 2, after_word: 12, pause_s: 1",
            "line 8: behaviours[0].after_word: found after_word: 12, expected at most 6: turn 2 has",
        ),
        (
            "id: a, kind: hesitation, after_word: 7, pause_s: 1",
            "line 8: behaviours[0].after_word: found after_word: 7, expected at most 6: no turn has more",
        ),
        (
            "id: a, kind: restart, turn: 1, words: 4",
            "line 8: behaviours[0].words: found words: 4, expected at most 3: turn 1",
        ),
        (
            "id: a, kind: reprompt, after_s: 8",
            "line 8: behaviours[0].after_s: found 8 s, expected less than the 8 s of persona.patience_s",
        ),
        (
            "id: a, kind: cough, quiet_s: 12",
            "line 8: behaviours[0].quiet_s: found 12 s, expected less than the 8 s of persona.patience_s",
        ),
        (
            "id: a, kind: cough, after_s: 1, audio: none.wav",
            "line 8: behaviours[0].audio: found 'none.wav', but there is no file",
        ),
        (
            "id: a, kind: dtmf, after_s: 1, digits: '12x'",
            "line 8: behaviours[0].digits: found '12x', expected",
        ),
        ("id: a, kind: silence, seconds: 3, chance: 0", "line 8: behaviours[0].chance: found the number 0"),
    ],
)
def test_what_can_never_happen_is_refused_with_place_and_remedy(
    tmp_path: Path, behaviour: str, problem: str
) -> None:
    (found,) = problems(tmp_path, behaviour)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        (
            "id: a, kind: barge_in, after_s: 2, say: {text: x}",
            "id: b, kind: barge_in, turn: 2, after_s: 2, say: {text: y}",
            "line 9: behaviours[1].after_s: found barge_in at the same after_s as another on the same"
            " reply, expected moments that differ, or turns that differ; the other is 'a', in line 8",
        ),
        (
            "id: a, kind: barge_in, keyword: Price, say: {text: x}",
            "id: b, kind: barge_in, keyword: price, say: {text: y}",
            "line 9: behaviours[1].keyword: found barge_in at the same keyword as another",
        ),
        (
            "id: a, kind: hesitation, turn: 2, after_word: 2, pause_s: 1",
            "id: b, kind: hesitation, turn: 2, after_word: 2, pause_s: 3",
            "line 9: behaviours[1].after_word: found hesitation at the same after_word as another",
        ),
        (
            "id: a, kind: hang_up, turn: 1, after_s: 3",
            "id: b, kind: silence, turn: 2, seconds: 3",
            "line 9: behaviours[1].turn: found turn 2, but the user hangs up at turn 1 ('a'), expected a",
        ),
        (
            "id: a, kind: barge_in, turn: 1, after_s: 4, say: {text: x}",
            "id: b, kind: hang_up, turn: 1, after_s: 3",
            "line 8: behaviours[0].after_s: found 4 s, but the user hangs up after 3 s",
        ),
        (
            "id: a, kind: hang_up, turn: 1",
            "id: b, kind: backchannel, turn: 1",
            "line 9: behaviours[1].turn: found a reply to turn 1, but the user hangs up at turn 1",
        ),
        (
            "id: a, kind: silence, seconds: 1",
            "id: a, kind: silence, seconds: 2, turn: 1",
            "line 9: behaviours[1].id: found the id 'a' a second time, expected an id of its own",
        ),
    ],
)
def test_behaviours_that_contradict_each_other_are_refused(
    tmp_path: Path, first: str, second: str, problem: str
) -> None:
    (found,) = problems(tmp_path, first, second)
    assert found.startswith(problem)


def test_moments_that_differ_are_no_contradiction(tmp_path: Path) -> None:
    assert not problems(
        tmp_path,
        "id: a, kind: barge_in, turn: 1, after_s: 2, say: {text: x}",
        "id: b, kind: barge_in, turn: 2, after_s: 2, say: {text: y}",
        "id: c, kind: hang_up, turn: 2, after_s: 3, chance: 0.5",
    )


def test_a_recorded_turn_cannot_hesitate(tmp_path: Path) -> None:
    import soundfile

    soundfile.write(tmp_path / "a.wav", [0.1, 0.2], 8000)
    head = HEAD.replace("text: What is it?", "{text: What is it?, audio: a.wav}").replace(
        "{text: What is it?,", "{text: 'What is it?',"
    )
    (found,) = problems(tmp_path, "id: a, kind: hesitation, turn: 1, after_word: 1, pause_s: 1", head=head)
    assert "found a turn that is a recording, expected a turn whose words are spoken" in found


def test_turns_of_an_adaptive_user_are_its_tries(tmp_path: Path) -> None:
    head = """\
id: messy
title: A messy call
policy: adaptive
aspects:
  - id: one
    question: {text: 'What is it, please?'}
    facts: [{id: f, text: It is., keywords: [[it]]}]
    tries: 2
behaviours:
"""
    assert not problems(tmp_path, "id: a, kind: hesitation, after_word: 30, pause_s: 1, turn: 2", head=head)
    (late,) = problems(tmp_path, "id: a, kind: silence, seconds: 1, turn: 3", head=head)
    assert "found turn 3, expected a turn from 1 to 2" in late
    (long,) = problems(tmp_path, "id: a, kind: hesitation, after_word: 4, pause_s: 1, turn: 1", head=head)
    assert "found after_word: 4, expected at most 3" in long


def test_every_example_of_the_page_on_behaviours_can_be_loaded(tmp_path: Path) -> None:
    import soundfile

    soundfile.write(tmp_path / "sneeze.wav", [0.1, 0.2], 8000)
    page = (Path(__file__).parents[2] / "docs" / "behaviours.md").read_text(encoding="utf-8")
    examples = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    kinds: set[str] = set()
    for example in examples:
        kinds |= set(re.findall(r"kind: (\w+)", example))
        head = "" if example.startswith("id:") else HEAD.replace("patience_s: 8", "patience_s: 20")
        file = tmp_path / "x.yaml"
        indented = "".join(f"  {line}\n" for line in example.splitlines()) if head else example
        file.write_text(head.replace("What is it?", "What are the opening hours?") + indented)
        assert load_scenario(file).scenario.behaviours
    assert len(kinds) == 13  # every one there is
