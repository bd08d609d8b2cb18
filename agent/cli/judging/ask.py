"""`viva ask`: a pack's questions put in writing to a language model, to compare with its speech."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from scenarios.load import LoadedScenario
    from scoring.science.asking import Completes, Question
    from scoring.science.imported import Result
    from scoring.science.run import Science


def ask(names: list[str], llm: str, out: Path, instructions: str, concurrency: int, json: bool) -> int:
    """Ask, write `MODEL.results.jsonl` and show how it did."""
    from scenarios.load import find
    from scenarios.problems import ScenarioError
    from scoring.science.asking import questions_of
    from scoring.science.run import collect
    from streams.language.client import language_model
    from streams.language.errors import LanguageError

    try:
        loaded: list[LoadedScenario] = [one for name in names for one in find(name)]
        questions = questions_of(one.scenario for one in loaded)
        model = language_model(llm, os.environ)
    except (ScenarioError, LanguageError) as error:
        return complain(error, exits.BAD_INPUT)
    if not questions:
        return complain(ValueError(f"{', '.join(names)}: no turn has an item to ask"), exits.BAD_INPUT)
    path = out / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', model.model)}.results.jsonl"
    try:
        out.mkdir(parents=True, exist_ok=True)
        results = run_loop(_asked(questions, model, path, instructions, concurrency))
    except OSError as error:
        return complain(error, exits.for_disk(error))
    answered = sum(result.text is not None for result in results)
    sys.stderr.write(f"answers  {path}  {answered} of {len(results)} questions answered\n")
    _show(collect((), results), path, json)
    return exits.PASS if answered else exits.OUR_FAILURE


async def _asked(
    questions: list[Question], model: Completes, path: Path, instructions: str, concurrency: int
) -> list[Result]:
    """Every answer, each on the disk as soon as it is there."""
    from scoring.science.asking import ask as asking
    from scoring.science.imported import result_line

    results: list[Result] = []
    with path.open("w", encoding="utf-8") as file:
        async for result in asking(questions, model, instructions=instructions, concurrency=concurrency):
            file.write(result_line(result))
            file.flush()
            results.append(result)
    return results


def _show(science: Science, path: Path, json: bool) -> None:
    from scoring.science.report import to_json
    from scoring.science.terminal import print_science

    if json:
        print_json({"path": str(path), "science": to_json(science)})
    else:
        print_science(science)
