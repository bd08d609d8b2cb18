from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.load import canonical_json, find, load_pack, load_scenario, scenario_sha256
from scenarios.manners import STYLES
from scenarios.problems import ScenarioError
from scenarios.schema import (
    Aspect,
    Expertise,
    Fact,
    Limits,
    Persona,
    PolicyKind,
    Say,
    Scenario,
    Trait,
    Turn,
)

VALID = """\
version: 1
id: greeting
title: Hello
persona:
  patience_s: 5
turns:
  - text: What is it?
    facts:
      - id: one
        text: It is this.
        keywords: [[this, that]]
"""


def write(folder: Path, text: str, name: str = "x.yaml") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def problems(path: Path) -> list[str]:
    with pytest.raises(ScenarioError) as error:
        load_scenario(path)
    return [str(problem).removeprefix(f"{path}") for problem in error.value.problems]


def changed(tmp_path: Path, old: str, new: str) -> list[str]:
    assert old in VALID
    return problems(write(tmp_path, VALID.replace(old, new)))


def pack(folder: Path, **files: str) -> Path:
    write(folder, "id: mine\ntitle: Mine\nlicence: CC0-1.0\n", "pack.yaml")
    for name, text in files.items():
        write(folder, text, f"{name}.yaml")
    return folder


# --- what is right ----------------------------------------------------------------------------------


def test_a_scenario_is_loaded_with_its_hash(tmp_path: Path) -> None:
    loaded = load_scenario(write(tmp_path, VALID))
    assert loaded.scenario.turns[0].facts[0].keywords == (("this", "that"),)
    assert loaded.scenario.persona.patience_s == 5.0
    assert loaded.sha256 == scenario_sha256(loaded.scenario)
    assert (loaded.pack, loaded.name, loaded.warnings) == (None, "greeting", ())


_WORDS = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), min_size=1, max_size=20
).filter(lambda text: text.strip() == text)
_SLUGS = st.from_regex(r"\A[a-z0-9][a-z0-9._-]{0,20}\Z")
_SAY = st.builds(Say, text=_WORDS, spoken=st.none() | _WORDS, style=st.sampled_from(["", *STYLES]))
_FACTS = st.builds(
    Fact,
    id=_SLUGS,
    text=_WORDS,
    keywords=st.lists(st.lists(_WORDS, max_size=3), min_size=1, max_size=3),
    wrong=st.lists(_WORDS, max_size=2),
)
_SCENARIOS = st.builds(
    Scenario,
    id=_SLUGS,
    title=_WORDS,
    language=st.sampled_from(["en", "de-DE", "zh"]),
    persona=st.builds(
        Persona,
        expertise=st.sampled_from(Expertise),
        trait=st.sampled_from(Trait),
        patience_s=st.floats(0.1, 120),
    ),
    policy=st.sampled_from(PolicyKind),
    aim=_WORDS,
    turns=st.lists(st.builds(Turn, text=_WORDS, pause_s=st.floats(0, 60)), min_size=1, max_size=3),
    aspects=st.lists(
        st.builds(
            Aspect,
            id=_SLUGS,
            question=_SAY,
            facts=st.lists(_FACTS, min_size=1, max_size=2),
            tries=st.integers(1, 10),
        ),
        min_size=1,
        max_size=1,
    ),
    goodbye=st.none() | _SAY,
    limits=st.builds(Limits, max_duration_s=st.floats(1, 7200)),
    seed=st.integers(-(2**40), 2**40),
    tags=st.lists(_WORDS, max_size=3),
)


