from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.suite.manifest import jobs_of, manifest
from agent.suite.plan import Choice, NothingToCall, SameName, choose, plan
from agent.suite.variants import Variant, condition, user
from recordings.errors import RecordingError
from recordings.format import RunInfo
from scenarios.conditions import Conditions
from scenarios.load import LoadedScenario, from_scenario
from scenarios.manners import MannerError
from scenarios.problems import ScenarioError
from scenarios.schema import Scenario, Turn

A, B = "fake://?replies=1", "fake://?replies=2"


def scenario(id: str, **changes: object) -> LoadedScenario:
    base = Scenario(id=id, title=id, turns=(Turn(text="Hello."),))
    return from_scenario(base.model_copy(update=changes))


PACK = [
    scenario("one", tags=("short", "rude"), domain="physics"),
    scenario("two", tags=("short",), domain="chemistry"),
    scenario("three", tags=("long",), domain="physics", seed=7, repeats=2),
]


def ids(loaded: list[LoadedScenario]) -> list[str]:
    return [one.scenario.id for one in loaded]


# --- the plan -----------------------------------------------------------------------------------


def test_every_endpoint_is_called_with_the_same_seed_side_by_side() -> None:
    jobs = plan([PACK[2]], [A, B])
    assert [(job.id, job.seed, job.repeat, job.endpoint_number) for job in jobs] == [
        ("three--e1-fake--r1", 7, 0, 1),
        ("three--e2-fake--r1", 7, 0, 2),
        ("three--e1-fake--r2", 8, 1, 1),
        ("three--e2-fake--r2", 8, 1, 2),
    ]


def test_conditions_and_users_multiply_the_plan_and_change_the_scenario_not_the_seed() -> None:
    jobs = plan(PACK[:1], [A], 2, [condition("as-written"), condition("clean")], [user("anna, calm")])
    assert [(job.id, job.seed, job.condition, job.user) for job in jobs] == [
        ("one--c-as-written--u-anna-calm--r1", 0, "as-written", "anna, calm"),
        ("one--c-as-written--u-anna-calm--r2", 1, "as-written", "anna, calm"),
        ("one--c-clean--u-anna-calm--r1", 0, "clean", "anna, calm"),
        ("one--c-clean--u-anna-calm--r2", 1, "clean", "anna, calm"),
    ]
    persona = jobs[0].scenario.scenario.persona
    assert (persona.voice, persona.style) == ("anna", "calm")
    assert jobs[0].scenario.sha256 != PACK[0].sha256


def test_two_scenarios_of_one_name_are_refused() -> None:
    other = scenario("one", title="Another")
    with pytest.raises(SameName, match="'one'"):
        plan([PACK[0], other], [A])


# --- what is chosen -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(), ["one", "two", "three"]),
        (Choice(only=("t*",)), ["two", "three"]),
        (Choice(only=("one", "thre?")), ["one", "three"]),
        (Choice(tags=("rude", "long")), ["one", "three"]),
        (Choice(domains=("physics",), tags=("short",)), ["one"]),
        (Choice(sample=5), ["one", "two", "three"]),
    ],
)
def test_all_rules_that_are_given_must_fit(choice: Choice, expected: list[str]) -> None:
    assert ids(choose([*PACK, PACK[0]], choice)) == expected


def test_where_nothing_fits_it_is_said_what_there_is() -> None:
    with pytest.raises(NothingToCall) as raised:
        choose(PACK, Choice(tags=("polite",), domains=("botany",)))
    assert str(raised.value) == (
        "none of 3 scenarios fits --tag polite and --domain botany. There are scenarios: one, three, two; "
        "tags: long, rude, short; domains: chemistry, physics."
    )


many = st.lists(
    st.integers(0, 50).map(lambda n: scenario(f"s{n}")),
    min_size=1,
    max_size=20,
    unique_by=lambda s: s.sha256,
)


@given(many, st.integers(1, 20), st.integers(0, 3), st.randoms())
def test_a_sample_does_not_depend_on_the_order_and_a_larger_one_holds_it(
    loaded: list[LoadedScenario], count: int, seed: int, rng: object
) -> None:
    sample = ids(choose(loaded, Choice(sample=count, sample_seed=seed)))
    assert len(sample) == min(count, len(loaded))
    assert sample == [id for id in ids(loaded) if id in sample]  # in the order they were named
    assert set(ids(choose(loaded[::-1], Choice(sample=count, sample_seed=seed)))) == set(sample)
    assert set(sample) <= set(ids(choose(loaded, Choice(sample=count + 1, sample_seed=seed))))


