"""Measure this machine: `python -m benchmarks [NAME ...]`.

Results go to benchmarks/results.json and, as a table, into docs/benchmarks.md between its markers.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import (
    arena,
    arena_variants,
    blueprint,
    codecs,
    drift,
    gates,
    importing,
    judge,
    line,
    microphone,
    onlookers,
    pace,
    packs,
    reactions,
    scale,
    scoring_speed,
    selftest,
    speed,
    studio,
    studio_page,
    styles,
    text,
    timing,
    verify,
    wire,
)
from benchmarks.sessions import compare, live_words

RESULTS = Path("benchmarks/results.json")
PAGE = Path("docs/benchmarks.md")
BEGIN, END = "<!-- results -->", "<!-- end of results -->"

BENCHMARKS: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "timing, simulated": (timing.simulated, "within 1 ms"),
    "timing, wall clock": (timing.wall_clock, "median at most 2 ms, 95th percentile at most 5 ms"),
    "drift, simulated hour": (drift.simulated, "every click on its sample"),
    "drift, ten minutes": (drift.wall_clock, "within 20 ms"),
    "pace of the tick": (pace.wall_clock, "99th percentile at most 5 ms"),
    "codec per frame": (codecs.per_frame, "at most 100 μs out, and as much in"),
    "socket to event": (wire.socket_to_event, "median and 99th percentile at most 1 ms"),
    "ten minutes of a codec": (wire.ten_minutes, "at most 100 kB"),
    "malformed messages": (codecs.malformed, "at least 100,000 in all, no failure, no growth"),
    "microphone, a fast card": (microphone.drift, "under 1 ms a minute"),
    "line, one frame": (line.frame_cost, "at most 200 μs for noise, codec and loss"),
    "simulated hour": (speed.simulated_hour, "at most 5 s"),
    "arena, 100,000 battles": (arena.speed, "at most 2 s on one core"),
    "arena, intervals": (arena.coverage, "93 % to 97 % hold the truth"),
    "arena, variants": (arena_variants.ranked, "clean, noisy, monotone, wrong facts in this order"),
    "text, 10,000 pairs": (text.four_error_rates, "at most 6 s on one core"),
    "rules judge, labelled replies": (judge.labelled, "reported with its interval"),
    "rules judge, speed": (judge.speed, "within 300 ms of the transcript"),
    "rules judge, packs": (packs.judged, "no right answer is said to contradict"),
    "reactions, labelled replies": (reactions.labelled, "reported"),
    "blueprint of an hour": (blueprint.hour, "at most 240 s on two cores"),
    "voices and styles": (styles.check, "at most 10 points of WER over the resynthesis, but for a whisper"),
    "planted mispronunciations": (verify.planted, "at least 9 of 10 found"),
    "self-test": (selftest.whole, "precision and recall at least 0.95, no false alarm, at most 300 s"),
    "many sessions, pcm": (
        compare.pcm,
        "150 sessions: none void, ticks at most 5 ms late (p99), 5 ms of processor a second, 3 MB each",
    ),
    "many sessions, openai": (
        compare.openai,
        "100 sessions: none void, ticks at most 5 ms late (p99), 8 ms of processor a second, 3 MB each",
    ),
    "live words, eight calls": (live_words.words_in_time, "95th percentile at most 1 s after a turn"),
    "scoring speed": (scoring_speed.by_workers, "at least 15x real time on two cores, equal results"),
    "5,000 calls, ten kills": (scale.killed, "every call exactly once, nothing lost"),
    "10,000 calls reported": (scale.reported, "report and compare at most 5 s"),
    "gate, planted": (gates.planted, "what matters is gated, what does not passes"),
    "gate, equal endpoints": (gates.false_alarms, "at most 5 false alarms of 100"),
    "studio, an hour": (studio.an_hour, "peaks at most 2 s, then 50 ms; memory at most 300 MB"),
    "studio page, an hour": (studio_page.an_hour, "waves and turns at most 1 s; frames reported"),
    "studio page, 10,000 episodes": (
        studio_page.ten_thousand,
        "the first row at most 1 s; frames reported",
    ),
    "studio, 10,000 episodes": (studio.ten_thousand, "the table at most 1 s"),
    "import, exported again": (importing.again, "clean: the same to the sample; in noise reported"),
    "import, an hour": (importing.an_hour, "reported"),
    "onlookers, 20 sessions": (onlookers.cost, "reported: processor time per session-second"),
    "viva --help": (speed.help_text, "at most 0.4 s"),
    "first word of the demo": (speed.first_word, "within 10 s"),
}


def main(names: list[str]) -> int:
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results["machine"] = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    for name in names or BENCHMARKS:
        measure, bar = BENCHMARKS[name]
        print(f"{name} ...", file=sys.stderr, flush=True)
        results[name] = {"at": _commit(), "bar": bar, **measure()}
        print(f"  {json.dumps(results[name])}", file=sys.stderr, flush=True)
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    _write_page(results)
    return 0


def _commit() -> str:
    """The code that is measured; + if it was changed since."""
    found = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(found, check=True, capture_output=True, text=True).stdout.strip()
    changed = ["git", "diff", "--quiet", "HEAD", "--", "*.py", "*.js", "pyproject.toml", "constraints.txt"]
    return commit + "+" * subprocess.run(changed).returncode


def _write_page(results: dict[str, Any]) -> None:
    rows = ["| what | asked for | measured | commit |", "| --- | --- | --- | --- |"]
    for name in BENCHMARKS:
        if name in results:
            values = {
                k: v for k, v in results[name].items() if k not in ("at", "bar", "by_clip", "by_style")
            }
            measured = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in values.items())
            rows.append(f"| {name} | {results[name]['bar']} | {measured} | {results[name]['at']} |")
    page = PAGE.read_text()
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    table = "\n".join(rows)
    PAGE.write_text(f"{head}{BEGIN}\n\nMeasured on {results['machine']}.\n\n{table}\n\n{END}{tail}")
    if "voices and styles" in results:
        styles.write_table(PAGE, results["voices and styles"])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
