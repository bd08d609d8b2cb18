from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

from recordings.check import Severity, check
from recordings.disk import HOLD_S, EventOrder
from recordings.errors import RecordingError
from recordings.format import EndpointText, Event, Fault, Noticed, Outcome, Side, Turn, UsageReported
from recordings.reader import Episode
from recordings.scribe import SCRIBE
from recordings.writer import EpisodeWriter
from streams import clock
from tests.recordings.calls import ENDPOINT_RATE, USER_RATE, Call, Delivery, episode_info, noise, record

FRAME = bytes(2 * USER_RATE // 50)


def note(t: float, text: str = "") -> Event:
    return EndpointText(t=t, text=text, mode="delta")


def settled(writer: EpisodeWriter) -> None:
    writer.abandon()
    writer._over.wait()


def test_a_call_is_recorded_sample_for_sample(tmp_path: Path) -> None:
    reply = noise(24000)
    record(Call(tmp_path / "e", deliveries=[Delivery(1.5, "i1", reply)]))
    episode = Episode.load(tmp_path / "e")
    user, rate = episode.track("user")
    assert (user.size, rate) == (3 * USER_RATE, USER_RATE)
    assert user[:16000].tobytes() == noise(16000, 7)
    heard, rate = episode.track("endpoint")
    # arrival 1.5 s = sample 36000, 24000 samples long, 3 s in all
    assert (heard.size, rate) == (72000, ENDPOINT_RATE)
    assert heard.tobytes() == bytes(2 * 36000) + reply + bytes(2 * 12000)
    assert episode.info.outcome is Outcome.COMPLETED
    assert episode.info.duration_s == 3.0
    assert [turn.intended for turn in episode.turns] == ["Größe?"]


def test_latency_read_from_the_files_alone_is_the_latency_of_the_call(tmp_path: Path) -> None:
    # pitfall D20: user speaks 0.0-2.0, endpoint is heard from 4.363; 4.363 - 2.0 = 2.363
    call = Call(
        tmp_path / "e", seconds=6, says=noise(32000, 3), deliveries=[Delivery(4.363, "i1", noise(2400))]
    )
    record(call)
    episode = Episode.load(tmp_path / "e")
    user, _ = episode.track("user")
    heard, _ = episode.track("endpoint")
    last_spoken = int(np.flatnonzero(user)[-1]) + 1
    first_heard = int(np.flatnonzero(heard)[0])
    assert first_heard / ENDPOINT_RATE - last_spoken / USER_RATE == pytest.approx(2.363, abs=1e-9)


def test_gaps_stay_as_long_as_they_were(tmp_path: Path) -> None:
    # pitfall D18: tones at 0.0-1.0 and 8.0-9.0 make a track of 9.0 s, the second at 8.000
    tones = [Delivery(0.001, "i1", noise(24000)), Delivery(8.0, "i2", noise(24000), response="r2")]
    record(Call(tmp_path / "e", seconds=9.1, says=b"", deliveries=tones))
    heard, rate = Episode.load(tmp_path / "e").track("endpoint")
    silent = np.flatnonzero(heard[rate + 24 :] != 0)[0] + rate + 24
    assert silent == 8 * rate


def test_before_the_end_the_episode_is_unfinished_and_complete(tmp_path: Path) -> None:
    writer = record(Call(tmp_path / "e", deliveries=[Delivery(1.5, "i1", noise(24000))]), finish=False)
    assert json.loads((tmp_path / "e/episode.json").read_bytes())["outcome"] == "unfinished"
    settled(writer)
    episode = Episode.load(tmp_path / "e")
    assert episode.info.outcome is Outcome.UNFINISHED
    assert episode.duration_s == 3.0
    assert episode.events[-1].kind == "session_ended"
    assert not check(episode)


def test_tracks_are_padded_to_one_length(tmp_path: Path) -> None:
    async def main() -> None:
        writer = EpisodeWriter(tmp_path / "e", episode_info())
        writer.user(bytes(2 * 1000))
        writer.endpoint(bytes(2 * 1501))
        # 1501 samples at 24 kHz are 62.54 ms, which is within the 4th frame: 80 ms
        assert (await writer.finish(episode_info(outcome=Outcome.COMPLETED))).duration_s == 0.08

    clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "e")
    assert [episode.track(name)[0].size for name in ("user", "user_clean", "endpoint")] == [
        1280,
        1280,
        1920,
    ]


def test_nothing_is_lost_that_is_older_than_a_tenth_of_a_second(tmp_path: Path) -> None:
    writer = EpisodeWriter(tmp_path / "e", episode_info())
    for _ in range(9):  # 180 ms: one hand-over at 100 ms, the rest still comes together
        writer.user(FRAME)
        writer.endpoint(bytes(2 * 480))
    SCRIBE.wait()  # as a killed process: what has come together is never handed over
    assert Episode.load(tmp_path / "e").track("user")[0].size == 5 * 320
    settled(writer)


