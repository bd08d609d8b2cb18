"""Numbers as people read them, and groups of episodes to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.digest.columns import Digest, Row
from scoring.metric import VOID, Aggregate, Metric, Statistic
from scoring.science.marks import MEASURES
from scoring.score import METRICS
from scoring.tools import TOOLS

NOTHING = "–"
"""Shown for what could not be scored."""

TITLES = {
    "passed": "calls that passed",
    "response_latency": "response latency",
    "first_byte": "first byte",
    "leading_silence": "leading silence",
    "endpoint_wait": "wait for end of turn",
    "endpoint_think": "think",
    "unanswered_turns": "unanswered turns",
    "endpoint_interruptions": "endpoint interruptions",
    "overlap": "overlap per call",
    "dead_air": "dead air per call",
    "dead_air_count": "dead airs per call",
    "user_turns": "user turns per call",
    "endpoint_turns": "endpoint turns per call",
    "user_talk_share": "user talk share",
    "endpoint_talk_share": "endpoint talk share",
    "user_thinking": "user thinking (ours)",
    "user_wer_said": "WER user, as said",
    "user_wer_heard": "WER user, as heard",
    "endpoint_wer_said": "WER reply, as said",
    "endpoint_wer_heard": "WER reply, as heard",
    "user_cer_said": "CER user, as said",
    "user_cer_heard": "CER user, as heard",
    "endpoint_cer_said": "CER reply, as said",
    "endpoint_cer_heard": "CER reply, as heard",
    "yield_rate": "yields to interruptions (R_Y)",
    "yield_latency": "time to yield, mean (L_Y)",
    "time_to_yield": "time to yield",
    "interruptions_answered": "interruptions answered",
    "old_reply_resumed": "old reply resumed",
    "backchannels_ignored": "goes on at mm-hm (S_BC)",
    "tics_ignored": "goes on at a cough (S_VT)",
    "asides_ignored": "ignores asides (S_ND)",
    "false_yields": "false yields",
    "talk_over": "talks over the user",
    "answer_rate": "turns answered (R_R)",
    "answer_latency": "answer latency, mean (L_R)",
    "endpoint_cut_ins": "cut-ins per turn (I_A)",
    "pause_take_over": "takes over at pauses (TOR)",
    "smooth_take_over": "takes over at turn ends (TOR)",
    "interruption_take_over": "takes over, cut into (TOR)",
    "backchannel_take_over": "takes over at mm-hm (TOR)",
    "endpoint_backchannels": "endpoint's own mm-hm",
    "on_time": "replies on time (EVA)",
    "eva_turn_taking": "turn-taking score (EVA)",
    "cut_off": "replies broken off",
    "behaviours_missed": "behaviours not shown",
    **{f"science_{one.name}": f"{one.stage.value}: {one.title}" for one in MEASURES.values()},
}
"""Names of the metrics for people."""

TOPICS = {
    "outcome": ("passed",),
    "timing": (
        "response_latency",
        "first_byte",
        "leading_silence",
        "endpoint_wait",
        "endpoint_think",
        "user_thinking",
    ),
    "turns": (
        "unanswered_turns",
        "endpoint_interruptions",
        "overlap",
        "dead_air",
        "dead_air_count",
        "user_turns",
        "endpoint_turns",
        "user_talk_share",
        "endpoint_talk_share",
    ),
    "interruptions": (
        "yield_rate",
        "time_to_yield",
        "yield_latency",
        "interruptions_answered",
        "interruption_take_over",
        "old_reply_resumed",
        "talk_over",
    ),
    "what wants no answer": (
        "backchannels_ignored",
        "false_yields",
        "backchannel_take_over",
        "tics_ignored",
        "asides_ignored",
    ),
    "turn-taking": (
        "answer_rate",
        "answer_latency",
        "on_time",
        "smooth_take_over",
        "pause_take_over",
        "endpoint_cut_ins",
        "endpoint_backchannels",
        "cut_off",
        "eva_turn_taking",
        "reprompts",
        "behaviours_missed",
    ),
    "words": (
        *("user_wer_said", "user_wer_heard", "endpoint_wer_said", "endpoint_wer_heard"),
        *("user_cer_said", "user_cer_heard", "endpoint_cer_said", "endpoint_cer_heard"),
    ),
    "tools": tuple(metric.name for metric in TOOLS),
    "science": tuple(f"science_{name}" for name in MEASURES),
}
"""Which metrics stand together in a table; what is named nowhere stands under "other"."""

_TOPIC_OF = {metric: topic for topic, metrics in TOPICS.items() for metric in metrics}


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes that have something in common, put together.

    Attributes:
        name: What they have in common.
        outcomes: "3 completed, 1 connect failed".
    """

    name: str
    episodes: int
    void: int
    outcomes: str
    metrics: dict[str, Aggregate]

    def text(self, metric: str) -> str:
        """A metric's value for a table."""
        return value_text(self.metrics[metric])


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How often a live judge gave which answer; what it could not judge is counted by cause."""

    judge: str
    labels: dict[str, int]
    unscored: dict[str, int]


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a judge gave which label in a dimension."""

    judge: str
    dimension: str
    labels: Counter[str]


def verdicts(digest: Digest) -> list[Verdicts]:
    """The live judges' answers over the episodes that count, judge by judge."""
    labels: dict[str, Counter[str]] = {}
    unscored: dict[str, Counter[str]] = {}
    for row in digest.rows:
        for judge, given in () if row.void else row.tallies.get("verdicts", {}).items():
            labels.setdefault(judge, Counter()).update(given["labels"])
            unscored.setdefault(judge, Counter()).update(given["unscored"])
    return [
        Verdicts(judge, dict(labels[judge].most_common()), dict(unscored[judge]))
        for judge in sorted(labels)
    ]


