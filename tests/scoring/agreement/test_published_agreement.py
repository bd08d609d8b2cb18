"""Published numbers about judges and people, from the published labels or counts."""

from __future__ import annotations

import pytest

from scoring.agreement.compare import Comparison, compare
from scoring.agreement.examine import Pair, examine
from scoring.agreement.judges import against_truth
from scoring.agreement.labels import Labels, LabelSet
from scoring.agreement.position import PositionReport
from scoring.agreement.sources import load
from scoring.agreement.systems import BothOrders, Ranking, win_rates
from scoring.statistics.correlation import Correlation
from scoring.statistics.paired import Difference, McNemar
from tests.scoring.agreement.tallies import AUDIOJUDGE, DATA, pair, rows

TYPED = LabelSet(("1", "2", "both_good", "both_bad"))


def comparison(path: str, other: str = "") -> Comparison:
    found = examine([load(address) for address in (path, other) if address])
    assert isinstance(found, Pair)
    return found.comparison


# --- AudioJudge -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "n", "accuracy", "kappa", "ac1"),
    [
        ("0_shots_none_transcript_fewshot_separate", 497, 0.5331991951710262, 0.2946, 0.3039),
        ("4_shots_none_transcript_fewshot_separate", 497, 0.5915492957746479, 0.3840, 0.3894),
        ("4_shots_none_transcript_fewshot_aggregate", 495, 0.5494949494949495, 0.3191, 0.3284),
    ],
)
def test_a_judge_of_single_replies(run: str, n: int, accuracy: float, kappa: float, ac1: float) -> None:
    found = comparison(str(AUDIOJUDGE / f"speakbench508_pointwise_gpt4o_{run}.csv"))
    assert found.n == n
    assert found.values["agreement"] == pytest.approx(accuracy, abs=1e-12)
    assert found.values["cohen_kappa"] == pytest.approx(kappa, abs=5e-5)
    assert found.values["gwet_ac1"] == pytest.approx(ac1, abs=5e-5)


def test_a_published_accuracy_of_17_percent_was_a_swap_that_nobody_turned_back() -> None:
    path = str(AUDIOJUDGE / "speakbench508_pairwise_gpt4o_0shot_SWAPPED.csv")
    as_shipped = comparison(f"{path}#human_unswapped", f"{path}#judge_prediction_in_swapped_order")
    assert as_shipped.values["agreement"] == pytest.approx(0.16901408450704225, abs=1e-12)
    turned = comparison(path)
    assert turned.values["agreement"] == pytest.approx(0.5131, abs=5e-5)
    assert turned.values["cohen_kappa"] == pytest.approx(0.2833, abs=5e-5)


def judge(name: str) -> BothOrders:
    found = load(str(AUDIOJUDGE / f"speakbench_{name}.csv"))
    assert isinstance(found, BothOrders)
    return found


ASPECTS = [
    f"aspect_{aspect}_gemini25flash_0shot" for aspect in ("lexical", "paralinguistic", "speech_quality")
]


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        (
            "pairwise_vs_gpt4o-audio_gemini25flash_4shot",
            "standard_cot_4_shots_none_transcript_single_turn_gemini",
        ),
        ("pairwise_vs_gpt4o-audio_gpt4o_4shot", "standard_cot_4_shots_none_transcript_single_turn_gpt"),
        (ASPECTS[0], "lexical_cot_0_shots_none_transcript_single_turn_gemini"),
        (ASPECTS[1], "paralinguistic_cot_0_shots_none_transcript_single_turn_gemini"),
        (ASPECTS[2], "speech_quality_cot_0_shots_none_transcript_single_turn_gemini"),
    ],
)
def test_win_rates_equal_the_published_summaries(name: str, summary: str) -> None:
    (path,) = (AUDIOJUDGE / "judge_summaries").glob(f"summary_speakbench_{summary}*.csv")
    found = win_rates(judge(name))
    published = {row["model_name"]: row for row in rows(path)}
    assert found.keys() == published.keys() and len(found) == 13
    for system, row in published.items():
        rate = found[system]
        assert rate.n == int(row["samples_evaluated"])
        assert rate.effective == pytest.approx(float(row["effective_win_rate"]), abs=1e-12)
        assert rate.wins_first == pytest.approx(float(row["win_rate_pos1"]), abs=1e-12)
        assert rate.wins_second == pytest.approx(float(row["win_rate_pos2"]), abs=1e-12)
        assert rate.ties == pytest.approx(float(row["tie_rate"]), abs=1e-12)


