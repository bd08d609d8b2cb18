from __future__ import annotations

import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from recordings.labels import pair_item
from scoring.labelling.plan import (
    Answers,
    Key,
    Unit,
    Work,
    drawn,
    in_order,
    questions,
    remaining,
    shown_first,
    units,
)
from scoring.labelling.protocol import Answer, Part

names = st.lists(
    st.integers(0, 400).map(lambda n: f"run{n % 3}/e{n // 3}/{n % 5 * 2 + 1}"), unique=True, max_size=25
)
people = st.sampled_from(["ann", "bob", "čeněk"])
ratings = st.sampled_from(["bad", "acceptable", "good", None])


@st.composite
def works(draw: st.DrawFn) -> Work:
    replies = draw(names)
    indices = st.integers(0, max(len(replies) - 1, 0))
    chosen = draw(st.lists(st.tuples(indices, indices), max_size=8)) if replies else []
    pairs = {(replies[a], replies[b]) for a, b in chosen if a != b}
    share = st.none() | st.floats(0, 1)
    return Work(
        units(replies, pairs),
        dimensions=draw(
            st.sampled_from([("content",), ("content", "voice_quality"), ("overall", "content")])
        ),
        seed=draw(st.integers(0, 5)),
        twice=draw(share),
        again=draw(st.floats(0, 1)),
    )


def answered(work: Work, person: str, draw: st.DataObject, most: int, by: dict[str, Answers]) -> None:
    """Let a person answer up to so many questions, as the desk does it."""
    mine = dict(by.get(person, {}))
    for _ in range(most):
        left = remaining(work, person, {**by, person: mine})
        mine |= left.derived
        if not left.asked:
            break
        key = left.asked[0]
        if key.part is Part.ABSOLUTE:
            label = draw.draw(ratings)
            mine[key] = Answer(label, None if label else "skipped")
        else:
            mine[key] = Answer(draw.draw(st.sampled_from(["1", "2", "both_good"])))
    by[person] = mine


# --- the order --------------------------------------------------------------------------------------


@given(work=works(), person=people, data=st.data())
def test_the_order_in_which_recordings_are_found_changes_nothing(
    work: Work, person: str, data: st.DataObject
) -> None:
    pairs = [pair for unit in work.units for pair in unit.pairs]
    replies = [reply for unit in work.units for reply in unit.replies]
    turned = [
        pair[::-1] if data.draw(st.booleans()) else pair for pair in data.draw(st.permutations(pairs))
    ]
    found = units(data.draw(st.permutations(replies)), turned)
    assert found == work.units
    again = Work(
        tuple(data.draw(st.permutations(found))), work.dimensions, work.seed, work.twice, work.again
    )
    assert remaining(again, person, {}) == remaining(work, person, {})


@given(work=works(), person=people)
def test_a_reply_more_leaves_the_others_in_their_order(work: Work, person: str) -> None:
    more = Work((*work.units, Unit(("zzz/e/1",))), work.dimensions, work.seed)
    kept = [unit for unit in in_order(more, person) if unit.replies != ("zzz/e/1",)]
    assert kept == list(in_order(work, person))


def test_people_and_seeds_have_orders_of_their_own() -> None:
    many = units([f"r/e{n}/1" for n in range(40)])
    orders = {in_order(Work(many, seed=seed), who) for seed in (0, 1) for who in ("ann", "bob")}
    assert len(orders) == 4
    assert all(sorted(unit.id for unit in order) == [unit.id for unit in many] for order in orders)


def test_each_side_is_heard_first_about_as_often() -> None:
    pairs = [(f"a/e{n}/1", f"b/e{n}/1") for n in range(400)]
    work = Work(units([name for pair in pairs for name in pair], pairs))
    first = sum(shown_first(work, "ann", pair) for pair in pairs)
    assert 150 < first < 250  # 200 +- 5 standard deviations of sqrt(400 / 4) = 10
    assert any(shown_first(work, "ann", pair) != shown_first(work, "bob", pair) for pair in pairs)


def test_replies_to_the_same_words_are_heard_together_whatever_links_them() -> None:
    found = units(["a", "b", "c", "d", "e"], [("d", "a"), ("c", "d")])
    assert found == (Unit(("a", "c", "d"), (("a", "d"), ("c", "d"))), Unit(("b",)), Unit(("e",)))


def test_each_reply_is_rated_by_itself_before_any_two_are_compared() -> None:
    unit = units(["a", "b"], [("a", "b")])[0]
    asked = list(questions(Work((unit,), ("overall", "content")), unit, "ann"))
    assert [key.part for key in asked] == [Part.ABSOLUTE] * 4 + [Part.RELATIVE] * 2
    assert [key.dimension for key in asked] == ["overall", "content"] * 3  # the overall one first


# --- what remains ---------------------------------------------------------------------------------


