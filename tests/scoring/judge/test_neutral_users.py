from __future__ import annotations

import asyncio
import json
from pathlib import Path

from scoring.judge.neutral_users import with_neutral_users
from scoring.judge.rate import Heard, hear
from tests.scoring.judge.calls import ASKED, call
from tests.scoring.judge.spoken import sounding
from tests.scoring.judging import SAID


def heard(
    folder: Path, *, style: str = "", voice: str = "anna", asked: tuple[str, ...] = (ASKED,)
) -> Heard:
    """A call whose first words are spoken in a style, by a voice."""
    file = call(folder, "fake://x", SAID, sounding(), asked) / "episode.json"
    info = json.loads(file.read_text())
    info["scenario"]["persona"] = {"voice": voice}
    info["scenario"]["turns"][0]["style"] = style
    file.write_text(json.dumps(info))
    return asyncio.run(hear(folder, None))


def counts(*calls: Heard) -> list[list[int]]:
    return [
        [len(reply.item.task.user_neutral) for reply in one.replies] for one in with_neutral_users(calls)
    ]


def test_a_styled_turn_is_held_against_the_plain_ones_of_its_voice_in_all_calls(tmp_path: Path) -> None:
    sad = heard(tmp_path / "run/a", style="sad")
    plain = heard(tmp_path / "run/b", asked=(ASKED, "And then?"))
    # a turn is not its own neutral, and a styled one is nobody's
    assert counts(sad, plain) == [[2], [1, 1]]


def test_another_voice_and_another_run_say_nothing_of_it(tmp_path: Path) -> None:
    sad = heard(tmp_path / "run/a", style="sad")
    assert counts(sad, heard(tmp_path / "run/b", voice="ben")) == [[0], [0]]
    assert counts(sad, heard(tmp_path / "other/b")) == [[0], [0]]


def test_a_persona_that_has_a_style_is_never_plain(tmp_path: Path) -> None:
    one = heard(tmp_path / "run/a", asked=(ASKED, "And then?"))
    one.episode.info.scenario["persona"]["style"] = "child"
    assert counts(one) == [[0, 0]]
