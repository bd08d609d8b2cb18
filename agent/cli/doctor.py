"""`viva doctor`: what works on this machine, what is missing, and how to get it."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import platform
import sys
from dataclasses import asdict, dataclass

from agent.cli import exits
from agent.cli.output import print_json
from streams.clock import now
from streams.clock import run as run_loop


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried.

    Attributes:
        state: "works", "missing" (something optional is not here) or "broken".
        remedy: What to do about it.
    """

    name: str
    state: str
    detail: str
    remedy: str = ""


def doctor(json: bool) -> int:
    """Try everything that the demo needs; 0 if that works, 3 if not."""
    checks = run_loop(_checks())
    broken = [check for check in checks if check.state == "broken"]
    if json:
        print_json({"checks": [asdict(check) for check in checks], "ready": not broken})
    else:
        _print(checks)
        verdict = "ready: try `viva demo`" if not broken else f"{len(broken)} things to mend first"
        sys.stderr.write(f"\n{verdict}\n")
    return exits.OUR_FAILURE if broken else exits.PASS


def _print(checks: list[Check]) -> None:
    from rich.console import Console
    from rich.table import Table

    styles = {"works": "green", "missing": "yellow", "broken": "red"}
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for check in checks:
        text = check.detail + (f"\n→ {check.remedy}" if check.remedy else "")
        table.add_row(f"[{styles[check.state]}]{check.state}[/]", check.name, text)
    Console().print(table)


async def _checks() -> list[Check]:
    checks = [
        Check("python", "works", f"{platform.python_version()} on {platform.platform()}"),
        await _tick(),
    ]
    checks += await _speech()
    checks += [_optional(*row) for row in _OPTIONAL]
    checks += [_key("OPENAI_API_KEY", "openai:// endpoints, voices, recognisers and language models")]
    return checks


async def _tick() -> Check:
    """Is this machine on time? Half a second of 20 ms ticks."""
    start, late = now(), 0.0
    for tick in range(1, 26):
        due = start + tick * 0.02
        await asyncio.sleep(max(0.0, due - now()))
        late = max(late, now() - due)
    detail = f"the latest of 25 ticks of 20 ms came {late * 1000:.1f} ms late"
    if late > 0.02:
        return Check("clock", "missing", detail, "close other programs, or expect void episodes")
    return Check("clock", "works", detail)


async def _speech() -> list[Check]:
    from streams.audio import to_float
    from streams.resample import resample
    from streams.speech import select
    from streams.speech.interfaces import SPEECH_RATE, SpeechError

    sentence = "The quick brown fox jumps over the lazy dog."
    checks: list[Check] = []
    clip = None
    try:
        voice = select.voice("default", os.environ)
        speech = await voice.speak(sentence)
        clip = to_float(resample(speech.pcm, speech.rate, SPEECH_RATE))
        seconds = len(speech.pcm) / 2 / speech.rate
        checks.append(Check("voice", "works", f"{voice.identity.name} spoke {seconds:.1f} s"))
    except SpeechError as error:
        checks.append(Check("voice", "broken", error.found, error.remedy))
    try:
        recogniser = select.recogniser("default", os.environ)
        if clip is not None:
            started = now()
            heard = await recogniser.transcribe(clip)
            detail = f"{recogniser.identity.name} heard {heard.text!r} in {now() - started:.1f} s"
            checks.append(Check("hearing", "works" if heard.text else "broken", detail))
    except SpeechError as error:
        checks.append(Check("hearing", "broken", error.found, error.remedy))
    for name, make in (("speech activity", select.detector), ("end of turn", select.turn_detector)):
        try:
            engine = make("default")
            checks.append(Check(name, "works", engine.identity.name if engine else "by silence alone"))
        except SpeechError as error:
            checks.append(Check(name, "broken", error.found, error.remedy))
    return checks


_OPTIONAL = (
    ("transformers", "recognisers by hub id or folder", "pip install 'vivavoce[transformers]'"),
    ("torch", "needed by transformers", "pip install 'vivavoce[transformers]'"),
)


def _optional(module: str, purpose: str, remedy: str) -> Check:
    if importlib.util.find_spec(module) is None:
        return Check(module, "missing", f"not installed: {purpose}", remedy)
    return Check(module, "works", purpose)


def _key(name: str, purpose: str) -> Check:
    if os.environ.get(name):
        return Check(name, "works", f"set: {purpose}")
    return Check(name, "missing", f"not set: {purpose}", f"export {name}=... if you want to use them")
