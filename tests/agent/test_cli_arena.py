"""`viva arena`: rate, pairs, import."""

from __future__ import annotations

import json
from pathlib import Path

from tests.agent.cli_calls import Viva

SPEAKBENCH = Path(__file__).parents[1] / "data" / "audiojudge" / "speakbench_annotations.jsonl"
CSV = "prompt,system_a,system_b,label,domain\n1,A,B,a,x\n2,B,C,b,x\n3,C,A,tie,y\n4,A,A,a,y\n5,A,B,draw,y\n"


def write(viva: Viva, name: str, text: str) -> str:
    (viva.folder / name).write_text(text, encoding="utf-8")
    return name


def test_rate_prints_the_published_ratings(viva: Viva) -> None:
    done = viva("arena", "rate", str(SPEAKBENCH), "--json", "--bootstraps", "50")
    assert (done.code, done.err) == (0, "")
    first = done.json["systems"]["gpt4o-audio"]
    assert round(first["bradley_terry"]["rating"], 3) == 1285.546
    assert round(first["elo"], 4) == 1182.7579
    assert (done.json["connected"], done.json["ridge"], done.json["unscored"]) == (True, False, {})


def test_rate_counts_what_it_skips_and_slices(viva: Viva) -> None:
    battles = write(viva, "battles.csv", CSV)
    done = viva("arena", "rate", battles, "--json", "--slice", "domain", "--baseline", "A", "--seed", "3")
    assert done.code == 0
    assert done.json["unscored"] == {"self_battle": 1, "unknown_label": 1}
    assert [line["line"] for line in done.json["skipped"]] == [5, 6]
    assert done.json["slices"]["by"] == "domain"
    assert done.json["systems"]["B"]["against_baseline"]["losses"] == 1
    assert done.json["seed"] == 3


def test_rate_writes_a_page_or_prints_a_table(viva: Viva) -> None:
    battles = write(viva, "battles.csv", CSV)
    done = viva("arena", "rate", battles, "--html", "x.html")
    assert (done.code, done.out, done.err) == (0, "", "leaderboard  x.html\n")
    assert (viva.folder / "x.html").stat().st_size > 5000
    assert "3 battles on 3 prompts" in viva("arena", "rate", battles).out


def test_bad_battles_are_bad_input_with_their_place(viva: Viva) -> None:
    bad = write(viva, "bad.csv", "prompt,system_a,system_b,label\n1,A\n")
    done = viva("arena", "rate", bad)
    assert done.code == 2
    assert "bad.csv:2: has 2 cells for 4 columns." in done.err
    assert viva("arena", "rate", "nowhere.csv").code == 2
    battles = write(viva, "battles.csv", CSV)
    done = viva("arena", "rate", battles, "--baseline", "X")
    assert (done.code, "the baseline 'X' has no battle" in done.err) == (2, True)
    done = viva("arena", "rate", battles, "--covariate", "mood")
    assert (done.code, "expected position or length" in done.err) == (2, True)
    assert viva("arena", "rate", battles, "--html", "nowhere/x.html").code == 2


def test_pairs_proposes_the_next_battles(viva: Viva) -> None:
    battles = write(viva, "battles.csv", CSV)
    prompts = write(viva, "prompts.txt", "".join(f"q{n}\n" for n in range(20)))
    options = ("--system", "NEW", "--prompts", prompts, "--count", "4")
    done = viva("arena", "pairs", battles, *options, "--json")
    assert done.code == 0
    pairs = done.json["pairs"]
    assert len(pairs) == 4
    assert "NEW" in (pairs[0]["system_a"], pairs[0]["system_b"])
    assert all(pair["first"] == "a" for pair in pairs)
    lines = viva("arena", "pairs", battles, *options).out.splitlines()
    assert lines[0].split("\t") == [pairs[0][name] for name in ("prompt", "system_a", "system_b")]
    done = viva("arena", "pairs", battles, "--per-pair", "1", "--count", "9")
    assert (done.out, done.err) == ("", "0 of 9: the caps leave no more\n")


def test_import_appends_to_a_store_once(viva: Viva) -> None:
    battles = write(viva, "battles.csv", CSV)
    done = viva("arena", "import", battles, "store.jsonl", "--judge", "ann", "--json")
    unscored = {"self_battle": 1, "unknown_label": 1}
    assert done.json == {"imported": 3, "there_already": 0, "unscored": unscored}
    assert '"judge": "ann"' in (viva.folder / "store.jsonl").read_text()
    done = viva("arena", "import", battles, "store.jsonl", "--json")
    assert done.json == {"imported": 0, "there_already": 3, "unscored": unscored}
    assert len((viva.folder / "store.jsonl").read_text().splitlines()) == 3
    rated = viva("arena", "rate", "store.jsonl", "--json").json["systems"]
    assert rated["A"]["wins"] == 1


def test_a_file_without_a_battle_is_a_table_without_a_system(viva: Viva) -> None:
    (viva.folder / "b.csv").write_text("prompt,system_a,system_b,label\n")
    (viva.folder / "b.jsonl").write_text("")
    for name in ("b.csv", "b.jsonl"):
        shown = viva("arena", "rate", name, "--slice", "level")
        assert shown.code == 0 and "0 battles on 0 prompts" in shown.out
        assert "no battle says its level" in shown.out
        found = viva("arena", "rate", name, "--json").json
        assert (found["systems"], found["battles"], found["unscored"]) == ({}, 0, {})
        assert "there are no two systems" in viva("arena", "pairs", name).err


def test_a_correction_counts_and_is_imported_with_what_it_corrects(viva: Viva) -> None:
    first = {"id": "1", "prompt": "p", "system_a": "A", "system_b": "B", "judge": "person:ann"}
    changes = ({"label": "a"}, {"id": "2", "label": "b", "corrects": "1"}, {"id": "3", "corrects": "9"})
    lines = [{**first, "label": "a", **change} for change in changes]
    (viva.folder / "b.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = viva("arena", "rate", "b.jsonl", "--json").json
    assert (found["systems"]["B"]["wins"], found["systems"]["A"]["wins"]) == (1, 0)
    assert (found["corrected"], found["unscored"]) == (1, {"nothing_to_correct": 1})
    assert "corrected: 1" in viva("arena", "rate", "b.jsonl").out
    taken = [viva("arena", "import", "b.jsonl", "o.jsonl", "--json").json for _ in range(2)]
    assert [(one["imported"], one["there_already"]) for one in taken] == [(2, 0), (0, 2)]
    assert viva("arena", "rate", "o.jsonl", "--json").json["systems"] == found["systems"]
