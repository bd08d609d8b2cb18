"""Runs as they are seen from the broker alone: late, twice, out of order, from two sittings."""

from __future__ import annotations

from streams.events.coding import encode
from streams.events.messages import Header, LevelsShown, Presence, Progress, SessionState, TurnSpoken
from streams.events.topics import topic_of
from streams.events.watching import REMEMBERED, Watch

P = "viva"


def take(watch: Watch, message: Header, seq: int = 1, source: str = "s", at: str = "2026-01-01") -> bool:
    stamped = message.model_copy(update={"run": "r", "seq": seq, "source": source, "at": at})
    return watch.take(topic_of(P, stamped), encode(stamped)) is not None


def session(state: str = "talking", episode: str = "e") -> SessionState:
    return SessionState.model_validate({"episode": episode, "state": state})


def test_a_message_that_comes_twice_is_news_once() -> None:
    watch = Watch(P)
    turn = TurnSpoken(episode="e", side="user", text="hm", start_s=0, end_s=1)
    assert [take(watch, turn, 3), take(watch, turn, 3), take(watch, turn, 4)] == [True, False, True]
    assert [take(watch, session(), 5), take(watch, session(), 5)] == [True, False]


def test_an_older_state_that_comes_late_changes_nothing() -> None:
    watch = Watch(P)
    take(watch, Progress(total=9, done=5), 8)
    assert not take(watch, Progress(total=9, done=4), 7)
    progress = watch.runs["r"].progress
    assert progress is not None and progress.done == 5


def test_a_later_sitting_wins_over_an_earlier_one() -> None:
    watch = Watch(P)
    take(watch, Progress(total=9, done=5), 100, "first", "2026-01-01")
    assert take(watch, Progress(total=9, done=6), 2, "second", "2026-01-02")
    assert not take(watch, Progress(total=9, done=5), 101, "first", "2026-01-01")


def test_a_run_that_is_lost_has_no_calls_under_way_until_it_is_back() -> None:
    watch = Watch(P)
    take(watch, Presence(state="online"), 1)
    take(watch, session(), 2)
    assert len(watch.runs["r"].live) == 1
    assert take(watch, Presence(state="lost"), 0)  # the will was written before all else
    assert watch.runs["r"].live == []
    assert take(watch, Presence(state="online"), 9)
    assert len(watch.runs["r"].live) == 1


def test_a_call_that_an_earlier_sitting_was_killed_in_is_not_under_way_in_the_later_one() -> None:
    watch = Watch(P)
    take(watch, Presence(state="online"), 1, "first", "2026-01-01")
    take(watch, session(), 2, "first", "2026-01-01")  # the broker keeps it
    take(watch, Presence(state="online"), 1, "second", "2026-01-02")
    assert watch.runs["r"].live == []
    take(watch, session(), 2, "second", "2026-01-02")  # it is held again
    assert len(watch.runs["r"].live) == 1


def test_the_will_of_an_earlier_sitting_does_not_end_the_later_one() -> None:
    watch = Watch(P)
    take(watch, Presence(state="online"), 1, "second")
    assert not take(watch, Presence(state="lost"), 0, "first")
    presence = watch.runs["r"].presence
    assert presence is not None and presence.state == "online"


def test_levels_belong_to_calls_under_way() -> None:
    watch = Watch(P)
    take(watch, session(), 1)
    take(watch, LevelsShown(episode="e", t=1), 2)
    assert list(watch.runs["r"].levels) == ["e"]
    take(watch, session("ended"), 3)
    take(watch, LevelsShown(episode="e", t=2), 4)
    assert watch.runs["r"].levels == {}


def test_of_thousands_of_calls_the_last_are_remembered() -> None:
    watch = Watch(P)
    for number in range(REMEMBERED + 50):
        take(watch, session("ended", f"e{number}"), number)
    ended = watch.runs["r"].ended
    assert (len(ended), ended[0].episode) == (REMEMBERED, "e50")


def test_whoever_forgets_a_run_knows_all_its_calls() -> None:
    watch = Watch(P, remembered=10_000)
    for number in range(REMEMBERED + 50):
        take(watch, session("ended", f"e{number}"), number)
    assert len(watch.runs["r"].ended) == REMEMBERED + 50


def test_what_cannot_be_read_is_counted_and_what_is_elsewhere_is_not_ours() -> None:
    watch = Watch(P)
    assert watch.take(f"{P}/r/presence", b"junk") is None
    assert watch.take(f"{P}/r/presence", b'{"v":2}') is None
    assert watch.runs["r"].unreadable == 2
    assert watch.take(f"{P}/r", b"junk") is None
    assert watch.take(f"{P}/r/e/f/turn", b"junk") is None
    assert watch.take(f"{P}/q/command", b"junk") is None
    assert list(watch.runs) == ["r"]


def test_a_run_that_the_broker_has_forgotten_is_gone() -> None:
    watch = Watch(P)
    take(watch, session(), 1)
    watch.take(f"{P}/r/e/session", b"")
    assert "r" in watch.runs
    watch.take(f"{P}/r/presence", b"")
    assert watch.runs == {}
