"""PNG pictures of one byte a pixel, with a palette of 256 colours (ISO/IEC 15948)."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PALETTE = 3  # colour type


def png(pixels: npt.NDArray[np.uint8], palette: npt.NDArray[np.uint8]) -> bytes:
    """A picture as a file.

    Args:
        pixels: Numbers of colours, shape (height, width), the top row first.
        palette: Red, green, blue, shape (256, 3).
    """
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter, 0: none
    rows[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, _PALETTE, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", palette.tobytes()),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 1)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