@settings(max_examples=30, deadline=None)
@given(_SCENARIOS)
def test_any_scenario_comes_back_from_its_canonical_json(scenario: Scenario) -> None:
    text = canonical_json(scenario)
    again = Scenario.model_validate_json(text, strict=True)
    assert again == scenario
    assert canonical_json(again) == text
    # what an episode keeps has the same hash, also after its keys were shuffled
    data = json.loads(text)
    assert (
        json.dumps(dict(reversed(data.items())), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        == text
    )


@settings(max_examples=30, deadline=None)
@given(_SCENARIOS)
def test_any_scenario_written_as_yaml_is_loaded_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, scenario: Scenario
) -> None:
    ids = [fact.id for aspect in scenario.aspects for fact in aspect.facts]
    if len(set(ids)) < len(ids):
        return
    text = yaml.safe_dump(scenario.model_dump(mode="json"), allow_unicode=True)
    loaded = load_scenario(write(tmp_path_factory.mktemp("yaml"), text))
    assert loaded.scenario == scenario
    assert loaded.sha256 == scenario_sha256(scenario)


def test_the_hash_is_of_the_content_not_of_its_form(tmp_path: Path) -> None:
    lines = VALID.splitlines()
    reordered = "\n".join(
        [*lines[1:3], "persona: {patience_s: 5.0}", "language: en", *lines[5:], "version: 1"]
    )
    first = load_scenario(write(tmp_path, VALID))
    second = load_scenario(write(tmp_path, reordered, "y.yaml"))
    other = load_scenario(write(tmp_path, VALID.replace("patience_s: 5", "patience_s: 5.5"), "z.yaml"))
    assert first.sha256 == second.sha256 != other.sha256


# --- what is wrong ----------------------------------------------------------------------------------


