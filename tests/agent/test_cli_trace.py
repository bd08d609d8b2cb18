"""`viva judge` and `viva arena judge` on content, manner and voice quality, from recorded calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agent.cli_calls import ENGINES, Viva
from tests.scoring.judge.calls import ASKED, NOISY, SYSTEMS, call, runs
from tests.scoring.judge.spoken import sounding
from tests.scoring.judging import SAID

RULES = ("--judge", "trace-rules:none")
SERVER = ("--judge", "trace-llm", "--judge-llm", "http://127.0.0.1:9/v1#m")


@pytest.fixture
def systems(viva: Viva) -> list[str]:
    return [str(path) for path in runs(viva.folder)]


def test_the_arena_ranks_clean_noisy_monotone_and_wrong_systems_from_their_calls(
    viva: Viva, systems: list[str]
) -> None:
    held = viva("arena", "judge", *systems, *RULES, "--store", "b.jsonl", "--json")
    assert held.code == 0, held.err
    # 6 pairs of systems on 12 scenarios
    assert (held.json["battles"], held.json["new"], held.json["unscored"]) == (72, 72, {})
    board = viva("arena", "rate", "b.jsonl", "--json").json["systems"]
    found = sorted(board, key=lambda name: -board[name]["bradley_terry"]["rating"])
    assert found == list(SYSTEMS)
    low, high = ([board[name]["bradley_terry"][end] for name in found] for end in ("low", "high"))
    # nobody ever wins against a better one, so that a ridge holds the ratings and neighbours may overlap
    assert low[0] > high[2] and low[1] > high[3]
    again = viva("arena", "judge", *systems, *RULES, "--store", "b.jsonl", "--json")
    assert (again.json["battles"], again.json["new"]) == (72, 0)


def test_a_battle_says_what_was_asked_and_how_it_was_judged(viva: Viva, systems: list[str]) -> None:
    viva("arena", "judge", *systems[:2], *RULES, "--order", "both", "--store", "b.jsonl")
    battle = json.loads((viva.folder / "b.jsonl").read_text().splitlines()[0])
    assert {battle["system_a"], battle["system_b"]} == {"fake://clean", "fake://noisy"}
    assert (battle["prompt"], battle["first"], battle["domain"]) == ("s00/0", "both", "biology")
    assert battle["evidence"]["asked"] == ASKED
    assert battle["evidence"]["fusion"] == "content-first@1"
    assert battle["evidence"]["inconsistent"] == []
    assert battle["duration_a_s"] == 2.0


def test_what_a_judges_battles_rest_on_is_told_from_their_store(viva: Viva, systems: list[str]) -> None:
    viva("arena", "judge", *systems[:2], *RULES, "--store", "b.jsonl")
    found = viva("agreement", "b.jsonl", "--probe", "content-first", "--json").json
    assert (found["n"], found["content_tie"]["voice_quality"]["count"]) == (12, 12)
    same = viva("agreement", "b.jsonl#overall", "b.jsonl#voice_quality", "--json").json
    assert (same["n"], same["percent"]) == (12, 100)


def test_what_was_asked_of_one_only_is_counted_and_not_compared(viva: Viva) -> None:
    for name, asked in (("a", (ASKED, "And why?")), ("b", (ASKED, "Since when?"))):
        call(viva.folder / name / "s", f"fake://{name}", SAID, sounding(), asked)
    call(viva.folder / "a" / "t", "fake://a", SAID, sounding())
    held = viva("arena", "judge", "a", "b", *RULES, "--json").json
    assert held["battles"] == 1
    assert held["left_out"] == {"asked_of_one_only": 2, "called_one_only": 1}
    lonely = viva("arena", "judge", "a", *RULES, "--store", "c.jsonl")
    assert lonely.code == 2 and "Call both with the same scenarios" in lonely.err


def test_two_runs_of_one_address_are_told_apart_by_their_names(viva: Viva) -> None:
    for name in ("before", "after"):
        call(viva.folder / name / "s", "fake://x", SAID, sounding())
    viva("arena", "judge", "before", "after", *RULES, "--store", "b.jsonl")
    battle = json.loads((viva.folder / "b.jsonl").read_text())
    assert {battle["system_a"], battle["system_b"]} == {"fake://x (before)", "fake://x (after)"}


def test_replies_are_rated_one_by_one_and_the_report_shows_it(viva: Viva, systems: list[str]) -> None:
    for run, dimension in ((systems[1], "voice_quality"), (systems[2], "paralinguistics")):
        rated = viva("judge", f"{run}/s00", *RULES, "--json")
        assert rated.code == 0, rated.err
        (episode,) = rated.json["episodes"]
        assert episode["counts"] | {dimension: {}} == {
            "content": {"good": 1},
            "paralinguistics": {"good": 1},
            "voice_quality": {"good": 1},
        } | {dimension: {}}
        assert episode["counts"][dimension] == {"bad": 1}
        # content first: it is good, and another dimension that is not makes it no more than acceptable
        assert episode["turns"][0]["overall"]["label"] == "acceptable"
    assert Path(viva.folder, systems[1], "s00/scores/dimensions.json").is_file()
    shown = viva("report", f"{systems[1]}/s00")
    assert "voice quality  trace-rules: 1 bad" in shown.out
    viva("report", f"{systems[1]}/s00", "--html", "r.html")
    page = (viva.folder / "r.html").read_text()
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 96"') == 2  # both sides
    assert "and ratings by trace-rules" in page and 'class="chip bad"' in page


def test_a_dry_run_says_what_it_would_take_and_writes_nothing(viva: Viva, systems: list[str]) -> None:
    dry = viva("arena", "judge", *systems, *SERVER, "--order", "both", "--dry-run", "--json")
    assert dry.code == 0, dry.err
    cost = dry.json["estimate"]
    assert (cost["calls"], cost["completion_tokens"], cost["usd"]) == (144, 144 * 120, None)
    assert 144 * 800 < cost["prompt_tokens"] < 144 * 3000
    assert not (viva.folder / "battles.jsonl").exists()
    alone = viva("judge", systems[0], *SERVER, "--dry-run", "--json").json["estimate"]
    assert alone["calls"] == 12


def test_an_ablation_shows_what_a_label_rests_on(viva: Viva, systems: list[str]) -> None:
    clean, noisy = systems[:2]
    changes = ("--without", "quality", "--without", "pitch", "--other-order", "swapped")
    fused = ("--other-fusion", "majority")
    found = viva("judge", "ablate", clean, noisy, *RULES, *changes, *fused, "--json")
    assert found.code == 0, found.err
    assert found.json["items"] == 12
    effect = {name: each["overall"] for name, each in found.json["changes"].items()}
    # quality decides between clean and noisy; melody, order and a policy that asks for two of three
    assert effect["without quality"]["changed"] == 12
    # of the points of "clean", which is named first: it won all, and ties all without the quality
    assert effect["without quality"]["difference"] == -0.5
    assert effect["without pitch"]["changed"] == effect["order swapped"]["changed"] == 0
    assert effect["order swapped"]["difference_interval"] == [0.0, 0.0]
    assert effect["fusion majority"]["changed"] == 12
    # content and manner are good on both sides: the voice decides all, and nothing else turns a verdict
    base = found.json["probes"]["base"]
    assert (base["judge"], base["fusion"], base["n"]) == ("trace-rules", "content-first@1", 12)
    assert base["content_tie"]["voice_quality"]["count"] == base["flips"]["voice_quality"]["count"] == 12
    assert base["flips"]["content"]["count"] == base["flips"]["paralinguistics"]["count"] == 0
    assert found.json["probes"]["fusion majority"]["content_tie"]["still_tie"]["count"] == 12
    told = viva("judge", "ablate", clean, noisy, *RULES, "--without", "pace").out
    assert "content tied, by" in told and "fused by content-first@1: base, without pace" in told
    single = viva("judge", "ablate", noisy, *RULES, "--without", "quality", "--json").json
    change = single["changes"]["without quality"]["voice_quality"]
    assert (change["n"], change["changed"], change["difference"]) == (12, 12, 1.0)  # bad becomes good
    assert single["probes"] == {}  # of one reply alone nothing is fused


def test_the_policy_is_that_of_the_pack_unless_the_command_names_one(viva: Viva) -> None:
    for name, blueprint in (("a", sounding()), ("b", NOISY)):
        call(viva.folder / name / "s", f"fake://{name}", SAID, blueprint, fusion="rating-min@1")
    viva("arena", "judge", "a", "b", *RULES, "--store", "pack.jsonl")
    viva("arena", "judge", "a", "b", *RULES, "--store", "said.jsonl", "--fusion", "acceptability-cap")
    used = [json.loads((viva.folder / f"{name}.jsonl").read_text()) for name in ("pack", "said")]
    assert [one["evidence"]["fusion"] for one in used] == ["rating-min@1", "acceptability-cap@1"]
    by_pack = viva("judge", "b", *RULES, "--json").json["episodes"][0]
    by_word = viva("judge", "b", *RULES, "--fusion", "content-first", "--json").json["episodes"][0]
    assert (by_pack["fusion"], by_pack["turns"][0]["overall"]["label"]) == ("rating-min@1", "bad")
    assert (by_word["fusion"], by_word["turns"][0]["overall"]["label"]) == ("content-first@1", "acceptable")


def test_a_pack_that_names_no_policy_is_asked_about_before_anything_is_judged(viva: Viva) -> None:
    for name in ("a", "b"):
        call(viva.folder / name / "s", f"fake://{name}", SAID, sounding(), fusion="")
    for command in (("arena", "judge"), ("arena", "judge", "--dry-run"), ("judge", "ablate")):
        done = viva(*command, "a", "b", *RULES)
        assert (done.code, done.out) == (2, "")
        assert "quiz named no policy when it was called. Say --fusion NAME" in done.err
    assert not (viva.folder / "battles.jsonl").exists()
    # of one reply alone the worst dimension counts
    assert viva("judge", "a", *RULES, "--json").json["episodes"][0]["fusion"] == "rating-min@1"


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (("--fusion", "best"), "Known: content-first"),
        (("--order", "random"), "Known: as_is"),
        (("--judge", "rules"), "Known: trace-rules, trace-llm"),
        (("--judge", "trace-llm"), "--judge-llm"),
    ],
)
def test_what_is_not_known_is_bad_input(viva: Viva, options: tuple[str, ...], remedy: str) -> None:
    call(viva.folder / "a" / "s", "fake://a", SAID, sounding())
    done = viva("arena", "judge", "a", *options)
    assert (done.code, done.out) == (2, "")
    assert remedy in done.err


def test_viva_toml_sets_defaults_of_the_judge(viva: Viva) -> None:
    call(viva.folder / "a" / "s", "fake://a", SAID, sounding())
    (viva.folder / "viva.toml").write_text('[judge]\njudge = "trace-rules:none"\n')
    assert viva("judge", "a", "--json").json["judge"] == "trace-rules"


def test_a_run_is_rated_live_beside_the_judge_of_facts(viva: Viva) -> None:
    place = ("hello.yaml", "--endpoint", "fake://", "--simulated", "--out", "run", *ENGINES)
    done = viva("run", *place, *RULES, "--json")
    assert done.code == 0, done.err
    lines = (viva.folder / "run/hello/turns.jsonl").read_text().splitlines()
    given = [verdict["judge"] for line in lines for verdict in json.loads(line)["verdicts"]]
    assert given and set(given) == {"rules", "trace-rules"}
    refused = viva("run", *place, *SERVER)
    assert refused.code == 2 and "Leave out --simulated" in refused.err


def test_what_no_judge_could_tell_is_a_battle_without_an_outcome(viva: Viva) -> None:
    for name in ("a", "b"):  # of one there is nothing to judge: no words were heard
        call(viva.folder / name / "s", f"fake://{name}", SAID if name == "a" else "", sounding())
    held = viva("arena", "judge", "a", "b", *RULES, "--store", "b.jsonl", "--json").json
    assert (held["battles"], sum(held["unscored"].values())) == (1, 1)
    battle = json.loads((viva.folder / "b.jsonl").read_text())
    (cause,) = held["unscored"]
    assert (battle["label"], battle["unscored"]) == (None, cause)


def test_a_call_that_our_own_side_spoiled_is_no_battle(viva: Viva) -> None:
    for name in ("a", "b"):
        path = call(viva.folder / name / "s", f"fake://{name}", SAID, sounding())
        call(viva.folder / name / "t", f"fake://{name}", SAID, sounding())
    info = json.loads((path / "episode.json").read_text())
    info |= {"outcome": "behind_real_time", "fault": "us"}
    (path / "episode.json").write_text(json.dumps(info))
    held = viva("arena", "judge", "a", "b", *RULES, "--store", "b.jsonl", "--json").json
    assert held["battles"] == 1
    assert held["left_out"] == {"void_episode": 1, "called_one_only": 1}
