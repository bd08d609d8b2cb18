"""What tau2-bench's voice runs leave behind (full duplex, run with `--verbose-logs`).

    RUN/results.json                                    what was run: provider and model
    RUN/simulations/*.json                              one simulation each; or all of them in results.json
    RUN/artifacts/task_TASK/sim_ID/audio/both.wav       the user left, the agent right
    RUN/artifacts/task_TASK/sim_ID/audio/user_labels.txt, assistant_labels.txt      Audacity labels

Source: sierra-research/tau2-bench as of 2026-08-18, src/tau2/voice/README.md and
src/tau2/voice/synthesis/conversation_builder.py. Its labels stand on a grid of ticks (200 ms by default),
hold what each side meant to say, and are cut off after 200 letters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recordings.errors import RecordingError
from recordings.format import Outcome, Side
from recordings.importing.found import Source, Words, slug
from recordings.reading import read_bytes

CUT_OFF = 200
"""Letters after which tau2-bench cuts a label."""

_ENDINGS = {
    "user_stop": Outcome.COMPLETED,
    "agent_stop": Outcome.ENDPOINT_HUNG_UP,
    "max_steps": Outcome.MAX_DURATION,
    "timeout": Outcome.MAX_DURATION,
    "too_many_errors": Outcome.ENDPOINT_ERROR,
    "agent_error": Outcome.ENDPOINT_ERROR,
    "context_window_exceeded": Outcome.ENDPOINT_ERROR,
    "user_error": Outcome.USER_FAILED,
    "infrastructure_error": Outcome.HARNESS_FAILED,
    "unexpected_error": Outcome.HARNESS_FAILED,
}
"""tau2-bench's reasons for an end as ours."""


def is_tau2(folder: Path) -> bool:
    """Whether a folder is a run of tau2-bench with sound."""
    return any(folder.glob("artifacts/task_*/sim_*/audio/both.wav"))


def sources(folder: Path) -> list[Source]:
    """Every simulation with sound, by task.

    Raises:
        RecordingError: A file of the run cannot be read.
    """
    root = folder.resolve()
    endpoint = _endpoint(folder)
    ends = dict(_ends(folder))
    found = []
    for both in sorted(folder.glob("artifacts/task_*/sim_*/audio/both.wav")):
        if not both.resolve().is_relative_to(root):
            continue
        simulation = both.parent.parent.name.removeprefix("sim_")
        task = both.parent.parent.parent.name.removeprefix("task_")
        reason = ends.get(simulation, "")
        labels = {Side.USER: both.with_name("user_labels.txt")}
        labels[Side.ENDPOINT] = both.with_name("assistant_labels.txt")
        found.append(
            Source(
                name=slug(f"{task}-{simulation[:8]}"),
                format="tau2",
                sounds=(both,),
                words=tuple(
                    Words(path, side, own=True, cut_after=CUT_OFF)
                    for side, path in labels.items()
                    if path.is_file() and not path.is_symlink()
                ),
                endpoint=endpoint,
                outcome=_ENDINGS.get(reason, Outcome.COMPLETED),
                reason=f"tau2-bench: {reason}" if reason else "",
                notes=("tau2-bench: agent audio stands on ticks, so starts are later by up to one tick",),
            )
        )
    return found


def _endpoint(folder: Path) -> str:
    info = _json(folder / "results.json").get("info")
    native = info.get("audio_native_config") if isinstance(info, dict) else None
    if not isinstance(native, dict):
        return "tau2"
    return ":".join(str(native[key]) for key in ("provider", "model") if native.get(key)) or "tau2"


def _ends(folder: Path) -> Iterator[tuple[str, str]]:
    """How each simulation ended, by its id."""
    inner = _json(folder / "results.json").get("simulations")
    runs = [one for one in inner if isinstance(one, dict)] if isinstance(inner, list) else []
    runs += [_json(path) for path in sorted((folder / "simulations").glob("*.json"))]
    for run in runs:
        yield str(run.get("id", "")), str(run.get("termination_reason") or "")


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        data = json.loads(read_bytes(path, "results of tau2-bench"))
    except (ValueError, RecursionError) as error:
        raise RecordingError(path, "is no JSON", "Is it a results file of tau2-bench?") from error
    return data if isinstance(data, dict) else {}