def test_an_unknown_key_is_named_with_line_and_nearest_key(tmp_path: Path) -> None:
    (problem,) = changed(
        tmp_path, "        keywords:", "        wrong: [x]\n        keyword: [[y]]\n        keywords:"
    )
    assert problem == (
        ":12:9: turns[0].facts[0].keyword: found an unknown key `keyword`, expected one of id, text, point,"
        " keywords, wrong, source; did you mean `keywords`?"
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "persona:",
            "persona:\n  mood: bad",
            ":5:3: persona.mood: found an unknown key `mood`, expected one of name, ",
        ),
        (
            "title: Hello",
            "titel: Hello",
            ":3:1: titel: found an unknown key `titel`, expected one of version, id, ",
        ),
        ("title: Hello", "title: 5", ":3:8: title: found the number 5, expected text; put it in quotes"),
        ("title: Hello", "title:", ":3:7: title: found nothing, expected text"),
        ("title: Hello", "title: ' '", ":3:8: title: found ' ', expected text that is not empty"),
        (
            "patience_s: 5",
            "patience_s: soon",
            ":5:15: persona.patience_s: found 'soon', expected a valid number",
        ),
        (
            "patience_s: 5",
            "patience_s: '5'",
            ":5:15: persona.patience_s: found '5', expected a valid number",
        ),
        (
            "patience_s: 5",
            "patience_s: 0",
            ":5:15: persona.patience_s: found the number 0, expected greater than 0",
        ),
        (
            "patience_s: 5",
            "trait: curios",
            ":5:10: persona.trait: found 'curios', expected 'curious', 'patient', ",
        ),
        (
            "id: greeting",
            "id: Greeting!",
            ":2:5: id: found 'Greeting!', expected small letters, digits and . _ - only",
        ),
        (
            "[[this, that]]",
            "[this, that]",
            ":11:20: turns[0].facts[0].keywords[0]: found 'this', expected a list",
        ),
        (
            "[[this, that]]",
            "[[this, 9]]",
            ":11:27: turns[0].facts[0].keywords[0][1]: found the number 9, expected text",
        ),
        ("[[this, that]]", "[]", ":11:19: turns[0].facts[0].keywords: found a list of 0, expected"),
        ("version: 1", "version: 2", ":1:10: version: found the number 2, expected 1"),
        (
            "id: greeting",
            "id: greeting\npolicy: adaptive",
            ":3:9: policy: found policy adaptive with nothing to work on",
        ),
        ("id: greeting", "id: greeting\nid: again", ":3:1: id: found the key a second time"),
    ],
)
def test_each_mistake_is_named_with_file_line_column_and_place(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    found = changed(tmp_path, old, new)
    assert any(one.startswith(problem) for one in found), found


def test_a_misspelt_choice_has_its_nearest_one(tmp_path: Path) -> None:
    (problem,) = changed(tmp_path, "patience_s: 5", "trait: curios")
    assert problem.endswith("did you mean `curious`?")


def test_a_missing_key_is_named_at_its_parent(tmp_path: Path) -> None:
    (problem,) = changed(tmp_path, "        text: It is this.\n", "")
    assert problem == ":9:9: turns[0].facts[0].text: found no key `text`, expected one: it is required"


def test_a_file_that_is_a_list_is_no_scenario(tmp_path: Path) -> None:
    assert problems(write(tmp_path, "- a\n")) == [
        ":1:1: found a list of 1, expected a mapping of keys to values"
    ]


def test_all_mistakes_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    text = VALID.replace("title: Hello", "titel: Hello").replace(
        "patience_s: 5", "patience_s: no\n  patience_s: 2"
    )
    found = problems(write(tmp_path, text))
    assert [one.partition(": ")[0] for one in found] == [":1:1", ":3:1", ":5:15", ":6:3"]


def test_ids_that_are_used_twice_are_named_with_both_places(tmp_path: Path) -> None:
    fact = "      - {id: one, text: x, keywords: [[yes it is]]}\n"
    (problem,) = problems(write(tmp_path, VALID + "  - text: And?\n    facts:\n" + fact))
    assert problem == (
        ":14:14: turns[1].facts[0].id: found the id 'one' a second time, expected an id of its own;"
        " the other is turns[0].facts[0].id in line 9"
    )


def test_a_facts_id_is_its_own_in_the_whole_scenario(tmp_path: Path) -> None:
    aspect = """  - id: {id}
    question: {{text: What now}}
    facts:
      - {{id: cell, text: x, keywords: [[yes it is]]}}
"""
    head = VALID.partition("turns:")[0] + "policy: adaptive\naspects:\n"
    (problem,) = problems(write(tmp_path, head + aspect.format(id="a") + aspect.format(id="b")))
    assert problem.endswith(
        "aspects[1].facts[0].id: found the id 'cell' a second time, expected an id of its own;"
        " the other is aspects[0].facts[0].id in line 11"
    )


@pytest.mark.parametrize(
    ("audio", "problem"),
    [
        ("gone.wav", "found 'gone.wav', but there is no file"),
        ("/etc/a.wav", "found '/etc/a.wav', expected a path relative to the scenario's file"),
        ("x.mp3", "found 'x.mp3', expected a file that ends in .wav or .flac"),
    ],
)
def test_a_recording_that_cannot_be_played_is_named(tmp_path: Path, audio: str, problem: str) -> None:
    (found,) = changed(tmp_path, "text: What is it?", f"text: What is it?\n    audio: {audio}")
    assert found.startswith(":8:12: turns[0].audio: " + problem)


def test_a_recording_beside_the_scenario_is_found(tmp_path: Path) -> None:
    write(tmp_path, "", "hello.wav")
    loaded = load_scenario(write(tmp_path, VALID.replace("it?", "it?\n    audio: hello.wav")))
    assert loaded.audio("hello.wav") == tmp_path / "hello.wav"


def test_keywords_that_prove_nothing_are_warned_about(tmp_path: Path) -> None:
    loaded = load_scenario(
        write(tmp_path, VALID.replace("[[this, that]]", "[[this], [it, What Is, '9', ab, 基因]]"))
    )
    echo = ", which is in the question itself, expected a word that only an answer holds"
    assert [str(warning).removeprefix(str(loaded.path)) for warning in loaded.warnings] == [
        ":11:29: turns[0].facts[0].keywords[1][0]: found 'it'" + echo,
        ":11:33: turns[0].facts[0].keywords[1][1]: found 'What Is'" + echo,
        ":11:47: turns[0].facts[0].keywords[1][3]: found 'ab', expected a keyword of at least 3 letters",
    ]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (found,) = problems(tmp_path / "gone.yaml")
    assert found == ": found a file that cannot be read (No such file or directory), expected a YAML file"


# --- packs ------------------------------------------------------------------------------------------


def test_a_pack_is_its_manifest_and_the_scenarios_beside_it(tmp_path: Path) -> None:
    folder = pack(tmp_path / "p", b=VALID, a=VALID.replace("greeting", "another"))
    loaded = load_pack(folder)
    assert loaded.pack.licence == "CC0-1.0"
    assert [one.name for one in loaded.scenarios] == ["mine/another", "mine/greeting"]
    assert load_scenario(folder / "b.yaml").name == "mine/greeting"


def test_the_mistakes_of_all_files_of_a_pack_are_named_at_once(tmp_path: Path) -> None:
    bad = VALID.replace("title: Hello", "title: 5")
    folder = pack(tmp_path / "p", a=bad, b=bad)
    with pytest.raises(ScenarioError) as error:
        load_pack(folder)
    assert [problem.file.name for problem in error.value.problems] == ["a.yaml", "b.yaml"]
    assert str(error.value).count("\n") == 1


def test_two_scenarios_of_a_pack_must_not_have_one_id(tmp_path: Path) -> None:
    with pytest.raises(
        ScenarioError, match=r"b\.yaml: found the id 'greeting' a second time.*; the other is a\.yaml"
    ):
        load_pack(pack(tmp_path / "p", a=VALID, b=VALID))


def test_a_folder_that_is_no_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ScenarioError, match=r"found no pack\.yaml, expected a folder with the manifest of a pack"
    ):
        load_pack(tmp_path)
    with pytest.raises(ScenarioError, match=r"found a pack without scenarios"):
        load_pack(pack(tmp_path / "p"))


