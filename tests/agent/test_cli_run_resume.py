"""`viva run --resume`, `--dry-run`, filters and budgets, as a user and as a program meet them."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from agent.episode_info import version
from benchmarks.scale import killed_in
from recordings.run import load_run
from tests.agent.cli_calls import ENGINES, HELLO, Viva, outcomes

FAKE = "fake://?replies=2"


def attempts(viva: Viva) -> list[list[str]]:
    return [[a.folder for a in episode.attempts] for episode in load_run(viva.folder / "run").episodes]


# --- killed, and resumed ------------------------------------------------------------------------


@pytest.mark.wall_clock
def test_a_run_killed_at_random_moments_holds_every_call_exactly_once(tmp_path: Path) -> None:
    """`python -m benchmarks` does the same with 5,000 calls and ten kills."""
    found = killed_in(tmp_path, scenarios=4, repeats=5, kills=2, seed=7)
    found.pop("seconds")
    # eight calls at a time may be broken off by each kill
    assert 0 <= found.pop("broken_off") <= 16
    assert found == {
        "episodes": 40, "kills": 2, "planned": 40, "held_once": 40, "held_twice": 0, "lost": 0, "left": 0,
        "manifest_differs": 0, "errors_in_episodes": 0,
    }  # fmt: skip


@pytest.mark.wall_clock
def test_two_resumes_of_one_run_cannot_be_and_the_second_says_whose_it_is(viva: Viva) -> None:
    (viva.folder / "hello.yaml").write_text(HELLO.replace("max_duration_s: 20", "max_duration_s: 100"))
    long = ("hello.yaml", "--endpoint", "fake://?replies=9&seconds=60", "--out", "run", *ENGINES)
    first = viva.start("run", *long, "--repeats", "2", "--json")
    try:
        assert first.stderr is not None
        for line in first.stderr:
            if "Hello there." in line:
                break
        second = viva("run", "--resume", "run")
        assert (second.code, second.out) == (2, "")
        assert f"is being held by process {first.pid}. Wait until it ends" in second.err
        first.send_signal(signal.SIGINT)
        _, err = first.communicate(timeout=20)
    finally:
        first.kill()
        first.communicate()
    assert first.returncode == 130
    assert "viva run --resume run" in err
    assert outcomes(viva.manifest()) == [("done", "cancelled"), ("planned", None)]


def test_a_run_that_was_stopped_is_gone_on_with_as_it_was_begun(viva: Viva) -> None:
    # a call takes 6 s: after the first the budget is spent
    begun = ("--repeats", "3", "--judge", "none", "--retries", "2", "--budget-minutes", "0.05")
    stopped = viva.simulated(FAKE, *begun, "--json")
    assert stopped.code == 3
    assert [episode["id"] for episode in stopped.json["episodes"]] == ["hello--r1"]
    assert (
        "viva: 2 calls (hello--r2, ...): not held: the budget is spent: 0.1 of 0.05 minutes" in stopped.err
    )
    assert "viva run --resume run" in stopped.err
    # the scenario's file may change meanwhile: the run goes on with what it began with
    (viva.folder / "hello.yaml").write_text(HELLO.replace("Hello there.", "Something else."))
    settings = viva.manifest()["settings"]
    assert (settings["judge"], settings["retries"], settings["voice"]) == ("none", 2, "tone")
    done = viva("run", "--resume", "run", "--json", "--concurrency", "2", "--budget-minutes", "5")
    assert done.code == 0, done.err
    assert [episode["id"] for episode in done.json["episodes"]] == ["hello--r1", "hello--r2", "hello--r3"]
    assert {turn["intended"] for e in done.json["episodes"] for turn in e["turns"]} == {
        "Hello there.", "How are you?",
    }  # fmt: skip
    assert attempts(viva) == [["hello--r1"], ["hello--r2"], ["hello--r3"]]
    again = viva("run", "--resume", "run", "--json")
    assert (again.code, len(again.json["episodes"])) == (0, 3)
    assert "all calls of this run are held" in again.err
    assert attempts(viva) == [["hello--r1"], ["hello--r2"], ["hello--r3"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--voice", "tone:1.5"), "run was begun with --voice tone"),
        (("--judge", "rules"), "run was begun with --judge none"),
        (("--repeats", "9"), "--repeats does not go with --resume"),
        (("hello.yaml",), "a scenario does not go with --resume"),
        (("--sample", "1"), "--sample does not go with --resume"),
        (("--endpoint", "fake://?replies=3"), "calls fake://?replies=2, in this order"),
    ],
)
def test_what_examines_and_what_was_planned_cannot_change_in_the_middle(
    viva: Viva, options: tuple[str, ...], message: str
) -> None:
    viva.simulated(FAKE, "--judge", "none", "--no-report")
    done = viva("run", *options, "--resume", "run")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_key_must_be_named_again_and_reaches_no_file(viva: Viva) -> None:
    address = "pcm+ws://127.0.0.1:9/?rate=16000&api_key=sk-canary0123456789"
    viva.run(address, "--no-report")
    without = viva("run", "--resume", "run")
    assert without.code == 2 and "whose key is in no file" in without.err
    named = viva("run", "--resume", "run", "--endpoint", address, "--json")
    assert named.code == 3
    assert attempts(viva) == [["hello", "hello+2"]]
    assert [episode["outcome"] for episode in named.json["episodes"]] == ["connect_failed"] * 2
    assert not [p for p in viva.folder.rglob("*") if p.is_file() and b"sk-canary" in p.read_bytes()]


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_folder_that_holds_no_run_cannot_be_resumed(viva: Viva, folder: str) -> None:
    done = viva("run", "--resume", folder)
    assert (done.code, done.out) == (2, "")
    assert "Expected the folder of a run" in done.err


def test_a_run_of_an_earlier_vivavoce_says_that_it_cannot_be_resumed(viva: Viva) -> None:
    (viva.folder / "run").mkdir()
    (viva.folder / "run/run.json").write_text(
        '{"schema_version": 1, "id": "run", "started_at_utc": "", "endpoints": ["fake://"], "episodes": ['
        '{"id": "a", "scenario": "s", "pack": "", "endpoint": "fake://", "repeat": 0, "seed": 0}]}'
    )
    done = viva("run", "--resume", "run")
    assert done.code == 2 and "does not hold the scenarios of its plan. Start the run anew" in done.err


def test_a_run_that_another_version_began_goes_on_and_says_so(viva: Viva) -> None:
    viva.simulated(FAKE, "--repeats", "2", "--budget-minutes", "0.05", "--no-report")
    same = viva("run", "--resume", "run", "--dry-run")
    assert same.code == 0 and "was begun with vivavoce" not in same.err
    manifest = viva.folder / "run/run.json"
    manifest.write_text(manifest.read_text().replace(f'"vivavoce": "{version()}"', '"vivavoce": "0.0.9"'))
    done = viva("run", "--resume", "run", "--budget-minutes", "9", "--no-report")
    assert done.code == 0
    assert "viva: run was begun with vivavoce 0.0.9, and goes on with" in done.err


# --- the plan, shown ----------------------------------------------------------------------------


def test_a_dry_run_shows_plan_hours_and_price_and_calls_nobody(viva: Viva) -> None:
    call = ("--repeats", "3", "--concurrency", "3", "--dry-run")
    unknown = viva.simulated(FAKE, *call, "--json")
    assert unknown.code == 0
    assert sorted(path.name for path in viva.folder.iterdir()) == ["hello.yaml"]
    estimate = unknown.json["estimate"]
    # three calls of at most 20 s at once
    assert (estimate["calls"], estimate["expected_s"], estimate["at_most_s"]) == (3, None, 20)
    assert [(e["id"], e["seed"]) for e in unknown.json["plan"]] == [
        ("hello--r1", 0), ("hello--r2", 1), ("hello--r3", 2),
    ]  # fmt: skip
    viva.simulated(FAKE, "--no-report", out="runs/earlier")
    known = viva("run", "hello.yaml", "--endpoint", FAKE, *call, "--out", "runs/new", *ENGINES, "--json")
    length = load_run(viva.folder / "runs/earlier").episodes[0].attempts[0].duration_s
    assert known.json["estimate"]["expected_s"] == length
    (viva.folder / "new.yaml").write_text(HELLO.replace("id: hello", "id: new"))
    partly = viva("run", "hello.yaml", "new.yaml", "--endpoint", FAKE, *call, "--out", "runs/new", *ENGINES)
    assert "time: unknown, 3 of 6 are such as were never held before" in " ".join(partly.out.split())
    people = viva.simulated("pcm+ws://127.0.0.1:9/?rate=8000", "--dry-run")
    assert people.code == 2  # also a dry run says what could not be called
    people = viva.run(
        "pcm+ws://127.0.0.1:9/?rate=8000", "--dry-run", "--price", "pcm+ws://127.0.0.1:9/?rate=8000=3"
    )
    assert "at most 1.00 US dollars" in " ".join(people.out.split())  # a third of a minute at 3 dollars
    assert "1 call, 1 at a time" in people.out and "at most 20 s of call" in " ".join(people.out.split())
    assert "time: unknown" in people.out


def test_scenarios_are_chosen_by_pattern_tag_and_draw(viva: Viva) -> None:
    texts = [HELLO.replace("id: hello", f"id: s{n}\ntags: [t{n % 2}]") for n in range(6)]
    (viva.folder / "six.yaml").write_text("---\n".join(texts))

    def chosen(*options: str) -> list[str]:
        done = viva.simulated(FAKE, *options, "--dry-run", "--json", scenario="six.yaml")
        assert done.code == 0, done.err
        return [entry["id"] for entry in done.json["plan"]]

    assert chosen("--only", "s[12]") == ["s1", "s2"]
    assert chosen("--tag", "t1") == ["s1", "s3", "s5"]
    assert len(chosen("--sample", "2")) == 2
    assert chosen("--sample", "2") == chosen("--sample", "2")
    done = viva.simulated(FAKE, "--tag", "t2", scenario="six.yaml")
    assert done.code == 2 and "There are scenarios: s0, s1" in done.err


def test_conditions_and_users_make_a_plan_of_their_own(viva: Viva) -> None:
    (viva.folder / "phone.yaml").write_text("codec: g711_ulaw\n")
    options = (
        "--condition",
        "clean",
        "--condition",
        "phone.yaml",
        "--user",
        "anna",
        "--user",
        "as-written",
    )
    done = viva.simulated(FAKE, *options, "--json")
    assert done.code == 0, done.err
    assert [episode["id"] for episode in done.json["episodes"]] == [
        "hello--c-clean--u-anna", "hello--c-clean--u-as-written",
        "hello--c-phone--u-anna", "hello--c-phone--u-as-written",
    ]  # fmt: skip
    # the same call by another user, under each condition
    (found,) = done.json["sensitivity"]
    assert (found["about"], found["pairs"]) == ("user", 2)
    assert viva.simulated(FAKE, "--user", "nobody", out="b").code == 2
    assert viva.simulated(FAKE, "--condition", "nowhere.yaml", out="b").code == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--budget-usd", "1"), "has no known price"),
        (("--price", "fake://=1"), "expected ADDRESS=USD, with one of pcm+ws"),
        (("--price", "pcm+ws://127.0.0.1:9/?rate=8000=much"), "expected a number of US dollars"),
    ],
)
def test_a_budget_in_money_needs_prices(viva: Viva, options: tuple[str, ...], message: str) -> None:
    done = viva.run("pcm+ws://127.0.0.1:9/?rate=8000", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not (viva.folder / "run").exists()


def test_the_time_left_is_told_while_the_run_goes_on(viva: Viva) -> None:
    done = viva.simulated(FAKE, "--repeats", "5", "--no-report")
    assert "1 of 5 calls\n" in done.err
    assert re.search(r"^4 of 5 calls, \d+ s left$", done.err, re.MULTILINE)
    assert done.err.rstrip().endswith("not scored  viva score run")
    assert not (viva.folder / "run/hello--r1/scores").exists()


@pytest.mark.wall_clock
def test_a_journal_is_whole_while_the_run_goes_on(viva: Viva) -> None:
    process: subprocess.Popen[str] = viva.start(
        "run", "hello.yaml", "--endpoint", FAKE, "--out", "run", "--simulated", "--repeats", "30", *ENGINES
    )
    seen: set[int] = set()
    while process.poll() is None:
        if (viva.folder / "run/run.json").exists():
            seen.add(sum(episode.state == "done" for episode in load_run(viva.folder / "run").episodes))
    process.communicate()
    assert process.returncode == 0
    assert len(seen) > 2 and max(seen) == 30
