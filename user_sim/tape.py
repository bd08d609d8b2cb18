"""What was heard lately, by position."""

from __future__ import annotations


class Tape:
    """PCM16 of one stretch of a track; kept only as long as it may be needed.

    Attributes:
        start: Position of the first sample that is kept.
        end: One past the last.
    """

    def __init__(self, start: int = 0) -> None:
        self.start = self.end = start
        self._pcm = bytearray()

    def append(self, pcm: bytes) -> None:
        """Keep the samples that follow."""
        self._pcm += pcm
        self.end += len(pcm) // 2

    def cut(self, start: int, end: int) -> bytes:
        """The samples from `start` up to `end`, as far as they are kept."""
        first, last = max(start, self.start), max(min(end, self.end), self.start)
        return bytes(self._pcm[2 * (first - self.start) : 2 * (last - self.start)])

    def forget(self, before: int) -> None:
        """Drop all samples before a position."""
        dropped = min(max(0, before - self.start), self.end - self.start)
        del self._pcm[: 2 * dropped]
        self.start += dropped
