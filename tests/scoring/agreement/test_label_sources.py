from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from recordings.errors import RecordingError
from recordings.format import Verdict
from recordings.labels import PersonLabel
from scoring.agreement.audiojudge import Preferences
from scoring.agreement.examine import Pair, examine
from scoring.agreement.labels import LabelError, Labels, Order, drawn_together
from scoring.agreement.raters import AgainstPeople, Raters
from scoring.agreement.sources import Sources, load
from scoring.agreement.systems import BothOrders, Preference
from scoring.statistics.intervals import Interval
from tests.scoring.agreement.tallies import labels
from tests.scoring.agreement.verdicts import recorded


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def sources(address: str) -> Sources:
    found = load(address)
    assert isinstance(found, Sources)
    return found


# --- CSV ------------------------------------------------------------------------------------------


def test_a_table_of_items_and_labels_is_one_source(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", '\ufeffitem,label\r\np, good \r\n"q, 2",bad\r\n\r\nr,\r\n')
    found = sources(path).only
    assert found.by_item == {"p": "good", "q, 2": "bad"}
    assert found.unscored == {"r": "empty"}
    assert (found.name, found.order) == (path, Order.AS_IS)


def test_another_column_is_named_behind_a_hash(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "item,label,note\np,good,x\n")
    assert sources(f"{path}#note").only.by_item == {"p": "x"}
    hashed = written(tmp_path / "a#label.csv", "item,label\np,bad\n")
    assert sources(hashed).only.by_item == {"p": "bad"}


def test_a_column_of_annotators_makes_several_people(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "item,label,annotator\np,x,ann\np,y,bob\nq,x,bob\n")
    found = sources(path)
    assert [(s.name, dict(s.by_item)) for s in found.found] == [
        ("ann", {"p": "x"}),
        ("bob", {"p": "y", "q": "x"}),
    ]
    assert found.relation == "people"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty. Expected the columns `item,label`"),
        ("\n\n", "is empty"),
        ("item,label\n", "holds a line of column names and no rows"),
        ("id,label\np,x\n", "has no column 'item', only 'id', 'label'"),
        ("item,lable\np,x\n", "has no column 'label', only 'item', 'lable'. Did you mean 'lable'?"),
        ("item;label\np;x\n", "has no column 'item', only 'item;label'"),
        ("item,label,label\np,x,y\n", "names a column twice"),
        ("item,label\np,x\nq,x,y\n", ":3: has 3 cells for 2 columns"),
        ("item,label\np,x\nq\n", ":3: has 1 cells"),
        ("item,label\np,x\nq,y\np,x\n", ":4: names the item 'p' for the second time, after line 2"),
        ("item,label\n ,x\n", ":2: has an empty item"),
        ('item,label\n"p,x\n', "is no CSV file"),
        ("item,label,annotator\np,x,ann\np,y,ann\n", ":3: names the item 'p' for the second time"),
    ],
)
def test_a_table_that_is_no_source_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path / "a.csv", text)
    with pytest.raises(LabelError) as error:
        load(path)
    assert str(error.value).startswith(path) and message in str(error.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    for name in ("a.csv", "a.jsonl"):
        (tmp_path / name).write_bytes(b"item,label\n\xff\xfe,x\n")
        with pytest.raises(LabelError, match="in UTF-8"):
            load(str(tmp_path / name))


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"nowhere\.csv: does not exist"):
        load(str(tmp_path / "nowhere.csv"))
    path = written(tmp_path / "a.csv", "item,label\np,x\n")
    with pytest.raises(LabelError, match="no column 'judge'"):
        load(f"{path}#judge")


# --- AudioJudge's files ---------------------------------------------------------------------------


def test_a_judge_in_both_orders_is_known_by_its_columns(tmp_path: Path) -> None:
    text = "instruction_id,model,pos1_prediction,pos2_prediction\n1,a+tts,1,2\n2,a+tts,tie,neither\n"
    found = load(written(tmp_path / "a.csv", text))
    assert isinstance(found, BothOrders)
    assert found.first.by_item == {"a+tts/1": "1", "a+tts/2": "tie"}
    assert (found.second.by_item, found.second.unscored) == ({"a+tts/1": "2"}, {"a+tts/2": "unknown_label"})
    assert found.second.order is Order.SWAPPED


