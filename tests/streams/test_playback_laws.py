"""Laws of `streams.playback.Speaker`, against a model that keeps one entry for every sample."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from streams.playback import ItemPlayback, Speaker

RATE = 8000
ITEMS = {"a1": "A", "a2": "A", "b1": "B", "free1": "", "free2": ""}
SAMPLES = st.integers(0, 60)
INSTANTS = st.integers(0, 40).flatmap(lambda k: st.sampled_from([float(k), k + 0.5]))
"""Steps of time in samples; halves fall between two samples."""


class EarAndModel(RuleBasedStateMachine):
    """Plays, cuts, ends and hears at random; the model places each sample by the rule, one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.ear = Speaker(RATE)
        self.now = 0.0  # in samples
        self.queue: dict[int, tuple[str, int]] = {}  # position -> item, value
        self.end = 0
        self.track: list[int] = []
        self.received = dict.fromkeys(ITEMS, 0)
        self.heard = dict.fromkeys(ITEMS, 0)
        self.dropped = 0
        self.seen: set[str] = set()
        self.cut: set[str] = set()
        self.cut_responses: set[str] = set()
        self.ended: set[str] = set()
        self.complete: dict[str, int] = {}
        self.values = itertools.cycle(range(1, 32768))

    def pending(self, item: str) -> int:
        return sum(owner == item for owner, _ in self.queue.values())

    @rule(step=INSTANTS)
    def time_passes(self, step: float) -> None:
        self.now += step

    @rule(item=st.sampled_from(sorted(ITEMS)), samples=SAMPLES)
    def audio_arrives(self, item: str, samples: int) -> None:
        response = ITEMS[item]
        values = [next(self.values) for _ in range(samples)]
        placed = self.ear.play(
            np.array(values, "<i2").tobytes(), at=self.now / RATE, item=item, response=response
        )
        self.seen.add(item)
        self.received[item] += samples
        if item in self.cut or response in self.cut_responses:
            self.cut.add(item)
            self.dropped += samples
            assert placed.start is None
            return
        start = max(math.ceil(self.now), self.end, len(self.track))
        assert placed.start == start
        for position, value in enumerate(values, start):
            self.queue[position] = (item, value)
        if samples:
            self.end = start + samples

    @rule(step=SAMPLES)
    def the_ear_hears(self, step: int) -> None:
        until = len(self.track) + step
        heard = np.frombuffer(self.ear.heard(until), "<i2").tolist()
        expected = []
        for position in range(len(self.track), until):
            item, value = self.queue.pop(position, ("", 0))
            expected.append(value)
            if item:
                self.heard[item] += 1
        assert heard == expected
        self.track += expected
        self.notice_completions()

    @rule(ahead=INSTANTS, responses=st.sets(st.sampled_from(["A", "B"])))
    def playback_is_cut(self, ahead: float, responses: set[str]) -> None:
        at = self.now + ahead
        cut = self.ear.flush(at=at / RATE, responses=tuple(responses))
        edge = max(math.ceil(at), len(self.track))
        lost = [position for position in self.queue if position >= edge]
        self.dropped += len(lost)
        for position in lost:
            del self.queue[position]
        self.end = max(self.queue, default=len(self.track) - 1) + 1
        self.cut_responses |= responses
        expected = {}
        for item in self.seen - self.cut:
            will_be_heard = self.heard[item] + self.pending(item)
            if item not in self.ended or will_be_heard < self.received[item]:
                expected[item] = ItemPlayback(item, self.received[item], will_be_heard)
                self.cut.add(item)
                self.cut_responses |= {ITEMS[item]} - {""}
        assert {c.item: c for c in cut} == expected

    @rule(item=st.sampled_from(sorted(ITEMS)))
    def an_item_ends(self, item: str) -> None:
        self.ear.end_item(item)
        self.note_end(item)

    @rule(response=st.sampled_from(["A", "B"]))
    def a_response_ends(self, response: str) -> None:
        self.ear.end_response(response)
        for item, owner in ITEMS.items():
            if owner == response:
                self.note_end(item)

    def note_end(self, item: str) -> None:
        if item in self.seen - self.cut:
            self.ended.add(item)
        self.notice_completions()

    def notice_completions(self) -> None:
        for done in self.ear.completed():
            assert done.item in self.ended - self.cut
            assert done.heard == done.received == self.received[done.item]
            assert self.complete.get(done.item, -1) < done.heard  # once, unless more came after the end
            self.complete[done.item] = done.heard

    @invariant()
    def received_is_heard_and_dropped_and_pending(self) -> None:
        assert self.ear.received == sum(self.received.values())
        assert self.ear.dropped == self.dropped
        assert self.ear.pending == len(self.queue)
        assert self.ear.received == sum(map(bool, self.track)) + self.ear.dropped + self.ear.pending

    @invariant()
    def position_and_end_are_the_models(self) -> None:
        assert self.ear.position == len(self.track)
        assert self.ear.end == max(self.end, len(self.track))

    @invariant()
    def whatever_ended_and_was_heard_is_complete(self) -> None:
        for item in self.ended - self.cut:
            if self.heard[item] == self.received[item]:
                assert self.complete.get(item) == self.received[item]


TestEarAndModel = EarAndModel.TestCase
TestEarAndModel.settings = settings(max_examples=100, stateful_step_count=40)


Step = tuple[str, int, int]
"""What happens, to which item, with how many samples."""


@st.composite
def deliveries(draw: st.DrawFn) -> list[Step]:
    kinds = st.sampled_from(["play", "play", "play", "hear", "flush", "end"])
    return draw(st.lists(st.tuples(kinds, st.integers(0, 4), st.integers(0, 60)), max_size=25))


def hear(steps: list[Step], cut_into: int, hear_in: int) -> tuple[bytes, list[object]]:
    """The heard track and what the ear reports, with each piece and each hearing cut into parts."""
    ear, track, reports = Speaker(RATE), b"", list[object]()
    names, values = sorted(ITEMS), itertools.cycle(range(1, 32768))
    for tick, (kind, number, samples) in enumerate(steps):
        item, at = names[number], 20.0 * tick / RATE
        if kind == "play":
            pcm = np.array([next(values) for _ in range(samples)], "<i2").tobytes()
            for start in range(0, len(pcm), 2 * cut_into):
                ear.play(pcm[start : start + 2 * cut_into], at=at, item=item, response=ITEMS[item])
        elif kind == "hear":
            until = ear.position + samples
            while ear.position < until:
                track += ear.heard(min(until, ear.position + hear_in))
        elif kind == "flush":
            reports.append(ear.flush(at=at))
        else:
            ear.end_item(item)
        reports += ear.completed()
    track += ear.heard(ear.end)
    return track, [*reports, *ear.completed(), ear.received, ear.dropped]


@given(deliveries(), st.integers(1, 30), st.integers(1, 30))
def test_how_a_delivery_is_cut_into_pieces_is_not_heard(
    steps: list[Step], cut_into: int, hear_in: int
) -> None:
    assert hear(steps, cut_into, hear_in) == hear(steps, 1000, 1000)