@given(work=works(), person=people, data=st.data())
def test_who_comes_back_at_any_point_finds_what_was_left(
    work: Work, person: str, data: st.DataObject
) -> None:
    by: dict[str, Answers] = {}
    others = [who for who in ("ann", "bob", "čeněk") if who != person]
    for who in data.draw(st.lists(st.sampled_from(others), max_size=2)):
        answered(work, who, data, data.draw(st.integers(0, 6)), by)
    before = remaining(work, person, by)
    answered(work, person, data, data.draw(st.integers(0, 12)), by)
    after = remaining(work, person, by)
    # nothing is asked that was answered, nothing is lost, and the rest keeps its order
    assert not set(after.asked) & {key for key, a in by[person].items() if not a.derived}
    gone = set(before.asked) - set(after.asked)
    assert all(key in by[person] or key in after.derived for key in gone)
    assert [key for key in before.asked if key in set(after.asked)] == [
        key for key in after.asked if key in set(before.asked)
    ]
    # the same from the file as from memory, in whatever order the lines are
    shuffled = dict(data.draw(st.permutations(list(by[person].items()))))
    assert remaining(work, person, {**by, person: shuffled}) == after


@given(work=works(), data=st.data())
def test_the_work_comes_to_an_end_and_then_everything_is_labelled(work: Work, data: st.DataObject) -> None:
    by: dict[str, Answers] = {}
    for who in ("ann", "bob"):
        answered(work, who, data, 10_000, by)
        assert remaining(work, who, by).asked == ()
        assert remaining(work, who, by).derived == {}
    labelled = Counter(
        key.item for given in by.values() for key in given if key.part is Part.ABSOLUTE and key.round == 1
    )
    wanted = work.people_for()
    for unit in work.units:
        expected = 2 if wanted is None else wanted[unit.id]
        assert {labelled[reply] for reply in unit.replies} == {expected * len(work.dimensions)}


@given(share=st.floats(0, 1), found=names, seed=st.integers(0, 3), data=st.data())
def test_a_share_is_exact_and_the_same_whenever_it_is_drawn(
    share: float, found: list[str], seed: int, data: st.DataObject
) -> None:
    chosen = drawn(found, share, seed, "twice")
    assert len(chosen) == math.ceil(share * len(found) - 1e-9)
    assert chosen == drawn(data.draw(st.permutations(found)), share, seed, "twice")
    assert chosen <= drawn(found, min(1.0, share + 0.2), seed, "twice")


def test_a_fifth_is_labelled_by_two_people_and_the_rest_by_one() -> None:
    work = Work(units([f"r/e{n}/1" for n in range(10)]), ("content",), twice=0.2)
    by: dict[str, Answers] = {"ann": {}, "bob": {}}
    for turn in range(30):  # both work at the same time, a question each
        who = ("ann", "bob")[turn % 2]
        left = remaining(work, who, by)
        if left.asked:
            by[who] = {**by[who], left.asked[0]: Answer("good")}
    counts = Counter(key.item for given in by.values() for key in given)
    assert sorted(counts.values()) == [1] * 8 + [2] * 2


def test_what_another_person_has_before_them_is_not_handed_out_again() -> None:
    work = Work(units(["r/e1/1"]), ("content",), twice=0.0)
    assert remaining(work, "bob", {}, {"ann": {"r/e1/1"}}).asked == ()
    assert len(remaining(work, "bob", {}, {"bob": {"r/e1/1"}}).asked) == 1


def test_a_second_round_comes_last_and_counts_apart() -> None:
    work = Work(units(["r/e1/1", "r/e2/1"]), ("content",), again=0.5)
    left = remaining(work, "ann", {})
    assert [key.round for key in left.asked] == [1, 1, 2]
    first = Key(Part.ABSOLUTE, left.asked[2].item, "content", 1)
    after = remaining(work, "ann", {"ann": {first: Answer("good")}})
    assert first._replace(round=2) in after.asked


# --- absolute, then relative ----------------------------------------------------------------------


def compared(
    one: str | None, two: str | None, known: Answer | None = None
) -> tuple[list[Key], list[Answer]]:
    work = Work(units(["a", "b"], [("a", "b")]), ("content",))
    pair = Key(Part.RELATIVE, pair_item("a", "b"), "content")
    mine = {
        Key(Part.ABSOLUTE, item, "content"): Answer(label, None if label else "skipped")
        for item, label in (("a", one), ("b", two))
    }
    left = remaining(work, "ann", {"ann": mine | ({pair: known} if known else {})})
    return list(left.asked), list(left.derived.values())


def test_ratings_decide_unless_both_replies_are_acceptable() -> None:
    derived = {
        ("bad", "bad"): Answer("both_bad", derived=True),
        ("good", "bad"): Answer("1", derived=True),
        ("bad", "acceptable"): Answer("2", derived=True),
        ("good", None): Answer(None, "not_rated", derived=True),
    }
    for (one, two), expected in derived.items():
        assert compared(one, two) == ([], [expected])
    asked, found = compared("good", "acceptable")  # even then: better is what the listener finds better
    assert (len(asked), found) == (1, [])


def test_a_corrected_rating_takes_its_comparison_along() -> None:
    # was derived, now both are acceptable: to be asked
    assert len(compared("good", "good", Answer("1", derived=True))[0]) == 1
    # was asked, now one is bad: to be derived
    assert compared("bad", "good", Answer("both_good")) == ([], [Answer("2", derived=True)])
    # what was asked and still stands is neither
    assert compared("good", "good", Answer("2")) == ([], [])
    assert compared("bad", "good", Answer("2", derived=True)) == ([], [])