def test_another_seed_draws_others() -> None:
    loaded = [scenario(f"s{n}") for n in range(50)]
    draws = {tuple(ids(choose(loaded, Choice(sample=5, sample_seed=seed)))) for seed in range(10)}
    assert len(draws) == 10


# --- variants -----------------------------------------------------------------------------------


def test_a_condition_is_read_from_a_file_and_its_sounds_lie_beside_it(tmp_path: Path) -> None:
    (tmp_path / "bus.yaml").write_text("noise:\n  - {bed: bus.wav, snr_db: 10}\ncodec: g711_ulaw\n")
    found = condition(str(tmp_path / "bus.yaml"))
    assert (found.name, found.slug) == ("bus", "c-bus")
    changed = found.applied(PACK[0]).scenario.conditions
    assert changed.noise[0].bed == str(tmp_path / "bus.wav")
    noisy = scenario("noisy", conditions=changed)
    assert condition("clean").applied(noisy).scenario.conditions == Conditions()
    assert condition("as-written").applied(noisy) is noisy


@pytest.mark.parametrize(
    ("text", "message"),
    [("nose: []", "did you mean `noise`?"), ("noise: [{bed: rain, snr_db: 3}]", "rain"), (None, "clean")],
)
def test_a_condition_that_is_none_is_named_with_its_line(
    tmp_path: Path, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(ScenarioError, match=message):
        condition(str(tmp_path / "c.yaml"))


@pytest.mark.parametrize("spec", ["nobody", "anna, furious-ish", "", ", "])
def test_a_user_that_nobody_can_be_is_refused(spec: str) -> None:
    with pytest.raises(MannerError):
        user(spec)


def test_a_user_may_be_a_voice_a_manner_or_both() -> None:
    assert user("anna") == Variant("anna", "u-anna", voice="anna", style="")
    assert user(", calm; rate=0.8").style == "calm; rate=0.8"


# --- the manifest -------------------------------------------------------------------------------


def test_a_plan_is_the_same_when_it_is_read_again(tmp_path: Path) -> None:
    jobs = plan(PACK, [A, B], 3, [condition("clean"), condition("as-written")])
    written = manifest(jobs, tmp_path / "run").model_dump_json()
    read = jobs_of(tmp_path, RunInfo.model_validate_json(written))
    assert [(job.id, job.seed, job.endpoint, job.condition) for job in read] == [
        (job.id, job.seed, job.endpoint, job.condition) for job in jobs
    ]
    assert [job.scenario.sha256 for job in read] == [job.scenario.sha256 for job in jobs]
    assert [job.scenario.scenario for job in read] == [job.scenario.scenario for job in jobs]


def test_a_key_is_in_no_manifest_and_must_be_named_again(tmp_path: Path) -> None:
    address = "pcm+ws://host/?rate=8000&api_key=sk-canary012345"
    info = manifest(plan(PACK[:1], [address, A]), tmp_path / "run", ("viva", "run", "--endpoint", address))
    assert "sk-canary" not in info.model_dump_json()
    with pytest.raises(RecordingError, match="whose key is in no file"):
        jobs_of(tmp_path, info)
    assert [job.endpoint for job in jobs_of(tmp_path, info, [address, A])] == [address, A]
    with pytest.raises(RecordingError, match="in this order"):
        jobs_of(tmp_path, info, [A, address])


@pytest.mark.parametrize("address", ["python:model.py:reply", "command:rm {input} {output}"])
def test_no_program_runs_because_a_manifest_says_so(tmp_path: Path, address: str) -> None:
    info = manifest(plan(PACK[:1], [address]), tmp_path / "run")
    with pytest.raises(RecordingError, match="which runs a program here"):
        jobs_of(tmp_path, info)
    assert jobs_of(tmp_path, info, [address])[0].endpoint == address


def test_a_manifest_of_the_first_version_cannot_be_resumed(tmp_path: Path) -> None:
    info = manifest(plan(PACK[:1], [A]), tmp_path / "run")
    old = json.loads(info.model_dump_json()) | {"scenarios": []}
    with pytest.raises(RecordingError, match="does not hold the scenarios of its plan"):
        jobs_of(tmp_path, RunInfo.model_validate(old))
