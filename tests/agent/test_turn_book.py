"""Which words belong to which turn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent.turn_book import ItemTexts, TurnBook
from recordings.format import Side, Turn
from streams.endpoints.events import TextMode

USER, ENDPOINT = 16000, 24000


def talk(book: TurnBook, replies: int) -> None:
    """User and endpoint in turn: user 2k..2k+1 s, endpoint 2k+1..2k+2 s."""
    for k in range(replies):
        book.user_speaks(f"question {k}", "", 2 * k * USER, (2 * k + 1) * USER)
        index = book.endpoint_began((2 * k + 1) * ENDPOINT)
        book.piece(f"item {k}", (2 * k + 1) * ENDPOINT)
        book.endpoint_finished(
            index,
            start=(2 * k + 1) * ENDPOINT,
            end=(2 * k + 2) * ENDPOINT,
            heard=f"answer {k}",
            unscored="",
            interrupted=False,
        )


def test_deltas_are_appended_and_a_final_text_replaces_them() -> None:
    texts = ItemTexts()
    texts.add("a", "Hel", TextMode.DELTA)
    texts.add("a", "lo", TextMode.DELTA)
    assert texts.get("a") == "Hello"
    texts.add("a", "Hello.", TextMode.FINAL)
    texts.add("a", " again", TextMode.DELTA)
    assert texts.get("a") == "Hello."


def test_cumulative_texts_are_not_repeated() -> None:
    texts = ItemTexts()
    for text in ("I", "I need", "I need help"):
        texts.add("a", text, TextMode.CUMULATIVE)
    assert texts.get("a") == "I need help"


def test_turns_alternate_and_keep_their_words() -> None:
    book = TurnBook(USER, ENDPOINT)
    talk(book, 2)
    for k in range(2):
        book.endpoint_text(f"item {k}", f"own text {k}", TextMode.FINAL)
    turns = book.ripe(final=True)
    assert [t.side for t in turns] == [Side.USER, Side.ENDPOINT] * 2
    assert [t.index for t in turns] == [0, 1, 2, 3]
    assert [t.intended for t in turns] == ["question 0", "own text 0", "question 1", "own text 1"]
    assert [t.heard for t in turns[1::2]] == ["answer 0", "answer 1"]
    assert turns[1].items == ("item 0",)
    assert turns[3].start_s == 3.0 and turns[3].end_s == 4.0


def test_a_late_transcript_belongs_to_the_turn_its_item_was_mentioned_in() -> None:
    # item u1 is committed in turn 0, u2 in turn 2; their transcripts come in the other order (pitfall D08)
    book = TurnBook(USER, ENDPOINT)
    book.user_speaks("hello how", "", 0, USER)
    book.user_item("u1")
    index = book.endpoint_began(ENDPOINT)
    book.endpoint_finished(index, start=0, end=1, heard="Sure.", unscored="", interrupted=False)
    book.user_speaks("world are you", "", 2 * USER, 3 * USER)
    book.user_item("u2")
    book.user_text("u1", "hello ", TextMode.DELTA, failed=False)
    book.user_text("u2", "world ", TextMode.DELTA, failed=False)
    book.user_text("u2", "world are you", TextMode.FINAL, failed=False)
    book.user_text("u1", "hello how", TextMode.FINAL, failed=False)
    turns = book.ripe(final=True)
    assert [t.heard for t in turns] == ["hello how", "Sure.", "world are you"]


def test_a_missing_transcript_is_unscored_with_its_cause() -> None:
    book = TurnBook(USER, ENDPOINT)
    book.user_speaks("hello", "", 0, USER)
    book.user_speaks("are you there", "", 2 * USER, 3 * USER)
    book.user_text("u2", "", TextMode.FINAL, failed=True)
    first, second = book.ripe(final=True)
    assert first.heard is None and first.unscored == {"heard": "no_transcript"}
    assert second.heard is None and second.unscored == {"heard": "endpoint_failed"}


def test_turns_are_written_two_turns_late_and_each_once() -> None:
    book = TurnBook(USER, ENDPOINT)
    written: list[Turn] = []
    for _ in range(3):
        talk(book, 1)
        written += book.ripe()
    assert [t.index for t in written] == [0, 1, 2, 3]
    assert [t.index for t in book.ripe(final=True)] == [4, 5]
    assert book.ripe(final=True) == []


def test_a_user_who_breaks_off_ends_where_its_voice_ended() -> None:
    book = TurnBook(USER, ENDPOINT)
    index = book.user_speaks("a long question", "", 0, 3 * USER)
    book.user_cut(index, USER)
    (turn,) = book.ripe(final=True)
    assert (turn.start, turn.end, turn.interrupted) == (0, USER, True)


def test_items_of_an_interrupted_reply_stay_with_it() -> None:
    # reply a plays 1.0-1.5 s and is cut; its late piece was never placed; reply b plays 3.0-4.0 s
    book = TurnBook(USER, ENDPOINT)
    first = book.endpoint_began(ENDPOINT)
    book.piece("a", ENDPOINT)
    book.endpoint_finished(
        first, start=ENDPOINT, end=3 * ENDPOINT // 2, heard="well", unscored="", interrupted=True
    )
    book.piece("a", None)
    second = book.endpoint_began(3 * ENDPOINT)
    book.piece("b", 3 * ENDPOINT)
    book.endpoint_finished(
        second, start=3 * ENDPOINT, end=4 * ENDPOINT, heard="yes", unscored="", interrupted=False
    )
    one, two = book.ripe(final=True)
    assert one.items == ("a",) and two.items == ("b",)


def test_an_item_that_was_cut_before_it_was_heard_has_no_part_in_any_turn() -> None:
    book = TurnBook(USER, ENDPOINT)
    index = book.endpoint_began(ENDPOINT)
    for item in ("a", "b"):
        book.piece(item, ENDPOINT + (item == "b"))
        book.endpoint_text(item, f"words of {item}", TextMode.FINAL)
    book.unheard("b")
    book.endpoint_finished(
        index, start=ENDPOINT, end=2 * ENDPOINT, heard="words", unscored="", interrupted=True
    )
    assert book.peek(index).intended == "words of a"


@given(st.lists(st.booleans(), max_size=12))
def test_every_turn_is_written_exactly_once_in_order(finals: list[bool]) -> None:
    book = TurnBook(USER, ENDPOINT)
    written: list[Turn] = []
    for final in finals:
        talk(book, 1)
        written += book.ripe(final=final)
    written += book.ripe(final=True)
    assert [turn.index for turn in written] == list(range(2 * len(finals)))
