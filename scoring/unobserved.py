"""What a recording that was made elsewhere cannot tell is unscored, whatever a metric would make of it."""

from __future__ import annotations

from recordings.format import Absent
from scoring.metric import Measured, Measurement, Metric, Unscored
from scoring.view import EpisodeView

MIXED = "sides_were_mixed"
"""Cause: both sides were in one channel, and where both spoke at once only one is known."""

NO_SCENARIO = "no_scenario"
"""Cause: nobody says what the call should have come to."""

OF_BOTH_AT_ONCE = frozenset(
    {
        "overlap",
        "endpoint_interruptions",
        "time_to_yield",
        "yield_rate",
        "yield_latency",
        "backchannels_ignored",
        "tics_ignored",
        "asides_ignored",
        "false_yields",
        "talk_over",
        "interruptions_answered",
        "old_reply_resumed",
        "endpoint_cut_ins",
        "pause_take_over",
        "interruption_take_over",
        "backchannel_take_over",
        "endpoint_backchannels",
        "eva_turn_taking",
    }
)
"""Metrics of what one side does while the other speaks."""


def measured(metric: Metric, view: EpisodeView) -> list[Measurement]:
    """The values of a metric, or the cause why an episode has none."""
    if Absent.OVERLAP in view.info.absent and metric.name in OF_BOTH_AT_ONCE:
        return [Unscored(MIXED)]
    found = metric.measure(view)
    if metric.name == "passed" and _nothing_was_asked(view):
        # it may have failed all the same, by a silence
        return [Unscored(NO_SCENARIO) if isinstance(one, Measured) and one.value else one for one in found]
    return found


def _nothing_was_asked(view: EpisodeView) -> bool:
    asked = view.info.scenario.get("turns") or view.info.scenario.get("aspects")
    return view.info.imported is not None and not asked
