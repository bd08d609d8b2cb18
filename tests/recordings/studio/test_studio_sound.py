"""Sound over HTTP: whole files, ranges (RFC 9110, section 14), and both sides as stereo."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from recordings.studio.sound import Wave, resampled
from recordings.studio.tracks import open_track
from recordings.wav import read_wav
from streams.audio import Pcm
from tests.recordings.studio.servers import client, ids
from tests.scoring.episodes import CallMaker, tone


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "run" / "call"
    made = CallMaker().user(0.5, 1.5).reply(2.0, tone(1.0, 24000, hz=750.0))
    return made.write(folder)


@pytest.fixture(scope="module")
def asked(call: Path) -> TestClient:
    return client(call.parent)


@pytest.fixture(scope="module")
def at(asked: TestClient) -> str:
    return f"/api/episodes/{ids(asked)['call']}/audio"


def heard(data: bytes) -> tuple[Pcm, int]:
    pcm, rate = soundfile.read(io.BytesIO(data), dtype="int16")
    return pcm, rate


@pytest.mark.parametrize("track", ["user", "user_clean", "endpoint", "received"])
def test_a_track_is_sent_sample_by_sample(track: str, asked: TestClient, at: str, call: Path) -> None:
    answer = asked.get(f"{at}/{track}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")
    pcm, rate = heard(answer.content)
    told, told_rate = read_wav(call / f"{track}.wav")
    assert rate == told_rate
    assert np.array_equal(pcm, told)


def test_both_sides_are_stereo_at_the_higher_rate(asked: TestClient, at: str, call: Path) -> None:
    both, rate = heard(asked.get(f"{at}/both").content)
    endpoint, _ = read_wav(call / "endpoint.wav")
    assert rate == 24000
    assert np.array_equal(both[:, 1], endpoint)
    # the user's tone of 500 Hz at -20 dBFS, from 16 to 24 kHz: away from its edges it is the same tone
    wanted = 3276.8 * np.cos(2 * np.pi * 500 * np.arange(24000) / 24000)
    inner = slice(12000 + 1200, 36000 - 1200)
    assert np.abs(both[inner, 0] - wanted[1200:-1200]).max() <= 2


@given(first=st.integers(0, 96100), length=st.integers(1, 70_000))
def test_any_range_is_that_part_of_the_whole(first: int, length: int, asked: TestClient, at: str) -> None:
    whole = asked.get(f"{at}/endpoint").content
    last = first + length - 1
    answer = asked.get(f"{at}/endpoint", headers={"Range": f"bytes={first}-{last}"})
    assert answer.status_code == 206
    assert answer.content == whole[first : last + 1]
    end = min(last, len(whole) - 1)
    assert answer.headers["content-range"] == f"bytes {first}-{end}/{len(whole)}"
    assert int(answer.headers["content-length"]) == end - first + 1


@given(first=st.integers(0, 384_000), length=st.integers(1, 200_000))
def test_stereo_is_the_same_wherever_one_begins_to_listen(
    first: int, length: int, asked: TestClient, at: str
) -> None:
    whole = asked.get(f"{at}/both").content
    answer = asked.get(f"{at}/both", headers={"Range": f"bytes={first}-{first + length - 1}"})
    assert answer.content == whole[first : first + length]


def test_the_end_can_be_asked_for(asked: TestClient, at: str) -> None:
    whole = asked.get(f"{at}/endpoint").content
    from_there = asked.get(f"{at}/endpoint", headers={"Range": "bytes=1000-"})
    assert (from_there.status_code, from_there.content) == (206, whole[1000:])
    suffix = asked.get(f"{at}/endpoint", headers={"Range": "bytes=-100"})
    assert (suffix.status_code, suffix.content) == (206, whole[-100:])
    assert suffix.headers["content-range"] == f"bytes {len(whole) - 100}-{len(whole) - 1}/{len(whole)}"
    longer = asked.get(f"{at}/endpoint", headers={"Range": f"bytes=-{len(whole) * 2}"})
    assert (longer.status_code, longer.content) == (206, whole)


@pytest.mark.parametrize("wanted", ["bytes=99999999-", "bytes=99999999-100000000", "bytes=-0"])
def test_what_is_not_there_is_refused_with_the_length(wanted: str, asked: TestClient, at: str) -> None:
    size = len(asked.get(f"{at}/endpoint").content)
    answer = asked.get(f"{at}/endpoint", headers={"Range": wanted})
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{size}"


@pytest.mark.parametrize(
    "wanted", ["bytes=5-2", "items=0-5", "bytes=a-b", "bytes=", "bytes=0-1,5-9", f"bytes={'9' * 5000}-"]
)
def test_what_is_no_range_is_passed_over(wanted: str, asked: TestClient, at: str) -> None:
    answer = asked.get(f"{at}/endpoint", headers={"Range": wanted})
    assert answer.status_code == 200
    assert answer.headers["accept-ranges"] == "bytes"


def test_a_range_of_an_older_file_is_the_whole_new_one(asked: TestClient, at: str) -> None:
    tag = asked.get(f"{at}/endpoint").headers["etag"]
    wanted = {"Range": "bytes=0-9"}
    assert asked.get(f"{at}/endpoint", headers={**wanted, "If-Range": tag}).status_code == 206
    assert asked.get(f"{at}/endpoint", headers={**wanted, "If-Range": '"older"'}).status_code == 200


def test_the_head_tells_the_length(asked: TestClient, at: str) -> None:
    answer = asked.head(f"{at}/both")
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) == len(asked.get(f"{at}/both").content)


def test_a_track_that_nobody_records_is_not_there(asked: TestClient, at: str) -> None:
    answer = asked.get(f"{at}/choir")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "no_such_track"


@pytest.mark.parametrize(("slow", "fast"), [(8000, 24000), (16000, 24000), (22050, 48000), (44100, 48000)])
def test_a_tone_comes_through_the_resampler_as_it_is(slow: int, fast: int, tmp_path: Path) -> None:
    call = CallMaker(user_rate=slow, endpoint_rate=slow).user(0.5, 1.5, dbfs=-6.0).write(tmp_path / "call")
    track = open_track(call, "user")
    found = resampled(track, fast, 0, 2 * fast)[round(0.6 * fast) : round(1.4 * fast)]
    places = np.arange(round(0.6 * fast), round(1.4 * fast)) / fast - 0.5
    wanted = 32768 * 10 ** (-6 / 20) * np.cos(2 * np.pi * 500 * places)
    # 16 bits: rounding on both sides, and a filter with more than 80 dB of attenuation
    assert np.abs(found - wanted).max() <= 3


def test_a_track_without_samples_is_a_file_without_samples(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.0).write(tmp_path / "call")  # no reply: nothing was received
    wave = Wave(open_track(call, "received"))
    pcm, rate = heard(b"".join(wave.pieces(0, wave.size)))
    assert (pcm.size, rate) == (0, 24000)