def test_people_and_judge_in_one_table_are_two_sources(tmp_path: Path) -> None:
    found = sources(written(tmp_path / "a.csv", "item,human,judge\n0,tie,2\n"))
    assert [(s.name, s.by_item["0"]) for s in found.found] == [("human", "tie"), ("judge", "2")]
    text = "item,human_unswapped,judge_prediction_in_swapped_order\n0,1,2\n"
    human, judge = sources(written(tmp_path / "b.csv", text)).found
    assert (human.by_item, judge.by_item, judge.order) == ({"0": "1"}, {"0": "1"}, Order.UNSWAPPED)
    with pytest.raises(LabelError, match="holds labels by several"):
        examine([found, found])


def test_preferences_of_people_are_known_by_their_keys(tmp_path: Path) -> None:
    line = {"data_ID": 0, "model1": "a", "model2": "b", "preference": "model2"}
    found = load(written(tmp_path / "a.jsonl", json.dumps(line) + "\n"))
    assert isinstance(found, Preferences) and found.found == (Preference("a", "b", "2"),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"preference": "neither"}, ":2: holds the preference 'neither'. Expected model1, model2, tie"),
        ({"preference": ["tie"]}, ":2: holds the preference"),
        ({"model2": "a"}, ":2: compares 'a' with itself"),
    ],
)
def test_a_line_that_is_no_preference_is_named(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    line = {"model1": "a", "model2": "b", "preference": "tie"}
    path = written(tmp_path / "a.jsonl", f"{json.dumps(line)}\n{json.dumps(line | change)}\n")
    with pytest.raises(LabelError, match=message):
        load(path)


# --- people ---------------------------------------------------------------------------------------


def people(path: Path, *lines: dict[str, str]) -> str:
    return written(path, "".join(PersonLabel(**line).model_dump_json() + "\n" for line in lines))


def test_labels_of_people_are_sources_by_person(tmp_path: Path) -> None:
    path = people(
        tmp_path / "a.jsonl",
        {"item": "p", "label": "x", "annotator": "ann"},
        {"item": "p", "label": "y", "annotator": "bob"},
        {"item": "q", "unscored": "inaudible", "annotator": "bob"},
        {"item": "p", "label": "z", "annotator": "ann"},
    )
    found = sources(path)
    assert [s.name for s in found.found] == ["ann", "bob"]
    assert found.found[0].by_item == {"p": "z"}  # ann thought again
    assert (found.found[1].by_item, found.found[1].unscored) == ({"p": "y"}, {"q": "inaudible"})
    assert sources(f"{path}#bob").only is not None
    with pytest.raises(LabelError, match="no labels by 'eve', only by ann, bob"):
        load(f"{path}#eve")


def test_people_are_compared_with_a_judge_and_with_each_other(tmp_path: Path) -> None:
    lines = [
        {"item": item, "label": "x", "annotator": who} for item in "pq" for who in ("ann", "bob", "cy")
    ]
    path = people(tmp_path / "a.jsonl", *lines)
    judge = written(tmp_path / "judge.csv", "item,label\np,x\nq,y\n")
    for order in ((path, judge), (judge, path)):
        found = examine([load(address) for address in order])
        assert isinstance(found, AgainstPeople)
        assert (found.pooled.n, found.pooled.b, found.mean) == (6, judge, 0.5)
    among = examine([load(path)])
    assert isinstance(among, Raters) and among.names == ("ann", "bob", "cy")


def test_answers_to_different_questions_are_not_mixed(tmp_path: Path) -> None:
    path = people(
        tmp_path / "a.jsonl",
        {"item": "p", "label": "x", "annotator": "ann", "dimension": "content"},
        {"item": "p", "label": "y", "annotator": "ann", "dimension": "voice"},
        {"item": "p", "label": "x", "annotator": "bob", "dimension": "content"},
    )
    with pytest.raises(LabelError, match="by several"):
        examine([load(path)])
    content = sources(f"{path}#content")
    assert [s.name for s in content.found] == ["ann/content", "bob/content"]
    assert content.relation == "people"
    assert sources(f"{path}#ann/voice").only.by_item == {"p": "y"}


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", LabelError, "is empty"),
        ("\n", LabelError, "is empty"),
        ("item,label\n", LabelError, ":1: is no JSON"),
        ('{"item": "p"}\n', RecordingError, ":1: is not valid"),
        (
            '{"item": "p", "label": "x", "unscored": "y"}\n',
            RecordingError,
            "expected a label, or else the cause",
        ),
        ('{"item": "p", "label": "x"}\n{"item": "q", "lable": "x"}\n', RecordingError, ":2: is not valid"),
        ("[]\n", RecordingError, ":1: is not valid"),
    ],
)
def test_lines_that_are_no_labels_say_what_is_wrong(
    tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        load(written(tmp_path / "a.jsonl", text))


# --- episodes -------------------------------------------------------------------------------------


def test_the_verdicts_of_an_episode_are_sources_by_judge(tmp_path: Path) -> None:
    facts, tone = Verdict(judge="facts", label="complete"), Verdict(judge="tone", unscored="no_speech")
    folder = recorded(tmp_path / "e1", [(facts, tone), (), (facts,)], run="r")
    found = sources(str(folder))
    assert [s.name for s in found.found] == ["facts", "tone"]
    assert found.found[0].by_item == {"r/e1/0": "complete", "r/e1/2": "complete"}
    assert found.found[1].unscored == {"r/e1/0": "no_speech"}
    assert sources(f"{folder}#facts").only.by_item == found.found[0].by_item
    with pytest.raises(LabelError, match="no labels by 'fact', only by facts, tone"):
        load(f"{folder}#fact")


def test_the_episodes_of_a_run_are_one_source(tmp_path: Path) -> None:
    for name in ("e1", "e2"):
        recorded(tmp_path / name, [(Verdict(judge="facts", label=name),)], id=name)
    found = sources(str(tmp_path)).only
    assert found.by_item == {"e1/0": "e1", "e2/0": "e2"}
    assert found.clusters == {"e1/0": "e1", "e2/0": "e2"}


def test_turns_of_one_call_are_drawn_together(tmp_path: Path) -> None:
    """The judge is right about all turns of a call, or about none: calls are the evidence."""
    rows = []
    for number in range(8):
        label = "complete" if number % 2 else "partial"
        recorded(
            tmp_path / "run" / f"e{number}",
            [(Verdict(judge="facts", label=label),)] * 5,
            run="r",
            id=f"e{number}",
        )
        rows += [f"r/e{number}/{turn},complete" for turn in range(5)]
    people = written(tmp_path / "people.csv", "item,label\n" + "\n".join(rows) + "\n")
    finding = examine([load(people), load(str(tmp_path / "run"))])
    assert isinstance(finding, Pair)
    assert (finding.comparison.n, finding.comparison.clusters) == (40, 8)
    alone = replace(sources(str(tmp_path / "run")).only, clusters={})
    flat = examine([load(people), Sources("flat", (alone,))])
    assert isinstance(flat, Pair) and flat.comparison.clusters is None
    wide, narrow = (one.comparison.intervals["agreement"] for one in (finding, flat))
    assert isinstance(wide, Interval) and isinstance(narrow, Interval)
    # five equal turns a call: the standard error grows by sqrt(5)
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(5**0.5, rel=0.15)


def test_a_column_says_what_belongs_together(tmp_path: Path) -> None:
    text = "item,label,cluster\np,x,one\nq,x,one\nr,y,\n"
    assert sources(written(tmp_path / "a.csv", text)).only.clusters == {"p": "one", "q": "one"}
    assert drawn_together([sources(written(tmp_path / "a.csv", text)).only], ["p", "q", "r"]) == [
        "cluster one",
        "cluster one",
        "item r",
    ]
    alone = Labels("a", {"p": "x", "q": "x"}, clusters={"p": "one", "q": "one"})
    assert drawn_together([alone], ["p", "q"]) is None  # of one cluster only that can be told
    assert drawn_together([labels(p="x")], ["p"]) is None


def test_two_verdicts_of_one_judge_on_one_turn_are_refused(tmp_path: Path) -> None:
    verdict = Verdict(judge="facts", label="x")
    with pytest.raises(LabelError, match="two verdicts of 'facts' on e1/0"):
        load(str(recorded(tmp_path / "e1", [(verdict, verdict)])))


def test_an_episode_without_verdicts_and_a_folder_without_episodes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError):
        load(str(tmp_path))
    with pytest.raises(LabelError, match="holds no labels"):
        load(str(recorded(tmp_path / "e1", [()])))
