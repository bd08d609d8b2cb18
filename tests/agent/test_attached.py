from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from agent.attached import attached, lifeline
from tests.architecture.sources import ROOT

STARTS = """
import subprocess
from agent.attached import attached, lifeline
subprocess.Popen(attached({module!r}, *{arguments!r}), stdin=lifeline())
input()
"""


def parent_of(module: str, *arguments: str) -> subprocess.Popen[str]:
    """A process whose child runs a module; both write to its output, which ends when both have."""
    return subprocess.Popen(
        [sys.executable, "-c", STARTS.format(module=module, arguments=arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("how", ["killed", "told to end", "done"])
def test_a_child_ends_with_its_parent_in_whatever_way_that_ends(how: str) -> None:
    parent = parent_of("http.server", "0", "--bind", "127.0.0.1")
    assert parent.stdout is not None and "Serving HTTP" in parent.stdout.readline()
    if how != "done":
        parent.send_signal(signal.SIGKILL if how == "killed" else signal.SIGTERM)
    assert parent.communicate("\n" if how == "done" else None, timeout=20)[0] == ""


def test_a_module_runs_with_its_arguments_as_if_it_had_been_named_to_python() -> None:
    command = attached("json.tool", "--help")
    done = subprocess.run(command, stdin=lifeline(), capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: python -m json.tool")
