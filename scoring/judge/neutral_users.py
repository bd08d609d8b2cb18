"""How the user of a call sounds where it speaks in no style: its other turns, in any call. Pure.

A prompt that is spoken in a style is often the only turn of its call; the same voice speaks neutrally in
other calls of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scoring.blueprint.record import Blueprint
from scoring.judge.material import Answered
from scoring.judge.rate import Heard

_Voice = tuple[str, str]
_Turn = tuple[str, int]


def with_neutral_users(calls: Sequence[Heard]) -> list[Heard]:
    """Calls whose tasks know the neutral turns of their user's voice, from all calls of the same run."""
    plain: dict[_Voice, dict[_Turn, Blueprint]] = {}
    for heard in calls:
        for answered in heard.replies:
            blueprint = answered.item.task.user.blueprint
            if blueprint is not None and answered.asked is not None and not _styled(heard, answered):
                of_voice = plain.setdefault(_voice(heard), {})
                of_voice[heard.episode.info.id, answered.asked] = blueprint
    return [
        replace(heard, replies=tuple(_known(heard, a, plain.get(_voice(heard), {})) for a in heard.replies))
        for heard in calls
    ]


def _known(heard: Heard, answered: Answered, plain: dict[_Turn, Blueprint]) -> Answered:
    own = (heard.episode.info.id, answered.asked)
    others = tuple(blueprint for turn, blueprint in plain.items() if turn != own)
    task = replace(answered.item.task, user_neutral=others)
    return replace(answered, item=replace(answered.item, task=task))


def _voice(heard: Heard) -> _Voice:
    persona = heard.episode.scenario.get("persona") or {}
    return heard.episode.info.run, str(persona.get("voice", ""))


def _styled(heard: Heard, answered: Answered) -> bool:
    """Whether the scenario has these words spoken in a style."""
    scenario, words = heard.episode.scenario, answered.item.task.question.asked
    own = next((t.get("style") for t in scenario.get("turns") or () if t.get("text") == words), "")
    style = own or (scenario.get("persona") or {}).get("style") or ""
    return style not in ("", "neutral")