def test_a_manifest_without_a_licence_is_refused(tmp_path: Path) -> None:
    folder = pack(tmp_path / "p", a=VALID)
    write(folder, "id: mine\ntitle: Mine\n", "pack.yaml")
    with pytest.raises(ScenarioError, match=r"pack\.yaml:1:1: licence: found no key `licence`"):
        load_pack(folder)


def test_a_pack_names_the_policy_that_makes_one_label_of_three(tmp_path: Path) -> None:
    folder = pack(tmp_path / "p", a=VALID)
    manifest = "id: mine\ntitle: Mine\nlicence: CC0-1.0\nfusion: {}\n"
    write(folder, manifest.format("majority@1"), "pack.yaml")
    assert load_pack(folder).pack.fusion == "majority@1"
    write(folder, manifest.format("content_first@1"), "pack.yaml")
    with pytest.raises(ScenarioError, match="did you mean `content-first@1`"):
        load_pack(folder)
    assert {name: load_pack(name).pack.fusion for name in ("expression", "science-dialogue")} == {
        "expression": "acceptability-cap@1",
        "science-dialogue": "content-first@1",
    }


# --- names ------------------------------------------------------------------------------------------


def test_scenarios_are_found_by_name_folder_and_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = pack(tmp_path / "p", a=VALID)
    assert [one.name for one in find("demo")] == ["demo/crispr", "demo/mrna", "demo/museum"]
    assert [one.name for one in find("demo/crispr")] == ["demo/crispr"]
    assert [one.name for one in find(str(folder))] == ["mine/greeting"]
    assert [one.name for one in find(str(folder / "a.yaml"))] == ["mine/greeting"]
    assert load_pack("demo").pack.id == "demo"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p").rename(tmp_path / "demo")
    assert [one.name for one in find("demo")] == ["demo/crispr", "demo/mrna", "demo/museum"]
    assert [one.name for one in find("./demo")] == ["mine/greeting"]


def test_a_name_that_is_not_known_has_its_nearest_one() -> None:
    with pytest.raises(
        ScenarioError, match=r"demos: found nothing of that name, .*; did you mean `demo`\?"
    ):
        find("demos")
    with pytest.raises(
        ScenarioError, match=r"demo/crisper: found nothing of that name.*did you mean `demo/crispr`\?"
    ):
        find("demo/crisper")
