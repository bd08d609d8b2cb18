"""`viva scenarios keywords`: keywords of questions, by rules or by a language model; printed, or kept."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from scenarios.keywords import Candidate
    from scenarios.load import LoadedScenario
    from scenarios.schema import Item
    from scoring.judge.ask import Asker
    from scoring.judge.cost import Cost

MOST_FAILURES = 3
"""So many questions in a row that the server does not answer end the asking."""


@dataclass(frozen=True, slots=True)
class KeywordsRequest:
    """What was asked for.

    Attributes:
        packs: Packs, scenarios of them, or files.
        most: Keywords of a category at most.
        write: Put them into the files; items that have keywords keep those.
        llm: The language model that proposes; "" goes by rules.
        cache: Where its answers are kept; None keeps none.
        tokens: Budget; None is no limit.
        usd: Budget; None is no limit.
    """

    packs: list[str]
    most: int = 3
    write: bool = False
    llm: str = ""
    cache: Path | None = None
    tokens: int | None = None
    usd: float | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Keywords of one turn, each with its sources."""

    scenario: LoadedScenario
    turn: int
    kept: Sequence[Candidate]
    reasoning: str = ""

    def keywords(self) -> dict[str, list[str]]:
        """By category; without empty ones."""
        from scenarios.keywords import by_category

        return by_category(self.kept).model_dump(mode="json", exclude_defaults=True)

    def to_json(self) -> dict[str, Any]:
        """As it is printed."""
        about = {
            "scenario": self.scenario.name,
            "turn": self.turn,
            "keywords": self.keywords(),
            "sources": {one.text: list(one.sources) for one in self.kept},
        }
        return {**about, "reasoning": self.reasoning} if self.reasoning else about


@dataclass
class Found:
    """Everything that was proposed, and what was not.

    Attributes:
        dropped: Keywords of the model, by cause.
        unanswered: Items, by cause.
        written: Items that got keywords.
        had: Items that had some, and kept them.
        unwritten: What could not be written, in words.
    """

    rows: list[Row] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    cost: Cost | None = None
    written: int = 0
    had: int = 0
    unwritten: list[str] = field(default_factory=list)
    interrupted: bool = False


def keywords(request: KeywordsRequest) -> int:
    """Propose keywords for every question of knowledge; 3 if the model could not be asked for all."""
    from scenarios.load import find
    from scenarios.problems import ScenarioError
    from scoring.judge.contract import JudgeUnfit
    from streams.language.errors import LanguageError

    try:
        loaded = [one for name in request.packs for one in find(name)]
        asker = _asker(request) if request.llm else None
    except (ScenarioError, LanguageError, JudgeUnfit) as error:
        return complain(error, exits.BAD_INPUT)
    items = list(_items(loaded))
    found = _by_rules(items, request.most) if asker is None else _asked(items, asker, request.most)
    try:
        if request.write:
            _write(found)
    except OSError as error:
        return complain(error, exits.for_disk(error))
    _show(found, request)
    if found.interrupted:
        return exits.INTERRUPTED
    if found.unwritten:
        return exits.BAD_INPUT
    stopped = found.unanswered["not_asked"] or found.unanswered["budget_spent"]
    return exits.OUR_FAILURE if stopped or (items and not found.rows) else exits.PASS


def _asker(request: KeywordsRequest) -> Asker:
    from scoring.growing.propose import short_nonce
    from scoring.judge.answers import AnswerCache
    from scoring.judge.ask import Asker
    from scoring.judge.budget import Budget
    from streams.language.client import language_model

    cache = AnswerCache(request.cache) if request.cache else None
    budget = Budget(request.tokens, request.usd)
    model = language_model(request.llm, os.environ)
    return Asker(model, cache=cache, budget=budget, nonce=short_nonce)


def _items(loaded: Sequence[LoadedScenario]) -> Iterator[tuple[LoadedScenario, int, str, Item]]:
    for one in loaded:
        for number, turn in enumerate(one.scenario.turns):
            if turn.item is not None:
                yield one, number, turn.text, turn.item


