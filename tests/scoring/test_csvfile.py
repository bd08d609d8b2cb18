from __future__ import annotations

from pathlib import Path

import pytest

from scoring.csvfile import FileUnfit, read_csv


def test_cells_are_read_without_blanks_and_blank_lines_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbfid, text\r\n1,"a, b"\r\n\r\n2, c \r\n')
    table = read_csv(path)
    assert table.columns == ("id", "text")
    assert table.rows == ((2, {"id": "1", "text": "a, b"}), (4, {"id": "2", "text": "c"}))


@pytest.mark.parametrize(
    ("content", "line", "found", "remedy"),
    [
        (b"id,text\n1,a\n2,\xe9\n", 3, "no text in UTF-8 (byte 0xe9)", "Save it as CSV UTF-8."),
        (b'id,text\n1,"a\n', 2, "no CSV file", "double each quote"),
        (b"id,id\n1,2\n", 1, "names a column twice (id, id)", "Rename one"),
        (b"id,text\n1,a,b\n", 2, "has 3 cells for 2 columns", "comma into quotes"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_what_to_do(
    tmp_path: Path, content: bytes, line: int, found: str, remedy: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(FileUnfit) as caught:
        read_csv(path)
    error = caught.value
    assert error.place == f"{path}:{line}"
    assert found in error.found and remedy in error.remedy


def test_what_is_not_there_is_told_too(tmp_path: Path) -> None:
    with pytest.raises(
        FileUnfit, match=r"cannot be read \(No such file or directory\)\. Name a file"
    ) as caught:
        read_csv(tmp_path / "t.csv")
    assert caught.value.line == 0
