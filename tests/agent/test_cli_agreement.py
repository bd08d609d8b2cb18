"""`viva agreement`."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from recordings.format import Verdict
from tests.agent.cli_calls import Viva
from tests.scoring.agreement.tallies import AUDIOJUDGE, DATA, rows, square
from tests.scoring.agreement.verdicts import recorded

POINTWISE = AUDIOJUDGE / "speakbench508_pointwise_gpt4o_4_shots_none_transcript_fewshot_separate.csv"


def table(viva: Viva, name: str, labels: dict[str, str]) -> str:
    rows = "".join(f"{item},{label}\n" for item, label in labels.items())
    (viva.folder / name).write_text(f"item,label\n{rows}")
    return name


def two(viva: Viva, counts: list[list[int]], names: str = "xyz") -> tuple[str, str]:
    a, b = square(counts, names)
    return table(viva, "a.csv", dict(a.by_item)), table(viva, "b.csv", dict(b.by_item))


def test_two_tables_are_compared(viva: Viva) -> None:
    done = viva("agreement", *two(viva, [[20, 5], [10, 15]]), "--json")
    found = done.json
    assert (done.code, done.err) == (0, "")
    assert (found["kind"], found["n"], found["only_a"], found["only_b"]) == ("pair", 50, 0, 0)
    assert (found["percent"], found["cohen_kappa"]) == (70, pytest.approx(0.4))
    assert found["gwet_ac1"] == pytest.approx((0.7 - 0.495) / 0.505)  # pi = .55, 2 * .55 * .45
    assert found["majority_baseline"] == 0.5
    assert found["confusion"] == {"x": {"x": 20, "y": 5}, "y": {"x": 10, "y": 15}}
    low, high = found["intervals"]["percent"]
    assert 50 < low < 70 < high < 90
    assert found["mcnemar_p"] is None and found["undefined"]["mcnemar_p"] == "no_truth"
    as_wrong = found["policies"]["count_as_wrong"]
    assert (as_wrong["n"], as_wrong["right"], as_wrong["accuracy"]) == (50, 35, 0.7)
    # nothing is missing: every measure is the same under both policies
    assert all(as_wrong[name] == found[name] for name in ("percent", "cohen_kappa", "gwet_ac1", "macro_f1"))
    assert as_wrong["intervals"] == found["intervals"]
    assert (found["labels"], found["labels_declared"]) == (["x", "y"], False)


SHAPE = (
    "n", "only_a", "only_b", "percent", "cohen_kappa", "gwet_ac1", "krippendorff_alpha", "macro_f1",
    "majority_baseline", "mcnemar_p",
)  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [({"p": "x"}, {"q": "x"}), ({"p": "x"}, {"p": "x"}), ({"p": ""}, {"p": ""}), ({"p": "x"}, {"p": ""})],
    ids=["nothing in common", "constant", "no label at all", "no label in one"],
)
def test_what_is_not_known_is_null_with_a_cause(viva: Viva, rows: tuple[dict[str, str], ...]) -> None:
    names = [table(viva, f"{k}.csv", row) for k, row in enumerate(rows)]
    done = viva("agreement", *names, "--json")
    assert done.code == 0
    assert set(SHAPE) <= done.json.keys()
    for name in (*SHAPE, "cohen_kappa_linear", "fabricated_winner_rate"):
        assert (done.json[name] is None) == (name in done.json["undefined"]), name
    assert viva("agreement", *names).code == 0


def test_constant_labels_have_no_kappa(viva: Viva) -> None:
    found = viva("agreement", *two(viva, [[4]]), "--json").json
    assert (found["percent"], found["cohen_kappa"]) == (100, None)
    assert found["undefined"]["cohen_kappa"] == "constant_labels"


def test_declared_and_ordered_labels_give_more(viva: Viva) -> None:
    names = two(viva, [[3, 1, 0], [0, 4, 1], [1, 0, 2]])
    found = viva("agreement", *names, "--ordered", "x,y,z", "--json").json
    assert found["labels_declared"] and found["labels"] == ["x", "y", "z"]
    assert found["distance_over_disagreements"] == pytest.approx(4 / 3)
    assert found["cohen_kappa_quadratic"] < 1 and found["krippendorff_alpha_ordinal"] < 1
    narrow = viva("agreement", *names, "--labels", "x, y", "--json").json
    assert narrow["unscored"] == {"a": {"unknown_label": 3}, "b": {"unknown_label": 3}}
    assert narrow["n"] == 8


def test_two_judges_are_tested_against_a_truth(viva: Viva) -> None:
    truth = table(viva, "truth.csv", {f"i{k}": "x" for k in range(12)})
    a = table(viva, "a.csv", {f"i{k}": "xy"[k == 9] for k in range(12)})
    b = table(viva, "b.csv", {f"i{k}": "yx"[k > 8] for k in range(11)})
    found = viva("agreement", a, b, "--truth", truth, "--json").json
    drop, wrong = found["truth"]["drop"], found["truth"]["count_as_wrong"]
    assert found["mcnemar_p"] == drop["mcnemar_p"] == 22 / 1024  # 9 against 1
    assert (drop["n"], wrong["n"], wrong["accuracy_b"]) == (11, 12, 2 / 12)
    assert "McNemar p" in viva("agreement", a, b, "--truth", truth).out


@pytest.mark.parametrize(
    ("labels", "key"),
    [(("1", "1"), "always_first"), (("1", "2"), "consistent"), (("tie", "1"), "one_winner")],
)
def test_one_judge_in_both_orders(viva: Viva, labels: tuple[str, str], key: str) -> None:
    ab, ba = (table(viva, f"{k}.csv", {"p": label, "q": label}) for k, label in enumerate(labels))
    found = viva("agreement", ab, ba, "--both-orders", "--json").json
    assert (found["kind"], found["n"], found["counts"][key]) == ("position", 2, 2)
    turned = viva("agreement", ab, ba, "--swapped", "--json").json
    assert turned["percent"] == (100 if key == "consistent" else 0)


def test_the_published_files_give_the_published_numbers(viva: Viva) -> None:
    found = viva("agreement", str(POINTWISE), "--json").json
    assert found["percent"] == pytest.approx(59.15, abs=5e-3)
    assert (found["a"], found["b"], found["cohen_kappa"]) == (
        "human",
        "judge",
        pytest.approx(0.3840, abs=5e-5),
    )
    out = viva("agreement", str(POINTWISE)).out
    assert "59.15 %" in out and "0.3840" in out and "0.3894" in out
    swapped = str(AUDIOJUDGE / "speakbench508_pairwise_gpt4o_0shot_SWAPPED.csv")
    assert "51.31 %" in viva("agreement", swapped).out
    columns = [f"{swapped}#{name}" for name in ("human_unswapped", "judge_prediction_in_swapped_order")]
    assert "16.90 %" in viva("agreement", *columns).out
    assert "51.31 %" in viva("agreement", *columns, "--swapped").out
    people = AUDIOJUDGE / "speakbench_annotations.jsonl"
    aspects = sorted(str(path) for path in AUDIOJUDGE.glob("speakbench_aspect_*.csv"))
    assert "rho 0.9121" in viva("agreement", str(people), *aspects).out
    assert "82.98 %" in viva("agreement", aspects[0]).out


def test_several_people_and_a_judge(viva: Viva) -> None:
    lines = [{"item": item, "label": "x", "annotator": who} for who in ("ann", "bob") for item in "pq"]
    lines.append({"item": "p", "label": "y", "annotator": "[red]cy"})
    (viva.folder / "people.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    judge = table(viva, "judge.csv", {"p": "x", "q": "x"})
    found = viva("agreement", "people.jsonl", judge, "--json").json
    assert (found["kind"], found["n"], found["percent"]) == ("people", 5, 80)
    assert found["percent_mean_of_people"] == pytest.approx(200 / 3)
    assert "[red]cy" in viva("agreement", "people.jsonl", judge).out
    among = viva("agreement", "people.jsonl", "--json").json
    assert (among["kind"], among["items"], among["n"], among["values"]) == ("raters", 2, 2, 5)
    assert [pair["right"] for pair in among["pairs"]] == [0, 0, 2]
    assert "3 raters" in viva("agreement", "people.jsonl", "--ordered", "x,y").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.csv",), "a.csv: is one source. Agreement is between two"),
        (("a.csv", "nowhere.csv"), "nowhere.csv: does not exist"),
        (("a.csv", "empty.csv"), "empty.csv: is empty"),
        (("a.csv", "hello.yaml"), "hello.yaml: has no column 'item'"),
        (("a.csv", "twice.csv"), "twice.csv:3: names the item 'p' for the second time, after line 2"),
        (("a.csv", "a.csv#judge"), "a.csv: has no column 'judge'"),
        (("a.csv", "b.csv", "--labels", "x", "--ordered", "x"), "both --labels and --ordered"),
        (("a.csv", "b.csv", "--labels", "x,x"), "names 'x' twice"),
        (("a.csv", "b.csv", "--labels", "x,,y"), "an empty one"),
        (("a.csv", "b.csv", "a.csv", "--truth", "a.csv"), "--truth or --swapped with 3 sources"),
        (("a.csv", "b.csv", "a.csv"), "one name twice among a.csv, b.csv, a.csv"),
        (("a.csv", "--both-orders"), "other than two plain sources"),
        (("a.csv", "b.csv", "--truth", "prefers.jsonl"), "the truth"),
        (("a.csv", "prefers.jsonl"), "do not go together"),
        (("prefers.jsonl", "--labels", "x"), "with a judge in both orders"),
        (("a.csv", "broken.jsonl"), "broken.jsonl:1"),
        (("a.csv", "texts.csv"), "different labels, at most 100"),
    ],
)
def test_bad_input_is_told_with_its_place(viva: Viva, arguments: tuple[str, ...], message: str) -> None:
    table(viva, "a.csv", {"p": "x", "q": "y"})
    table(viva, "b.csv", {"p": "x", "q": "x"})
    table(viva, "texts.csv", {f"i{k}": f"text {k}" for k in range(200)})
    (viva.folder / "empty.csv").write_text("")
    (viva.folder / "twice.csv").write_text("item,label\np,x\np,x\n")
    (viva.folder / "broken.jsonl").write_text('{"item": "p"}\n')
    (viva.folder / "prefers.jsonl").write_text('{"model1": "a", "model2": "b", "preference": "tie"}\n')
    done = viva("agreement", *arguments, "--json")
    assert (done.code, done.out) == (2, "")
    assert message in done.err and "Traceback" not in done.err


def finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    return (
        all(map(finite, value))
        if isinstance(value, list)
        else not isinstance(value, float) or math.isfinite(value)
    )


def test_two_items_that_differ_are_a_result(viva: Viva) -> None:
    done = viva("agreement", *two(viva, [[0, 1], [1, 0]]), "--json")
    assert done.code == 0 and finite(done.json)
    assert (done.json["percent"], done.json["cohen_kappa"]) == (0, -1)


def test_the_run_of_a_call_is_a_label_source(viva: Viva) -> None:
    """Verdicts of an episode against a person's labels of the same turns."""
    verdicts = [[Verdict(judge="facts", label=label)] for label in ("complete", "missing", "wrong")]
    folder = recorded(viva.folder / "run" / "e1", verdicts, run="run")
    judge = table(viva, "person.csv", {"run/e1/0": "complete", "run/e1/1": "complete", "run/e1/9": "wrong"})
    found = viva("agreement", judge, f"{folder}#facts", "--json").json
    assert (found["n"], found["percent"], found["only_a"], found["only_b"]) == (2, 50, 1, 1)