def _by_rules(items: Sequence[tuple[LoadedScenario, int, str, Item]], most: int) -> Found:
    from scenarios.keywords import chosen

    return Found([Row(one, turn, chosen(text, item, most)) for one, turn, text, item in items])


def _asked(items: Sequence[tuple[LoadedScenario, int, str, Item]], asker: Asker, most: int) -> Found:
    """Ask for one item after the other; Ctrl+C keeps what was answered."""
    from scoring.growing.keywords import propose_keywords
    from scoring.judge.ask import of_server
    from scoring.judge.cost import Cost, of_exchange

    found = Found(cost=Cost())

    async def all_items() -> None:
        in_a_row = 0
        for done, (one, turn, text, item) in enumerate(items):
            if in_a_row >= MOST_FAILURES or asker.budget.spent:
                found.unanswered["not_asked"] += len(items) - done
                return
            proposed = await propose_keywords(asker, text, item, most)
            found.cost = (found.cost or Cost()) + of_exchange(proposed.exchange)
            in_a_row = in_a_row + 1 if of_server(proposed.cause) else 0
            said = proposed.cause
            if proposed.traced is None:
                found.unanswered[proposed.cause] += 1
            else:
                found.rows.append(Row(one, turn, proposed.traced.kept, proposed.reasoning))
                found.dropped.update({str(cause): n for cause, n in proposed.traced.dropped.items()})
                kept, dropped = len(proposed.traced.kept), proposed.traced.dropped.total()
                said = f"{kept} kept, {dropped} dropped"
            sys.stderr.write(f"[{done + 1}/{len(items)}] {one.name} turns[{turn}]  {said}\n")

    try:
        run_loop(all_items())
    except KeyboardInterrupt:
        found.interrupted = True
        sys.stderr.write("\nviva: interrupted; what was answered is below\n")
    return found


def _write(found: Found) -> None:
    """Put keywords into the files, each of which is replaced in one step or not at all."""
    from recordings.strict_json import replace_file
    from scenarios.insert import CannotInsert, with_keys

    files: dict[Path, dict[tuple[str, int], dict[str, Any]]] = {}
    for row in found.rows:
        item = row.scenario.scenario.turns[row.turn].item
        if item is not None and item.keywords:
            found.had += 1
        elif row.kept:
            keys: dict[str, Any] = {"reasoning": row.reasoning} if row.reasoning else {}
            entry = {**keys, "keywords": row.keywords()}
            files.setdefault(row.scenario.path, {})[row.scenario.scenario.id, row.turn] = entry
    for path, entries in files.items():
        try:
            replace_file(path, with_keys(path, path.read_bytes(), entries))
        except CannotInsert as error:
            found.unwritten.append(str(error))
        else:
            found.written += len(entries)


def _show(found: Found, request: KeywordsRequest) -> None:
    import yaml

    proposed = [row.to_json() for row in found.rows]
    report: dict[str, Any] = {"proposed": proposed}
    if request.llm:
        report |= {"dropped": dict(found.dropped), "unanswered": dict(found.unanswered)}
        report["cost"] = found.cost.to_json() if found.cost else None
    if request.write:
        report |= {"written": found.written, "had_keywords": found.had, "not_written": found.unwritten}
    if request.json:
        print_json(report)
    else:
        sys.stdout.write(yaml.safe_dump_all(proposed, sort_keys=False, allow_unicode=True))
        for line in _summary(found, request):
            sys.stderr.write(f"{line}\n")


def _summary(found: Found, request: KeywordsRequest) -> Iterator[str]:
    for what, counts in (("keywords dropped", found.dropped), ("items unanswered", found.unanswered)):
        if counts:
            by_cause = ", ".join(f"{n} {cause.replace('_', ' ')}" for cause, n in counts.most_common())
            yield f"{what}: {by_cause}"
    if found.cost is not None:
        yield f"cost: {found.cost}"
    if request.write:
        yield f"wrote keywords of {found.written} items; {found.had} had some and keep them"
    yield from (f"viva: {wrong}" for wrong in found.unwritten)
