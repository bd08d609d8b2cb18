"""The command line answers at once: what is heavy is imported where it is needed."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys

import pytest

from tests.architecture.sources import ROOMS, ROOT, sources

HEAVY = (
    "aiomqtt",
    "ctranslate2",
    "faster_whisper",
    "huggingface_hub",
    "jinja2",
    "jiwer",
    "numba",
    "onnxruntime",
    "openai",
    "opentelemetry",
    "paho",
    "pipecat",
    "piper",
    "prometheus_client",
    "scipy",
    "soundfile",
    "soxr",
    "tokenizers",
    "torch",
    "transformers",
)
"""Modules that nobody gets by importing a module of ours."""

IMPORT_ONE_BY_ONE = """
import importlib, json, sys
heavy, modules = json.load(sys.stdin)
brought = {}
for module in modules:
    before = set(sys.modules)
    importlib.import_module(module)
    brought[module] = [name for name in heavy if name in sys.modules and name not in before]
json.dump({module: names for module, names in brought.items() if names}, sys.stdout)
"""


def heavy_imports_of(modules: list[str]) -> dict[str, list[str]]:
    """The heavy modules that each of these brings along, imported in this order by a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ONE_BY_ONE],
        input=json.dumps([HEAVY, modules]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, list[str]] = json.loads(done.stdout)
    return result


def test_the_command_line_imports_nothing_heavy() -> None:
    assert heavy_imports_of(["agent.cli.main"]) == {}


def test_no_module_imports_anything_heavy_before_it_is_needed() -> None:
    assert heavy_imports_of([source.module for source in sources(ROOT, ROOMS)]) == {}


def test_a_heavy_import_is_found() -> None:
    assert heavy_imports_of(["json", "soxr", "wave"]) == {"soxr": ["soxr"]}


@pytest.mark.wall_clock
def test_help_answers_in_less_than_four_tenths_of_a_second() -> None:
    """In seconds of processor time, the best of three: the machine may be busy with other things."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    seconds = []
    for _ in range(3):
        before = spent()
        subprocess.run(
            [sys.executable, "-m", "agent.cli.main", "--help"],
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        seconds.append(spent() - before)
    assert min(seconds) < 0.4