def joint_counts(viva: Viva, corpus: str) -> str:
    """People's labels of three dimensions, item by item, from published counts."""
    lines = [
        f"{row['content']},{row['paralinguistics']},{row['voice_quality']}"
        for row in rows(DATA / "trace_counts" / f"{corpus}_hcot_joint_counts.csv")
        for _ in range(int(row["count"]))
    ]
    text = "".join(f"i{n},{line}\n" for n, line in enumerate(lines))
    (viva.folder / "people.csv").write_text(f"item,content,paralinguistics,voice_quality\n{text}")
    return "people.csv"


def test_the_probes_give_the_published_shares_of_people(viva: Viva) -> None:
    speakbench = joint_counts(viva, "speakbench")
    found = viva("agreement", speakbench, "--probe", "content-first", "--json").json
    assert (found["kind"], found["n"], found["unscored"]) == ("probes", 497, {})
    tie = {name: round(100 * found["content_tie"][name]["share"], 1) for name in found["content_tie"]}
    assert tie == {"paralinguistics": 19.9, "voice_quality": 39.2, "still_tie": 40.8, "other": 0}
    out = viva("agreement", speakbench, "--probe", "content-first").out
    assert "39.24 %" in out and "content-first@1" in out
    arena = viva("agreement", joint_counts(viva, "s2sarena"), "--probe", "acceptability-cap", "--json").json
    flips = {name: round(100 * share["share"], 1) for name, share in arena["flips"].items()}
    assert flips == {"content": 9.6, "paralinguistics": 40.1, "voice_quality": 2.9}


