"""What sessions used, as their endpoints counted it, and what that costs. What is unknown stays unknown."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from recordings.format import EpisodeInfo, Event, UsageReported
from streams.language.session_prices import TRANSCRIPTION, Vendor, transcript_price, vendor

Counts = Mapping[str, float]

NOT_REPORTED = "the endpoint counted nothing"
NOT_VENDOR = "it is not at its vendor's own address"

IN_PROCESS = frozenset({"reference", "fake", "replay", "python", "command"})
"""Schemes of endpoints that cost nothing."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Of one session, or of many.

    Attributes:
        counts: What was counted, by unit and then by the endpoint's own names, summed over the reports.
        minutes: Of session.
        usd: US dollars by the table of prices; None if one is not known.
        unpriced: Why it is not known, each cause once.
        price_as_of: Days of the price lists, the oldest first.
    """

    counts: Mapping[str, Counts] = field(default_factory=dict)
    minutes: float = 0.0
    usd: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    price_as_of: tuple[str, ...] = ()

    def __add__(self, other: Usage) -> Usage:
        units = {**self.counts, **other.counts}
        known = self.usd is not None and other.usd is not None
        return Usage(
            counts={u: _sum((self.counts.get(u, {}), other.counts.get(u, {}))) for u in units},
            minutes=self.minutes + other.minutes,
            usd=(self.usd or 0.0) + (other.usd or 0.0) if known else None,
            unpriced=tuple(dict.fromkeys((*self.unpriced, *other.unpriced))),
            price_as_of=tuple(sorted({*self.price_as_of, *other.price_as_of})),
        )

    @property
    def worth_telling(self) -> bool:
        """True if something was counted or costs something."""
        return self.usd != 0.0 and bool(self.counts or self.usd)

    def to_json(self) -> dict[str, Any]:
        """As in the run's JSON."""
        return {
            "counts": {unit: dict(counts) for unit, counts in self.counts.items()},
            "minutes": round(self.minutes, 3),
            "usd": None if self.usd is None else round(self.usd, 6),
            "unpriced": list(self.unpriced),
            "price_as_of": list(self.price_as_of),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Usage:
        """What `to_json` gave."""
        return cls(
            data.get("counts", {}),
            data.get("minutes", 0.0),
            data.get("usd", 0.0),
            tuple(data.get("unpriced", ())),
            tuple(data.get("price_as_of", ())),
        )

    def __str__(self) -> str:
        """In words, for people."""
        tokens = self.counts.get("tokens", {})
        parts = [f"{self.minutes:.1f} minutes"]
        for name, words in (("input_tokens", "tokens in"), ("output_tokens", "tokens out")):
            if name in tokens:
                audio = tokens.get(f"{name.removesuffix('s')}_details.audio_tokens", 0.0)
                parts.append(
                    f"{tokens[name]:,.0f} {words}" + (f" ({audio:,.0f} of sound)" if audio else "")
                )
        if self.usd is None:
            return f"{', '.join(parts)}; price unknown: {'; '.join(self.unpriced)}"
        day = f" (prices of {self.price_as_of[0]})" if self.price_as_of else ""
        return f"{', '.join(parts)}; {self.usd:.4f} US dollars{day}"


def session_usage(info: EpisodeInfo, events: Iterable[Event]) -> Usage:
    """What one session used. Reports that count from its start replace each other, others are summed."""
    reports = [event for event in events if isinstance(event, UsageReported)]
    used = {key: _total(reports, *key) for key in dict.fromkeys((e.unit, e.model) for e in reports)}
    minutes = info.duration_s / 60
    counts: dict[str, Counts] = {}
    for (unit, _), values in used.items():
        counts[unit] = _sum((counts.get(unit, {}), values))
    scheme = info.endpoint.address.partition(":")[0]
    if scheme in IN_PROCESS or (not used and not minutes):
        return Usage(counts, minutes)
    prices = None if "+" in scheme else vendor(info.endpoint.protocol)
    if prices is None:
        cause = NOT_VENDOR if "+" in scheme else f"no price of {info.endpoint.protocol} is known"
        return Usage(counts, minutes, None, (cause,))
    if prices.minute is not None:
        return Usage(counts, minutes, minutes * prices.minute, (), (prices.as_of,))
    if not used:
        return Usage(counts, minutes, None, (NOT_REPORTED,))
    costs = {model: _cost(prices, info, model, values) for (_, model), values in used.items()}
    missing = tuple(
        f"no price of {model or info.endpoint.model or 'a model without a name'} fits what was counted"
        for model, cost in costs.items()
        if cost is None
    )
    usd = None if missing else math.fsum(cost or 0.0 for cost in costs.values())
    return Usage(counts, minutes, usd, missing, () if missing else (prices.as_of,))


def total(usages: Iterable[Usage]) -> Usage:
    """All together."""
    return sum(usages, Usage())


def _total(reports: Iterable[UsageReported], unit: str, model: str) -> Counts:
    own = [each for each in reports if (each.unit, each.model) == (unit, model)]
    whole = [each.values for each in own if each.cumulative]
    return whole[-1] if whole else _sum(each.values for each in own)


def _sum(many: Iterable[Counts]) -> Counts:
    totals: dict[str, float] = defaultdict(float)
    for counts in many:
        for name, value in counts.items():
            totals[name] += value
    return dict(totals)


def _cost(prices: Vendor, info: EpisodeInfo, model: str, values: Counts) -> float | None:
    if model or any(name.startswith(TRANSCRIPTION) for name in values):
        rates = prices.transcripts.get(model)
        return None if rates is None else transcript_price(rates, values)
    named = prices.models.get(info.endpoint.model)
    return None if named is None else named.of(values)
