from __future__ import annotations

from agent.alarms import Alarms
from streams.audio import silence
from streams.endpoints.fake import tone
from user_sim.policy import Percept, QuietSoFar, ReplyGoesOn, Since

LOUD, QUIET = tone(0.02), silence(480)


def run(alarms: Alarms, told: list[Percept], frames: str, first: int = 1) -> list[tuple[int, Percept]]:
    """Ticks from `first` on, "x" with sound and "." without; returns what was told, with its tick."""
    found = []
    for tick, frame in enumerate(frames, first):
        alarms.hear(LOUD if frame == "x" else QUIET)
        alarms.tick(tick)
        found += [(tick, percept) for percept in told]
        told.clear()
    return found


def alarmed() -> tuple[Alarms, list[Percept]]:
    told: list[Percept] = []
    return Alarms(told.append), told


def test_a_moment_of_the_reply_is_told_at_the_first_tick_from_it_on() -> None:
    alarms, told = alarmed()
    alarms.reply_began(0.033)
    alarms.ask(Since.REPLY, 0.1)
    # 0.133 lies between tick 6 (0.12) and tick 7 (0.14)
    assert run(alarms, told, "x" * 20) == [(7, ReplyGoesOn(7 * 0.02 - 0.033))]


def test_a_moment_on_a_tick_is_told_at_it_in_spite_of_floats() -> None:
    alarms, told = alarmed()
    alarms.reply_began(0.3)  # 0.3 + 0.06 is a little more than 0.36
    alarms.ask(Since.REPLY, 0.06)
    assert [tick for tick, _ in run(alarms, told, "x" * 30)] == [18]


def test_nothing_is_told_in_a_silence_of_the_reply() -> None:
    alarms, told = alarmed()
    alarms.reply_began(0.0)
    alarms.ask(Since.REPLY, 0.1)  # tick 5; silent from frame 3 on, audible until two such frames
    assert [tick for tick, _ in run(alarms, told, "xx......xx")] == [9]
    alarms.ask(Since.REPLY, 0.22)  # tick 11: the gap of two frames is within a word
    assert [tick for tick, _ in run(alarms, told, "..xx", 11)] == [11]


def test_what_waits_for_a_reply_is_forgotten_with_it() -> None:
    alarms, told = alarmed()
    alarms.ask(Since.REPLY, 0.1)  # there is none
    alarms.reply_began(0.0)
    alarms.ask(Since.REPLY, 0.1)
    alarms.reply_over()
    alarms.reply_began(0.1)
    assert run(alarms, told, "x" * 20) == []


def test_quiet_counts_from_the_last_one_who_spoke() -> None:
    alarms, told = alarmed()
    alarms.user_speaks(0.1)
    alarms.ask(Since.QUIET, 0.1)
    assert run(alarms, told, "." * 20) == [(10, QuietSoFar(0.2 - 0.1))]
    alarms.speech_began()
    alarms.ask(Since.QUIET, 0.1)  # somebody speaks
    alarms.speech_ended(0.5)
    assert run(alarms, told, "." * 20, 21) == []
    alarms.ask(Since.QUIET, 0.5)
    assert [tick for tick, _ in run(alarms, told, "." * 20, 41)] == [50]


def test_an_endpoint_that_stops_while_the_user_talks_makes_no_silence() -> None:
    alarms, told = alarmed()
    alarms.speech_began()
    alarms.user_speaks(1.0)
    alarms.speech_ended(0.3)
    alarms.ask(Since.QUIET, 0.1)
    assert [tick for tick, _ in run(alarms, told, "." * 60)] == [55]