def test_events_are_written_before_any_frame_flows(tmp_path: Path) -> None:
    writer = EpisodeWriter(tmp_path / "e", episode_info())
    for step in range(5):
        writer.event(note(-1 + 0.1 * step, str(step)))
    SCRIBE.wait()
    # handed over at -1.0, at -0.8 (with -0.9) and at -0.6 (with -0.7)
    assert [event.t for event in Episode.load(tmp_path / "e").events] == [
        -1 + 0.1 * step for step in range(5)
    ]
    settled(writer)


def test_late_stamps_are_put_in_order() -> None:
    order = EventOrder()
    released = []
    for t in (0.00, 0.05, 0.03, 0.10, 0.04, 0.20, 0.19):
        order.push(note(t))
        released += [event.t for event in order.release(0.0)]
    assert released == [0.00, 0.03, 0.04, 0.05, 0.10]
    assert [event.t for event in order.release(0.19 + HOLD_S)] == [0.19]
    assert [event.t for event in order.release(math.inf)] == [0.20]
    assert not order.late


def test_events_of_one_instant_keep_the_order_they_came_in() -> None:
    order = EventOrder()
    for text in "abc":
        order.push(note(1.0, text))
    assert [e.text for e in order.release(math.inf) if isinstance(e, EndpointText)] == ["a", "b", "c"]


def test_a_stamp_that_is_far_too_late_is_put_in_order_at_the_end(tmp_path: Path) -> None:
    record(Call(tmp_path / "e", extra=[note(0.5, "line\u2028separator"), note(0.25)]))
    times = [event.t for event in Episode.load(tmp_path / "e").events]
    assert times == sorted(times)
    assert {0.25, 0.5} < set(times)


def test_a_turn_that_is_given_again_replaces_the_first(tmp_path: Path) -> None:
    later = Turn(index=0, side=Side.USER, start=0, end=16000, rate=USER_RATE, heard="Größe")
    record(Call(tmp_path / "e", extra=[later]))
    assert Episode.load(tmp_path / "e").turns == [later]


def test_text_with_half_a_character_is_recorded(tmp_path: Path) -> None:
    record(Call(tmp_path / "e", extra=[note(2.9, "a\ud800b")]))
    texts = [event.text for event in Episode.load(tmp_path / "e").events if isinstance(event, EndpointText)]
    assert texts == ["a\ufffdb"]


def test_an_event_with_nan_becomes_a_note_that_says_so(tmp_path: Path) -> None:
    usage = UsageReported(t=2.9, unit="tokens", values={"output": math.nan})
    record(Call(tmp_path / "e", extra=[usage]))
    (found,) = [event for event in Episode.load(tmp_path / "e").events if isinstance(event, Noticed)]
    assert (found.t, found.by, found.code) == (2.9, "us", "not_recordable")
    assert "usage_reported: values.output is nan" in found.message


def test_an_event_without_a_time_fails_the_recording(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="event endpoint_text has no time: t is nan"):
        record(Call(tmp_path / "e", extra=[note(math.nan)]))
    info = Episode.load(tmp_path / "e").info
    assert (info.outcome, info.fault) == (Outcome.HARNESS_FAILED, Fault.US)


def test_a_folder_that_holds_an_episode_is_refused_and_left_alone(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    before = {path: path.read_bytes() for path in (tmp_path / "e").iterdir()}
    with pytest.raises(
        RecordingError, match=r"e: holds an episode already \(episode\.json, .*\)\. Choose another"
    ):
        EpisodeWriter(tmp_path / "e", episode_info())
    assert {path: path.read_bytes() for path in (tmp_path / "e").iterdir()} == before


def test_a_place_that_takes_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match=r"file/e: cannot be written \(Not a directory\)"):
        EpisodeWriter(tmp_path / "file/e", episode_info())


def test_a_writer_that_is_forgotten_writes_when_the_interpreter_exits(tmp_path: Path) -> None:
    run_script(
        f"""
        writer = EpisodeWriter(Path({str(tmp_path / "e")!r}), episode_info())
        for _ in range(7):
            writer.user({FRAME!r})
        """
    )
    assert Episode.load(tmp_path / "e").track("user")[0].size == 7 * 320


def test_no_thread_outlives_its_episode(tmp_path: Path) -> None:
    before = threading.active_count()
    record(Call(tmp_path / "e"))
    assert threading.active_count() <= before + 1  # the loop's executor may keep one


# --- the disk is full, or the process dies ----------------------------------------------------------


