from __future__ import annotations

import io

import pytest
from rich.console import Console

from agent.cli.runs.call_view import CallView, Line, clock_text
from agent.cli.runs.console import LiveScreen, PlainScreen
from agent.cli.runs.panel import meter_text, panel
from agent.observers import Levels
from agent.suite.plan import Job
from agent.suite.progress import Standing
from recordings.format import (
    BehaviourSettled,
    Event,
    Flushed,
    HeardSpeech,
    KeysPressed,
    LineProposed,
    Noticed,
    Outcome,
    Role,
    SessionEnded,
    SessionResumed,
    SessionStarted,
    TurnEnded,
    UtteranceEnded,
    UtteranceStarted,
    VerdictGiven,
)
from scenarios.load import find

USER_RATE, ENDPOINT_RATE = 16000, 24000


def asked(start: float, end: float, text: str = "How much is it?", name: str = "u0") -> UtteranceStarted:
    """The user talks; its clip has 100 ms of silence at both ends."""
    first, last = round((start - 0.1) * USER_RATE), round((end + 0.1) * USER_RATE)
    return UtteranceStarted(
        t=start - 0.1,
        utterance=name,
        text=text,
        start=first,
        samples=last - first,
        audible_start=round(start * USER_RATE),
        audible_end=round(end * USER_RATE),
    )


def speech(edge: str, at: float) -> HeardSpeech:
    return HeardSpeech(
        t=at + 0.3, edge="start" if edge == "start" else "stop", at=round(at * ENDPOINT_RATE)
    )


def replied(turn: int, start: float, end: float, heard: str | None = "It is free.") -> TurnEnded:
    positions = {"start": round(start * ENDPOINT_RATE), "end": round(end * ENDPOINT_RATE)}
    return TurnEnded(t=end + 0.5, turn=turn, heard=heard, by="silence", **positions)


def viewed(*events: Event) -> CallView:
    view = CallView("museum", "reference://")
    view.take(SessionStarted(t=0.0, user_rate=USER_RATE, endpoint_rate=ENDPOINT_RATE))
    for event in events:
        view.take(event)
    return view


def shown(view: CallView, width: int = 100, rows: int | None = None) -> list[str]:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as capture:
        console.print(panel(view, width, rows))
    return capture.get().splitlines()


def latencies(view: CallView) -> list[float | None]:
    return [line.latency_ms for line in view.lines if line.side == "endpoint"]


def test_latency_runs_from_the_last_audible_sample_of_the_user() -> None:
    view = viewed(asked(1.0, 2.0), replied(1, 2.75, 4.0))  # 2.75 - 2.0
    assert latencies(view) == [750.0]
    assert view.median_latency_ms == 750.0


def test_a_reply_shows_its_latency_before_its_words() -> None:
    view = viewed(asked(1.0, 2.0), speech("start", 2.5))
    assert view.pending == Line(2.5, "endpoint", "speaking …", 500.0, note=True)
    view.take(speech("stop", 3.0))
    view.take(speech("start", 3.2))  # the same reply goes on
    assert view.pending is not None
    assert view.pending.latency_ms == 500.0
    view.take(replied(1, 2.5, 4.0))
    assert view.pending is None
    assert latencies(view) == [500.0]


def test_only_the_first_reply_to_a_question_has_a_latency() -> None:
    view = viewed(asked(1.0, 2.0), replied(1, 2.5, 3.0), replied(2, 5.0, 6.0))
    assert latencies(view) == [500.0, None]


def test_a_greeting_has_no_latency() -> None:
    view = viewed(replied(0, 0.5, 1.0), asked(2.0, 3.0), replied(2, 3.25, 4.0))
    assert latencies(view) == [None, 250.0]


def test_a_reply_that_cuts_in_has_a_negative_latency() -> None:
    assert latencies(viewed(asked(1.0, 3.0), replied(1, 2.75, 4.0))) == [-250.0]


def test_a_reply_that_ends_after_the_user_talks_again_belongs_to_the_question_before() -> None:
    view = viewed(
        asked(1.0, 2.0),
        speech("start", 2.5),
        asked(4.0, 5.0, "Stop!", "u1"),
        replied(1, 2.5, 4.25),  # 2.5 - 2.0, and not 2.5 - 5.0
        replied(3, 5.75, 7.0),
    )
    assert latencies(view) == [500.0, 750.0]


