from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from recordings.labels import pair_item
from scoring.agreement.battled import battle_sources
from scoring.arena.battles import Battle, First, Label
from scoring.arena.episodes import Match
from scoring.arena.store import append
from scoring.labelling.contests import Heard, battle, first_shown, queue
from scoring.labelling.material import Material
from tests.scoring.labelling.recorded import call, heard, two_runs


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    """Three systems on three scenarios of two questions each."""
    folder = tmp_path_factory.mktemp("three")
    runs = [*two_runs(folder, 3), folder / "hush-three"]
    for number in range(3):
        call(runs[2] / f"s{number}-hush-three", "fake://hush-three", -20.0)
    return heard(*runs)


def won(match: Match, label: str | None, person: str = "ann", first: First = First.A) -> Battle:
    return battle(match, Heard(person, label, None if label else "skipped", first, {}, {}))


def names(matches: list[Match]) -> list[str]:
    return [pair_item(*match.items) for match in matches]


def test_a_person_hears_every_pair_once(material: Material) -> None:
    held: list[Battle] = []
    assert len(material.matches) == 18  # three pairs of systems, three scenarios, two questions
    while found := queue(material.matches, held, "ann", seed=0):
        (match,) = found
        held.append(won(match, "1"))
    assert sorted(pair_item(*b.evidence["items"]) for b in held) == sorted(names(list(material.matches)))


def test_systems_that_nothing_links_come_first_and_then_what_is_uncertain(material: Material) -> None:
    pairs = [frozenset((m.system_a, m.system_b)) for m in queue(material.matches, [], "ann", 0, 3)]
    assert len(set(pairs[:2])) == 2  # two battles link three systems
    # where one pair has met often, by whomever, it is asked less than the others
    often = frozenset(("hush-one", "hush-two"))
    known = [
        Battle(id=f"j{n}", prompt="p", system_a="hush-one", system_b="hush-two", label=Label.TIE, judge="j")
        for n in range(60)
    ]
    asked: Counter[frozenset[str]] = Counter()
    for seed in range(40):
        (match,) = queue(material.matches, known, "ann", seed)
        asked[frozenset((match.system_a, match.system_b))] += 1
    assert asked[often] < 5


def test_what_a_judge_or_another_person_decided_is_still_asked(material: Material) -> None:
    held = [won(match, "1", "bob") for match in material.matches]
    assert len(queue(material.matches, held, "ann", 0, 100)) == 18
    assert queue(material.matches, held, "bob", 0, 100) == []


def test_the_queue_is_the_persons_own_and_the_same_after_a_restart(material: Material) -> None:
    orders = [names(queue(material.matches, [], who, 0, 18)) for who in ("ann", "ann", "bob")]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


def test_the_side_that_is_heard_first_is_drawn_for_each_person(material: Material) -> None:
    first = Counter(first_shown(m, f"p{n}", 0) for m in material.matches for n in range(40))
    assert 290 < first[First.A] < 430  # 720 draws, half of them, +- 5 standard deviations of 13.4


@pytest.mark.parametrize(
    ("label", "first", "expected"),
    [
        ("1", First.A, Label.A),
        ("1", First.B, Label.B),
        ("2", First.A, Label.B),
        ("2", First.B, Label.A),
        ("both_good", First.B, Label.BOTH_GOOD),
        ("both_bad", First.A, Label.BOTH_BAD),
        (None, First.A, None),
    ],
)
def test_an_answer_becomes_a_battle_by_the_order_that_was_shown(
    material: Material, label: str | None, first: First, expected: Label | None
) -> None:
    found = won(material.matches[0], label, first=first)
    assert (found.label, found.first, found.judge) == (expected, first, "person:ann")
    assert found.unscored == (None if label else "skipped")
    assert (found.duration_a_s, found.prompt) == (2.0, material.matches[0].prompt)


def test_people_and_judges_are_compared_on_the_same_pairs(material: Material, tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    one, two = material.matches[:2]
    append(store, won(one, "1"), won(two, "both_bad"), won(one, "1", "bob", First.B))
    ann, bob = battle_sources(store)
    assert (ann.name, bob.name) == ("person:ann/overall", "person:bob/overall")
    items = pair_item(*one.items), pair_item(*two.items)
    # label "1" is for the lesser name, whichever side of the battle that is
    a_is_lesser = one.items[0] < one.items[1]
    assert ann.by_item == {items[0]: "1" if a_is_lesser else "2", items[1]: "both_bad"}
    assert bob.by_item == {items[0]: "2" if a_is_lesser else "1"}  # b was heard first, and won
    assert ann.clusters == {items[0]: one.prompt, items[1]: two.prompt}
