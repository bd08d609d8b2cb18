"""recordings.importing.speech and .tracks: sound and words put together, on one timeline."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.format import Role, Side
from recordings.importing.lines import Line
from recordings.importing.speech import (
    Said,
    Sounds,
    said_with_words,
    said_without_words,
    spoken,
    with_roles,
)
from recordings.importing.tracks import OffsetInvalid, lined_up

RATE = 1000  # a sample a millisecond


def user(*spans: tuple[int, int]) -> Sounds:
    return Sounds(Side.USER, RATE, spans)


def endpoint(*spans: tuple[int, int]) -> Sounds:
    return Sounds(Side.ENDPOINT, RATE, spans)


def spans_of(said: list[Said]) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in said]


def test_pauses_of_a_second_are_inside_what_is_said() -> None:
    found = said_without_words(user((0, 500), (1500, 2000), (3001, 3500)), endpoint())
    assert spans_of(found) == [(0, 2000), (3001, 3500)]


def test_a_pause_in_which_the_other_side_says_its_all_ends_what_is_said() -> None:
    assert spans_of(said_without_words(user((0, 500), (1400, 2000)), endpoint((600, 1300)))) == [
        (0, 500),
        (1400, 2000),
    ]
    # it only began to: the user was interrupted, and went on
    assert spans_of(said_without_words(user((0, 500), (1400, 2000)), endpoint((600, 1800)))) == [(0, 2000)]


def test_a_line_has_the_edges_of_its_sound() -> None:
    found, notes = said_with_words(user((450, 1310), (2000, 2600)), [Line("user", 0.5, 1.2, "Hello.")])
    assert [(one.start, one.end, one.text) for one in found] == [(450, 1310, "Hello.")]
    assert notes == [
        "user: 1 sounds (0.6 s) stand in no line of the transcript and were taken for no speech"
    ]


def test_a_sound_over_two_lines_is_cut_half_way_between_them() -> None:
    lines = [Line("user", 0.0, 1.0, "One."), Line("user", 1.2, 2.0, "Two.")]
    found, notes = said_with_words(user((0, 2000)), lines)
    assert spans_of(found) == [(0, 1100), (1100, 2000)]  # (1.0 + 1.2) / 2
    assert notes == []


def test_a_line_on_silence_is_left_out_and_counted() -> None:
    lines = [Line("user", 0.0, 1.0, "One."), Line("user", 5.0, 6.0, "Nothing.")]
    found, notes = said_with_words(user((0, 1000)), lines)
    assert [one.text for one in found] == ["One."]
    assert notes == ["user: 1 lines of the transcript stand on silence and were left out"]


def test_a_sound_within_reach_belongs_to_the_nearest_line() -> None:
    lines = [Line("user", 1.0, 2.0, "One."), Line("user", 3.0, 4.0, "Two.")]
    found, _ = said_with_words(user((1000, 1500), (2000, 2250), (2250, 2400), (3000, 4000)), lines)
    # 2.25 - 2.0 = 0.25 s behind the first, within 0.3 s; of the other, 3.0 - 2.4 = 0.6 s
    assert spans_of(found) == [(1000, 2400), (3000, 4000)]


def times_said(found: list[Said]) -> np.ndarray[tuple[int], np.dtype[np.int_]]:
    """How often each of the first 20 s of samples is said."""
    count = np.zeros(20_000, int)
    for one in found:
        count[one.start : one.end] += 1
    return count


steps = st.lists(st.integers(1, 400), min_size=2, max_size=40)


@given(steps, st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 2000)), max_size=15))
def test_no_sound_of_a_line_is_lost(steps: list[int], times: list[tuple[int, int]]) -> None:
    edges = np.cumsum(steps).tolist()
    sounds = user(*zip(edges[::2], edges[1::2], strict=False))
    lines = [Line("user", start / RATE, (start + length) / RATE, "x") for start, length in times]
    found, _ = said_with_words(sounds, lines)
    assert all(one.end > one.start for one in found)
    assert len(found) <= len(lines)
    assert sounds.spans[0][0] <= min((one.start for one in found), default=sounds.spans[0][0])
    assert max((one.end for one in found), default=0) <= sounds.spans[-1][1]
    count = times_said(found)
    for first, last in sounds.spans:
        if any(start < last and first < start + length for start, length in times):
            assert count[first:last].all()


@given(steps, steps)
def test_no_sample_is_said_twice_where_no_lines_overlap(steps: list[int], others: list[int]) -> None:
    edges, times = np.cumsum(steps).tolist(), np.cumsum(others).tolist()
    sounds = user(*zip(edges[::2], edges[1::2], strict=False))
    pairs = zip(times[::2], times[1::2], strict=False)
    found, _ = said_with_words(sounds, [Line("user", a / RATE, b / RATE, "x") for a, b in pairs])
    assert times_said(found).max() <= 1


def test_an_edge_of_the_sound_counts_if_the_detector_is_near_it() -> None:
    # 100 ms off at both ends: the sound's own edges; 400 ms off: it is noise that goes on
    assert spoken(user((1000, 2000)), [(1100, 2100)]).spans == ((1000, 2000),)
    assert spoken(user((0, 9000)), [(1100, 2100)]).spans == ((1100, 2100),)


def test_sound_that_is_no_speech_is_left_out() -> None:
    assert spoken(user((0, 100), (1000, 2000)), [(1000, 2000)]).spans == ((1000, 2000),)


@pytest.mark.parametrize(
    ("text", "start", "end", "role"),
    [
        ("Mm-hm.", 1500, 2000, Role.BACKCHANNEL),
        ("Yeah, right, I see.", 1500, 2500, Role.BACKCHANNEL),  # exactly one second
        ("Yeah, right, I see.", 1500, 2501, Role.TURN),  # longer
        ("Mm-hm.", 3500, 4000, Role.TURN),  # nobody else was talking
        ("No, stop.", 1500, 2000, Role.TURN),  # other words
        (None, 1500, 2000, Role.TURN),  # no words: nothing is guessed
    ],
)
def test_a_backchannel_is_told_by_words_length_and_place(
    text: str | None, start: int, end: int, role: Role
) -> None:
    found, inferred = with_roles([Said(Side.USER, start, end, text)], endpoint((1000, 3000)), RATE)
    assert [one.role for one in found] == [role]
    assert inferred == (role is Role.BACKCHANNEL)


def test_a_role_that_is_known_stays() -> None:
    given_role = Said(Side.USER, 1500, 2000, "Mm-hm.", role=Role.BARGE_IN)
    found, inferred = with_roles([given_role], endpoint((1000, 3000)), RATE)
    assert (found, inferred) == ([given_role], 0)


def test_tracks_begin_together_and_have_one_length_in_whole_frames() -> None:
    tracks = lined_up(np.ones(8001, np.int16), 8000, np.ones(24, np.int16), 24000)
    # 8001 samples at 8000 Hz are 1.000125 s: 51 frames of 20 ms = 1.02 s
    assert (tracks.duration_s, tracks.user.size, tracks.endpoint.size) == (1.02, 8160, 24480)
    assert (int(tracks.user.sum()), int(tracks.endpoint.sum())) == (8001, 24)


@pytest.mark.parametrize(
    ("offset", "user_at", "endpoint_at"), [(0.5, 0, 12000), (-0.5, 4000, 0), (0.0, 0, 0)]
)
def test_an_offset_moves_the_side_that_began_later(offset: float, user_at: int, endpoint_at: int) -> None:
    one = np.ones(10, np.int16)
    tracks = lined_up(one, 8000, one, 24000, offset_s=offset)
    assert (int(np.argmax(tracks.user)), int(np.argmax(tracks.endpoint))) == (user_at, endpoint_at)


@given(st.integers(4000, 192000), st.integers(4000, 192000), st.integers(1, 5000), st.integers(1, 5000))
def test_rates_of_any_kind_keep_every_sample(mine: int, theirs: int, n: int, m: int) -> None:
    tracks = lined_up(np.ones(n, np.int16), mine, np.ones(m, np.int16), theirs)
    assert (int(tracks.user.sum()), int(tracks.endpoint.sum())) == (n, m)
    # what `recordings.check` asks of every track
    assert tracks.user.size == round(tracks.duration_s * mine)
    assert tracks.endpoint.size == round(tracks.duration_s * theirs)


@pytest.mark.parametrize("offset", [float("nan"), float("inf"), 3601.0])
def test_an_offset_that_is_none_is_refused(offset: float) -> None:
    with pytest.raises(OffsetInvalid, match="the offset is"):
        lined_up(np.ones(1, np.int16), 8000, np.ones(1, np.int16), 8000, offset_s=offset)
