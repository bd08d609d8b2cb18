"""The journal of a pack that grows: what is written is read again, and what was cut off is not."""

from __future__ import annotations

import pytest

from recordings.strict_json import encode
from scenarios.expression_task import Level
from scenarios.growing.cells import Cell, examples
from scenarios.growing.records import Grown, Growth, Origin, Rejected, Unreadable, read_lines
from scenarios.load import load_pack

SEEDS = examples(load_pack("expression").scenarios)
JOKE = Cell("entertainment", "joke", Level.SEMANTIC)
ORIGIN = Origin(
    model="m", server="http://h/v1", prompt_version=1, temperature=0.7, seed=3, shots=("a", "b")
)


def grown(number: int) -> Grown:
    (seed,) = (one for one in SEEDS if one.cell == JOKE)
    scenario = seed.scenario.model_copy(update={"id": f"joke-1-g{number:04d}"})
    domain, task, level = JOKE
    return Grown(number=number, domain=domain, task=task, level=level, origin=ORIGIN, scenario=scenario)


def rejected(number: int, cause: str) -> Rejected:
    domain, task, level = JOKE
    return Rejected(
        number=number, domain=domain, task=task, level=level, origin=ORIGIN, cause=cause, raw=("{",)
    )


def line(record: Grown | Rejected) -> bytes:
    return encode(record.model_dump(mode="json", exclude_defaults=True)) + b"\n"


def test_lines_are_read_as_they_were_written() -> None:
    records = [grown(1), grown(4)]
    assert read_lines(b"".join(map(line, records)), Grown) == (
        records,
        sum(len(line(one)) for one in records),
    )
    refused = [rejected(2, "similar")]
    assert read_lines(line(refused[0]), Rejected)[0] == refused
    assert read_lines(b"", Grown) == ([], 0)


def test_a_line_that_was_cut_off_is_no_line_wherever_it_was_cut() -> None:
    first, second = line(grown(1)), line(grown(2))
    for cut in range(len(second)):
        assert read_lines(first + second[:cut], Grown) == ([grown(1)], len(first))


@pytest.mark.parametrize("other", [b"{}\n", b"no json\n", b"\n", b"\xff\xfe\n"])
def test_a_whole_line_that_is_none_of_ours_is_named(other: bytes) -> None:
    with pytest.raises(Unreadable, match=r"^line 2: "):
        read_lines(line(grown(1)) + other, Grown)


def test_the_journal_is_the_state() -> None:
    growth = Growth(SEEDS, "new", [grown(1), grown(4)], [rejected(2, "similar"), rejected(3, "similar")])
    growth.rejected.append(rejected(5, "words"))
    assert growth.next_number == 6
    assert growth.filled[JOKE] == 3 and growth.filled.total() == 78  # 76 seeds and 2
    assert growth.refused == {JOKE: 3}
    assert growth.by_cause == {"similar": 2, "words": 1}
    assert [one.name for one in growth.examples()] == ["new/joke-1-g0001", "new/joke-1-g0004"]
    assert Growth(SEEDS, "new").next_number == 1
