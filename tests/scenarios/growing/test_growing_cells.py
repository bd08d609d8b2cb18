"""Which scenario is wanted next, and which examples are shown for it."""

from __future__ import annotations

import random
from collections import Counter

from scenarios.expression_task import Level
from scenarios.growing.cells import Cell, Example, cells, example, examples, fingerprint, next_cell, shots
from scenarios.load import load_pack
from scenarios.schema import Scenario, Turn

SEEDS = examples(load_pack("expression").scenarios)


def draw(seed: int = 0) -> random.Random:
    return random.Random(seed)


def cell(name: str, level: int) -> Cell:
    (domain,) = {one.domain for one in cells(SEEDS) if one.task == name}
    return Cell(domain, name, Level(level))


def grown(where: Cell, *names: str) -> list[Example]:
    (seed,) = (one for one in SEEDS if one.cell == where)
    return [Example(name, seed.scenario, seed.ask, seed.expression, seed.before) for name in names]


def test_every_scenario_of_the_shipped_pack_is_an_example() -> None:
    assert len(SEEDS) == 76
    assert sum(seed.before is not None for seed in SEEDS) == 38  # levels 3 and 4 of 19 kinds of task


def test_what_does_not_ask_last_or_only_once_is_no_example() -> None:
    asks = SEEDS[0].scenario.turns[-1]
    plain = Turn(text="Hello.")
    for turns in ((plain,), (asks, plain), (asks, asks), (plain, plain, asks)):
        assert example("x", Scenario(id="x", title="X", turns=turns)) is None
    assert example("x", Scenario(id="x", title="X", turns=(plain, asks))) is not None


def test_cells_are_all_kinds_of_task_at_all_levels_filled_or_not() -> None:
    few = [seed for seed in SEEDS if (seed.cell.task, int(seed.cell.level)) in {("joke", 1), ("advice", 3)}]
    found = {(one.task, int(one.level)) for one in cells(few)}
    assert found == {("joke", 1), ("joke", 3), ("advice", 1), ("advice", 3)}


def test_the_emptiest_cell_is_next_and_the_pack_grows_evenly() -> None:
    every, filled = cells(SEEDS), Counter(seed.cell for seed in SEEDS)
    for _ in range(2 * 76):
        filled[next_cell(every, filled, Counter(), 7)] += 1
    assert set(filled.values()) == {3}


def test_the_order_among_equals_is_that_of_the_seed() -> None:
    every, filled = cells(SEEDS), Counter(seed.cell for seed in SEEDS)
    first = [next_cell(every, filled, Counter(), seed) for seed in range(20)]
    assert first == [next_cell(list(reversed(every)), filled, Counter(), seed) for seed in range(20)]
    assert len(set(first)) > 10


def test_a_cell_that_is_always_refused_does_not_starve_the_others() -> None:
    every, filled, refused = cells(SEEDS)[:3], Counter[Cell](), Counter[Cell]()
    hopeless = every[0]
    asked: Counter[Cell] = Counter()
    for _ in range(40):
        here = next_cell(every, filled, refused, 0)
        asked[here] += 1
        (refused if here == hopeless else filled)[here] += 1
    # three refusals weigh like one scenario, so that it is asked for three times as often, and no more
    assert asked[hopeless] <= 3 * (asked[every[1]] + 1)
    assert min(filled[one] for one in every[1:]) >= 7


def test_shots_are_of_the_cell_then_of_its_level_then_of_its_task() -> None:
    where = cell("joke", 3)
    found = [one.cell for one in shots(where, SEEDS, [], 4, draw())]
    assert found[0] == where
    assert {one.level for one in found} == {Level.EXPRESS}
    few = [seed for seed in SEEDS if seed.cell.task == "joke" or seed.cell == cell("advice", 2)]
    far = [one.cell for one in shots(where, few, [], 5, draw())]
    assert far[-1] == cell("advice", 2) and {one.task for one in far[:4]} == {"joke"}


def test_shots_are_drawn_by_the_seed_and_a_quarter_at_most_was_grown() -> None:
    where = cell("joke", 1)
    new = grown(where, "new/a", "new/b", "new/c")
    names = [[one.name for one in shots(where, SEEDS, new, 8, draw(seed))] for seed in (1, 1, 2)]
    assert names[0] == names[1] != names[2]
    assert all(sum(name.startswith("new/") for name in found) == 2 for found in names)
    assert all(len(set(found)) == 8 for found in names)
    other = grown(cell("joke", 2), "new/d")
    assert not any(one.name == "new/d" for one in shots(where, SEEDS, other, 8, draw()))


def test_the_fingerprint_is_of_what_the_seeds_say_and_not_of_their_order() -> None:
    assert fingerprint(SEEDS) == fingerprint(SEEDS[::-1])
    assert fingerprint(SEEDS) != fingerprint(SEEDS[1:])
