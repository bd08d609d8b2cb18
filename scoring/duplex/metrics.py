"""The metrics of `scores/duplex.json`."""

from __future__ import annotations

import inspect

from scoring.duplex import turns, yielding
from scoring.metric import FunctionMetric, Statistic

DUPLEX = tuple(
    FunctionMetric(name, unit, statistic, (inspect.getdoc(measure) or "").split("\n")[0], measure)
    for name, unit, statistic, measure in (
        ("time_to_yield", "ms", Statistic.SURVIVAL, yielding.time_to_yield),
        ("yield_rate", "ratio", Statistic.RATE, yielding.yield_rate),
        ("yield_latency", "s", Statistic.MEAN, yielding.yield_latency),
        ("interruptions_answered", "ratio", Statistic.RATE, yielding.interruptions_answered),
        ("old_reply_resumed", "ratio", Statistic.RATE, yielding.old_reply_resumed),
        ("backchannels_ignored", "ratio", Statistic.RATE, yielding.backchannels_ignored),
        ("false_yields", "ratio", Statistic.RATE, yielding.false_yields),
        ("tics_ignored", "ratio", Statistic.RATE, yielding.tics_ignored),
        ("asides_ignored", "ratio", Statistic.RATE, yielding.asides_ignored),
        ("talk_over", "ratio", Statistic.RATIO, yielding.talk_over),
        ("answer_latency", "s", Statistic.MEAN, turns.answer_latency),
        ("answer_rate", "ratio", Statistic.RATE, turns.answer_rate),
        ("endpoint_cut_ins", "count", Statistic.MEAN, turns.endpoint_cut_ins),
        ("pause_take_over", "ratio", Statistic.RATE, turns.pause_take_over),
        ("smooth_take_over", "ratio", Statistic.RATE, turns.smooth_take_over),
        ("interruption_take_over", "ratio", Statistic.RATE, turns.interruption_take_over),
        ("backchannel_take_over", "ratio", Statistic.RATE, turns.backchannel_take_over),
        ("endpoint_backchannels", "per s", Statistic.RATIO, turns.endpoint_backchannels),
        ("on_time", "ratio", Statistic.RATE, turns.on_time),
        ("eva_turn_taking", "score", Statistic.MEAN, turns.eva_turn_taking),
        ("cut_off", "ratio", Statistic.RATE, turns.cut_off),
        ("reprompts", "count", Statistic.MEAN, turns.reprompts),
        ("behaviours_missed", "count", Statistic.MEAN, turns.behaviours_missed),
    )
)
"""In the order of the report; sources and versions are in the docstrings of the functions."""
