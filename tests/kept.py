"""Programs that are not ours end with the process that tests by them, in whatever way it ends."""

from __future__ import annotations

import subprocess
import sys

from agent.attached import lifeline

ENDS = "import os, signal, sys; sys.stdin.read(); os.kill(int(sys.argv[1]), signal.SIGKILL)"


def kept(pid: int) -> subprocess.Popen[bytes]:
    """Starts what ends a process once this one has ended; to be killed as soon as that one has."""
    return subprocess.Popen([sys.executable, "-S", "-c", ENDS, str(pid)], stdin=lifeline())
