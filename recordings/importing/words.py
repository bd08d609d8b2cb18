"""Transcripts of others: JSON, RTTM, WebVTT, Audacity labels, TextGrid. Times are seconds from sample 0."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

from recordings.format import Role
from recordings.importing.lines import Line, WordsUnreadable, line
from recordings.reading import read_bytes
from streams.foreign import foreign_code

WORD_GAP_S = 0.6
"""Words of one speaker that follow each other so soon are one line."""

LARGEST = 64 << 20
"""Bytes of a transcript; more is none."""

EXTRA = "pip install 'vivavoce[exchange]'"
"""What brings the readers that are libraries."""

_LISTS = ("segments", "utterances", "turns", "words", "results")
_SPEAKER = ("speaker", "speaker_id", "side", "channel", "role")
_START, _END = ("start", "start_s", "start_time", "begin"), ("end", "end_s", "end_time", "stop")
_TEXT = ("text", "transcript", "word", "punctuated_word", "content")


def read_words(path: Path) -> list[Line]:
    """The lines of a transcript, in order of time; the name's ending says the format.

    `.json`, `.jsonl`, `.rttm`, `.vtt`, `.textgrid`; `.txt` and `.labels` are Audacity's.

    Raises:
        WordsUnreadable: With file and line.
        RecordingError: The file cannot be read.
    """
    readers: dict[str, Callable[[str, str], Iterable[Line]]] = {
        ".json": from_json,
        ".jsonl": from_json_lines,
        ".rttm": from_rttm,
        ".vtt": from_webvtt,
        ".textgrid": from_textgrid,
        ".txt": from_audacity,
        ".labels": from_audacity,
    }
    read = readers.get(path.suffix.casefold())
    if read is None:
        raise WordsUnreadable(str(path), 0, f"the ending is {path.suffix!r}", ", ".join(readers))
    data = read_bytes(path, "a transcript")
    if len(data) > LARGEST:
        raise WordsUnreadable(str(path), 0, f"{len(data)} bytes", f"at most {LARGEST >> 20} MB")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        place = data[: error.start].count(b"\n") + 1
        raise WordsUnreadable(str(path), place, "no UTF-8") from error
    found = sorted(read(text, str(path)), key=lambda one: (one.start_s, one.end_s))
    if not found:
        raise WordsUnreadable(str(path), 0, "no line")
    return found


def from_json(text: str, source: str) -> Iterator[Line]:
    """A list of segments or words, or an object that has one as `segments`, `utterances`, `words` ...

    Each has a start, an end, and, if known, speaker, text and role (as `scoring` knows them). Of a segment
    that has words of its own, its own text counts.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        place = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        raise WordsUnreadable(source, place, "no JSON") from None
    if isinstance(data, dict):
        data = next((data[name] for name in _LISTS if isinstance(data.get(name), list)), None)
    if not isinstance(data, list):
        raise WordsUnreadable(source, 0, "no list of segments", '{"segments": [{"start", "end", "text"}]}')
    return _entries(list(enumerate(data, 1)), source)


def from_json_lines(text: str, source: str) -> Iterator[Line]:
    """The same, one segment a line; as `viva export --to jsonl` writes turns."""
    rows = []
    for number, row in enumerate(text.split("\n"), 1):
        if row.strip():
            try:
                rows.append((number, json.loads(row)))
            except (ValueError, RecursionError):
                raise WordsUnreadable(source, number, "no JSON") from None
    return _entries(rows, source)


def _entries(rows: Sequence[tuple[int, Any]], source: str) -> Iterator[Line]:
    single = all(isinstance(row, dict) and any(n in row for n in _TEXT[2:4]) for _, row in rows)
    lines = [_entry(row, source, number) for number, row in rows]
    return _joined(lines) if single else iter(lines)


