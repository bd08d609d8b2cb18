"""G.711 μ-law and A-law, by table (ITU-T G.711)."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from streams.audio import Encoding, to_pcm


def encode(pcm: bytes, encoding: Encoding) -> bytes:
    """PCM16 to the wire's encoding."""
    if encoding is Encoding.PCM16:
        return pcm
    return _encoder(encoding)[to_pcm(pcm).view(np.uint16)].tobytes()


def decode(data: bytes, encoding: Encoding) -> bytes:
    """The wire's encoding to PCM16."""
    if encoding is Encoding.PCM16:
        return data
    return _decoder(encoding)[np.frombuffer(data, np.uint8)].astype("<i2").tobytes()


def silence_byte(encoding: Encoding) -> int:
    """The byte that pads silence: a zero byte is a loud click in μ-law."""
    return {Encoding.PCM16: 0x00, Encoding.MULAW: 0xFF, Encoding.ALAW: 0xD5}[encoding]


@cache
def _decoder(encoding: Encoding) -> npt.NDArray[np.int16]:
    code = np.arange(256)
    if encoding is Encoding.MULAW:
        code = ~code & 0xFF
        magnitude = (((code & 0x0F) << 3) + 0x84 << ((code & 0x70) >> 4)) - 0x84
        return np.where(code & 0x80, -magnitude, magnitude).astype(np.int16)
    code = code ^ 0x55
    segment, step = (code & 0x70) >> 4, (code & 0x0F) << 4
    magnitude = np.where(segment == 0, step + 8, (step + 0x108) << np.maximum(segment - 1, 0))
    return np.where(code & 0x80, magnitude, -magnitude).astype(np.int16)


@cache
def _encoder(encoding: Encoding) -> npt.NDArray[np.uint8]:
    """For each 16-bit pattern the code whose decoded value is nearest.

    A tie falls towards zero. A-law has no zero: 0 becomes 8, as its silence byte, not -8.
    """
    levels = _decoder(encoding).astype(np.int32)
    # the smaller magnitude first, so that a tie falls towards zero; 0xFF rather than 0x7F is μ-law's zero
    order = np.lexsort((np.abs(levels), levels))
    if encoding is Encoding.MULAW:
        order = order[order != 0x7F]
    ranked = levels[order]
    value = np.arange(65536, dtype=np.uint16).view(np.int16).astype(np.int32)
    right = np.clip(np.searchsorted(ranked, value), 1, len(ranked) - 1)
    low, high = ranked[right - 1], ranked[right]
    below, above = value - low, high - value
    nearer_low = (below < above) | ((below == above) & (np.abs(low) < np.abs(high)))
    return order[np.where(nearer_low, right - 1, right)].astype(np.uint8)