def test_a_user_who_breaks_off_is_answered_from_there() -> None:
    # the clip begins at 0.9 s; after 0.6 s of it the user falls silent: 1.5 s
    cut = UtteranceEnded(t=1.5, utterance="u0", samples=round(0.6 * USER_RATE), cut=True)
    assert latencies(viewed(asked(1.0, 2.0), cut, replied(1, 2.5, 4.0))) == [1000.0]


def test_the_median_of_an_even_number_of_latencies_lies_between_the_middle_two() -> None:
    view = viewed(asked(1.0, 2.0), replied(1, 2.5, 3.0), asked(4.0, 5.0, name="u1"), replied(3, 5.25, 6.0))
    assert view.median_latency_ms == 375.0  # of 500 and 250


def test_a_verdict_stands_beside_the_turn_it_is_about() -> None:
    view = viewed(asked(1.0, 2.0), replied(1, 2.5, 3.0), asked(4.0, 5.0, name="u1"), replied(3, 5.5, 6.0))
    view.take(VerdictGiven(t=7.0, turn=1, judge="facts", label="partial", reason="not stated: price"))
    view.take(VerdictGiven(t=7.0, turn=9, judge="facts", label="wrong"))  # of no turn that is shown
    first, second = (line for line in view.lines if line.side == "endpoint")
    assert first.verdicts["facts"].label == "partial"
    assert second.verdicts == {}
    rows = shown(view)
    assert [row.split()[-2] for row in rows if "free" in row] == ["partial", "ms"]
    assert not any("wrong" in row for row in rows)


def test_an_unscored_verdict_shows_nothing() -> None:
    unscored = VerdictGiven(t=7.0, turn=1, judge="facts", unscored="no_facts_expected")
    assert not any("facts" in row for row in shown(viewed(asked(1.0, 2.0), replied(1, 2.5, 3.0), unscored)))


def test_two_judges_are_told_apart() -> None:
    verdicts = [VerdictGiven(t=7.0, turn=1, judge=name, label="complete") for name in ("facts", "llm")]
    (row,) = [
        row for row in shown(viewed(asked(1.0, 2.0), replied(1, 2.5, 3.0), *verdicts)) if "free" in row
    ]
    assert "facts complete llm complete" in row


def test_words_of_others_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    audience = PlainScreen(1).audience(job("museum"))
    audience.event(SessionStarted(t=0.0, user_rate=USER_RATE, endpoint_rate=ENDPOINT_RATE))
    audience.event(replied(0, 0.5, 1.0, "[red]\x1b[2Jgone"))
    audience.event(VerdictGiven(t=2.0, turn=0, judge="llm", label="wrong", reason="\x1b]0;title\x07"))
    assert "\x1b" not in capsys.readouterr().err
    (line,) = [row for row in shown(viewed(replied(0, 0.5, 1.0, "[red]\x1b[2Jgone"))) if "gone" in row]
    assert "[red]⟨U+001B⟩[2Jgone" in line


def test_what_was_not_understood_is_said_so() -> None:
    assert viewed(replied(0, 0.5, 1.0, None)).lines[0].text == "(not understood)"


def test_a_cut_of_playback_is_noted_only_if_something_was_playing() -> None:
    view = viewed(
        Flushed(t=1.0, by="endpoint", at=1), Flushed(t=2.0, by="user", at=2, items=(("i", 1, 2),))
    )
    assert [(line.t, line.text, line.note) for line in view.lines] == [
        (2.0, "playback cut by the user", True)
    ]


def test_errors_are_noted_and_mere_information_is_not() -> None:
    view = viewed(
        Noticed(t=1.0, level="info", code="a", message="b"),
        Noticed(t=2.0, level="error", code="rate_limit", message="too fast"),
    )
    assert [line.text for line in view.lines] == ["rate_limit: too fast"]


