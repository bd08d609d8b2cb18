"""recordings.importing.words and .sides: transcripts in the formats of others."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.errors import RecordingError
from recordings.format import Role, Side
from recordings.importing.lines import Line, WordsUnreadable
from recordings.importing.sides import sides_of
from recordings.importing.words import read_words


def read(tmp_path: Path, name: str, content: str) -> list[tuple[str, float, float, str | None]]:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return [(one.speaker, one.start_s, one.end_s, one.text) for one in read_words(path)]


HELLO = [("user", 0.5, 1.25, "Hello there."), ("agent", 1.5, 2.0, "Hi!")]

SAME_CALL = {
    "a.json": json.dumps(
        {
            "segments": [
                {"speaker": "agent", "start": 1.5, "end": 2.0, "text": "Hi!"},
                {"speaker": "user", "start": 0.5, "end": 1.25, "text": "Hello  there."},
            ]
        }
    ),
    "b.jsonl": '{"side": "user", "start_s": 0.5, "end_s": 1.25, "text": "Hello there."}\n\n'
    '{"speaker": "agent", "start_s": 1.5, "end_s": 2.0, "text": "Hi!"}\n',
    "c.txt": "0.500000\t1.250000\tuser: Hello there.\n\\\t0\t1000\n1.5\t2\tagent: Hi!\n",
    "d.vtt": "WEBVTT\n\n00:00:00.500 --> 00:00:01.250\n<v user>Hello there.\n\n"
    "00:00:01.500 --> 00:00:02.000\n<v agent>Hi!\n",
    "e.TextGrid": """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "user"
        xmin = 0
        xmax = 2
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.5
            text = ""
        intervals [2]:
            xmin = 0.5
            xmax = 1.25
            text = "Hello there."
        intervals [3]:
            xmin = 1.25
            xmax = 2
            text = ""
    item [2]:
        class = "IntervalTier"
        name = "agent"
        xmin = 0
        xmax = 2
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 1.5
            text = ""
        intervals [2]:
            xmin = 1.5
            xmax = 2
            text = "Hi!"
