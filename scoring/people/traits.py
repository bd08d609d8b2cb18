"""What a caller does in one call: how long it speaks, how fast it answers, how it cuts in. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recordings.format import DeviceOpened, Role
from scoring.audible import total
from scoring.timeline import UserTurn
from scoring.view import EpisodeView

TRAITS = {
    "turn_s": "length of a turn, s",
    "words": "words of a turn",
    "gap_s": "from the end of a reply to the next turn, s",
    "cuts_in": "share of turns that begin while the endpoint speaks",
    "overlap": "share of a call in which both speak",
    "backchannels": "backchannels for each reply",
}
"""What is compared, and what it is."""


@dataclass(frozen=True, slots=True)
class Traits:
    """One call.

    Attributes:
        values: What was measured, by trait: one value a turn, or one a call.
        facts: The label of each fact at the end of the call, by its id.
        judge: Who gave them; "" if nobody did.
    """

    episode: str
    scenario: str
    endpoint: str
    person: bool
    values: Mapping[str, tuple[float, ...]]
    facts: Mapping[str, str] = field(default_factory=dict)
    judge: str = ""


def traits_of(view: EpisodeView) -> Traits:
    """Measure a call.

    A gap is negative where the caller cut in. A person hears a reply some time after it stands on the
    track, and what they say stands there some time after they said it: both are taken off their gaps.
    """
    timeline = view.timeline
    seconds = timeline.seconds
    turns = [exchange.user for exchange in timeline.exchanges]
    late = _device_delay(view)
    gaps = [
        seconds(turn.start - exchange.reply[-1].end) - late
        for exchange, turn in zip(timeline.exchanges, turns[1:], strict=False)
        if exchange.reply
    ]
    nods = sum(utterance.role is Role.BACKCHANNEL for utterance in timeline.utterances)
    replies = sum(bool(exchange.reply) for exchange in timeline.exchanges)
    values = {
        "turn_s": tuple(seconds(turn.end - turn.start) for turn in turns),
        "words": tuple(float(len(turn.text.split())) for turn in turns if turn.text),
        "gap_s": tuple(gaps),
        "cuts_in": tuple(float(_cuts_in(view, turn)) for turn in turns),
        "overlap": (total(timeline.overlaps) / timeline.duration,) if timeline.duration else (),
        "backchannels": (nods / replies,) if replies else (),
    }
    labels, judge = _facts(view)
    info = view.info
    scenario = str(info.scenario.get("id", ""))
    return Traits(info.id, scenario, info.endpoint.address, info.user == "person", values, labels, judge)


def _cuts_in(view: EpisodeView, turn: UserTurn) -> bool:
    return any(s.start < turn.start < s.end for s in view.timeline.endpoint)


def _device_delay(view: EpisodeView) -> float:
    opened = next((event for event in view.events if isinstance(event, DeviceOpened)), None)
    if opened is None:
        return 0.0
    heard = opened.playback_delay_s + opened.output_latency_s
    return heard + opened.capture_delay_s + opened.input_latency_s


def _facts(view: EpisodeView) -> tuple[dict[str, str], str]:
    """The last label of each fact that is more than "missing"; who judged."""
    labels: dict[str, str] = {}
    judge = ""
    for _, judged in sorted(view.judged.items()):
        judge = judged.judge
        for fact, label in judged.labels.items():
            if label is not None and (label != "missing" or fact not in labels):
                labels[fact] = label
    return labels, judge
