import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import peak, rms, to_pcm
from streams.endpoints.pieces import FieldError, Fields, SampleAligner


def sine() -> bytes:
    """100 ms of 300 Hz, peak 8000, 24 kHz."""
    samples = 8000 * np.sin(2 * np.pi * 300 / 24000 * np.arange(2400))
    return bytes(np.round(samples).astype("<i2").tobytes())


def test_audio_cut_inside_a_sample_is_put_together_byte_by_byte() -> None:
    data, aligner = sine(), SampleAligner(2)
    parts = [aligner.push("a", data[start:end]) for start, end in ((0, 961), (961, 2001), (2001, 4800))]
    assert [len(part) for part in parts] == [960, 1040, 2800]
    assert b"".join(parts) == data
    whole = to_pcm(b"".join(parts))
    assert (whole.size, peak(whole), int(rms(whole))) == (2400, 8000, 5656)


def test_an_odd_byte_never_meets_another_item() -> None:
    aligner = SampleAligner(2)
    assert aligner.push("a", b"\x01\x02\x03") == b"\x01\x02"
    assert aligner.push("b", b"\x11\x12") == b"\x11\x12"
    assert aligner.push("a", b"\x04") == b"\x03\x04"


def test_an_odd_byte_goes_when_its_item_ends() -> None:
    aligner = SampleAligner(2)
    aligner.push("a", b"\x01")
    aligner.end("a")
    assert aligner.push("a", b"\x02\x03") == b"\x02\x03"


def test_one_byte_samples_are_never_held_back() -> None:
    assert SampleAligner(1).push("a", b"\x01\x02\x03") == b"\x01\x02\x03"


@given(st.lists(st.tuples(st.sampled_from("ab"), st.binary(max_size=7))))
def test_per_item_all_whole_samples_come_out_in_order(pieces: list[tuple[str, bytes]]) -> None:
    aligner = SampleAligner(2)
    out: dict[str, bytes] = {"a": b"", "b": b""}
    for item, data in pieces:
        part = aligner.push(item, data)
        assert len(part) % 2 == 0
        out[item] += part
    for item, data in out.items():
        given_bytes = b"".join(each for name, each in pieces if name == item)
        assert data == given_bytes[: len(given_bytes) // 2 * 2]


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("{", "no JSON"),
        ("[1]", "JSON list"),
        ("null", "JSON NoneType"),
        (b"\xff\xfe", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("9" * 5000, "no JSON"),
    ],
)
def test_what_is_no_json_object_is_a_field_error(message: str | bytes, found: str) -> None:
    with pytest.raises(FieldError, match=found):
        Fields.parse(message)


def test_errors_name_the_place_and_both_types() -> None:
    fields = Fields.parse('{"response": {"items": [{"id": 7}]}}')
    with pytest.raises(FieldError, match=r"field response\.items\[0\]\.id: int, expected a string"):
        fields.child("response").children("items")[0].text("id")
    with pytest.raises(FieldError, match="field type: nothing, expected a string"):
        fields.text("type")


def test_null_and_absent_fields_take_the_default() -> None:
    fields = Fields.parse('{"a": null}')
    assert fields.text("a", "x") == fields.text("b", "x") == "x"
    assert fields.number("a") is None
    assert fields.child("a").text("b", "y") == "y"
    assert list(fields.children("a")) == []


@pytest.mark.parametrize("number", ["true", "1e999", '"5"', "NaN", "1" + "0" * 400])
def test_what_is_no_finite_number_is_an_error(number: str) -> None:
    with pytest.raises(FieldError, match="expected a finite number"):
        Fields.parse(f'{{"n": {number}}}').number("n")


def test_lone_surrogates_become_writable() -> None:
    assert Fields.parse('{"t": "a\\ud800b"}').text("t") == "a?b"


@pytest.mark.parametrize("text", ["AAECAw==", "AAECAw=", "AAECAw"])
def test_base64_is_read_with_and_without_padding(text: str) -> None:
    assert Fields({"a": text}).audio("a") == b"\x00\x01\x02\x03"


@pytest.mark.parametrize("text", ["A", "AA*A", "AAAÄ", "=A=="])
def test_what_is_no_base64_is_an_error(text: str) -> None:
    with pytest.raises(FieldError, match="expected base64"):
        Fields({"a": text}).audio("a")


def test_nested_numbers_are_joined_with_dots() -> None:
    usage = Fields(
        {"total": 5, "details": {"audio": 3, "cached": {"text": 1}}, "type": "tokens", "x": True}
    )
    assert usage.numbers("t.") == {"t.total": 5, "t.details.audio": 3, "t.details.cached.text": 1}
