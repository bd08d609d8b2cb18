"""Findings as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scoring.agreement.compare import Accuracy, Comparison, Result
from scoring.agreement.examine import Finding, Pair
from scoring.agreement.judges import AgainstTruth, Contest
from scoring.agreement.position import PositionReport
from scoring.agreement.probes import Probes, Share
from scoring.agreement.raters import AgainstPeople, Raters
from scoring.report.safe import neutralise
from scoring.report.terminal import WIDE
from scoring.statistics.intervals import Interval
from scoring.statistics.undefined import Undefined

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from scoring.agreement.systems import Ranking

TITLES = {
    "agreement": "agreement",
    "cohen_kappa": "Cohen's kappa",
    "cohen_kappa_linear": "  linear weights",
    "cohen_kappa_quadratic": "  quadratic weights",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's alpha",
    "krippendorff_alpha_ordinal": "  ordinal",
    "macro_f1": "macro-F1",
    "majority_baseline": "majority class: accuracy",
    "majority_baseline_macro_f1": "majority class: macro-F1",
    "distance_over_disagreements": "distance, disagreements",
    "distance_over_all": "distance, all",
    "accuracy_when_winner": "right when there is a winner",
    "fabricated_winner_rate": "winner made up for both_bad",
}

KIND_TITLES = {
    "consistent": "the same",
    "always_first": "always the first side",
    "always_second": "always the second side",
    "one_winner": "a winner, and none",
    "other": "no winner, twice differently",
}

PROBE_TITLES = {
    "content_tie": {
        "paralinguistics": "paralinguistics",
        "voice_quality": "voice quality",
        "still_tie": "nothing",
        "other": "other",
    },
    "flips": {
        "content": "content",
        "paralinguistics": "paralinguistics",
        "voice_quality": "voice quality",
    },
}

MOST_WIDE = 132
"""Columns from which shares of probes stand with their intervals; `--json` always has them."""

MOST_LABELS = 8
"""A confusion of more labels is left to the JSON."""


def print_finding(finding: Finding, console: Console | None = None) -> None:
    """Print any finding."""
    from rich.console import Console as RichConsole

    out = console or RichConsole(highlight=False)
    if isinstance(finding, Pair):
        _print_comparison(finding.comparison, out)
        if finding.truth:
            _print_truth(finding.truth, out)
    elif isinstance(finding, AgainstPeople):
        _print_comparison(finding.pooled, out)
        _print_people(finding, out)
    elif isinstance(finding, Raters):
        _print_raters(finding, out)
    elif isinstance(finding, PositionReport):
        _print_position(finding, out)
    elif isinstance(finding, Probes):
        print_probes({finding.judge: finding}, out)
    else:
        _print_ranking(finding, out)


def print_probes(found: Mapping[str, Probes], console: Console | None = None) -> None:
    """Print what verdicts rest on, by how they were made."""
    from rich.console import Console as RichConsole

    out = console or RichConsole(highlight=False)
    tie = _table("content tied, by", *PROBE_TITLES["content_tie"].values(), "n")
    flip = _table("verdict flips with", *PROBE_TITLES["flips"].values(), "n")
    for name, one in found.items():
        for table, probe in ((tie, "content_tie"), (flip, "flips")):
            shares = (one.shares[probe][key] for key in PROBE_TITLES[probe])
            table.add_row(_plain(name), *(_probed(share, out.width) for share in shares), str(one.n))
    out.print(tie)
    out.print(flip)
    for fusion in dict.fromkeys(one.fusion for one in found.values()):
        by = ", ".join(_plain(name) for name, one in found.items() if one.fusion == fusion)
        out.print(f"fused by {_plain(fusion)}: {by}")
    for name, one in found.items():
        if one.unscored:
            out.print(f"unscored, {_plain(name)}: {_causes(one.unscored)}")


def _probed(share: Share, width: int) -> str:
    """A share, with its interval where there is room."""
    value = _number("agreement", share.value)
    interval = _interval("agreement", share.interval) if width >= MOST_WIDE else ""
    return f"{value} ({interval})" if interval else value


def _print_comparison(found: Comparison, out: Console) -> None:
    out.print(f"[bold]{_plain(found.a)}[/bold] (reference) and [bold]{_plain(found.b)}[/bold]")
    out.print(
        f"{found.n} items labelled by both; {found.only_a} only in the first, {found.only_b} in the second"
    )
    for which, causes in (("first", found.unscored_a), ("second", found.unscored_b)):
        if causes:
            out.print(f"unscored by the {which}: {_causes(causes)}")
    if found.clusters is not None:
        out.print(f"intervals draw {found.clusters} clusters of items")
    for table in _measures(found, out.width):
        out.print(table)
    policies = _table("missing labels", "n", "right", "accuracy")
    for title, accuracy in (("dropped", found.dropped), ("counted as wrong", found.counted_wrong)):
        policies.add_row(title, str(accuracy.n), str(accuracy.right), _share(accuracy))
    out.print(policies)
    if found.n and found.labels and len(found.labels.names) <= MOST_LABELS:
        out.print(_confusion(found, found.labels.names))


def _measures(found: Comparison, width: int) -> list[Table]:
    """Every measure without missing labels; with them as wrong beside it, or below on a narrow screen."""
    dropped = [
        (TITLES[name], _number(name, value), _interval(name, found.intervals[name]))
        for name, value in found.values.items()
    ]
    wrong = [
        (_number(name, value), _interval(name, found.intervals_wrong[name]))
        for name, value in found.values_wrong.items()
    ]
    heads = ("", "value", "95 % interval")
    if found.counted_wrong.n == found.n:
        return [_filled(heads, dropped)]
    if width >= WIDE:
        rows = [(*one, *other) for one, other in zip(dropped, wrong, strict=True)]
        return [_filled((*heads, "as wrong", "interval"), rows)]
    below = [(title, *other) for (title, *_), other in zip(dropped, wrong, strict=True)]
    return [_filled(heads, dropped), _filled(("missing labels as wrong", *heads[1:]), below)]


def _filled(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = _table(*heads)
    for row in rows:
        table.add_row(*row)
    return table


def _confusion(found: Comparison, names: tuple[str, ...]) -> Table:
    table = _table("first / second", *map(_plain, names), "precision", "recall", "F1")
    for (name, scores), row in zip(found.per_class.items(), found.table, strict=True):
        found_again = (scores.precision, scores.recall, scores.f1)
        rates = ("–" if isinstance(value, Undefined) else f"{value:.4f}" for value in found_again)
        table.add_row(_plain(name), *(f"{count:.0f}" for count in row), *rates)
    return table


def _print_truth(found: AgainstTruth, out: Console) -> None:
    table = _table(
        f"against {_plain(found.truth)}", "n", "first", "second", "difference", "95 % interval", "McNemar p"
    )
    for title, contest in (("dropped", found.dropped), ("counted as wrong", found.counted_wrong)):
        table.add_row(title, str(contest.n), *_contest(contest))
    out.print(table)


def _contest(found: Contest) -> Iterable[str]:
    yield _share(Accuracy(found.n, found.right_a))
    yield _share(Accuracy(found.n, found.right_b))
    if isinstance(found.difference, Undefined) or isinstance(found.mcnemar, Undefined):
        yield from ("undefined", "", "undefined")
    else:
        yield f"{found.difference.value:+.4f}"
        yield _interval("", found.difference.interval)
        yield f"{found.mcnemar.p:.2g}"


def _print_people(found: AgainstPeople, out: Console) -> None:
    if found.judge_unscored:
        out.print(f"of {found.items} items the judge left unscored: {_causes(found.judge_unscored)}")
    table = _table("person", "n", "right", "agreement", "as wrong")
    for name, accuracy in found.by_person.items():
        wrong = _share(found.by_person_counted_wrong[name])
        table.add_row(_plain(name), str(accuracy.n), str(accuracy.right), _share(accuracy), wrong)
    table.add_row("mean of people", "", "", _number("agreement", found.mean), "")
    out.print(table)


def _print_raters(found: Raters, out: Console) -> None:
    out.print(f"{len(found.names)} raters, {found.items} items; {found.n} with at least two labels")
    for name, causes in found.unscored.items():
        if causes:
            out.print(f"unscored by {_plain(name)}: {_causes(causes)}")
    table = _table("", "value", "95 % interval")
    table.add_row(
        TITLES["krippendorff_alpha"], _number("", found.alpha), _interval("", found.alpha_interval)
    )
    if found.labels and found.labels.ordered:
        ordinal = _number("", found.alpha_ordinal), _interval("", found.alpha_ordinal_interval)
        table.add_row(TITLES["krippendorff_alpha_ordinal"], *ordinal)
    out.print(table)
    pairs = _table("pair", "n", "agreement")
    for (a, b), accuracy in found.pairs.items():
        pairs.add_row(f"{_plain(a)}, {_plain(b)}", str(accuracy.n), _share(accuracy))
    out.print(pairs)


def _print_position(found: PositionReport, out: Console) -> None:
    out.print(f"{found.n} items judged in both orders; {found.only_ab} and {found.only_ba} in one only")
    if found.unscored:
        out.print(f"unscored: {_causes(found.unscored)}")
    table = _table("in both orders", "items", "share", "95 % interval")
    for kind, title in KIND_TITLES.items():
        count = getattr(found, kind)
        share, interval = _share(Accuracy(found.n, count)), _interval("agreement", found.intervals[kind])
        table.add_row(title, str(count), share, interval)
    out.print(table)
    interval = _interval("agreement", found.intervals["first_share"])
    between = f" ({interval})" if interval else ""
    out.print(f"of the winners, shown first: {_number('agreement', found.first_share)}{between}")


def _print_ranking(found: Ranking, out: Console) -> None:
    table = _table("system", "people", "judge", "items")
    for name in sorted(found.people.keys() & found.judge.keys(), key=lambda name: -found.people[name]):
        rate = found.judge[name]
        table.add_row(_plain(name), f"{found.people[name]:.4f}", f"{rate.effective:.4f}", str(rate.n))
    out.print(table)
    if found.missing:
        out.print(f"known to one side only: {', '.join(map(_plain, found.missing))}")
    if isinstance(found.correlation, Undefined):
        out.print(f"Spearman's rho: undefined ({_cause(found.correlation)})")
    else:
        how = "all permutations" if found.correlation.exact else "10,000 permutations"
        out.print(f"Spearman's rho {found.correlation.value:.4f}, p = {found.correlation.p:.2g} ({how})")


def _number(name: str, value: Result) -> str:
    if isinstance(value, Undefined):
        return f"undefined: {_cause(value)}"
    return f"{100 * value:.2f} %" if name == "agreement" else f"{value:.4f}"


def _interval(name: str, interval: Interval | Undefined) -> str:
    if isinstance(interval, Undefined):
        return ""
    if name == "agreement":
        return f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %"
    return f"{interval.low:.3f} to {interval.high:.3f}"


def _share(accuracy: Accuracy) -> str:
    return _number("agreement", accuracy.share)


def _causes(causes: Mapping[str, int]) -> str:
    return ", ".join(
        f"{count} {_plain(cause).replace('_', ' ')}" for cause, count in sorted(causes.items())
    )


def _cause(value: Undefined) -> str:
    return value.cause.replace("_", " ")


def _table(first: str, *others: str) -> Table:
    from rich import box
    from rich.table import Table as RichTable

    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _plain(text: str) -> str:
    """Text of others, without markup or control characters."""
    from rich.markup import escape

    return escape(neutralise(text))