def run_script(body: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
    head = """
        import asyncio, resource, signal, sys
        from pathlib import Path
        from recordings.errors import RecordingError
        from recordings.format import *
        from recordings.scribe import SCRIBE
        from recordings.writer import EpisodeWriter
        from streams import clock
        from tests.recordings.calls import episode_info, noise
    """
    script = textwrap.dedent(head) + textwrap.dedent(body)
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", script],
        check=check,
        text=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


def test_a_full_disk_ends_the_recording_and_never_the_session(tmp_path: Path) -> None:
    # the operating system refuses file bytes beyond 40,000, as a full disk does: 20,000 samples at 16 kHz
    done = run_script(
        f"""
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
        folder = Path({str(tmp_path / "e")!r})

        async def main():
            writer = EpisodeWriter(folder, episode_info())
            failed_at = None
            for tick in range(100):
                writer.user(noise(320))
                writer.user_clean(noise(320))
                writer.endpoint(bytes(2 * 480))
                if tick % 5 == 4:  # a batch has been handed over
                    SCRIBE.wait()
                    if writer.failure and failed_at is None: failed_at = tick
            print(failed_at)
            try:
                await writer.finish(episode_info(outcome=Outcome.COMPLETED, fault="nobody"))
            except RecordingError as error:
                print(error)

        clock.run(main())
        """
    )
    failed_at, message = done.stdout.splitlines()
    # endpoint.wav is first to hit the limit, after 19,978 samples of 480 a frame: in frame 42
    assert int(failed_at) == 44  # the batch that holds it
    assert message == (
        f"{tmp_path / 'e'}: cannot be written (File too large). Free some space or choose another folder;"
        " the episode is readable up to here."
    )
    episode = Episode.load(tmp_path / "e")
    assert (episode.info.outcome, episode.info.fault) == (Outcome.HARNESS_FAILED, Fault.US)
    assert episode.info.reason == message
    assert episode.track("endpoint")[0].size == (40_000 - 44) // 2
    assert episode.track("user")[0].size == 45 * 320


def test_a_disk_that_is_behind_takes_at_once_what_has_come_together(tmp_path: Path) -> None:
    behind = threading.Event()

    def keeps_the_disk_busy() -> None:
        behind.wait()

    writer = EpisodeWriter(tmp_path / "e", episode_info())
    SCRIBE.wait()
    SCRIBE.put(keeps_the_disk_busy)
    for _ in range(25):  # five times 100 ms
        writer.user(FRAME)
        writer.endpoint(bytes(2 * 480))
    assert SCRIBE._queue.qsize() <= 2  # one for all five, behind what keeps the disk busy
    behind.set()
    SCRIBE.wait()
    assert Episode.load(tmp_path / "e").track("user")[0].size == 25 * 320
    settled(writer)


def test_a_clean_voice_is_written_once_and_has_both_names(tmp_path: Path) -> None:
    async def main() -> None:
        writer = EpisodeWriter(tmp_path / "e", episode_info(), clean=True)
        for _ in range(10):
            writer.user(FRAME)
            writer.endpoint(bytes(2 * 480))
        await writer.finish(episode_info(outcome=Outcome.COMPLETED))

    clock.run(main(), simulate=True)
    assert (tmp_path / "e/user_clean.wav").samefile(tmp_path / "e/user.wav")
    episode = Episode.load(tmp_path / "e")
    assert episode.track("user_clean")[0].tobytes() == FRAME * 10
    assert not check(episode)


def test_where_a_file_has_one_name_a_clean_voice_is_written_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("recordings.disk.os.link", refuses)
    writer = EpisodeWriter(tmp_path / "e", episode_info(), clean=True)
    for _ in range(5):
        writer.user(FRAME)
        writer.endpoint(bytes(2 * 480))
    SCRIBE.wait()
    assert not (tmp_path / "e/user_clean.wav").samefile(tmp_path / "e/user.wav")
    assert Episode.load(tmp_path / "e").track("user_clean")[0].tobytes() == FRAME * 5
    settled(writer)


@pytest.mark.wall_clock
def test_a_killed_process_leaves_a_readable_episode_that_lost_at_most_200_ms(tmp_path: Path) -> None:
    done = run_script(
        f"""
        import os
        folder = Path({str(tmp_path / "e")!r})
        reply = noise(120 * 24)  # 120 ms at 24 kHz

        async def main():
            writer = EpisodeWriter(folder, episode_info())
            begin = clock.now()
            for tick in range(1, 76):
                await clock.sleep_until(begin + tick * 0.02)
                if tick % 6 == 0:
                    n = tick // 6 - 1
                    writer.received(ReceivedPiece(t=tick * 0.02 - 0.01, item="i", offset=n * 2880,
                                                  samples=2880, start=tick * 480), reply)
                writer.event(EndpointText(t=tick * 0.02, text=str(tick), mode="delta"))
                writer.user(noise(320, tick))
                writer.user_clean(noise(320, tick))
                writer.endpoint((bytes(6 * 960) + reply * 15)[(tick - 1) * 960 : tick * 960])
            print(clock.now() - begin, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

        clock.run(main())
        """,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert float(done.stdout) >= 1.5
    episode = Episode.load(tmp_path / "e")
    assert episode.info.outcome is Outcome.UNFINISHED
    for name in ("user", "user_clean", "endpoint"):
        samples, rate = episode.track(name)
        assert 1.3 <= samples.size / rate <= 1.5
    assert episode.track("user")[0].tobytes() == b"".join(
        noise(320, tick) for tick in range(1, episode.track("user")[0].size // 320 + 1)
    )
    assert episode.events[-1].t >= 1.3
    assert not [problem for problem in check(episode) if problem.severity is Severity.ERROR]
