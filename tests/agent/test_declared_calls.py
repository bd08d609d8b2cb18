"""Whole calls with every vendor whose protocol is a file: held, recorded, explained by the file again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.cli.endpoints import check as endpoint_check
from recordings.check import check
from recordings.format import Fault, Outcome
from recordings.raw import RAW, RawLogging
from tests.agent.calls import audible
from tests.agent.cli_calls import Viva
from tests.agent.wire_calls import call
from tests.streams.vendors.assemblyai import AssemblyAIVendor
from tests.streams.vendors.cartesia import CartesiaVendor
from tests.streams.vendors.declared_vendor import DeclaredVendor
from tests.streams.vendors.deepgram import DeepgramVendor
from tests.streams.vendors.elevenlabs import ElevenLabsVendor
from tests.streams.vendors.fastrtc import FastRTCVendor
from tests.streams.vendors.hume import HumeVendor
from tests.streams.vendors.ultravox import UltravoxVendor
from tests.streams.vendors.vapi import VapiVendor

VENDORS: list[Callable[[], DeclaredVendor]] = [
    AssemblyAIVendor,
    CartesiaVendor,
    DeepgramVendor,
    ElevenLabsVendor,
    FastRTCVendor,
    HumeVendor,
    UltravoxVendor,
    VapiVendor,
]
SAMPLES = Path(__file__).parents[1] / "data" / "traffic"


def named(make: Callable[[], DeclaredVendor]) -> str:
    """The vendor's name, with the parameters of the double's address."""
    vendor = make()
    return f"{vendor.scheme}?{vendor.path.partition('?')[2]}".rstrip("?")


@pytest.mark.parametrize("make", VENDORS, ids=lambda make: str(make.scheme))
def test_a_call_comes_to_its_end_and_the_file_explains_its_traffic(
    make: Callable[[], DeclaredVendor], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vendor = make()
    held = call(tmp_path, vendor, raw_log=RawLogging.MESSAGES)
    assert (held.info.outcome, held.info.fault) == (Outcome.COMPLETED, Fault.NOBODY)
    assert [problem for problem in check(held.episode) if problem.severity == "error"] == []
    lengths = [round(end - start, 2) for start, end in audible(held.episode, "endpoint")]
    assert lengths == [0.5, 0.5]
    assert endpoint_check.check(named(make), held.folder / RAW, json=True) == 0
    traffic = json.loads(capsys.readouterr().out)["traffic"]
    assert traffic["unknown"] == {} and traffic["received"] >= 10 and traffic["sent"] > 100


@pytest.mark.parametrize("make", VENDORS, ids=lambda make: str(make.scheme))
def test_the_recorded_samples_are_explained(viva: Viva, make: Callable[[], DeclaredVendor]) -> None:
    sample = SAMPLES / f"{make().scheme}.jsonl"
    done = viva("endpoint", "check", named(make), "--traffic", str(sample), "--json")
    assert done.code == 0
    traffic = done.json["traffic"]
    assert traffic["good"] and traffic["received"] and traffic["sent"]
    assert traffic["events"]["AudioReceived"] >= 2


def test_there_is_a_sample_for_every_shipped_file() -> None:
    assert {path.stem for path in SAMPLES.glob("*.jsonl")} == {make().scheme for make in VENDORS}