@pytest.mark.parametrize(
    ("judges", "rho"),
    [(ASPECTS, 0.9121), (["pairwise_vs_gpt4o-audio_gpt4o_4shot"], 0.7747)],
    ids=["three aspects", "one judge"],
)
def test_a_judges_ranking_of_thirteen_systems(judges: list[str], rho: float) -> None:
    paths = ["speakbench_annotations.jsonl", *(f"speakbench_{name}.csv" for name in judges)]
    found = examine([load(str(AUDIOJUDGE / path)) for path in paths])
    assert isinstance(found, Ranking) and isinstance(found.correlation, Correlation)
    assert found.correlation.value == pytest.approx(rho, abs=5e-5)
    assert (found.correlation.n, len(found.people), list(found.missing)) == (13, 13, [])


def test_a_judge_in_both_orders_reports_its_preference_for_a_place() -> None:
    found = examine([judge(ASPECTS[0])])
    assert isinstance(found, PositionReport)
    assert (found.n, found.consistent, found.always_first, found.always_second) == (1052, 873, 83, 43)


# --- PubMedQA -------------------------------------------------------------------------------------


def answers(column: str, test: bool = True) -> Labels:
    table = rows(DATA / "pubmedqa" / "labels.csv")
    return Labels(column, {row["item"]: row[column] for row in table if row["test"] == "1" or not test})


@pytest.mark.parametrize(
    ("person", "accuracy", "f1", "kappa"),
    [("reasoning_required", 0.78, 0.7219, 0.6021), ("reasoning_free", 0.904, 0.8418, 0.8297)],
)
def test_people_answer_biomedical_questions(person: str, accuracy: float, f1: float, kappa: float) -> None:
    found = compare(answers("final_decision"), answers(person))
    assert (found.n, found.values["agreement"]) == (500, accuracy)
    assert found.values["macro_f1"] == pytest.approx(f1, abs=5e-5)
    assert found.values["cohen_kappa"] == pytest.approx(kappa, abs=5e-5)
    assert (found.majority_label, found.values["majority_baseline"]) == ("yes", 0.552)
    assert found.values["majority_baseline_macro_f1"] == pytest.approx(0.2371, abs=5e-5)


def test_two_annotators_of_a_thousand_questions() -> None:
    found = compare(answers("reasoning_required", test=False), answers("reasoning_free", test=False))
    assert (found.n, found.values["agreement"]) == (1000, 0.701)
    assert found.values["cohen_kappa"] == pytest.approx(0.4567, abs=5e-5)
    assert found.values["gwet_ac1"] == pytest.approx(0.5879, abs=5e-5)


def test_who_reads_the_conclusion_answers_better_and_more_than_by_chance() -> None:
    found = against_truth(
        answers("reasoning_free"), answers("reasoning_required"), answers("final_decision")
    ).dropped
    assert isinstance(found.difference, Difference) and isinstance(found.mcnemar, McNemar)
    assert found.difference.value == pytest.approx(0.904 - 0.78)
    assert found.mcnemar.b - found.mcnemar.c == 62  # .124 of 500
    assert found.mcnemar.p < 1e-6


# --- TRACE ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("corpus", "tree", "right", "n", "most", "baseline"),
    [
        ("speakbench", "content_first", 485, 497, {"1", "2"}, 183),
        ("s2sarena", "acceptability_cap", 296, 314, {"both_bad"}, 181),
    ],
)
def test_peoples_dimensions_fused_against_their_overall_labels(
    corpus: str, tree: str, right: int, n: int, most: set[str], baseline: int
) -> None:
    table = rows(DATA / "trace_counts" / "fusion_truth_tables.csv")
    dimensions = ("content", "paralinguistics", "voice_quality")
    fused = {tuple(row[name] for name in dimensions): row[tree] for row in table}
    assert len(fused) == 64
    counts: dict[tuple[str, str], int] = {}
    for row in rows(DATA / "trace_counts" / f"{corpus}_hcot_joint_counts.csv"):
        cell = row["overall"], fused[tuple(row[name] for name in dimensions)]
        counts[cell] = counts.get(cell, 0) + int(row["count"])
    found = compare(*pair(counts), TYPED)
    # 97.59 % and 94.27 %
    assert (found.n, found.dropped.right) == (n, right)
    # 36.8 % and 57.6 %: on the second, answering always both_bad beats every published judge (57.0 %)
    assert found.majority_label in most
    assert found.values["majority_baseline"] == baseline / n


def test_untyped_ties_hide_replies_that_are_both_bad() -> None:
    table = rows(DATA / "trace_counts" / "speakbench_original_vs_hcot_counts.csv")
    cells = {(row["hcot_overall"], row["original_label"]): int(row["count"]) for row in table}
    found = compare(*pair(cells), LabelSet((*TYPED.names, "tie")))
    # of 85 both_bad, 13 + 18 had a winner; of 366 winners, 132 + 127 had the same
    assert found.values["fabricated_winner_rate"] == 31 / 85
    assert found.values["accuracy_when_winner"] == 259 / 366
