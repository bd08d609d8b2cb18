from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.cli_calls import Viva


@pytest.fixture
def viva(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Viva:
    """The command line, without speech models."""
    return Viva(tmp_path, monkeypatch, capsys)
