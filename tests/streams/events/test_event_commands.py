"""Commands: which are obeyed, each once, and what is answered."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.events.commands import REMEMBERED, Desk, NotAllowable, allowed, done
from streams.events.messages import Ack, Command


class Obeyed:
    def __init__(self) -> None:
        self.commands: list[Command] = []

    def __call__(self, command: Command) -> Ack:
        self.commands.append(command)
        return done("as you wish")


def sent(desk: Desk, *, retained: bool = False, **values: object) -> Ack:
    return desk.take(json.dumps(values).encode(), retained=retained)


def test_a_command_that_comes_twice_is_obeyed_once_and_answered_twice() -> None:
    obeyed = Obeyed()
    desk = Desk({"stop"}, obeyed)
    first, second = sent(desk, id="1", name="stop"), sent(desk, id="1", name="stop")
    assert len(obeyed.commands) == 1
    assert (first.status, first.id, first.name, first.repeated) == ("done", "1", "stop", False)
    assert second == first.model_copy(update={"repeated": True})


def test_another_command_under_an_id_that_was_used_is_told_so_and_not_taken_for_the_first() -> None:
    obeyed = Obeyed()
    desk = Desk({"pause", "resume"}, obeyed)
    sent(desk, id="1", name="pause")
    other = sent(desk, id="1", name="resume")
    assert (other.status, other.name, other.repeated) == ("invalid", "resume", False)
    assert other.reason == "the id '1' was that of another command (pause): take a new one for each"
    assert [command.name for command in obeyed.commands] == ["pause"]
    assert sent(desk, id="1", name="pause").repeated  # the first one may still come again


def test_answers_are_remembered_up_to_a_bound() -> None:
    obeyed = Obeyed()
    desk = Desk({"stop"}, obeyed)
    for number in range(REMEMBERED + 1):
        sent(desk, id=str(number), name="stop")
    assert sent(desk, id="1", name="stop").repeated
    assert not sent(desk, id="0", name="stop").repeated


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"id": "1", "name": "say", "episode": "e", "text": "hm"}, "refused"),  # not in the list
        ({"id": "1", "name": "take_over"}, "refused"),
        ({"id": "1", "name": "give_back"}, "refused"),
        ({"id": "1", "name": "dance"}, "invalid"),
        ({"id": "", "name": "stop"}, "invalid"),
        ({"id": "1" * 101, "name": "stop"}, "invalid"),
        ({"id": 1, "name": "stop"}, "invalid"),
        ({"name": "stop"}, "invalid"),
        ({"v": 2, "id": "1", "name": "stop"}, "invalid"),
    ],
)
def test_what_is_not_allowed_or_no_command_is_answered_and_not_obeyed(
    values: dict[str, object], status: str
) -> None:
    obeyed = Obeyed()
    answer = Desk(allowed(["stop", "pause"]), obeyed).take(json.dumps(values).encode())
    assert answer.status == status
    assert answer.reason
    assert obeyed.commands == []


def test_an_old_command_that_the_broker_kept_is_not_obeyed() -> None:
    obeyed = Obeyed()
    answer = sent(Desk({"stop"}, obeyed), id="1", name="stop", retained=True)
    assert answer.status == "refused" and "retained" in answer.reason
    assert obeyed.commands == []


@pytest.mark.parametrize("name", ["take_over", "give_back"])
def test_a_microphone_is_for_one_call(name: str) -> None:
    desk = Desk(allowed(["take_over"]), Obeyed())
    assert sent(desk, id="1", name=name).status == "invalid"
    assert sent(desk, id="2", name=name, episode="e").status == "done"


def test_words_and_a_call_are_needed_to_say_something() -> None:
    desk = Desk({"say"}, Obeyed())
    assert sent(desk, id="1", name="say", text="hm").status == "invalid"
    assert sent(desk, id="2", name="say", episode="e", text=" ").status == "invalid"
    assert sent(desk, id="3", name="say", episode="e", text="hm").status == "done"


def test_an_allow_list_names_commands_and_who_may_do_a_thing_may_undo_it() -> None:
    assert allowed(["pause", " say", ""]) == {"pause", "resume", "say"}
    assert allowed(["take-over"]) == {"take_over", "give_back"}  # as people type it
    assert allowed([]) == frozenset()
    with pytest.raises(NotAllowable, match="no command 'dance'"):
        allowed(["dance"])


@given(st.one_of(st.binary(max_size=200), st.just(b"[" * 100_000)))
def test_no_payload_does_anything_but_be_answered(payload: bytes) -> None:
    obeyed = Obeyed()
    answer = Desk({"stop"}, obeyed).take(payload)
    assert answer.status == "invalid"
    assert obeyed.commands == []
