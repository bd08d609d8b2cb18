from __future__ import annotations

import itertools
import sys
import warnings
from types import ModuleType

import numpy as np
import pytest

from streams.audio import Encoding, silence, to_pcm
from streams.g711 import decode, encode, silence_byte

G711 = [Encoding.MULAW, Encoding.ALAW]
EVERY_CODE = bytes(range(256))
EVERY_SAMPLE = np.arange(-32768, 32768, dtype="<i2")


def levels(encoding: Encoding) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return to_pcm(decode(EVERY_CODE, encoding)).astype(np.int64)


@pytest.fixture
def audioop() -> ModuleType:
    """The standard library's codec, which left it with Python 3.13: an implementation not ours."""
    if sys.version_info >= (3, 13):
        pytest.skip("audioop is not in the standard library from Python 3.13 on")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import audioop

        return audioop


@pytest.mark.parametrize(
    ("code", "sample"),
    [(0xFF, 0), (0x7F, 0), (0x00, -32124), (0x80, 32124), (0xFE, 8), (0x7E, -8)],
)
def test_known_mulaw_codes(code: int, sample: int) -> None:
    assert to_pcm(decode(bytes([code]), Encoding.MULAW)).tolist() == [sample]


@pytest.mark.parametrize(
    ("code", "sample"),
    [(0xD5, 8), (0x55, -8), (0xAA, 32256), (0x2A, -32256)],
)
def test_known_alaw_codes(code: int, sample: int) -> None:
    assert to_pcm(decode(bytes([code]), Encoding.ALAW)).tolist() == [sample]


@pytest.mark.parametrize("encoding", list(Encoding))
def test_encoded_silence_is_the_silence_byte(encoding: Encoding) -> None:
    size = 2 if encoding is Encoding.PCM16 else 1
    assert encode(silence(160), encoding) == bytes([silence_byte(encoding)]) * 160 * size


def test_padding_with_the_silence_byte_is_silence_and_padding_with_zeros_is_not() -> None:
    gap = 1600  # 200 ms at 8 kHz
    assert decode(bytes([silence_byte(Encoding.MULAW)]) * gap, Encoding.MULAW) == silence(gap)
    assert decode(b"\x7f" * gap, Encoding.MULAW) == silence(gap)
    assert set(to_pcm(decode(bytes(gap), Encoding.MULAW)).tolist()) == {-32124}
    assert set(to_pcm(decode(bytes([silence_byte(Encoding.ALAW)]) * gap, Encoding.ALAW)).tolist()) == {8}


@pytest.mark.parametrize("encoding", G711)
def test_every_code_survives_decoding_and_encoding(encoding: Encoding) -> None:
    # μ-law has two codes of level 0; 0x7F comes back as 0xFF
    again = encode(decode(EVERY_CODE, encoding), encoding)
    assert again == (EVERY_CODE.replace(b"\x7f", b"\xff") if encoding is Encoding.MULAW else EVERY_CODE)


@pytest.mark.parametrize("encoding", G711)
def test_every_sample_becomes_the_nearest_level(encoding: Encoding) -> None:
    table, samples = levels(encoding), EVERY_SAMPLE.astype(np.int64)
    coded = np.frombuffer(encode(EVERY_SAMPLE.tobytes(), encoding), np.uint8)
    nearest = np.abs(table[None, :] - samples[:, None]).min(axis=1)
    assert np.array_equal(np.abs(table[coded] - samples), nearest)


@pytest.mark.parametrize("encoding", G711)
def test_a_sample_between_two_levels_falls_towards_zero(encoding: Encoding) -> None:
    table, samples = np.unique(levels(encoding)), EVERY_SAMPLE.astype(np.int64)
    coded = levels(encoding)[np.frombuffer(encode(EVERY_SAMPLE.tobytes(), encoding), np.uint8)]
    ties = [int(low + high) // 2 for low, high in itertools.pairwise(table) if (low + high) % 2 == 0]
    heard = {int(sample): int(level) for sample, level in zip(samples, coded, strict=True)}
    assert len(ties) >= 250
    assert all(abs(heard[tie]) < abs(tie) for tie in ties if tie)
    assert heard[0] == (0 if encoding is Encoding.MULAW else 8)


@pytest.mark.parametrize("encoding", G711)
def test_decoding_agrees_with_the_standard_library_on_every_code(
    encoding: Encoding, audioop: ModuleType
) -> None:
    theirs = audioop.ulaw2lin if encoding is Encoding.MULAW else audioop.alaw2lin
    assert decode(EVERY_CODE, encoding) == theirs(EVERY_CODE, 2)


@pytest.mark.parametrize(
    ("encoding", "differ", "nearer"),
    [
        # audioop drops the low bits (two of μ-law's sixteen, three of A-law's) before it looks a level up,
        # so that near a decision value it may take the farther level; at the others of these it is a tie
        (Encoding.MULAW, 1143, 889),
        (Encoding.ALAW, 631, 498),
    ],
)
def test_where_encoding_differs_from_the_standard_library_ours_is_never_farther(
    encoding: Encoding, differ: int, nearer: int, audioop: ModuleType
) -> None:
    theirs = audioop.lin2ulaw if encoding is Encoding.MULAW else audioop.lin2alaw
    table, samples = levels(encoding), EVERY_SAMPLE.astype(np.int64)
    pcm = EVERY_SAMPLE.tobytes()
    our_codes, their_codes = (np.frombuffer(c, np.uint8) for c in (encode(pcm, encoding), theirs(pcm, 2)))
    our_error, their_error = np.abs(table[our_codes] - samples), np.abs(table[their_codes] - samples)
    assert np.count_nonzero(our_codes != their_codes) == differ
    assert np.count_nonzero(our_error < their_error) == nearer
    assert not np.any(our_error > their_error)


def test_pcm16_passes_unchanged() -> None:
    pcm = EVERY_SAMPLE.tobytes()
    assert encode(pcm, Encoding.PCM16) == decode(pcm, Encoding.PCM16) == pcm


@pytest.mark.parametrize("encoding", list(Encoding))
def test_nothing_is_coded_as_nothing(encoding: Encoding) -> None:
    assert encode(b"", encoding) == decode(b"", encoding) == b""
