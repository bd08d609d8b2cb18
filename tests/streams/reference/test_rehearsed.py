"""The rehearsed endpoint in calls: with nothing planted it is good, and each defect does what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from streams.audio import to_pcm16
from streams.endpoints.events import AudioReceived, ResponseEnded, TextMode, TextReceived
from streams.reference.config import Config, ConfigError
from streams.reference.inprocess import ReferenceEndpoint
from streams.reference.rehearsal import SHIPPED, RehearsalError, read_rehearsal
from streams.speech.interfaces import Speech
from tests.streams.reference.reference_calls import (
    RATE,
    Call,
    ScriptedRecogniser,
    ToneVoice,
    call,
    engines,
    simulate,
    speech,
)

QUESTION, AT = speech(1.0), 1.0
"""A question of 1 s that begins at 1.0 s and ends at 2.0 s."""

FIRST = SHIPPED.answers[0].said()
LENGTH_S = 0.1 * sum(len(sentence.split()) for sentence in FIRST) + 0.25
"""Of the first answer in the voice of tones: 100 ms a word, and a pause of 0.25 s. 9 + 11 words: 2.25 s."""


class WordTones(ToneVoice):
    """A tone of 100 ms a word, at its peak in the first sample and in the last."""

    async def speak(self, text: str) -> Speech:
        n = 2400 * len(text.split())
        return Speech(
            to_pcm16(0.5 * np.cos(2 * np.pi * 10 * len(text.split()) * np.arange(n) / (n - 1))), RATE
        )


def talk(defects: str = "", said: dict[float, bytes] | None = None, seconds: float = 8.0) -> Call:
    query = "mode=rehearsed" + (f"&defects={defects}" if defects else "")
    voices = engines(ScriptedRecogniser(), WordTones(0.0))
    endpoint = ReferenceEndpoint(Config.parse(query), engines=voices)
    return simulate(call(endpoint, said or {AT: QUESTION}, seconds))


def spans(held: Call) -> list[tuple[float, float]]:
    return [(first / RATE, last / RATE) for first, last in held.audible()]


def texts(held: Call) -> list[str]:
    return [event.text for event in held.of(TextReceived) if event.mode is TextMode.DELTA]


def test_the_nth_turn_gets_the_nth_answer_a_second_after_it_to_the_sample() -> None:
    held = talk(said={1.0: QUESTION, 8.0: QUESTION}, seconds=13)
    assert texts(held) == [" ".join(FIRST), " ".join(SHIPPED.answers[1].said())]
    first, second, third, _ = held.audible()
    assert first == (3 * RATE, 3 * RATE + 21600)  # 2.0 + 1.0 s; 9 words
    assert second[0] - first[1] == 6000  # 0.25 s between the sentences
    assert second[1] - first[0] == round(LENGTH_S * RATE)
    assert third[0] == 10 * RATE  # 9.0 + 1.0 s


def test_it_waits_out_a_pause_of_half_a_second() -> None:
    held = talk(said={1.0: speech(0.6), 2.1: speech(0.6)})  # the pause is from 1.6 to 2.1 s
    assert len(texts(held)) == 1
    assert held.audible()[0][0] == round(3.7 * RATE)  # 2.7 + 1.0 s


def test_it_stops_for_words_and_answers_the_next_question() -> None:
    held = talk(said={1.0: QUESTION, 3.5: speech(1.5)}, seconds=10)
    assert held.audible()[1][1] == round(4.3 * RATE)  # the words began at 3.5 s: 0.8 s later
    assert [event.status for event in held.of(ResponseEnded)] == ["cancelled", "completed"]
    assert texts(held)[1] == " ".join(SHIPPED.answers[1].said())
    assert held.audible()[2][0] == 6 * RATE  # they ended at 5.0 s


def test_it_goes_on_at_an_mm_hm_and_never_answers_it() -> None:
    held = talk(said={1.0: QUESTION, 3.5: speech(0.7)})
    assert spans(held)[-1][1] == pytest.approx(3 + LENGTH_S)
    assert len(texts(held)) == 1


def test_late_is_later_by_its_dose() -> None:
    assert talk("late:0.123").audible()[0][0] == round(3.123 * RATE)


def test_a_late_stop_comes_after_its_dose() -> None:
    held = talk("yields_late:1.235", {1.0: QUESTION, 3.5: speech(2.0)})
    assert held.audible()[1][1] == round(4.735 * RATE)


def test_who_never_yields_says_all_and_then_answers() -> None:
    held = talk("never_yields", {1.0: QUESTION, 3.5: speech(1.5)}, 10)
    assert [event.status for event in held.of(ResponseEnded)] == ["completed", "completed"]
    assert spans(held)[1][1] == pytest.approx(3 + LENGTH_S)  # 5.25 s; the words end at 5.0 s
    assert held.audible()[2][0] == 6 * RATE  # later than 0.3 s after its own end


def test_an_mm_hm_stops_who_yields_to_it_and_it_asks_for_more() -> None:
    held = talk("yields_to_backchannel:0.2", {1.0: QUESTION, 3.5: speech(0.5)})
    assert held.audible()[0][1] == round(3.7 * RATE)
    assert texts(held)[1] == SHIPPED.giving_way
    assert spans(held)[1][0] == pytest.approx(4.0 + 0.7 + 0.3, abs=0.02)  # a turn's silence, a moment


def test_who_cuts_in_talks_into_a_pause_after_its_dose() -> None:
    held = talk("cuts_in:0.31", {1.0: speech(1.0), 2.5: speech(2.0)})
    assert held.audible()[0][0] == round(2.31 * RATE)
    assert texts(held)[0] == SHIPPED.interjection


def test_who_talks_over_talks_into_the_words_after_its_dose() -> None:
    held = talk("talks_over:1.013", {1.0: speech(3.0)})
    assert held.audible()[0][0] == round(2.013 * RATE)
    assert texts(held) == [SHIPPED.interjection, " ".join(FIRST)]


def test_dead_air_is_a_silence_of_its_dose_between_two_sentences() -> None:
    first, second = talk("dead_air:1.3").audible()
    assert second[0] - first[1] == round(1.3 * RATE)


def test_the_voice_lacks_words_that_the_text_has() -> None:
    held = talk("drops_words:0.2")
    assert texts(held) == [" ".join(FIRST)]
    # 9 words less 2, 11 less 2
    assert [round(last - first, 2) for first, last in spans(held)] == [0.7, 0.9]


def test_facts_and_numbers_are_swapped() -> None:
    assert "Saturn" in texts(talk("swaps_fact"))[0]
    assert "thirty years" in texts(talk("swaps_number"))[0]


def test_it_repeats_its_last_sentence() -> None:
    assert texts(talk("repeats:2"))[0].count(FIRST[1]) == 3


def test_who_is_a_question_behind_begins_with_an_excuse() -> None:
    held = talk("answers_previous:1", {1.0: QUESTION, 8.0: QUESTION}, 13)
    assert texts(held) == [SHIPPED.stalling, " ".join(FIRST)]


def test_a_secret_is_told_in_the_reply_of_its_dose() -> None:
    held = talk("leaks:2", {1.0: QUESTION, 8.0: QUESTION}, 16)
    assert [SHIPPED.instructions in text for text in texts(held)] == [False, True]


def test_it_says_nothing_after_so_many_replies() -> None:
    held = talk("goes_silent:1", {1.0: QUESTION, 8.0: QUESTION}, 13)
    assert len(texts(held)) == 1
    assert len(held.of(ResponseEnded)) == 2


def test_audio_that_falls_behind_comes_at_its_share_of_real_time() -> None:
    pieces = talk("falls_behind:0.8").of(AudioReceived)
    # pieces of 0.2 s, every 0.25 s
    assert np.diff([piece.at for piece in pieces]) == pytest.approx(0.25)


def test_an_echo_comes_back_while_the_user_talks() -> None:
    held = talk("echo:-40")
    first, last = held.audible()[0]
    # 0.2 s later, and a frame: only then it is known
    assert (first, last) == (round(1.22 * RATE), round(2.22 * RATE))
    assert np.abs(held.heard[first:last]).max() == 164  # half of full scale, 40 dB down: 16384 / 100


def test_a_reply_that_stops_within_a_word_is_shorter() -> None:
    held = talk("stops_mid_word:0.7")
    assert spans(held)[-1][1] == pytest.approx(3 + 0.7 * LENGTH_S, abs=0.01)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("defects=late", "can't be planted with mode=assistant"),
        ("mode=metronome&defects=late", "no meaning with mode=metronome"),
        ("mode=rehearsed&defects=lat", "did you mean 'late'"),
        ("mode=rehearsed&silence=0.95", "leaves no time"),
        ("mode=rehearsed&answers=nowhere.yaml", "can't be read"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(query: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Config.parse(query)


def test_answers_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text(
        "- question: How old?\n  sentences: ['{fact}, {number} old.']\n"
        "  fact: [Anna, Berta]\n  number: [two years, nine years]\n"
    )
    answer = read_rehearsal(path).answer(5)
    assert answer.said(wrong_number=True) == ("Anna, nine years old.",)
    path.write_text("- question: How old?\n")
    with pytest.raises(RehearsalError, match=r"0\.sentences"):
        read_rehearsal(path)