def _entry(row: Any, source: str, number: int) -> Line:
    if not isinstance(row, dict):
        raise WordsUnreadable(source, number, f"entry {number} is {type(row).__name__}", "an object")
    speaker = _first(row, _SPEAKER)
    speaker = speaker.get("name") if isinstance(speaker, dict) else speaker
    found = line(
        source,
        number,
        speaker if speaker is not None else "",
        _first(row, _START),
        _first(row, _END),
        _first(row, _TEXT),
    )
    role = row.get("role")
    if speaker is not None and isinstance(role, str) and role in set(Role) and "side" in row:
        return replace(found, role=Role(role))
    return found


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _joined(words: Sequence[Line]) -> Iterator[Line]:
    """Words that follow each other as one line."""
    held: list[Line] = []
    for word in sorted(words, key=lambda one: one.start_s):
        if held and (word.speaker != held[-1].speaker or word.start_s - held[-1].end_s > WORD_GAP_S):
            yield _together(held)
            held = []
        held.append(word)
    if held:
        yield _together(held)


def _together(words: Sequence[Line]) -> Line:
    text = " ".join(word.text for word in words if word.text)
    end = max(word.end_s for word in words)
    return replace(words[0], end_s=end, text=text)


def from_rttm(text: str, source: str) -> Iterator[Line]:
    """NIST's Rich Transcription Time Marked: who speaks when, without words."""
    for number, row in enumerate(text.splitlines(), 1):
        fields = row.split()
        if not fields or fields[0].startswith(";;") or fields[0] != "SPEAKER":
            continue
        if len(fields) < 8:
            found = f"{len(fields)} fields"
            raise WordsUnreadable(source, number, found, "SPEAKER FILE CHANNEL START DURATION . . NAME")
        found_at = line(source, number, fields[7], fields[3], fields[3], None)
        yield line(source, number, fields[7], fields[3], found_at.start_s + _float(fields[4]), None)


def _float(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return float("nan")  # `line` says what is wrong with it


def from_audacity(text: str, source: str) -> Iterator[Line]:
    """Audacity's labels: start, end, label, parted by tabs; a label `user: hello` names its speaker."""
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip() or row.startswith("\\"):  # the second: frequencies of a spectral selection
            continue
        start, _, rest = row.partition("\t")
        end, tab, label = rest.partition("\t")
        if not tab and "\t" not in row:
            raise WordsUnreadable(source, number, f"{row[:40]!r}", "START<TAB>END<TAB>LABEL")
        speaker, colon, words = label.partition(":")
        named = bool(colon) and len(speaker.split()) == 1
        yield line(source, number, speaker if named else "", start, end, words if named else label)


def from_webvtt(text: str, source: str) -> Iterator[Line]:
    """WebVTT; the voice of a cue (`<v Name>`) is its speaker."""
    try:
        import webvtt
    except ImportError:
        raise WordsUnreadable(source, 0, f"WebVTT needs webvtt-py: {EXTRA}") from None

    with foreign_code(lambda error: WordsUnreadable(source, 0, f"no WebVTT ({error})")):
        cues = list(webvtt.from_buffer(StringIO(text), format="vtt"))
    for number, cue in enumerate(cues, 1):
        # its own `start_in_seconds` leaves the milliseconds out
        start, end = (_in_seconds(stamp) for stamp in (cue.start_time, cue.end_time))
        yield line(source, number, cue.voice, start, end, unescape(cue.text))


def _in_seconds(stamp: Any) -> float:
    return float(stamp.hours * 3600 + stamp.minutes * 60 + stamp.seconds + stamp.milliseconds / 1000)


def from_textgrid(text: str, source: str) -> Iterator[Line]:
    """Praat's TextGrid: each tier of intervals is a speaker; empty intervals are silence."""
    try:
        from praatio.utilities import textgrid_io
    except ImportError:
        raise WordsUnreadable(source, 0, f"a TextGrid needs praatio: {EXTRA}") from None

    if "ooTextFile" not in text[:200]:
        raise WordsUnreadable(source, 1, "no TextGrid", 'File type = "ooTextFile"')
    with foreign_code(lambda error: WordsUnreadable(source, 0, f"no TextGrid ({error})")):
        grid = textgrid_io.parseTextgridStr(text, includeEmptyIntervals=False)
        tiers = [tier for tier in grid["tiers"] if tier["class"] == "IntervalTier"]
        rows = [(tier["name"], *entry) for tier in tiers for entry in tier["entries"]]
    for name, start, end, label in rows:
        yield line(source, 0, name, start, end, label)
