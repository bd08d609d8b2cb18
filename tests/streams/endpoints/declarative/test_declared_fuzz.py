"""Whatever a server sends, a declared codec answers with events and never fails."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.endpoints.address import connect
from streams.endpoints.declarative.build import FILES
from streams.endpoints.declarative.codec import DeclaredCodec
from streams.endpoints.declarative.model import Description
from streams.endpoints.events import AudioReceived, Notice, Unknown
from streams.endpoints.protocol import PlaybackState, Played
from tests.streams.endpoints.declarative.declared import describe

NAMES = sorted(path.stem for path in FILES.glob("*.yaml"))

TAGGED = """
name: tagged
connect: {url: ws://127.0.0.1:9000/}
audio:
  send: {rate: 16000, form: binary}
  receive:
    rate: 16000
    form: tagged
    wav_header: first
    tags: {"00": nothing, "01": audio, "02": text, "04": json}
kind_at: a || type
rules:
  - {kind: "02", text: {text: text}}
  - {when: "json && length(json) > `1`", each: json.list, tool_call: {id: id, arguments: a}}
  - {when: "starts_with(type, 'a')", mark: {name: id}, flush: {upto: n}, keep: {kept: id}}
  - {kind: x, usage: {unit: tokens, values: u}, reply_end: {status_when: {failed: a}}, reply: {x: "{id}"}}
  - {kind: y, user_speech: {edge: start, at_ms: n}, reply_start: {response: id}, item_end: {item: id}}
  - {kind: y, ready: {send_format: a, receive_format: b}, ending: {time_left_s: n}}
  - {kind: y, user_text: {text: text}, audio: {data: a, order: n}}
commands:
  mark_reached: {mark: "{mark}", kept: "{kept}"}
"""


@functools.cache
def description(name: str) -> Description:
    if name == "tagged":
        return describe(TAGGED)
    environ = dict.fromkeys(("DEEPGRAM", "HUME", "ULTRAVOX", "VAPI", "ASSEMBLYAI", "CARTESIA"), "k")
    keys = {f"{each}_API_KEY": "abcdefgh" for each in environ}
    endpoint: Any = connect(f"{name}+ws://127.0.0.1:9/x?agent=a&assistant=a&agent_id=a", keys)
    made: Description = endpoint.codec._says
    return made


@functools.cache
def words(name: str) -> tuple[str, ...]:
    """The words of a file: kinds, fields and constants, whatever they are."""
    text = TAGGED if name == "tagged" else (FILES / f"{name}.yaml").read_text()
    found = {each.strip("\"'[]{}:,!") for each in text.partition("rules:")[2].split()}
    return tuple(sorted({part for each in found for part in (each, *each.split("."))}))


def messages(name: str) -> st.SearchStrategy[str | bytes]:
    known = st.sampled_from(words(name))
    leaves = (
        st.none()
        | st.booleans()
        | st.integers(-(10**30), 10**30)
        | st.floats()
        | st.sampled_from(["AAAA", "AAA", "A?", "\ud800", "pcm_16000", ""])
        | known
    )
    values = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(known, inner, max_size=4),
        max_leaves=8,
    )
    shaped = st.dictionaries(known, values, max_size=5)
    typed = st.builds(lambda fields, kind: {**fields, "type": kind, "event": kind}, shaped, known)
    tagged = st.builds(
        lambda tag, rest: tag + rest, st.sampled_from([b"\0", b"\1", b"\2", b"\4"]), st.binary()
    )
    return (typed | shaped | values).map(json.dumps) | st.text() | st.binary() | tagged


@pytest.mark.parametrize("name", [*NAMES, "tagged"])
def test_no_message_makes_the_codec_raise(name: str) -> None:
    made = description(name)

    @settings(max_examples=12)
    @given(st.lists(messages(name), max_size=8))
    def play(stream: list[str | bytes]) -> None:
        codec = DeclaredCodec(made, {"call_id": "c"})
        for message in codec.opening():
            json.loads(message)
        for raw, wire in enumerate(stream):
            for event in codec.receive(wire, at=1.0, raw=raw):
                assert (event.at, event.raw) == (1.0, raw)
                repr(event).encode()  # whatever arrived can be written to a file
                if isinstance(event, AudioReceived):
                    assert event.pcm and len(event.pcm) % 2 == 0 and event.item
                if isinstance(event, Notice | Unknown):
                    assert len(repr(event)) < 10_000
            for answer in codec.replies():
                json.loads(answer)
        codec.played(Played("item-1", 1, 2, PlaybackState.DROPPED))

    play()