def test_a_session_that_went_on_over_another_connection_is_noted() -> None:
    view = viewed(SessionResumed(t=2.0, gap_s=0.25, held=12))
    assert [line.text for line in view.lines] == ["[went on over a new connection after 0.2 s]"]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_the_end_of_a_call_stands_below_it(outcome: Outcome) -> None:
    view = viewed(asked(1.0, 2.0), speech("start", 2.5))
    view.take(SessionEnded(t=3.0, outcome=outcome, reason="so it is"))
    rows = shown(view)
    assert rows[-2].startswith(f"│ {outcome.value.replace('_', ' ')}: so it is")
    assert not any("speaking" in row for row in rows)  # nobody speaks any more


@pytest.mark.parametrize("width", [40, 60, 76, 80, 120])
@pytest.mark.parametrize("rows", [5, 8, 12])
def test_a_panel_fits_its_room_whatever_is_said(width: int, rows: int) -> None:
    view = viewed()
    for turn in range(8):
        start = 10.0 * turn + 1
        view.take(asked(start, start + 1, "How much is a ticket for a family of five, please?", f"u{turn}"))
        view.take(replied(turn, start + 1.5, start + 6, "a ticket costs twelve euros " * (turn + 1)))
        view.take(VerdictGiven(t=start + 7, turn=turn, judge="facts", label="complete"))
    view.take(asked(90.0, 91.0, "Thank you.", "last"))
    view.levels = Levels(3000, 9000, 92.0)
    drawn = shown(view, width, rows)
    assert len(drawn) <= rows
    assert {len(row) for row in drawn} == {width}
    assert "Thank you." in drawn[-3]
    assert "user" in drawn[-2] and "endpoint" in drawn[-2]


def test_both_sides_have_a_meter() -> None:
    view = viewed(asked(1.0, 2.0))
    view.levels = Levels(user=0, endpoint=32768, t=1.5)
    meters = shown(view)[-2]
    user, endpoint = meters.split("endpoint")
    assert "█" not in user and "·" in user
    assert "█" in endpoint and "·" not in endpoint


def test_a_meter_counts_in_decibels() -> None:
    assert meter_text(0, 10) == "··········"
    assert meter_text(32768, 10) == "██████████"
    assert meter_text(1464, 10) == "█████·····"  # -27 dB of -54


def test_session_time_is_shown_in_tenths() -> None:
    assert [clock_text(t) for t in (0.0, 59.96, 61.25)] == ["0:00.0", "1:00.0", "1:01.2"]


def job(name: str) -> Job:
    return Job(id=name, scenario=find("demo/museum")[0], endpoint="reference://", repeat=0, seed=0)


def test_calls_share_the_screen_and_those_that_ended_stay_above_it() -> None:
    console = Console(width=80, height=25, file=io.StringIO(), force_terminal=True, color_system=None)
    screen = LiveScreen(2, console)
    with console.capture() as capture:
        first, second = screen.audience(job("first")), screen.audience(job("second"))
        for audience in (first, second):
            audience.event(SessionStarted(t=0.0, user_rate=USER_RATE, endpoint_rate=ENDPOINT_RATE))
            audience.event(asked(1.0, 2.0))
        console.print(screen.render())
        first.event(SessionEnded(t=3.0, outcome=Outcome.COMPLETED, reason="done"))
        console.print(screen.render())
    text = capture.get()
    assert text.count("1/2  first") == 2  # while it lasted, and as it ended
    assert text.count("2/2  second") == 2
    assert text.index("completed: done") < text.rindex("2/2  second")


def test_how_far_the_run_has_come_stands_below_the_calls() -> None:
    console = Console(width=80, height=25, file=io.StringIO(), force_terminal=True, color_system=None)
    screen = LiveScreen(2, console)
    screen.audience(job("first"))
    screen.told(Standing(total=12, done=4, void=1, left_s=600))
    with console.capture() as capture:
        console.print(screen.render())
    assert capture.get().splitlines()[-1].strip() == "4 of 12 calls, 1 void, 10 min left"


@pytest.mark.parametrize("height", [3, 12, 24])
@pytest.mark.parametrize("calls", [1, 4, 9])
def test_however_many_calls_there_are_the_time_left_is_on_the_screen(calls: int, height: int) -> None:
    console = Console(width=80, height=height, file=io.StringIO(), force_terminal=True, color_system=None)
    screen = LiveScreen(200, console)
    for number in range(calls):
        screen.audience(job(f"call {number}"))
    screen.told(Standing(total=200, done=4, void=0, left_s=600))
    with console.capture() as capture:
        console.print(screen.render())
    lines = capture.get().splitlines()
    assert len(lines) <= height
    assert lines[-1].strip() == "4 of 200 calls, 10 min left"
    hidden = calls - sum("call " in line and "reference" in line for line in lines)
    assert ("more call" in lines[-2]) is (hidden > 0)


