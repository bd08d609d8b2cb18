"""WAV files that grow, and survive being killed.

The samples are written first and the header's two sizes after them, at once or some appends later, both
straight to the operating system. So at any instant the file is a valid WAV, which any player opens, and its
header never promises more than is there; a kill between the two writes leaves a file that is longer than
its header says, and `read_wav` believes the file.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from recordings.errors import RecordingError
from streams.audio import Pcm

_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_LARGEST = 0xFFFFFFFF
_PCM, _EXTENSIBLE = 1, 0xFFFE
_ENCODINGS = {3: "32-bit float", 6: "A-law", 7: "μ-law", 0x55: "MP3"}


def _header(rate: int, samples: int) -> bytes:
    size = 2 * samples
    return _HEADER.pack(
        b"RIFF",
        min(_HEADER.size - 8 + size, _LARGEST),
        b"WAVE",
        b"fmt ",
        16,
        _PCM,
        1,
        rate,
        2 * rate,
        2,
        16,
        b"data",
        min(size, _LARGEST),
    )


class GrowingWav:
    """A mono PCM16 WAV file to append to.

    Attributes:
        samples: Length so far.

    Raises:
        FileExistsError: There is such a file already.
        OSError: Whatever the disk says, here and in every method.
    """

    def __init__(self, path: Path, rate: int) -> None:
        self.path = path
        self.rate = rate
        self.samples = 0
        self._stale = False
        self._file = path.open("xb", buffering=0)
        self._write(_header(rate, 0))

    def append(self, pcm: bytes, *, header: bool = True) -> None:
        """Write whole PCM16 samples at the end; without `header` the file says so only later."""
        if len(pcm) % 2:
            raise ValueError(f"{self.path.name}: {len(pcm)} bytes are no whole number of 16-bit samples")
        if not pcm:
            return
        self._write(pcm)
        self.samples += len(pcm) // 2
        self._stale = True
        if header:
            self._rewrite_header()

    def pad(self, samples: int) -> None:
        """Lengthen with silence to `samples` in all."""
        if samples > self.samples:
            self._file.truncate(_HEADER.size + 2 * samples)
            self._file.seek(0, os.SEEK_END)
            self.samples = samples
            self._rewrite_header()

    def close(self, *, sync: bool = False) -> None:
        """Close the file; with `sync` it is on the disk, and not only on its way there."""
        if self._stale:
            self._rewrite_header()
        if sync:
            os.fsync(self._file.fileno())
        self._file.close()

    def _rewrite_header(self) -> None:
        os.pwrite(self._file.fileno(), _header(self.rate, self.samples), 0)
        self._stale = False

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:  # a disk that is nearly full takes a part, and fails at the next write
            rest = rest[self._file.write(rest) :]


class WavLayout(NamedTuple):
    """Where the samples of a mono PCM16 WAV file lie.

    Attributes:
        rate: Samples per second.
        start: Byte at which the samples begin.
        size: Bytes of whole samples.
    """

    rate: int
    start: int
    size: int

    @property
    def samples(self) -> int:
        """Length in samples."""
        return self.size // 2


def read_wav(path: Path) -> tuple[Pcm, int]:
    """Samples and rate of a mono PCM16 WAV file.

    A header whose sizes do not fit the file (0, 0xFFFFFFFF, shorter or longer, as a killed process
    leaves them) gives way to the size of the file.

    Raises:
        RecordingError: Not there, not a WAV file, or not mono PCM16.
    """
    with _opened(path) as (file, layout):
        file.seek(layout.start)
        return np.frombuffer(file.read(layout.size), "<i2"), layout.rate


def map_wav(path: Path) -> tuple[Pcm, int]:
    """The same without reading it: the samples come from the disk when they are looked at.

    For files that nobody makes shorter meanwhile: the process would not survive that.

    Raises:
        RecordingError: See `read_wav`.
    """
    with _opened(path) as (file, layout):
        if not layout.size:
            return np.zeros(0, "<i2"), layout.rate
        mapped = mmap.mmap(file.fileno(), layout.start + layout.size, access=mmap.ACCESS_READ)
        return np.frombuffer(mapped, "<i2", layout.samples, layout.start), layout.rate


def let_go(pcm: Pcm) -> None:
    """Give back the memory of a track of `map_wav`: what is looked at again comes from the disk again."""
    owner: object = pcm
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        owner.madvise(mmap.MADV_DONTNEED)


def wav_layout(path: Path) -> WavLayout:
    """Where the samples of a file lie, by its header as far as it is true; see `read_wav`.

    Raises:
        RecordingError: See `read_wav`.
    """
    with _opened(path) as (_, layout):
        return layout


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, WavLayout]]:
    try:
        with path.open("rb") as file:
            yield file, _layout(path, file)
    except FileNotFoundError:
        raise RecordingError(path, "there is no such file") from None
    except OSError as error:
        raise RecordingError(path, f"cannot be read ({error.strerror})") from error


def _layout(path: Path, file: BinaryIO) -> WavLayout:
    length = os.fstat(file.fileno()).st_size
    head = file.read(12)
    if len(head) < 12 or head[:4] != b"RIFF" or head[8:] != b"WAVE":
        raise RecordingError(path, "is no WAV file", "Expected a file that begins with RIFF and WAVE.")
    (riff,) = struct.unpack("<I", head[4:8])
    rate = 0
    while len(chunk := file.read(8)) == 8:
        name, size = struct.unpack("<4sI", chunk)
        if name == b"fmt ":
            rate = _rate(path, file.read(size))
        elif name == b"data":
            if not rate:
                break
            start = file.tell()
            return WavLayout(rate, start, _data_size(size, riff, start, length))
        else:
            file.seek(size, os.SEEK_CUR)
        file.seek(size % 2, os.SEEK_CUR)
    raise RecordingError(path, "ends before its samples begin", "The file was cut off in its header.")


def _data_size(declared: int, riff: int, start: int, length: int) -> int:
    """Bytes of whole samples.

    The header is believed only if it describes the whole file; then other chunks may follow the samples.
    """
    there = length - start
    whole = riff + 8 in (length, length - 1) and 0 < declared <= there
    return (declared if whole else there) // 2 * 2


def _rate(path: Path, fmt: bytes) -> int:
    if len(fmt) < 16:
        raise RecordingError(path, "ends before its samples begin", "The file was cut off in its header.")
    encoding, channels, rate, _, _, bits = struct.unpack("<HHIIHH", fmt[:16])
    if encoding == _EXTENSIBLE and len(fmt) >= 26:
        (encoding,) = struct.unpack("<H", fmt[24:26])
    if encoding != _PCM or bits != 16:
        name = f"{bits}-bit PCM" if encoding == _PCM else _ENCODINGS.get(encoding, f"encoding {encoding}")
        raise RecordingError(path, f"holds {name}, expected 16-bit PCM", "Convert it to 16-bit PCM first.")
    if channels != 1:
        raise RecordingError(
            path, f"has {channels} channels, expected 1", "Take one channel out of it first."
        )
    if not rate:
        raise RecordingError(path, "names a rate of 0 Hz")
    return int(rate)
