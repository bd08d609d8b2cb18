"""`viva scenarios grow`: new scenarios after the example of others, by a language model, and checked."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.cli.packs.grow_loop import Ended, Grower, Recipe
    from agent.cli.packs.grow_store import Store
    from agent.cli.packs.spoken_queries import Bench
    from scenarios.growing.cells import Example
    from scenarios.growing.records import Growth
    from scenarios.load import LoadedScenario
    from scenarios.schema import Pack
    from scoring.judge.ask import Asker
    from streams.language.sentences import SentenceEncoder

ANSWERS = "answers"
"""Folder of the pack where the model's answers are kept, so that no paid one is lost."""


@dataclass(frozen=True, slots=True)
class GrowRequest:
    """What was asked for.

    Attributes:
        seeds: Packs, scenarios of them, or files.
        out: Folder of the new pack.
        recipe: How to grow it.
        llm: The language model.
        licence: Of the new pack; "" is that of the seeds.
        sample: Scenarios for a person's check; 0 queues none.
        cache: Where answers are kept; None is in the pack's folder.
        tokens: Budget; None is no limit.
        usd: Budget; None is no limit.
    """

    seeds: list[str]
    out: Path
    recipe: Recipe
    llm: str
    licence: str = ""
    sample: int = 50
    voice: str = "default"
    recogniser: str = "default"
    floor: float = 3.5
    cache: Path | None = None
    tokens: int | None = None
    usd: float | None = None
    dry_run: bool = False
    json: bool = False


class SeedsUnfit(ValueError):
    """Seeds that nothing can be grown from."""


def grow(request: GrowRequest) -> int:
    """Grow a pack; 3 if it could not have all that was wanted, and what there is stays."""
    from agent.cli.packs.grow_loop import Ended
    from agent.cli.packs.grow_review import refused_out
    from agent.cli.packs.grow_store import FolderUnfit, Store
    from agent.cli.packs.verify import make_bench
    from recordings.errors import RecordingError
    from scenarios.problems import ScenarioError
    from scoring.judge.contract import JudgeUnfit
    from scoring.judge.select import encoder
    from streams.language.errors import LanguageError
    from streams.language.sentences import EncoderMissing
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        loaded, seeds = _seeds(request.seeds)
        asker = _asker(request)
        if request.dry_run:
            return _estimated(request, seeds, asker)
        bench = make_bench(request.voice, request.recogniser, request.floor)
        sentences = encoder()
        with closing(Store(request.out, _settings(request, seeds), _manifest(request, loaded))) as store:
            if out := refused_out(store):
                sys.stderr.write(f"viva: {len(out)} taken out of the pack: people find them inconsistent\n")
            growth = store.growth(seeds, request.out.resolve().name)
            ended = _hold(request, growth, store, asker, sentences, bench)
            _final_check(store, growth)
    except (ScenarioError, LanguageError, EngineMisnamed, JudgeUnfit, SeedsUnfit, FolderUnfit) as error:
        return complain(error, exits.BAD_INPUT)
    except RecordingError as error:
        return complain(error, exits.for_disk(error))
    except (SpeechError, EncoderMissing) as error:
        return complain(error, exits.OUR_FAILURE)
    except OSError as error:
        return complain(error, exits.for_disk(error))
    if ended is Ended.INTERRUPTED:
        return exits.INTERRUPTED
    return exits.PASS if ended is Ended.DONE else exits.OUR_FAILURE


def _seeds(names: Sequence[str]) -> tuple[list[LoadedScenario], list[Example]]:
    from scenarios.growing.cells import examples
    from scenarios.load import find

    loaded = [one for name in names for one in find(name)]
    seeds = examples(loaded)
    if not seeds:
        found = "no scenario has an `expression` in the last of at most two turns"
        raise SeedsUnfit(f"{', '.join(names)}: {found}. Seeds are like those of the pack `expression`.")
    languages = sorted({seed.scenario.language for seed in seeds})
    if len(languages) > 1:
        raise SeedsUnfit(
            f"seeds in {', '.join(languages)}, expected one language. Grow one after the other."
        )
    return loaded, seeds


def _asker(request: GrowRequest) -> Asker:
    from scoring.growing.propose import short_nonce
    from scoring.judge.answers import AnswerCache
    from scoring.judge.ask import Asker
    from scoring.judge.budget import Budget
    from streams.language.client import language_model

    model = language_model(request.llm, os.environ)
    model.temperature = request.recipe.temperature
    cache = AnswerCache(request.cache or request.out / ANSWERS)
    budget = Budget(request.tokens, request.usd)
    return Asker(model, cache=cache, budget=budget, nonce=short_nonce)


def _settings(request: GrowRequest, seeds: Sequence[Example]) -> Any:
    from scenarios.growing.cells import fingerprint
    from scenarios.growing.records import Settings

    return Settings(seeds=tuple(request.seeds), seeds_sha256=fingerprint(seeds), seed=request.recipe.seed)


