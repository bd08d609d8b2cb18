"""Brokers as people run them: with TLS, with passwords, and the embedded amqtt."""

from __future__ import annotations

import asyncio
import dataclasses
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from streams.events.address import Broker
from streams.events.bus import Bus
from streams.events.connection import BrokerRefused, BrokerUnreachable
from streams.events.messages import SessionState, TurnSpoken
from streams.events.subscriber import forget, look
from streams.events.watching import Watch
from tests.streams.events.brokers import (
    MOSQUITTO,
    PREFIX,
    Mosquitto,
    Observer,
    amqtt,
    mosquitto,
    needs_mosquitto,
)

pytestmark = pytest.mark.wall_clock


def published(broker: Broker) -> list[str]:
    """Publish a state, leave, and look at what the broker keeps; returns the episodes."""
    bus = Bus(broker, "r")
    bus.start()
    bus.put(SessionState(episode="e", state="talking"))
    assert bus.close().dropped.total() == 0
    watch = Watch(PREFIX)
    asyncio.run(look(broker, watch))
    return list(watch.runs["r"].sessions)


@contextmanager
def guarded(folder: Path, user: str, password: str) -> Iterator[Mosquitto]:
    """A broker that asks for a password."""
    assert MOSQUITTO is not None
    folder.mkdir()
    file = folder / "passwords"
    subprocess.run(
        ["mosquitto_passwd", "-b", "-c", str(file), user, password], check=True, capture_output=True
    )
    with mosquitto(folder, "allow_anonymous false", f"password_file {file}") as broker:
        yield broker


# paho leaves the socket of a handshake that failed to the garbage collector, which closes it and warns
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@needs_mosquitto
def test_a_broker_with_tls_is_trusted_by_its_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    certificate.cert_chain_pems[0].write_to_path(chain)
    certificate.private_key_pem.write_to_path(key)
    lines = ("allow_anonymous true", f"certfile {chain}", f"keyfile {key}")
    with mosquitto(tmp_path / "broker", *lines) as made:
        broker = dataclasses.replace(made.broker, tls=True)
        with pytest.raises(BrokerUnreachable, match=r"certificate verify failed.*SSL_CERT_FILE"):
            asyncio.run(look(broker, Watch(PREFIX)))
        authority.cert_pem.write_to_path(tmp_path / "authority.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        assert published(broker) == ["e"]


@needs_mosquitto
def test_the_right_password_is_let_in_and_a_wrong_one_is_said_without_showing_it(tmp_path: Path) -> None:
    with guarded(tmp_path / "broker", "ann", "the right one") as made:
        right = dataclasses.replace(made.broker, user="ann", password="the right one")
        assert published(right) == ["e"]
        wrong = dataclasses.replace(right, password="the wrong one")
        with pytest.raises(BrokerRefused) as refused:
            asyncio.run(look(wrong, Watch(PREFIX)))
        with pytest.raises(BrokerRefused, match="a client without a user"):
            asyncio.run(look(made.broker, Watch(PREFIX)))
        said: list[str] = []
        bus = Bus(wrong, "r", say=said.append)
        bus.start()
        bus.close()
    assert "refuses the user 'ann' and its password. Set VIVA_MQTT_USER and VIVA_MQTT_PASSWORD" in str(
        refused.value
    )
    assert len(said) == 1 and "refuses the user 'ann'" in said[0]
    assert "wrong one" not in str(refused.value) + said[0] + repr(wrong)


@needs_mosquitto
def test_a_broker_that_forbids_to_write_under_a_prefix_keeps_nothing_and_the_run_ends(
    tmp_path: Path,
) -> None:
    rules = tmp_path / "rules"
    rules.write_text("topic read viva/test/#\n")
    with mosquitto(tmp_path / "broker", "allow_anonymous true", f"acl_file {rules}") as made:
        bus = Bus(made.broker, "r")
        bus.start()
        bus.put(SessionState(episode="e"))
        bus.close()
        watch = Watch(PREFIX)
        asyncio.run(look(made.broker, watch))
    assert watch.runs == {}


@needs_mosquitto
def test_what_is_forgotten_is_kept_no_more(tmp_path: Path) -> None:
    with mosquitto(tmp_path / "broker") as made:
        assert published(made.broker) == ["e"]
        topics = [f"{PREFIX}/r/{kind}" for kind in ("e/session", "progress", "loss", "presence")]
        asyncio.run(forget(made.broker, topics))
        watch = Watch(PREFIX)
        asyncio.run(look(made.broker, watch))
    assert watch.runs == {}


def test_the_embedded_broker_carries_states_and_streams() -> None:
    with amqtt() as broker:
        with Observer(broker) as seen:
            seen.connected()
            bus = Bus(broker, "r")
            bus.start()
            for number in range(30):
                bus.put(TurnSpoken(episode="e", side="user", turn=number, text="hm", start_s=0, end_s=1))
            bus.put(SessionState(episode="e", state="talking"))
            seen.until(lambda seen: len(seen.of("turn")) == 30 and bool(seen.of("session")))
            assert bus.close().dropped.total() == 0
        watch = Watch(PREFIX)
        asyncio.run(look(broker, watch))
    assert list(watch.runs["r"].sessions) == ["e"]
    assert watch.runs["r"].presence is not None and watch.runs["r"].presence.state == "ended"