def tallies(digest: Digest) -> list[Tally]:
    """How often each label was given over the episodes that count, by judge and dimension."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for row in digest.rows:
        for judge, dimensions in () if row.void else row.tallies.get("ratings", {}).items():
            for dimension, labels in dimensions.items():
                found.setdefault((judge, dimension), Counter()).update(labels)
    return [Tally(judge, dimension, labels) for (judge, dimension), labels in found.items()]


def topics(metrics: Mapping[str, Aggregate]) -> dict[str, list[str]]:
    """Names of metrics by topic, in the order of `TOPICS`; what had no occasion in any call is left out."""
    left = [name for name, result in metrics.items() if result.n or set(result.unscored) - {VOID}]
    found = {topic: [name for name in names if name in left] for topic, names in TOPICS.items()}
    found["other"] = [name for name in left if name not in _TOPIC_OF]
    return {topic: names for topic, names in found.items() if names}


def topic_of(metric: str) -> str:
    """The topic under which a metric stands."""
    return _TOPIC_OF.get(metric, "other")


def groups(digest: Digest, key: Callable[[Row], str], metrics: Sequence[Metric] = METRICS) -> list[Group]:
    """Episodes by `key`, in the order of their names."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(digest.rows):
        places.setdefault(key(row), []).append(place)
    return [group(name, digest, places[name], metrics) for name in sorted(places)]


def crossed(digest: Digest) -> list[tuple[str, Callable[[Row], str]]]:
    """Users and conditions under which the same scenario was held: what a run was made to show."""
    keys: tuple[tuple[str, Callable[[Row], str]], ...] = (
        ("condition", lambda row: row.condition or "clean"),
        ("user", lambda row: row.user or "the machine's own voice"),
    )
    found = []
    for name, key in keys:
        held = {(row.scenario, row.endpoint, row.seed, key(row)) for row in digest.rows}
        if len(held) > len({entry[:3] for entry in held}):
            found.append((name, key))
    return found


def group(
    name: str, digest: Digest, places: Sequence[int] | None = None, metrics: Sequence[Metric] = METRICS
) -> Group:
    """Some episodes put together; by default all."""
    keep = np.zeros(len(digest.rows), np.bool_)
    keep[slice(None) if places is None else places] = True
    rows = [digest.rows[place] for place in np.flatnonzero(keep)]
    counts = Counter(row.outcome.value for row in rows)
    return Group(
        name=name,
        episodes=len(rows),
        void=sum(row.void for row in rows),
        outcomes=", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.most_common()),
        metrics={metric.name: digest.aggregate(metric, keep) for metric in metrics},
    )


def title(metric: str) -> str:
    """The name of a metric for people."""
    return TITLES.get(metric, metric.replace("_", " "))


def value_text(result: Aggregate) -> str:
    """A value with its unit, or a dash."""
    return NOTHING if result.value is None else number(result.value, result.unit)


def number(value: float, unit: str) -> str:
    """A number with its unit, no more digits than mean something."""
    match unit:
        case "ms":
            return minus(f"{value:.0f} ms")
        case "ratio":
            return f"{100 * value:.1f} %"
        case "s":
            return minus(f"{value:.2f} s")
        case "per s":
            return f"{value:.2f}/s"
        case _:
            return f"{value:.3g}"


def minus(text: str) -> str:
    """A number with a true minus sign; -0 is 0."""
    return text.replace("-0 ms", "0 ms").replace("-", "\N{MINUS SIGN}")


def spread_text(result: Aggregate) -> str:
    """Where the values lie, "610 to 920 ms, p95 900 ms", or the interval; nothing for shares of turns."""
    if result.withheld:
        return result.withheld.replace("_", " ")
    if result.interval is not None:
        return f"95 %: {range_text(result.interval.low, result.interval.high, result.unit)}"
    spread = result.spread
    if spread is None or (result.statistic is Statistic.MEAN and result.unit == "ratio"):
        return ""
    text = range_text(spread.minimum, spread.maximum, result.unit)
    if " to " not in text:
        return ""
    return text if spread.p95 is None else f"{text}, p95 {number(spread.p95, result.unit)}"


def range_text(least: float, most: float, unit: str) -> str:
    """From one number to another, with the unit once; a single number if they look the same."""
    low, high = number(least, unit), number(most, unit)
    return high if low == high else f"{low.removesuffix(_units(high))} to {high}"


def _units(text: str) -> str:
    return text[text.rindex(" ") :] if " " in text else ""


def causes_text(result: Aggregate) -> str:
    """Missing values with their causes: "2 no reply, 1 session ended"; void episodes are said elsewhere."""
    return counts_text({cause: count for cause, count in result.unscored.items() if cause != VOID})


def counts_text(causes: Mapping[str, int]) -> str:
    """Causes with their counts, each unbreakable: "2 no reply, 1 session ended"."""
    texts = [f"{count} {cause.replace('_', ' ')}" for cause, count in sorted(causes.items())]
    return ", ".join(text.replace(" ", "\N{NO-BREAK SPACE}") for text in texts)


def clock(seconds: float) -> str:
    """A time in a call: "1:02.5"."""
    tenths = round(seconds * 10)
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"