def _manifest(request: GrowRequest, loaded: Sequence[LoadedScenario]) -> Pack:
    from scenarios.schema import Pack

    licences = sorted({one.pack.licence for one in loaded if one.pack})
    if not request.licence and len(licences) != 1:
        found = f"the seeds have {' and '.join(licences) or 'no licence'}"
        raise SeedsUnfit(f"{found}, expected one licence. Give that of the new pack with --licence.")
    names = ", ".join(request.seeds)
    fusions = {one.pack.fusion if one.pack else "" for one in loaded}
    slug = re.sub(r"[^a-z0-9._-]+", "-", request.out.resolve().name.casefold()).strip("-._")
    return Pack(
        id=slug[:80] or "grown",
        title=f"Grown from {names}"[:200],
        description="Written by a language model after examples, and checked; see grown.jsonl beside.",
        licence=request.licence or licences[0],
        author="Written by a language model",
        fusion=fusions.pop() if len(fusions) == 1 else "",
    )


def _estimated(request: GrowRequest, seeds: Sequence[Example], asker: Asker) -> int:
    """Say what it would take at least: every question answered at once, and every answer taken."""
    from agent.cli.packs.grow_loop import wanted
    from scenarios.growing.cells import cells
    from scenarios.growing.records import Growth
    from scoring.growing.propose import estimate

    first = wanted(Growth(seeds, request.out.name), request.recipe)
    cost = estimate(asker, first, request.recipe.count)
    report = {
        "seeds": len(seeds),
        "cells": len(cells(seeds)),
        "first": {"cell": str(first.cell), "shots": [shot.name for shot in first.shots]},
        "estimate": cost.to_json(),
    }
    if request.json:
        print_json(report)
    else:
        sys.stderr.write(
            f"{len(seeds)} seeds in {report['cells']} cells; the first question is for {first.cell}\n"
            f"{request.recipe.count} scenarios take at least {cost}; refused ones come on top\n"
        )
    return exits.PASS


def _hold(
    request: GrowRequest,
    growth: Growth,
    store: Store,
    asker: Asker,
    sentences: SentenceEncoder | None,
    bench: Bench,
) -> Ended:
    """Grow, queue the sample, report; Ctrl+C ends it between any two steps."""
    from agent.cli.packs.grow_loop import Ended, Grower
    from agent.cli.packs.grow_review import queued
    from scoring.growing.likeness import Likeness

    before = len(growth.grown)
    if sentences is None:
        sys.stderr.write("viva: no sentence model: prompts are compared word by word (viva doctor)\n")
    prompts = [(one.name, one.ask.text) for one in (*growth.seeds, *growth.examples())]
    grower = Grower(growth, store, asker, Likeness(sentences, prompts), bench, request.recipe)

    async def whole() -> Ended:
        found = await grower.grow()
        await queued(growth, store, bench, request.sample, request.recipe.seed)
        return found

    try:
        ended = run_loop(whole())
    except KeyboardInterrupt:
        ended = Ended.INTERRUPTED
        sys.stderr.write(f"\nviva: interrupted. What was grown is in {store.folder}; ask again to go on\n")
    name = None if sentences is None else sentences.name
    _report(request, grower, {"ended": ended.value, "new": len(growth.grown) - before, "sentences": name})
    return ended


def _final_check(store: Store, growth: Growth) -> None:
    """What `viva scenarios check` says: the pack as it stands on the disk, hand-mended or not."""
    from scenarios.load import load_pack

    if growth.grown:
        load_pack(store.folder)


def _report(request: GrowRequest, grower: Grower, ended: dict[str, Any]) -> None:
    from agent.cli.packs.grow_review import answered

    growth, queue = grower.growth, grower.store.queue()
    report = {
        "pack": str(request.out),
        **ended,
        "seeds": len(growth.seeds),
        "wanted": request.recipe.count,
        "grown": len(growth.grown),
        "questions": growth.next_number - 1,
        "removed_by_hand": len(growth.removed),
        "rejected": growth.by_cause,
        "by_level": {str(int(k)): n for k, n in sorted(_by_level(growth).items())},
        "server_failures": dict(grower.failures),
        "cost": grower.cost.to_json(),
        "review": {"scenarios": len(queue), "answered": answered(grower.store)},
    }
    if request.json:
        print_json(report)
    else:
        _print(report, str(grower.cost))
    if grower.why:
        sys.stderr.write(f"viva: {grower.why}\n")


def _by_level(growth: Growth) -> dict[int, int]:
    from collections import Counter

    return dict(Counter(int(line.level) for line in growth.grown))


def _print(report: dict[str, Any], cost: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("", "proposals", box=None)
    table.add_row("taken", str(report["grown"]))
    for cause, count in report["rejected"].items():
        table.add_row(cause.replace("_", " "), str(count))
    console = Console()
    console.print(table)
    levels = ", ".join(f"{count} at level {level}" for level, count in report["by_level"].items())
    console.print(
        f"{report['grown']} of {report['wanted']} scenarios ({levels or 'none'}) in {report['pack']}"
    )
    console.print(f"this time {report['new']} new: {cost}")
    review = report["review"]
    if review["scenarios"]:
        left = review["scenarios"] - review["answered"]
        pack = report["pack"]
        console.print(f"{left} wait for a person: viva listen {pack} --review NAME", soft_wrap=True)
        console.print(f"what people say of them: viva scenarios review {pack}", soft_wrap=True)