""",
}


@pytest.mark.parametrize("name", SAME_CALL)
def test_the_same_call_is_read_from_every_format(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, name, SAME_CALL[name]) == HELLO


def test_rttm_says_who_speaks_when_and_no_words(tmp_path: Path) -> None:
    rows = (
        ";; comment",
        "SPEAKER call 1 0.50 0.75 <NA> <NA> spk0 <NA> <NA>",
        "LEXEME call 1 0.5 0.2 x lex spk0 1",
    )
    content = "\n".join(rows)
    assert read(tmp_path, "a.rttm", content) == [("spk0", 0.5, 1.25, None)]


def test_words_that_follow_each_other_are_one_line(tmp_path: Path) -> None:
    words = [("Hello", 0.0, 0.4), ("there", 0.5, 0.9), ("again", 1.6, 2.0)]
    data = {"words": [{"word": w, "start": a, "end": b, "speaker": 0} for w, a, b in words]}
    # 0.7 s of pause before "again" are more than 0.6
    assert read(tmp_path, "a.json", json.dumps(data)) == [
        ("0", 0.0, 0.9, "Hello there"),
        ("0", 1.6, 2.0, "again"),
    ]


def test_roles_of_our_own_export_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"side": "user", "role": "backchannel", "start_s": 0, "end_s": 1, "text": "mm-hm"}\n')
    (one,) = read_words(path)
    assert (one.speaker, one.role) == ("user", Role.BACKCHANNEL)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.json", "{", r"a\.json:1: no JSON"),
        ("a.json", "[" * 100_000, r"a\.json: no JSON"),
        ("a.json", '{"text": "hello"}', "no list of segments"),
        ("a.json", "[]", "no line"),
        ("a.json", "[1]", "entry 1 is int; expected an object"),
        ("a.json", '[{"start": 0, "text": "x"}]', r":1: the end is None; expected seconds"),
        ("a.json", '[{"start": NaN, "end": 1}]', r":1: the start is nan"),
        ("a.json", '[{"start": -1, "end": 1}]', r":1: the start is -1; expected seconds from 0 on"),
        ("a.json", '[{"start": 2, "end": 1}]', r":1: ends at 1 s, before its start at 2 s"),
        ("a.jsonl", '{"start": 0, "end": 1}\nnonsense\n', r"a\.jsonl:2: no JSON"),
        ("a.rttm", "SPEAKER call 1 0.5\n", r":1: 4 fields"),
        ("a.rttm", "SPEAKER call 1 0.5 x <NA> <NA> a <NA> <NA>\n", r":1: the end is nan"),
        ("a.txt", "hello\n", r":1: 'hello'; expected START<TAB>END<TAB>LABEL"),
        ("a.vtt", "nonsense", "no WebVTT"),
        ("a.TextGrid", "nonsense", "no TextGrid"),
        ("a.docx", "nonsense", r"the ending is '\.docx'"),
    ],
)
def test_what_is_no_transcript_is_said_with_its_place(
    tmp_path: Path, name: str, content: str, complaint: str
) -> None:
    with pytest.raises(WordsUnreadable, match=complaint):
        read(tmp_path, name, content)


def test_bytes_that_are_no_text_are_said_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"0\t1\tuser: x\n\xff\xfe\n")
    with pytest.raises(WordsUnreadable, match=r"a\.txt:2: no UTF-8"):
        read_words(tmp_path / "a.txt")


def test_a_transcript_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"none\.json: cannot be read"):
        read_words(tmp_path / "none.json")


@given(st.text(max_size=200))
def test_no_text_makes_a_reader_fail_in_another_way(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    folder = tmp_path_factory.mktemp("words")
    for name in ("a.json", "a.jsonl", "a.rttm", "a.txt", "a.vtt", "a.TextGrid"):
        (folder / name).write_bytes(content.encode("utf-8", "surrogatepass"))
        try:
            read_words(folder / name)
        except WordsUnreadable as error:
            assert error.source.endswith(name)


def lines(*speakers: str) -> list[Line]:
    return [Line(speaker, 0.0, 1.0, "x") for speaker in speakers]


def test_usual_names_of_speakers_are_known() -> None:
    found = sides_of(lines("Caller", "assistant", "USER", "bot"), "f")
    assert [side for side, _ in found] == [Side.USER, Side.ENDPOINT, Side.USER, Side.ENDPOINT]


def test_of_two_speakers_one_name_is_enough() -> None:
    assert [side for side, _ in sides_of(lines("SPEAKER_00", "SPEAKER_01"), "f", user="SPEAKER_01")] == [
        Side.ENDPOINT,
        Side.USER,
    ]
    found = sides_of(lines("SPEAKER_00", "SPEAKER_01"), "f", endpoint="SPEAKER_01")
    assert [side for side, _ in found] == [Side.USER, Side.ENDPOINT]


@pytest.mark.parametrize(
    ("speakers", "user", "named"),
    [
        (("SPEAKER_00", "SPEAKER_01"), "", "SPEAKER_00, SPEAKER_01"),
        (("",), "", r"\(none\)"),
        (("a", "b", "c"), "a", "b, c"),  # the other of two, but not of three
    ],
)
def test_who_is_neither_side_is_asked_for(speakers: tuple[str, ...], user: str, named: str) -> None:
    with pytest.raises(WordsUnreadable, match=f"speakers {named}; expected .* --user-speaker"):
        sides_of(lines(*speakers), "f", user)


@pytest.mark.parametrize(("name", "library"), [("d.vtt", "webvtt"), ("e.TextGrid", "praatio.utilities")])
def test_a_library_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(WordsUnreadable, match=r"pip install 'vivavoce\[exchange\]'"):
        read(tmp_path, name, SAME_CALL[name])
