import json
import subprocess
import sys
from pathlib import Path

import pytest

from recordings.errors import RecordingError
from recordings.raw import ELIDED_FROM, RawTraffic
from streams import clock
from streams.clock import now

ROOT = Path(__file__).parents[2]
KEY = "sk-" + "a1B2" * 8


def written(folder: Path, *messages: str | bytes, audio: bool = False) -> list[dict[str, object]]:
    async def main() -> None:
        raw = RawTraffic(folder, "x://", audio=audio)
        for message in messages:
            raw(now(), "received", message)
        await raw.close()
        assert raw.failure is None

    clock.run(main(), simulate=True)
    return [json.loads(line) for line in (folder / "raw.jsonl").read_text().splitlines()][1:]


def test_the_first_line_says_what_the_file_is(tmp_path: Path) -> None:
    written(tmp_path)
    (head,) = map(json.loads, (tmp_path / "raw.jsonl").read_text().splitlines())
    assert (head["format"], head["version"], head["address"]) == ("vivavoce raw traffic", 1, "x://")
    assert (head["audio"], "started_at_utc" in head) == (False, True)


def test_long_base64_is_taken_for_sound_and_words_are_kept(tmp_path: Path) -> None:
    # 4 characters of base64 are 3 bytes, less one for each sign of padding: 132 are 99 - 2
    sound, words = "A" * ELIDED_FROM, "A" * (ELIDED_FROM - 1)
    (line,) = written(tmp_path, json.dumps({"a": sound, "b": words, "c": f"{sound}AA=="}))
    assert json.loads(str(line["text"])) == {
        "a": "(96 bytes elided)",
        "b": words,
        "c": "(97 bytes elided)",
    }


def test_of_a_long_binary_message_the_head_is_kept_and_a_short_one_is_kept_whole(tmp_path: Path) -> None:
    long, short = written(tmp_path, bytes(range(160)), bytes(ELIDED_FROM - 1))
    assert (long["bytes"], "base64" in long) == (160, False)
    assert long["head"] == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="  # bytes 0 to 31
    assert short["base64"] == "A" * 168 + "AA=="  # 127 bytes


def test_json_in_a_binary_message_is_read_as_text(tmp_path: Path) -> None:
    sound = json.dumps({"a": "A" * 500}).encode()
    first, second = written(tmp_path, sound, b"{no json" + bytes(200))
    assert (first["text"], first["binary"]) == ('{"a": "(375 bytes elided)"}', True)
    assert second["bytes"] == 208


def test_all_of_it_is_kept_if_that_is_asked_for(tmp_path: Path) -> None:
    text, data = json.dumps({"a": "A" * 500}), bytes(100)
    first, second = written(tmp_path, text, data, audio=True)
    assert first["text"] == text
    assert len(str(second["base64"])) == 136


def test_what_looks_like_a_key_is_masked_whoever_sent_it(tmp_path: Path) -> None:
    written(tmp_path, json.dumps({"note": f"try {KEY}"}), f"https://h/x?token={KEY}")
    text = (tmp_path / "raw.jsonl").read_text()
    assert KEY not in text
    assert text.count("***") == 2


def test_odd_text_is_one_line_each(tmp_path: Path) -> None:
    lines = written(tmp_path, "a\nb", "\ud800", "\u2028")
    assert [line["text"] for line in lines] == ["a\nb", "\ud800", "\u2028"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def main() -> None:
        with pytest.raises(RecordingError, match=r"file/raw\.jsonl: cannot be written"):
            RawTraffic(tmp_path / "file", "x://", audio=False)

    clock.run(main(), simulate=True)


def test_a_disk_that_fills_up_is_told_and_stops_nothing(tmp_path: Path) -> None:
    # the operating system refuses file bytes beyond 4,000, as a full disk does
    script = f"""
import resource, signal
from pathlib import Path
from recordings.raw import RawTraffic
from streams import clock

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))

async def main():
    raw = RawTraffic(Path({str(tmp_path)!r}), "x://", audio=True)
    for number in range(100):
        raw(clock.now(), "sent", "x" * 100)
    await raw.close()
    print(raw.failure)

clock.run(main(), simulate=True)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert "raw.jsonl: cannot be written (File too large)" in done.stdout, done.stderr
    assert (tmp_path / "raw.jsonl").stat().st_size == 4_000
