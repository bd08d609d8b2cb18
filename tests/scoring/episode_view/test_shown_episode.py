"""What a page shows of a call: exact places, marked words, verdicts; by sums in comments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recordings.errors import RecordingError
from recordings.flac import write_flac
from recordings.format import (
    EndpointUserSpeech,
    Flushed,
    KeysPressed,
    LineCondition,
    LineReport,
    MarkReached,
    Noticed,
    Outcome,
    ResponseBegan,
    ResponseFinished,
    Role,
    SessionResumed,
    Side,
    TickLate,
    ToolAnswered,
    ToolCall,
    TurnEnded,
    UserThinking,
    Verdict,
)
from recordings.reader import Episode
from scoring.episode_view.build import outlined_episode, shown_episode
from scoring.episode_view.model import ShownEpisode, ShownTurn, TextKind
from scoring.episode_view.spans import BracketKind, Lane, Span
from scoring.score import score_episode
from streams.clock import run
from tests.scoring.episodes import CallMaker, tone

RATE = 48000
"""Ticks a second: the least common multiple of 16,000 and 24,000."""


def lane(shown: ShownEpisode, name: str) -> Lane:
    (found,) = (one for one in shown.lanes if one.name == name)
    return found


def places(found: Lane) -> list[tuple[float, float, str]]:
    return [(span.start / RATE, span.end / RATE, span.kind) for span in found.spans]


def detail(span: Span) -> dict[str, str]:
    return dict(span.detail)


def text(turn: ShownTurn, kind: TextKind) -> Any:
    (found,) = (one for one in turn.texts if one.kind is kind)
    return found


@pytest.fixture
def two_turns() -> CallMaker:
    """A question at 0.5 s, its answer at 2.0 s; another at 4.0 s, which is answered while it is asked."""
    call = CallMaker()
    call.user(0.5, 1.5, "what is DNA", heard="what is D N A")
    call.reply(1.8, np.concatenate([np.zeros(4800, np.int16), tone(1.0, 24000)]), response="r0", item="i0")
    call.turn(Side.ENDPOINT, 2.0, 3.0, intended="a long molecule", heard="a wrong molecule")
    call.user(4.0, 5.0, "and RNA", heard="and RNA")
    call.reply(4.5, tone(1.0, 24000), response="r1", item="i1")
    call.turn(Side.ENDPOINT, 4.5, 5.5, intended="another", heard="another")
    return call


def test_places_are_exact_ticks(two_turns: CallMaker, tmp_path: Path) -> None:
    shown = shown_episode(two_turns.write(tmp_path / "call"), "an-id")
    assert (shown.id, shown.rate, shown.duration) == ("an-id", RATE, round(6.5 * RATE))
    assert [(t.name, t.step, t.samples, t.on_timeline) for t in shown.tracks] == [
        ("user", 3, 104000, True),  # 6.5 s at 16 kHz
        ("user_clean", 3, 104000, True),
        ("endpoint", 2, 156000, True),  # 6.5 s at 24 kHz
        ("received", 2, 52800, False),  # 1.2 s and 1.0 s at 24 kHz
    ]
    assert places(lane(shown, "user")) == [(0.5, 1.5, "speech"), (4.0, 5.0, "speech")]
    assert places(lane(shown, "endpoint")) == [(2.0, 3.0, "speech"), (4.5, 5.5, "speech")]
    assert places(lane(shown, "overlaps")) == [(4.5, 5.0, "overlap")]
    assert places(lane(shown, "cut_ins")) == [(4.5, 5.5, "cut_in")]


def test_turns_stand_in_the_order_in_which_they_begin(two_turns: CallMaker, tmp_path: Path) -> None:
    shown = shown_episode(two_turns.write(tmp_path / "call"))
    assert [(t.number, t.side.value, t.start / RATE, t.end / RATE, t.exchange) for t in shown.turns] == [
        (1, "user", 0.5, 1.5, 0),
        (2, "endpoint", 2.0, 3.0, 0),
        (3, "user", 4.0, 5.0, 1),
        (4, "endpoint", 4.5, 5.5, 1),
    ]
    # turns.jsonl: the user's first, its reply, the user's second, its reply
    assert [turn.recorded for turn in shown.turns] == [(0,), (1,), (2,), (3,)]


def test_brackets_are_the_latencies_of_the_metric(two_turns: CallMaker, tmp_path: Path) -> None:
    shown = shown_episode(two_turns.write(tmp_path / "call"))
    first, second = shown.brackets
    assert (first.turn, first.reply, first.kind, first.ms) == (1, 2, BracketKind.WAIT, 500.0)
    assert (first.start / RATE, first.end / RATE, first.text) == (1.5, 2.0, "500 ms")
    parts = {part.name: part.ms for part in first.parts}
    assert parts["first_byte"] == pytest.approx(300.0)  # arrives at 1.8 s
    assert parts["leading_silence"] == pytest.approx(200.0)
    assert (second.kind, second.ms, second.text) == (BracketKind.CUT_IN, -500.0, "\N{MINUS SIGN}500 ms")
    assert (second.start / RATE, second.end / RATE) == (5.0, 4.5)


def test_words_are_marked_against_what_was_intended(two_turns: CallMaker, tmp_path: Path) -> None:
    asked, replied, *_ = shown_episode(two_turns.write(tmp_path / "call")).turns
    intended = text(asked, TextKind.INTENDED)
    assert intended.text == "what is DNA"
    assert [word.mark for word in intended.words] == [None, None, "abbreviation"]
    heard = text(asked, TextKind.HEARD)
    assert (heard.errors.wrong, heard.errors.of) == (0, 3)  # spelled letters are the word
    assert (heard.abbreviations.wrong, heard.abbreviations.of) == (0, 1)
    assert text(asked, TextKind.SAID).unscored == "not_transcribed"
    wrong = text(replied, TextKind.HEARD)
    assert (wrong.errors.wrong, wrong.errors.of) == (1, 3)
    assert [(w.text, w.op.value, w.expected) for w in wrong.words][1] == ("wrong", "substitution", "long")


def test_what_the_user_did_not_hear_to_its_end_is_not_compared(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5).reply(2.0, tone(2.0, 24000), item="i")
    call.turn(Side.ENDPOINT, 2.0, 3.0, intended="one two three four", heard="one two", interrupted=True)
    call.flush(3.0).note(Flushed(t=3.0, by="user", at=72000, items=(("i", 24000, 48000),)))
    reply = shown_episode(call.write(tmp_path / "call")).turns[1]
    assert reply.interrupted
    assert text(reply, TextKind.HEARD).errors is None


def test_what_was_received_and_never_heard_can_be_found(tmp_path: Path) -> None:
    # 2.0 s arrive at 2.0 s, in pieces of 0.12 s; playback is cut after 0.5 s
    call = CallMaker().user(0.5, 1.5).reply(2.0, tone(2.0, 24000), item="i")
    call.flush(2.5).note(Flushed(t=2.5, by="endpoint", at=60000, items=(("i", 12000, 48000),)))
    shown = shown_episode(call.write(tmp_path / "call"))
    (cut,) = lane(shown, "unheard").spans
    assert (cut.kind, cut.start / RATE, cut.end / RATE) == ("flushed", 2.5, 3.5)  # the call ends at 3.5 s
    assert cut.source is not None
    assert (cut.source.track, cut.source.start, cut.source.end) == ("received", 12000, 48000)
    (flush,) = lane(shown, "flushes").spans
    assert (flush.kind, flush.start / RATE) == ("endpoint", 2.5)
    assert detail(flush)["received and not heard then"] == "1.50 s"


def test_what_was_still_waiting_at_the_end_is_the_tail(tmp_path: Path) -> None:
    call = CallMaker(length=3.0).user(0.5, 1.5).reply(2.0, tone(2.0, 24000), piece_s=2.0)
    (tail,) = lane(shown_episode(call.write(tmp_path / "call")), "unheard").spans
    assert (tail.kind, tail.start / RATE, tail.end / RATE) == ("tail", 3.0, 3.0)
    assert tail.source is not None
    assert (tail.source.start, tail.source.end) == (24000, 48000)  # one of two seconds was heard


def test_barge_ins_run_from_the_users_onset_to_the_endpoints_silence(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5).reply(2.0, tone(3.0, 24000), response="r", item="i")
    call.user(3.0, 4.0, "stop", role=Role.BARGE_IN).flush(3.4)
    call.note(Flushed(t=3.4, by="endpoint", at=81600, items=(("i", 33600, 72000),)))
    shown = shown_episode(call.write(tmp_path / "call"))
    (cut,) = lane(shown, "barge_ins").spans
    assert (cut.start / RATE, cut.end / RATE, cut.kind) == (3.0, 3.4, "cut_short")
    assert "0.40 s after" in cut.text
    assert cut.turn == 3


def test_what_wants_no_answer_is_a_turn_of_its_own(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5).reply(2.0, tone(3.0, 24000))
    call.user(3.0, 3.3, "mm-hm", role=Role.BACKCHANNEL)
    shown = shown_episode(call.write(tmp_path / "call"))
    assert [(t.side.value, t.role.value, t.exchange) for t in shown.turns] == [
        ("user", "turn", 0),
        ("endpoint", "turn", 0),
        ("user", "backchannel", None),
    ]
    assert places(lane(shown, "utterances"))[1] == (3.0, 3.3, "backchannel")
    assert len(shown.brackets) == 1


def test_a_greeting_is_a_turn_that_answers_nothing(tmp_path: Path) -> None:
    call = CallMaker().reply(0.2, tone(0.6, 24000), response="hello")
    call.turn(Side.ENDPOINT, 0.2, 0.8, intended="hello", heard="hello")
    call.user(2.0, 3.0).reply(3.5, tone(0.5, 24000), response="r")
    first, *_ = shown_episode(call.write(tmp_path / "call")).turns
    assert (first.side, first.exchange, first.recorded) == (Side.ENDPOINT, None, (0,))
    assert first.label == "greeting"
    assert text(first, TextKind.HEARD).text == "hello"


def test_a_turn_without_a_reply_waits_for_the_next_turn(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5).user(9.0, 10.0).reply(10.5, tone(0.5, 24000))
    first, _ = shown_episode(call.write(tmp_path / "call")).brackets
    assert (first.kind, first.reply, first.ms) == (BracketKind.UNANSWERED, None, None)
    assert (first.start / RATE, first.end / RATE, first.text) == (1.5, 9.0, "no reply")


def test_events_have_lanes_of_their_own(tmp_path: Path) -> None:
    call = CallMaker(length=8.0).user(0.5, 1.5).reply(2.0, tone(1.0, 24000), response="r")
    call.note(
        TurnEnded(t=3.6, turn=1, start=48000, end=72000, heard="yes", by="smart-turn", probability=0.9),
        EndpointUserSpeech(t=0.6, edge="start"),
        EndpointUserSpeech(t=1.7, edge="stop", server_ms=1500.0),
        ResponseBegan(t=1.8, response="r"),
        ResponseFinished(t=2.4, response="r", status="completed"),
        MarkReached(t=2.5, name="half", at=58800),
        ToolCall(t=1.9, call="c", name="weather", arguments="{}"),
        ToolAnswered(t=2.1, call="c", name="weather", output="rain", error=False),
        ToolCall(t=5.0, call="d", name="lost", arguments="{}"),
        KeysPressed(t=6.0, digits="1#", by="tones", start=96000, samples=8000),
        UserThinking(t=0.4, seconds=0.25),
        SessionResumed(t=5.5, gap_s=0.5, held=3),
        TickLate(t=4.0, lateness_ms=6.0),
        TickLate(t=4.1, lateness_ms=30.5),
        TickLate(t=5.0, lateness_ms=7.0, skipped=True),
        Noticed(t=7.0, level="warning", code="slow", message="the model is slow"),
    )
    shown = shown_episode(call.write(tmp_path / "call"))
    found = {one.name: places(one) for one in shown.lanes}
    assert found["turn_ends"] == [(3.0, 3.6, "smart-turn")]  # its last sound is sample 72,000
    assert found["server_hears"] == [(0.6, 0.6, "start"), (1.7, 1.7, "stop")]
    assert found["responses"] == [(1.8, 2.4, "completed")]
    assert found["marks"] == [(2.45, 2.45, "mark")]  # 58,800 / 24,000
    assert found["tools"] == [(1.9, 2.1, "answered"), (5.0, 5.0, "pending")]
    assert found["keys"] == [(6.0, 6.5, "keys")]
    assert found["thinking"] == [(0.15, 0.4, "thinking")]
    assert found["connection"] == [(5.0, 5.5, "resumed")]
    assert found["ticks"] == [(4.0, 4.1, "late"), (5.0, 5.0, "skipped")]
    assert found["notices"] == [(7.0, 7.0, "warning")]
    assert lane(shown, "ticks").spans[0].text == "2 ticks, the worst 30.5 ms late"
    assert detail(lane(shown, "turn_ends").spans[0])["probability"] == "0.90"


def test_the_room_and_the_line_cover_the_call_and_what_was_measured_its_utterances(tmp_path: Path) -> None:
    call = CallMaker(length=4.0).user(0.5, 1.5)
    call.note(
        LineCondition(t=0.0, settings={"noise": [{"bed": "cafe", "snr_db": 12.0}], "codec": "g711_alaw"}),
        LineReport(t=4.0, values={"utterances": [{"utterance": "u0", "snr_db": 11.9}], "frames": 200}),
    )
    found = lane(shown_episode(call.write(tmp_path / "call")), "conditions")
    assert [(span.start / RATE, span.end / RATE, span.text) for span in found.spans] == [
        (0.0, 4.0, "cafe noise at 12.0 dB"),
        (0.0, 4.0, "codec: g711_alaw"),
        (0.5, 1.5, "SNR 11.9 dB"),
    ]


def test_evidence_is_found_in_the_sound(tmp_path: Path) -> None:
    heard = "first comes this then that"  # "then that": characters 17 to 26 of 26
    fact = {
        "fact": "f1",
        "label": "stated",
        "unscored": None,
        "reason": "all keywords",
        "evidence": [{"start": 17, "end": 26, "text": "then that"}],
    }
    live = Verdict(judge="rules", label="complete", reason="stated: f1", detail={"facts": [fact]})
    call = CallMaker().user(0.5, 1.5).reply(2.0, tone(2.6, 24000))
    call.turn(Side.ENDPOINT, 2.0, 4.6, intended=heard, heard=heard, verdicts=(live,))
    whole, single = shown_episode(call.write(tmp_path / "call")).turns[1].verdicts
    assert (whole.label, whole.live, whole.dimension) == ("complete", True, "")
    assert (single.dimension, single.label) == ("fact f1", "stated")
    (quote,) = single.evidence
    # at an even pace of 10 characters a second: 2.0 s + 1.7 s, to 2.0 s + 2.6 s
    assert (quote.start, quote.end, quote.exact) == (round(3.7 * RATE), round(4.6 * RATE), False)


def test_a_quote_that_was_not_heard_has_no_place(tmp_path: Path) -> None:
    live = Verdict(judge="llm:x", label="wrong", evidence=("never said",))
    call = CallMaker().user(0.5, 1.5).reply(2.0, tone(1.0, 24000))
    call.turn(Side.ENDPOINT, 2.0, 3.0, heard="something else", verdicts=(live,))
    (verdict,) = shown_episode(call.write(tmp_path / "call")).turns[1].verdicts
    assert verdict.evidence[0].start is None


def test_verdicts_and_ratings_of_afterwards_are_shown_too(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    (call / "scores").mkdir()
    facts: list[dict[str, Any]] = [
        {"fact": "f", "label": None, "unscored": "judge_failed", "evidence": [], "reason": ""}
    ]
    again = {"turns": [{"turn": 1, "verdict": {"judge": "llm:y", "facts": facts}}]}
    (call / "scores" / "judge.json").write_text(json.dumps(again))
    rated = {"content": {"label": "good", "reason": "it is"}, "voice_quality": {"unscored": "no_audio"}}
    dimensions = {"judge": "ears", "turns": [{"turn": 1, "dimensions": rated}]}
    (call / "scores" / "dimensions.json").write_text(json.dumps(dimensions))
    reply = shown_episode(call).turns[1]
    assert [(v.judge, v.dimension, v.label, v.unscored) for v in reply.verdicts] == [
        ("llm:y", "fact f", None, "judge_failed"),
        ("ears", "content", "good", ""),
        ("ears", "paralinguistics", None, "not_judged"),
        ("ears", "voice_quality", None, "no_audio"),
    ]


def test_every_value_of_a_metric_is_shown_with_its_turn(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    shown = {metric.name: metric for metric in shown_episode(call).metrics}
    scored = run(score_episode(call), simulate=True)
    assert {name: metric.value for name, metric in shown.items()} == {
        name: result.value for name, result in scored.metrics.items() if name in shown
    }
    assert [(v.turn, v.value) for v in shown["response_latency"].values] == [(1, 500.0), (3, -500.0)]
    assert shown["answer_rate"].text == "2 of 2"  # a rate of two events is withheld, its counts are not


def test_it_writes_nothing(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    before = {path: path.stat().st_mtime_ns for path in call.rglob("*")}
    for folder in (call, tmp_path):
        folder.chmod(0o555)
    shown_episode(call)
    outlined_episode(call)
    assert {path: path.stat().st_mtime_ns for path in call.rglob("*")} == before


def test_an_outline_is_there_before_anything_was_listened_to(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    outline, whole = outlined_episode(call, "x"), shown_episode(call, "x")
    assert (outline.complete, whole.complete) == (False, True)
    assert outline.tracks == whole.tracks
    assert (outline.rate, outline.duration) == (whole.rate, whole.duration)
    first, second = ([(t.side, t.start, t.end) for t in one.turns] for one in (outline, whole))
    assert first == second
    assert [one.name for one in outline.lanes] == [one.name for one in whole.lanes]
    assert not outline.brackets
    # the second question is talked over for half a second: exact edges say so, turns alone do not
    assert len(lane(whole, "overlaps").spans) == 1
    assert not lane(outline, "overlaps").spans


def test_an_outline_has_a_place_for_every_text_of_a_turn(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    kinds = [
        [[text.kind for text in turn.texts] for turn in shown.turns]
        for shown in (outlined_episode(call), shown_episode(call))
    ]
    assert kinds[0] == kinds[1]


def test_for_an_outline_no_track_is_unpacked(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    pcm, rate = Episode.load(call).track("received")
    (call / "received.wav").unlink()
    packed = call / "received.flac"
    write_flac(packed, pcm, rate)
    packed.write_bytes(packed.read_bytes()[: packed.stat().st_size // 2])
    outline, whole = (
        {track.name: track for track in shown.tracks}["received"]
        for shown in (outlined_episode(call), shown_episode(call))
    )
    assert (outline.samples, outline.problem) == (pcm.size, "")  # as its header promises
    assert whole.problem


@pytest.mark.parametrize("outcome", [Outcome.BEHIND_REAL_TIME, Outcome.UNFINISHED])
def test_a_void_call_says_so(outcome: Outcome, two_turns: CallMaker, tmp_path: Path) -> None:
    shown = shown_episode(two_turns.write(tmp_path / "call", outcome=outcome))
    assert shown.void
    assert shown.notices[0].level == "warning"


# --- what is spoiled, or hostile


@pytest.mark.parametrize("name", ["judge", "dimensions", "transcripts", "blueprint"])
@pytest.mark.parametrize("content", ["{", "[NaN]", '{"turns": [NaN, {"turn": Infinity}]}', "null", "\xff"])
def test_a_spoiled_file_of_scores_spoils_nothing_else(
    name: str, content: str, two_turns: CallMaker, tmp_path: Path
) -> None:
    call = two_turns.write(tmp_path / "call")
    (call / "scores").mkdir()
    (call / "scores" / f"{name}.json").write_bytes(content.encode("latin-1"))
    shown = shown_episode(call)
    assert len(shown.turns) == 4
    if content in ("{", "\xff"):  # no JSON at all
        (told,) = (notice.text for notice in shown.notices if notice.level == "error")
        assert told.startswith(f"{name}.json: ")
    assert json.loads(shown.model_dump_json(), parse_constant=lambda found: pytest.fail(found))


HOSTILE = "<script>alert(1)</script> \u202eevil\u202c \x1b[2J \x00"


def test_hostile_text_stays_text_and_its_controls_become_visible(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5, HOSTILE, heard=HOSTILE).reply(2.0, tone(1.0, 24000))
    call.turn(Side.ENDPOINT, 2.0, 3.0, intended=HOSTILE, heard=HOSTILE)
    call.note(Noticed(t=1.0, level="error", code=HOSTILE, message=HOSTILE))
    shown = shown_episode(call.write(tmp_path / "call", scenario={"title": HOSTILE}, endpoint=HOSTILE))
    told = shown.model_dump_json()
    assert "<script>" in told  # it is not the model's to escape: the page makes text nodes only
    for control in ("\u202e", "\\u202e", "\x1b", "\\u001b", "\\u0000"):
        assert control not in told
    assert "U+202E" in told


def test_a_line_of_a_megabyte_is_cut_and_said_so(tmp_path: Path) -> None:
    long = "word " * 200_000
    call = CallMaker().user(0.5, 1.5, long, heard=long).reply(2.0, tone(1.0, 24000))
    call.turn(Side.ENDPOINT, 2.0, 3.0, intended=long, heard=long)
    shown = shown_episode(call.write(tmp_path / "call"))
    assert len(shown.model_dump_json()) < 400_000
    assert "(999999 characters)" in text(shown.turns[1], TextKind.INTENDED).text


def test_a_header_that_lies_is_not_believed(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    data = bytearray((call / "endpoint.wav").read_bytes())
    data[40:44] = (0xFFFFFFFF).to_bytes(4, "little")  # the size of its samples
    (call / "endpoint.wav").write_bytes(data)
    assert {t.name: t.samples for t in shown_episode(call).tracks}["endpoint"] == 156000


def test_a_track_that_cannot_be_read_is_named(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    (call / "received.wav").write_bytes(b"no sound")
    problems = {track.name: track.problem for track in shown_episode(call).tracks}
    assert problems["received"] == "is no WAV file"
    assert problems["user"] == ""
    (call / "endpoint.wav").unlink()
    with pytest.raises(RecordingError, match=r"endpoint\.wav: there is no such file"):
        shown_episode(call)


def test_a_mapped_track_is_the_track(two_turns: CallMaker, tmp_path: Path) -> None:
    call = two_turns.write(tmp_path / "call")
    for name in ("user", "endpoint"):
        mapped, read = Episode.load(call, mapped=True).track(name), Episode.load(call).track(name)
        assert mapped[1] == read[1]
        assert np.array_equal(mapped[0], read[0])
        assert not mapped[0].flags.writeable
