"""Calls that nobody has measured are measured in a thread, for the table; nothing is written."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path

from recordings.errors import RecordingError
from recordings.format import Outcome
from scoring.catalogue.kept import Kept, Known, Stamp, Unmeasured, stamp_if_there
from scoring.episode_view.build import measured_episode

MOST = 200
"""Calls that are measured unasked: more than that is work for `viva score`, which keeps what it finds."""

LONGEST_S = 900.0
"""Longer calls are measured only if somebody waits for it: an hour takes seconds of a whole processor."""


class Measuring:
    """Looks at episodes, and measures those that are not.

    Args:
        one: Held while a call is gone through, so that only one is in memory at a time.
    """

    def __init__(self, one: threading.Lock | None = None) -> None:
        self._one = one or threading.Lock()
        self._kept = Kept()
        self._lock = threading.Lock()
        self._waiting: dict[str, None] = {}
        self._failed: dict[str, Stamp] = {}
        self._thread: threading.Thread | None = None

    def known(self, folders: Sequence[str]) -> Known:
        """What is known of some episodes; nothing is measured."""
        with self._lock:
            return self._kept.look(folders)

    def look(self, folders: Sequence[str], longest_s: float = LONGEST_S) -> tuple[Known, int]:
        """What is known of some episodes, and how many are being measured."""
        with self._lock:
            known = self._kept.look(folders)
            wanted = [str(one.path) for one in known.others.values() if _can(one, longest_s)]
            if len(wanted) <= MOST:
                self._waiting |= dict.fromkeys(path for path in wanted if self._may(path))
            if self._waiting and not (self._thread and self._thread.is_alive()):
                self._thread = threading.Thread(target=self._work, name="viva-measuring", daemon=True)
                self._thread.start()
            return known, len(self._waiting)

    def wait_for(self, folders: Sequence[str]) -> Known:
        """The same when all are measured that can be; it may take a while."""
        known, left = self.look(folders, math.inf)
        while left:
            if (thread := self._thread) is not None:  # else it has ended since: what it found is there
                thread.join()
            known, left = self.look(folders, math.inf)
        return known

    def _may(self, path: str) -> bool:
        failed = self._failed.get(path)
        return failed is None or failed != stamp_if_there(path)

    def _work(self) -> None:
        while (path := self._next()) is not None:
            stamp = stamp_if_there(path)
            with self._lock:
                self._failed[path] = stamp  # until it is done: whatever happens, it is not tried for ever
            try:
                with self._one:
                    scores = measured_episode(Path(path))
                with self._lock:
                    self._kept.add(path, stamp, scores)
                    del self._failed[path]
            except (RecordingError, OSError):
                continue  # its row says that it is not measured; its page says why
            finally:
                with self._lock:
                    self._waiting.pop(path, None)

    def _next(self) -> str | None:
        """The next one; without any the thread ends, and the next look starts another."""
        with self._lock:
            if not self._waiting:
                self._thread = None
            return next(iter(self._waiting), None)


def _can(one: Unmeasured, longest_s: float) -> bool:
    """Whether a call is over, and not too long."""
    info = one.info
    return info is not None and info.outcome is not Outcome.UNFINISHED and info.duration_s <= longest_s