def test_no_colour_is_used_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    file = io.StringIO()
    console = Console(width=80, file=file, force_terminal=True, color_system="truecolor")
    console.print(panel(viewed(asked(1.0, 2.0), replied(1, 2.5, 3.0)), 80))
    assert "[38;" not in file.getvalue()
    assert "[3" not in file.getvalue().replace("[3m", "")


def test_a_call_that_is_held_again_keeps_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    screen = PlainScreen(2)
    for name in ("a", "b", "a"):
        screen.audience(job(name))
    numbers = [line.split()[0] for line in capsys.readouterr().err.splitlines()]
    assert numbers == ["[1/2]", "[2/2]", "[1/2]"]


def test_without_a_terminal_there_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    audience = PlainScreen(1).audience(job("museum"))
    audience.event(SessionStarted(t=0.0, user_rate=USER_RATE, endpoint_rate=ENDPOINT_RATE))
    audience.event(asked(1.0, 2.0))
    audience.event(replied(1, 2.5, 3.0))
    audience.event(VerdictGiven(t=3.5, turn=1, judge="facts", label="complete", reason="stated: price"))
    audience.event(VerdictGiven(t=3.5, turn=1, judge="llm", unscored="no_key"))
    audience.event(SessionEnded(t=4.0, outcome=Outcome.COMPLETED, reason="done"))
    assert capsys.readouterr().err.splitlines() == [
        "[1/1] museum  reference://",
        "0:01.0  user      How much is it?",
        "0:02.5  endpoint  It is free.  [500 ms]",
        "0:03.5  verdict   facts: complete (stated: price)",
        "0:04.0  end       completed: done",
    ]


# --- a messy user -----------------------------------------------------------------------------------


def test_what_the_user_says_beside_its_turn_is_marked_and_is_no_question() -> None:
    hum = asked(3.0, 3.5, "mm-hm", "u1").model_copy(update={"role": Role.BACKCHANNEL, "behaviour": "hums"})
    view = viewed(asked(1.0, 2.0), hum, replied(1, 2.5, 4.0))  # 2.5 - 2.0: "mm-hm" asks nothing
    assert latencies(view) == [500.0]
    assert view.lines[1] == Line(3.0, "user", "mm-hm  [backchannel]", note=True)


def test_a_behaviour_is_shown_with_its_trigger_or_with_why_it_did_not_happen() -> None:
    view = viewed(
        BehaviourSettled(
            t=4.2,
            behaviour="cut",
            type="barge_in",
            happened=True,
            utterance="u1",
            trigger="2.00 s of reply heard",
        ),
        BehaviourSettled(t=4.2, behaviour="hums", type="backchannel", happened=True, utterance="u2"),
        KeysPressed(t=5.0, digits="12#"),
        BehaviourSettled(t=9.0, behaviour="late", type="hang_up", happened=False, cause="reply_too_short"),
    )
    assert [(line.side, line.text) for line in view.lines] == [
        ("user", "[barge-in: 2.00 s of reply heard]"),
        ("user", "[keys 12#]"),
        ("us", "[hang up late did not happen: reply too short]"),
    ]


def test_what_a_person_said_is_shown_when_they_said_it_not_when_it_was_understood() -> None:
    view = viewed(asked(1.0, 2.0).model_copy(update={"t": 9.0, "voice": "person"}))
    assert view.lines[0] == Line(1.0, "user", "How much is it?")


def test_who_has_the_word_and_what_is_to_be_said_is_shown() -> None:
    told = "a person speaks in the user's place, by usb"
    view = viewed(
        Noticed(t=1.0, by="us", level="info", code="taken_over", message=told),
        LineProposed(t=1.5, text="How much is it?", label="turn 1", spoken=True),
        Noticed(t=2.0, by="us", level="info", code="other", message="not for people"),
    )
    assert [line.text for line in view.lines] == [f"[{told}]", "[say: How much is it?]"]