def test_the_probes_take_the_answers_of_one_person(viva: Viva) -> None:
    lines = [
        {"item": item, "annotator": person, "dimension": dimension, "label": label}
        for person in ("ann", "bob")
        for item in "pq"
        for dimension, label in (("content", "1"), ("paralinguistics", "2"), ("voice_quality", "both_bad"))
        if (person, item, dimension) != ("bob", "q", "voice_quality")
    ]
    (viva.folder / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert viva("agreement", "p.jsonl#ann", "--probe", "majority", "--json").json["n"] == 2
    bob = viva("agreement", "p.jsonl#bob", "--probe", "majority", "--json").json
    assert (bob["n"], bob["unscored"]) == (1, {"voice_quality:not_labelled": 1})
    for address, options, told in (
        ("p.jsonl", (), "holds labels by several. Name one: PATH#PERSON."),
        ("p.jsonl#ann/content", (), "holds no labels of paralinguistics, voice_quality"),
        ("p.jsonl#ann", ("--swapped",), "--probe with another option"),
    ):
        done = viva("agreement", address, "--probe", "majority", *options)
        assert (done.code, done.out) == (2, "") and told in done.err, done.err
    done = viva("agreement", "p.jsonl#ann", "--probe", "best")
    assert done.code == 2 and "Known: content-first" in done.err
