from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT

HAS_A_POOL = """
import sys
from scoring.process_pool import process_pool
pool = process_pool(2, sys.setrecursionlimit, 321)
print(pool.submit(sys.getrecursionlimit).result(), flush=True)
input()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_processes_of_a_pool_begin_as_they_are_told_and_end_with_who_made_it(how: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", HAS_A_POOL],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert parent.stdout is not None and parent.stdout.readline() == "321\n"
    parent.send_signal(how)
    # the processes of the pool hold its output, too: it ends when all have
    assert parent.communicate(timeout=20)[0] == ""
