"""What waits to be published: order, bounds, and an account of everything that was put."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from streams.events.buffer import Buffer
from streams.events.messages import Header, LevelsShown, Progress, SessionState, TurnSpoken
from streams.events.retained import ENDED_KEPT, Retained
from streams.events.topics import DELIVERIES, Rank


def turn(seq: int, episode: str = "e") -> TurnSpoken:
    return TurnSpoken(seq=seq, episode=episode, side="user", start_s=0, end_s=1)


def levels(seq: int, episode: str = "e") -> LevelsShown:
    return LevelsShown(seq=seq, episode=episode, t=0)


def state(seq: int, episode: str = "e") -> SessionState:
    return SessionState(seq=seq, episode=episode)


def taken(buffer: Buffer) -> list[int]:
    found = []
    while (message := buffer.take()) is not None:
        found.append(message.seq)
    return found


def test_what_was_put_first_is_taken_first_whatever_its_kind() -> None:
    buffer = Buffer()
    for message in (turn(1), state(2), levels(3), turn(4), Progress(seq=5, total=1)):
        buffer.put(message)
    assert taken(buffer) == [1, 2, 3, 4, 5]


def test_a_newer_state_takes_the_place_of_one_that_waits_and_a_stream_keeps_all() -> None:
    buffer = Buffer()
    for message in (state(1), turn(2), state(3), turn(4), state(5, "other")):
        buffer.put(message)
    assert taken(buffer) == [2, 3, 4, 5]
    assert buffer.lost.replaced == 1
    assert buffer.lost.dropped.total() == 0


def test_levels_go_first_then_the_oldest_of_the_streams_then_the_oldest_states() -> None:
    buffer = Buffer(capacity=3)
    for message in (
        levels(1),
        turn(2),
        state(3, "a"),
        turn(4),
        state(5, "b"),
        state(6, "c"),
        state(7, "d"),
    ):
        buffer.put(message)
    # 1 goes for 4, 2 for 5, 4 for 6, 3 for 7
    assert taken(buffer) == [5, 6, 7]
    assert buffer.lost.dropped == {"levels": 1, "turn": 2, "session": 1}


def test_what_could_not_be_sent_waits_again_where_it_was_unless_there_is_newer() -> None:
    buffer = Buffer()
    for message in (turn(1), state(2), turn(3)):
        buffer.put(message)
    flying = [buffer.take(), buffer.take()]
    buffer.put(state(4))
    buffer.put_back([message for message in flying if message is not None])
    assert taken(buffer) == [1, 3, 4]
    assert buffer.lost.replaced == 1


def test_a_reminder_is_no_loss() -> None:
    buffer = Buffer()
    buffer.put(state(7))
    buffer.remind([state(3), state(4, "other")])
    assert sorted(taken(buffer)) == [4, 7]  # of different topics: either may be first
    assert buffer.lost.replaced == 0


MESSAGES = st.lists(
    st.tuples(st.sampled_from([turn, levels, state]), st.sampled_from(["a", "b", "c"]), st.booleans())
)


@given(MESSAGES, st.integers(1, 6))
def test_everything_is_taken_replaced_or_dropped_and_never_out_of_order_in_its_topic(
    steps: list[tuple[Callable[[int, str], Header], str, bool]], capacity: int
) -> None:
    buffer, out, put = Buffer(capacity), [], 0
    for make, episode, takes in steps:
        put += 1
        buffer.put(make(put, episode))
        assert len(buffer) <= capacity
        if takes and (message := buffer.take()) is not None:
            out.append(message)
    while (message := buffer.take()) is not None:
        out.append(message)
    assert len(out) + buffer.lost.replaced + buffer.lost.dropped.total() == put
    for topic in {(m.kind, m.episode) for m in out}:
        numbers = [m.seq for m in out if (m.kind, m.episode) == topic]
        assert numbers == sorted(numbers)


def test_what_is_kept_on_the_broker_is_what_is_never_dropped_before_a_stream() -> None:
    assert {kind for kind, d in DELIVERIES.items() if d.retain} == {
        kind for kind, d in DELIVERIES.items() if d.rank is Rank.STATE
    }


def test_the_broker_keeps_the_calls_under_way_and_the_last_that_ended() -> None:
    kept = Retained()
    kept.note(Progress(seq=1, total=9))
    kept.note(SessionState(seq=2, episode="live", state="talking"))
    cleared = [
        kept.note(SessionState(seq=3 + n, episode=f"e{n}", state="ended")) for n in range(ENDED_KEPT + 2)
    ]
    assert [one.episode for one in cleared if one is not None] == ["e0", "e1"]
    assert len(kept.all()) == 1 + 1 + ENDED_KEPT
    kept.note(SessionState(seq=99, episode="e5", state="calling"))  # void, and held again
    assert kept.all()[-1].seq == 99
    assert len(kept.all()) == 1 + 2 + ENDED_KEPT - 1
