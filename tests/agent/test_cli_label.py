"""`viva listen --label` and `--ab` in processes of their own: killed, started again, read by others."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.agent.test_cli_listen import VIVA, environment, listening, refused
from tests.scoring.labelling.recorded import rated, two_runs
from tests.scoring.labelling.test_review_desk import desk as review_desk
from tests.scoring.labelling.test_review_desk import line as queued

pytestmark = pytest.mark.wall_clock


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return two_runs(tmp_path_factory.mktemp("label"), 1)


def viva(*arguments: str) -> tuple[int, Any]:
    done = subprocess.run(
        [*VIVA, *arguments], capture_output=True, text=True, env=environment(), check=False
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def asked(url: str, path: str) -> Any:
    return httpx.get(url.partition("#")[0] + path, timeout=60).json()


def answer(url: str, below: str, found: Any, label: str) -> Any:
    sent = {"person": "ann", "token": found["card"]["token"], "label": label}
    address = f"{url.partition('#')[0]}{below}/answer"
    return httpx.post(address, json=sent, headers={"X-Viva": "1"}, timeout=60).json()


def test_labelling_goes_on_after_kill_9_and_agreement_reads_it(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    for folder in runs[1].iterdir():
        rated(folder, "bad")
    arguments = (
        *map(str, runs),
        *("--label", "ann", "--dimensions", "content", "--labels", str(tmp_path / "labels")),
        *("--port", "0", "--no-browser"),
    )
    with listening(*arguments) as (url, _):
        assert url.endswith("/#/label")
        found = asked(url, "api/labelling/next?person=ann")
        for _ in range(2):
            found = answer(url, "api/labelling", found, "good")
        assert found["card"]["part"] == "relative"
    with listening(*arguments) as (url, _):  # the first was killed with its block
        again = asked(url, "api/labelling/next?person=ann")
        assert (again["progress"], again["card"]["asked"]) == (found["progress"], found["card"]["asked"])
        while again["card"] is not None:
            again = answer(
                url, "api/labelling", again, {"absolute": "good"}.get(again["card"]["part"], "1")
            )
    judge = runs[1].parent
    code, told = viva(
        "agreement",
        f"{tmp_path}/labels#content",
        f"{judge}#hush-judge/content",
        *("--ordered", "bad,acceptable,good", "--json"),
    )
    assert (code, told["n"], told["percent"]) == (0, 4, 50.0)


def test_battles_go_into_the_arenas_store_and_are_rated(runs: tuple[Path, Path], tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    arguments = ("--ab", "ann", "--store", str(store), "--labels", str(tmp_path), "--port", "0")
    with listening(*map(str, runs), *arguments, "--no-browser", "--json") as (line, _):
        url = json.loads(line)["url"]
        assert url.endswith("/#/ab")
        found = asked(url, "api/ab/next?person=ann")
        while found["card"] is not None:
            found = answer(url, "api/ab", found, "both_bad")
    code, told = viva("arena", "rate", str(store), "--json")
    assert code == 0
    assert set(told["systems"]) == {"fake://hush-one", "fake://hush-two"}


def test_the_sample_of_a_grown_pack_is_checked_and_reported(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    review_desk(pack, queued("a"), queued("b", 2, perceive="nervous"))
    (pack / "grow.json").write_text("{}")
    arguments = (str(pack), "--review", "ann", "--again", "0.5", "--port", "0", "--no-browser")
    with listening(*arguments) as (url, _):
        assert url.endswith("/#/review")
        assert asked(url, "api/about")["features"] == ["review"]
        found = answer(url, "api/review", asked(url, "api/review/next?person=ann"), "consistent")
    with listening(*arguments) as (url, _):  # the first was killed with its block
        again = asked(url, "api/review/next?person=ann")
        assert (again["progress"], again["card"]["question"]) == (
            found["progress"],
            found["card"]["question"],
        )
        while again["card"] is not None:
            again = answer(url, "api/review", again, "not_consistent")
        shares = asked(url, "api/review/report")
    code, told = viva("scenarios", "review", str(pack), "--json")
    assert (code, told["level"]["yes"], told["level"]["n"], told["manner"]["yes"]) == (0, 1, 2, 0)
    assert told["with_themselves"]["level"][0]["n"] == 1  # one of two was asked again
    assert {name: told[name] for name in shares} == shares


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--review", "ann"), "no pack that has grown to be checked"),
        (("--label", "../ann"), "cannot be that of a file"),
        (("--label", "ann", "--dimensions", "tone"), "dimension 'tone': there is none of that name"),
        (("--ab", "ann"), "no pair of replies to the same words"),
    ],
)
def test_what_cannot_be_labelled_is_bad_usage(
    runs: tuple[Path, Path], arguments: tuple[str, ...], message: str
) -> None:
    code, told = refused(str(runs[0]), "--no-browser", "--port", "0", *arguments)
    assert code == 2
    assert message in told
