"""Messages, their topics and the broker's address: what goes out comes in again, and nothing else does."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.events.address import Broker, BrokerInvalid, broker_at
from streams.events.coding import Unreadable, decode, encode
from streams.events.messages import (
    LONGEST_TEXT,
    Ack,
    Cleared,
    Latency,
    LevelsShown,
    Line,
    Loss,
    Note,
    Presence,
    Progress,
    Published,
    SessionState,
    TurnSpoken,
    VerdictSpoken,
)
from streams.events.topics import DELIVERIES, all_topics, command_topic, level, name_of, topic_of

EXAMPLES: list[Published] = [
    Presence(state="online"),
    Progress(total=3, done=1, outcomes={"completed": 1}, endpoints=("pcm+ws://x",), left_s=2.5),
    Loss(dropped={"levels": 2}, replaced=1),
    SessionState(state="talking", lines=(Line(t=1, side="user", text="Hm?", verdicts={"rules": "wrong"}),)),
    TurnSpoken(side="endpoint", turn=1, text=None, start_s=1, end_s=2),
    Latency(turn=1, latency_ms=-20.5),
    VerdictSpoken(turn=1, judge="rules", unscored="timeout"),
    LevelsShown(t=1, user_db=-20.5),
    Note(t=1, by="endpoint", level="error", code="x", message="y"),
    Ack(id="1", name="stop", status="refused", reason="no"),
]


def test_there_is_an_example_of_every_kind() -> None:
    assert {message.kind for message in EXAMPLES} == set(DELIVERIES)


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.kind)
def test_a_message_is_read_as_it_was_written(message: Published) -> None:
    message = message.model_copy(update={"run": "r", "episode": "e", "source": "s", "seq": 7, "at": "now"})
    assert decode(encode(message)) == message


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.kind)
def test_a_reader_of_today_reads_what_a_later_release_adds(message: Published) -> None:
    later = {**json.loads(encode(message)), "mood": "good"}
    assert decode(json.dumps(later).encode()) == message


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xff",
        b"[" * 100_000,
        b"null",
        b"{}",
        b'{"kind": "presence"}',
        b'{"kind": "presence", "state": "asleep"}',
        b'{"v": 2, "kind": "presence", "state": "online"}',
        b'{"kind": "party"}',
    ],
)
def test_what_is_no_message_of_this_version_is_unreadable(payload: bytes) -> None:
    with pytest.raises(Unreadable) as error:
        decode(payload)
    assert len(str(error.value)) < 1500


@given(st.text(alphabet=st.characters(codec=None)))
def test_whatever_an_endpoint_says_is_published_as_strict_json(text: str) -> None:
    payload = encode(TurnSpoken(side="endpoint", text=text, start_s=0, end_s=1))
    read = decode(payload)
    assert isinstance(read, TurnSpoken) and read.text is not None
    assert read.text == text.encode("utf-8", "replace").decode()


def test_a_long_text_is_cut_and_says_so() -> None:
    read = decode(encode(TurnSpoken(side="endpoint", text="x" * 9999, start_s=0, end_s=1)))
    assert isinstance(read, TurnSpoken)
    assert read.text == "x" * (LONGEST_TEXT - 1) + "…"


def test_numbers_that_are_none_become_null() -> None:
    assert b'"user_db":null' in encode(LevelsShown(t=0, user_db=float("-inf")))


def test_a_state_that_is_to_be_forgotten_is_empty() -> None:
    assert encode(Cleared(episode="e")) == b""
    assert topic_of("p", Cleared(run="r", episode="e")) == "p/r/e/session"


NAMES = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)


@given(NAMES)
def test_a_name_is_one_level_of_a_topic_and_comes_back(name: str) -> None:
    part = level(name)
    assert part and not set(part) & set("/+#\0")
    assert name_of(part) == name


def test_topics_name_the_run_and_the_episode() -> None:
    assert topic_of("a/b", Presence(run="r", state="online")) == "a/b/r/presence"
    assert (
        topic_of("a/b", Latency(run="r/+", episode="e#", turn=1, latency_ms=1))
        == "a/b/r%2F%2B/e%23/latency"
    )
    assert command_topic("a/b", "r") == "a/b/r/command"
    assert "a/b/+/presence" in all_topics("a/b")
    assert "a/b/+/+/levels" in all_topics("a/b")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("mqtt://broker/p", Broker("broker", 1883, "p")),
        ("mqtts://broker/p/q/", Broker("broker", 8883, "p/q", tls=True)),
        ("mqtt://[::1]:99/p", Broker("::1", 99, "p")),
    ],
)
def test_an_address_names_a_broker_and_a_prefix(address: str, expected: Broker) -> None:
    assert broker_at(address, {}) == expected
    assert broker_at(str(expected), {}) == expected


def test_a_prefix_may_hold_an_at_sign_that_is_encoded() -> None:
    assert broker_at("mqtt://broker/me%40home", {}).prefix == "me@home"


def test_user_and_password_are_those_of_the_environment_and_never_shown() -> None:
    environ = {"VIVA_MQTT_USER": "ann", "VIVA_MQTT_PASSWORD": "secret"}
    broker = broker_at("mqtt://broker/p", environ)
    assert (broker.user, broker.password) == ("ann", "secret")
    assert "secret" not in repr(broker) + str(broker)


@pytest.mark.parametrize(
    "address",
    [
        "broker/p",
        "http://broker/p",
        "mqtt://broker",
        "mqtt://broker/",
        "mqtt:///p",
        "mqtt://broker:none/p",
        "mqtt://broker:99999/p",
        "mqtt://broker/a/+/b",
        "mqtt://broker/%23",
        "mqtt://broker/$SYS",
        "mqtt://broker/p?x=1",
        "mqtt://" + "x" * 70 + "/p",
        "mqtt://ann:secret@broker/p",
        "mqtt://secret@broker/p",
        "mqtt://ann:secret/x@broker/p",
        "mqtt://ann:secret?x@broker/p",
        "mqtt://ann:secret#x@broker/p",
    ],
)
def test_an_address_that_is_none_is_refused_without_showing_a_password(address: str) -> None:
    with pytest.raises(BrokerInvalid) as error:
        broker_at(address, {})
    assert "secret" not in str(error.value)
    assert "mqtt://HOST:PORT/PREFIX" in str(error.value)
