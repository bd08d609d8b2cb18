from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from streams.speech.hallucination import Interval, Segment, settle
from streams.speech.interfaces import Transcript, Word

SPEECH = [Interval(1.0, 3.0), Interval(5.0, 6.0)]


def test_words_invented_in_silence_are_dropped_and_counted() -> None:
    invented = [
        Segment(30.0, 32.0, "Thank you for watching.", no_speech=0.9, log_probability=-1.2),
        Segment(32.0, 33.0, "you"),
        Segment(33.0, 34.0, "you"),
        Segment(34.0, 35.0, "you"),
    ]
    assert settle(invented, []) == Transcript("", no_speech=True, dropped=4)


def test_the_same_after_real_speech_leaves_the_speech() -> None:
    segments = [
        Segment(1.0, 3.0, "The nucleus divides."),
        Segment(30.0, 32.0, "you"),
        Segment(60.0, 62.0, "you"),
        Segment(90.0, 92.0, "[BLANK_AUDIO]"),
    ]
    assert settle(segments, SPEECH) == Transcript("The nucleus divides.", dropped=3)


def test_a_real_thank_you_is_kept() -> None:
    assert (
        settle([Segment(5.1, 5.8, "Thank you.", no_speech=0.02, log_probability=-0.3)], SPEECH).text
        == "Thank you."
    )


def test_a_thank_you_said_twice_is_kept_twice() -> None:
    segments = [Segment(1.0, 1.8, "Thank you."), Segment(2.0, 2.8, "Thank you.")]
    assert settle(segments, SPEECH).text == "Thank you. Thank you."


def test_a_phantom_phrase_that_goes_on_and_on_is_kept_once() -> None:
    segments = [Segment(1.0 + i / 4, 1.25 + i / 4, "you") for i in range(8)]
    assert settle(segments, SPEECH) == Transcript("you", dropped=7)


def test_a_word_that_people_do_repeat_is_kept() -> None:
    segments = [Segment(1.0 + i / 2, 1.4 + i / 2, "No.") for i in range(4)]
    assert settle(segments, SPEECH) == Transcript("No. No. No. No.")


def test_whispers_own_sign_of_silence_is_kept_to() -> None:
    doubtful = Segment(1.0, 2.0, "Bye.", no_speech=0.7, log_probability=-1.1)
    assert settle([doubtful], SPEECH) == Transcript("", dropped=1)
    sure = Segment(1.0, 2.0, "Bye.", no_speech=0.7, log_probability=-0.9)
    assert settle([sure], SPEECH) == Transcript("Bye.")


def test_more_text_than_can_be_said_is_not_believed() -> None:
    speech = [Interval(1.0, 1.2)]
    # 0.2 s of speech and 0.2 s of slack carry 16 characters
    assert settle([Segment(1.0, 1.2, "Thank you.")], speech).text == "Thank you."
    assert settle([Segment(1.0, 1.2, "Thanks for watching!")], speech) == Transcript("", dropped=1)


def test_a_loop_is_cut_to_one_round_and_counted() -> None:
    loop = Segment(1.0, 3.0, "The cell divides." + " I am sorry." * 40)
    assert settle([loop], SPEECH) == Transcript("The cell divides. I am sorry.", dropped=1)


def test_annotations_are_not_words() -> None:
    segments = [
        Segment(1.0, 2.0, "(music playing)"),
        Segment(2.0, 3.0, "♪"),
        Segment(5.0, 6.0, "[Music] Hello"),
    ]
    assert settle(segments, SPEECH) == Transcript("[Music] Hello", dropped=2)


def test_speech_that_nobody_understood_is_no_silence() -> None:
    assert settle([], SPEECH) == Transcript("", no_speech=False)


def test_a_first_word_stamped_seconds_early_is_moved_into_speech() -> None:
    words = (Word("Oh", 65.57, 66.53), Word("my", 75.09, 75.37), Word("god,", 75.37, 76.05))
    heard = settle([Segment(65.57, 76.05, "Oh my god,", words)], [Interval(74.90, 78.0)])
    assert heard.text == "Oh my god,"
    assert heard.words == (Word("Oh", 74.90, 75.09), *words[1:])
    assert heard.moved == 1


def test_a_word_that_reaches_out_of_speech_is_clipped_to_it() -> None:
    words = (Word("so", 0.2, 1.4, 0.9), Word("there", 5.5, 7.0, 0.8))
    heard = settle([Segment(0.2, 7.0, "so there", words)], SPEECH)
    assert heard.words == (Word("so", 1.0, 1.4, 0.9), Word("there", 5.5, 6.0, 0.8))
    assert heard.moved == 0


def test_a_last_word_stamped_late_ends_with_the_speech() -> None:
    words = (Word("Good", 5.0, 5.5), Word("bye.", 6.5, 6.9))
    heard = settle([Segment(5.0, 6.9, "Good bye.", words)], SPEECH)
    assert heard.words[1].text == "bye."
    assert heard.words[1].end == 6.0
    assert heard.words[1].start >= heard.words[0].end
    assert heard.moved == 1


stamps = st.lists(st.floats(0, 10), min_size=2, max_size=12).map(sorted)


@given(stamps)
def test_words_end_up_within_speech_and_in_order(times: list[float]) -> None:
    pairs = zip(times[::2], times[1::2], strict=False)
    words = tuple(Word(f"w{i}", start, end) for i, (start, end) in enumerate(pairs))
    heard = settle([Segment(0.0, 10.0, "some words", words)], SPEECH)
    assert [word.text for word in heard.words] == [word.text for word in words]
    for word in heard.words:
        assert word.start <= word.end
        assert any(s.start <= word.start <= s.end for s in SPEECH)
        assert any(s.start <= word.end <= s.end for s in SPEECH)
    assert [word.start for word in heard.words] == sorted(word.start for word in heard.words)
