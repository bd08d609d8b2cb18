"""viva.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.cli.configuration import ConfigurationError, defaults
from agent.cli.main import app


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "viva.toml"
    path.write_text(text)
    return path


def test_no_file_means_no_defaults(tmp_path: Path) -> None:
    assert defaults(tmp_path / "viva.toml", app) == {}


def test_a_key_at_the_top_reaches_every_command_that_has_it(tmp_path: Path) -> None:
    found = defaults(written(tmp_path, 'recogniser = "whisper:tiny"\n'), app)
    assert found["run"] == found["demo"] == found["score"] == {"recogniser": "whisper:tiny"}
    assert found["serve"] == {}


def test_a_table_wins_over_the_top(tmp_path: Path) -> None:
    text = 'recogniser = "whisper:tiny"\n[run]\nrecogniser = "none"\nconcurrency = 2\n'
    found = defaults(written(tmp_path, text), app)
    assert found["run"] == {"recogniser": "none", "concurrency": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recognizer = 'x'\n", "did you mean 'recogniser'?"),
        ("[run]\nconcurency = 2\n", "[run] 'concurency' is not known; did you mean 'concurrency'?"),
        ("[runs]\n", "did you mean 'run'?"),
        ("api_key = 'sk-123'\n", "secrets are read from the environment"),
        ("x = \n", "viva.toml"),
    ],
)
def test_what_is_not_known_is_refused_with_the_nearest_name(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        defaults(written(tmp_path, text), app)
    assert message in str(error.value)
    assert "sk-123" not in str(error.value)
