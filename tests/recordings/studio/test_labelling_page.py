"""Labelling and A/B listening in a real browser: heard, answered by keys, left in the middle, corrected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.cli.studio.labelling import LabelRequest, label_routes
from agent.cli.studio.review import review_routes_of
from recordings.studio.blind import Blind
from recordings.studio.library import Library
from scoring.arena.store import read
from tests.recordings.studio.browsers import late, needs_chromium, watching
from tests.recordings.studio.servers import app_of, running
from tests.scoring.labelling.recorded import two_runs
from tests.scoring.labelling.test_review_desk import desk as review_desk
from tests.scoring.labelling.test_review_desk import line as queued

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [needs_chromium, pytest.mark.wall_clock]


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """A page; any error in it, or a request to somewhere else, is a failure."""
    with watching(browser) as watched:
        watched.page.goto(address)
        yield watched.page
        assert all(url.startswith(("http://127.0.0.1:", "blob:http://127.0.0.1:")) for url in watched.asked)


@contextmanager
def studio(folder: Path, **changes: object) -> Iterator[str]:
    request = LabelRequest(labels=folder / "labels", store=folder / "battles.jsonl", **changes)  # type: ignore[arg-type]
    roots = [folder / "hush-one", folder / "hush-two"]
    routes, _ = label_routes(request, Library(roots))
    with running(app=Blind(app_of(*roots, routes=routes))) as url:
        yield url


def hear(page: Page, **keys: str) -> None:
    """Play sounds by their keys, unless the page has begun with them itself; then answers are taken."""
    for name, key in keys.items():
        if page.locator(f".sound.{name}[data-heard]").count() == 0:
            page.keyboard.press(key)
        page.wait_for_selector(f".sound.{name}[data-heard]")
    page.wait_for_selector("button.answer:enabled")


def see(page: Page, selector: str, text: str) -> None:
    """Wait for a text."""
    page.locator(selector).filter(has_text=text).wait_for(state="attached")


def help_sheet(page: Page) -> list[str]:
    """Headings of the keys that do something now, and the keys."""
    page.keyboard.press("?")
    found = page.locator("#help-body h3, #help-body kbd").all_inner_texts()
    page.keyboard.press("?")
    return found


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_labels_are_given_by_keys_and_outlive_the_page(tmp_path: Path, browser: Browser) -> None:
    two_runs(tmp_path, 1)
    kept = tmp_path / "labels" / "ann.jsonl"
    with (
        studio(tmp_path, label="ann", dimensions=("content",)) as url,
        opened(browser, f"{url}#/label") as page,
    ):
        page.wait_for_selector("#question")
        assert page.evaluate("document.activeElement.id") == "question"  # a screen reader begins there
        page.keyboard.press("3")  # not before it was heard
        see(page, "#said", "Listen first")
        assert lines(kept) == []
        hear(page, reply="w")
        page.keyboard.press("n")
        page.keyboard.type("3 is no answer in a note")
        page.keyboard.press("Escape")
        page.reload()  # in the middle of it
        page.wait_for_selector("#note")
        assert page.input_value("#note") == "3 is no answer in a note"
        hear(page, reply="w")
        page.keyboard.press("3")
        see(page, ".progress", "1 answered")
        (first,) = lines(kept)
        assert (first["label"], first["note"]) == ("good", "3 is no answer in a note")
        assert first["shown"]["plays"]["reply"] == 1  # type: ignore[index]
        assert page.input_value("#note") == ""

        hear(page, reply="w")
        page.keyboard.press("2")
        page.wait_for_selector(".sound.second")  # both are acceptable: compared now
        page.reload()
        page.wait_for_selector(".sound.second")
        assert [line["label"] for line in lines(kept)] == ["good", "acceptable"]

        page.keyboard.press("Backspace")
        page.wait_for_selector(".notice")
        assert "You answered: acceptable" in page.inner_text(".notice")
        page.keyboard.press("1")
        page.wait_for_selector(".notice", state="detached")
        page.wait_for_selector(".sound.reply")  # one of them is bad: nothing to compare
        assert [line["label"] for line in lines(kept)] == ["good", "acceptable", "bad"]
        (derived,) = lines(tmp_path / "labels" / "pairs" / "ann.jsonl")
        assert derived["shown"] == {"by": "ratings"}
        page.keyboard.press("g")
        page.wait_for_selector("table.agreement")
        row = page.inner_text("table.agreement tbody tr")
        assert "with the judge" in row and "50 %" in row  # it finds both good, one of which is bad


def test_from_the_end_the_last_answer_is_heard_again(tmp_path: Path, browser: Browser) -> None:
    two_runs(tmp_path, 1)
    with (
        studio(tmp_path, label="ann", dimensions=("content",)) as url,
        opened(browser, f"{url}#/label") as page,
    ):
        page.wait_for_selector("#question")
        for done in range(1, 5):  # two questions, two replies to each; what is not rated is not compared
            page.keyboard.press("s")
            see(page, ".progress", f"{done} answered")
        see(page, "#question", "All is labelled")
        page.keyboard.press("Backspace")
        page.wait_for_selector(".notice")
        page.wait_for_selector(".sound.reply button[aria-pressed=true]")  # played after what was asked
        page.keyboard.press("Escape")
        see(page, "#question", "All is labelled")
        page.reload()
        see(page, "#question", "All is labelled")
        page.keyboard.press("Space")  # nothing to play, and no error
        page.keyboard.press("g")
        page.wait_for_selector("table.agreement")


def test_an_answer_on_its_way_is_not_lost_with_the_page(tmp_path: Path, browser: Browser) -> None:
    two_runs(tmp_path, 1)
    kept = tmp_path / "labels" / "ann.jsonl"
    with (
        studio(tmp_path, label="ann", dimensions=("content",)) as url,
        opened(browser, f"{url}#/label") as page,
    ):
        page.wait_for_selector("#question")
        hear(page, reply="w")
        page.evaluate(
            "() => { setTimeout(() => location.reload()); document.querySelector('.answer.good').click(); }"
        )
        see(page, ".progress", "1 answered")
        assert [line["label"] for line in lines(kept)] == ["good"]


@pytest.mark.parametrize("question", ["**/api/labelling", "**/api/labelling/next*"])
def test_a_desk_that_was_left_listens_to_no_keys(question: str, tmp_path: Path, browser: Browser) -> None:
    two_runs(tmp_path, 1)
    with studio(tmp_path, label="ann", ab="ann") as url, opened(browser, f"{url}#/ab") as page:
        page.wait_for_selector("#question")
        with late(page, question):
            with page.expect_request(question):
                page.evaluate("location.hash = '#/label'")
            page.evaluate("location.hash = '#/ab'")
            see(page, "#question", "Which reply is better")
            assert "Label" not in help_sheet(page)
        assert "Label" not in help_sheet(page) and "A/B" in help_sheet(page)
        page.keyboard.press("1")  # of the desk that is shown
        see(page, "#said", "Listen first: Space, W, E.")


def test_no_key_is_lost_and_none_counts_twice(tmp_path: Path, browser: Browser) -> None:
    pack = tmp_path / "pack"
    review_desk(pack, queued("a"))
    (pack / "grow.json").write_text("{}")
    routes, _ = review_routes_of((pack,), LabelRequest(review="ann"))
    kept = pack / "labels/ann.jsonl"
    with running(app=app_of(routes=routes)) as url, opened(browser, f"{url}#/review") as page:
        page.wait_for_selector("#question")
        hear(page, line="w")
        with late(page, "**/api/review/report"):  # while that is under way an answer waits for its turn
            with page.expect_request("**/api/review/report"):
                page.keyboard.press("g")
            page.keyboard.press("1")
            page.keyboard.press("2")  # by then another question is shown
        see(page, ".progress", "1 answered")
        page.keyboard.press("Backspace")
        see(page, ".notice", "You answered: yes.")
        page.keyboard.down("2")
        page.wait_for_selector(".notice", state="detached")
        page.keyboard.down("2")  # held down: the next question has the same sound, which was heard
        page.keyboard.up("2")
        page.keyboard.press("1")
        see(page, "#question", "All is checked.")
    assert [(one["dimension"], one["label"]) for one in lines(kept)] == [
        *[("level", "consistent"), ("level", "not_consistent"), ("manner", "consistent")],
    ]


def test_a_battle_is_one_key_with_its_order_and_gains(tmp_path: Path, browser: Browser) -> None:
    two_runs(tmp_path, 1)
    store = tmp_path / "battles.jsonl"
    with studio(tmp_path, ab="bob") as url, opened(browser, f"{url}#/ab") as page:
        page.wait_for_selector("#question")
        page.keyboard.press("1")
        see(page, "#said", "Listen first")
        hear(page, first="w", second="e")
        page.keyboard.press("1")
        see(page, ".progress", "1 answered")
        (battle,) = read(store).battles
        assert str(battle.label) == str(battle.first)  # the first that was heard won
        levels = battle.evidence["levels"]
        gains = {item.partition("/")[0]: level["gain_db"] for item, level in levels.items()}
        assert gains["hush-two"] - gains["hush-one"] == pytest.approx(12.0, abs=0.02)
        page.keyboard.press("v")
        see(page, "#extra", "hush-one")
        page.keyboard.press("s")
        see(page, "#question", "All pairs")
    assert [one.unscored for one in read(store).battles] == [None, "skipped"]


def test_a_wrong_key_in_a_battle_is_corrected_by_going_back(tmp_path: Path, browser: Browser) -> None:
    two_runs(tmp_path, 1)
    store = tmp_path / "battles.jsonl"
    with studio(tmp_path, ab="bob") as url, opened(browser, f"{url}#/ab") as page:
        page.wait_for_selector("#question")
        page.keyboard.press("Backspace")
        see(page, "#said", "There is no answer before this one.")
        hear(page, first="w", second="e")
        page.keyboard.press("1")
        see(page, ".progress", "1 answered")
        page.keyboard.press("Backspace")
        see(page, ".notice", "You answered: the first.")
        page.keyboard.press("Escape")  # leave it
        page.wait_for_selector(".notice", state="detached")
        page.keyboard.press("Backspace")
        see(page, ".notice", "You answered: the first.")
        page.reload()  # in the middle of it: nothing is changed
        page.wait_for_selector("#question")
        page.keyboard.press("Backspace")
        see(page, ".notice", "You answered: the first.")
        page.keyboard.press("4")
        page.wait_for_selector(".notice", state="detached")
        see(page, ".progress", "1 answered")
        page.keyboard.press("s")
        see(page, "#question", "All pairs are answered.")
        page.keyboard.press("Backspace")  # from the end, too
        see(page, ".notice", "You answered: I cannot say.")
        page.keyboard.press("3")
        see(page, "#question", "All pairs are answered.")
    found = read(store)
    assert [str(one.label) for one in found.battles] == ["both_bad", "both_good"]
    assert (found.corrected, len(found.records)) == (2, 4)


def test_a_grown_pack_is_checked_by_keys_and_the_shares_are_shown(tmp_path: Path, browser: Browser) -> None:
    pack = tmp_path / "pack"
    review_desk(pack, queued("a", 2, perceive="nervous"), queued("b"))
    (pack / "grow.json").write_text("{}")
    routes, features = review_routes_of((pack,), LabelRequest(review="ann"))
    assert features == ["review"]
    with running(app=app_of(routes=routes)) as url, opened(browser, f"{url}#/review") as page:
        page.wait_for_selector("#question")
        assert page.evaluate("document.activeElement.id") == "question"
        assert not {"Q", "E", "T", "V"} & {*help_sheet(page)}  # keys of what a scenario does not have
        hear(page, line="w")
        page.keyboard.press("n")
        page.keyboard.type("2 or 1?")
        page.keyboard.press("Escape")
        page.reload()
        page.wait_for_selector("#note")
        assert page.input_value("#note") == "2 or 1?"
        hear(page, line="w")
        page.keyboard.press("2")
        see(page, ".progress", "1 answered")
        page.keyboard.press("1")  # the same sound, heard already
        see(page, ".progress", "2 answered")
        page.keyboard.press("Backspace")
        see(page, ".notice", "You answered: yes.")
        page.keyboard.press("Backspace")
        see(page, ".notice", "You answered: no.")
        page.keyboard.press("1")
        page.wait_for_selector(".notice", state="detached")
        for done in (3, 4):
            page.keyboard.press("i")
            see(page, ".progress", f"{done} answered")
        see(page, "#question", "All is checked.")
        see(page, "table.agreement", "100 %")  # one of one; the other could not be heard
    kept = lines(pack / "labels/ann.jsonl")
    assert [(one["dimension"], one["label"] or one["unscored"]) for one in kept] == [
        *[("level", "not_consistent"), ("manner", "consistent"), ("level", "consistent")],
        *[("level", "inaudible"), ("manner", "inaudible")],
    ]
    assert kept[0]["note"] == kept[2]["note"] == "2 or 1?"


def test_who_is_not_named_says_who_it_is(tmp_path: Path, browser: Browser) -> None:
    two_runs(tmp_path, 1)
    with studio(tmp_path) as url, opened(browser, f"{url}#/label") as page:
        page.wait_for_selector("#person")
        page.keyboard.type("cleo")
        page.keyboard.press("Enter")
        page.wait_for_selector("#question")
        page.keyboard.press("s")
        see(page, ".progress", "1 answered")
    (line,) = lines(tmp_path / "labels" / "cleo.jsonl")
    assert (line["annotator"], line["unscored"]) == ("cleo", "skipped")
