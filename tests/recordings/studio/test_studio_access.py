"""The page for everybody: by keyboard, by ear, in both colours, with less movement."""

from __future__ import annotations

import asyncio
import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recordings.studio.bundle import STATIC
from scoring.report.collect import collect
from tests.recordings.studio.browsers import SHIFTS, Watched, needs_chromium, watching
from tests.scoring.episodes import CallMaker, tone

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pages = [needs_chromium, pytest.mark.wall_clock]

AUDIT = (Path(__file__).parent / "audit.js").read_text(encoding="utf-8")
"""What an audit by hand looks for: names, roles, references, order, size; gives what is wrong."""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("access")
    for run, name in itertools.product(("one", "two"), "abc"):
        made = CallMaker().user(1.0, 2.0).reply(2.5, tone(2.0, 24000)).user(6.0, 7.0, "goodbye")
        made.write(root / run / name, endpoint=f"reference://{run}")
    asyncio.run(collect([root], again=True))  # as `viva score` does
    return root


@pytest.fixture(scope="module")
def call(calls: dict[str, str]) -> str:
    return calls["a"]


def opened(watched: Watched, studio: str, call: str) -> None:
    watched.page.goto(f"{studio}/#/episode/{call}")
    watched.page.get_by_role("tab", name="turn").wait_for()
    watched.page.wait_for_function("() => document.querySelector('.quiet-lanes').textContent !== ''")


class TestInABrowser:
    pytestmark = pages

    @pytest.mark.parametrize("view", ["", "compare", "episode"])
    def test_every_part_has_a_name_and_a_role_that_fits(
        self, browser: Browser, studio: str, call: str, view: str
    ) -> None:
        with watching(browser) as watched:
            watched.page.goto(f"{studio}/#/{view}{'/' + call if view == 'episode' else ''}")
            watched.page.locator("main h1").first.wait_for(state="attached")
            watched.page.wait_for_load_state("networkidle")
            assert watched.page.evaluate(AUDIT) == []
            if view != "episode":
                return
            for name in ("Moments", "Metrics", "Events", "About"):
                watched.page.get_by_role("tab", name=name).click()
                watched.page.wait_for_load_state("networkidle")
                assert watched.page.evaluate(AUDIT) == [], name

    def test_all_can_be_reached_and_seen_with_the_tab_key(
        self, browser: Browser, studio: str, call: str
    ) -> None:
        with watching(browser) as watched:
            opened(watched, studio, call)
            page = watched.page
            page.evaluate("document.activeElement.blur()")
            reached: list[str] = []
            for _ in range(60):
                page.keyboard.press("Tab")
                name, outline = page.evaluate(
                    """() => {
                      const a = document.activeElement;
                      if (a === document.body) return ['', ''];  // once around
                      const label = a.matches('input[type=radio]') ? a.nextElementSibling : a;
                      const name = a.getAttribute('aria-label') ?? label.textContent.trim().slice(0, 30);
                      return [name, getComputedStyle(label).outlineStyle];
                    }"""
                )
                if not name and reached:
                    break
                assert outline != "none", name
                reached.append(name)
            wanted = {"Previous turn", "Play", "Next turn", "Speed", "Spectrum", "Closer", "Whole call"}
            wanted.add("Position in the call")
            assert wanted <= set(reached)
            assert any(name.startswith("Play turn 1") for name in reached)

    def test_the_help_sheet_lists_the_keys_and_gives_the_focus_back(
        self, browser: Browser, studio: str, call: str
    ) -> None:
        with watching(browser) as watched:
            opened(watched, studio, call)
            page = watched.page
            page.get_by_role("button", name="Keys").focus()
            page.keyboard.press("?")
            sheet = page.get_by_role("dialog", name="Keys")
            assert "loop the selection" in sheet.inner_text()
            page.keyboard.press("Escape")
            assert not sheet.is_visible()
            assert page.evaluate("document.activeElement.id") == "help-open"

    def test_single_keys_can_be_switched_off(self, browser: Browser, studio: str, call: str) -> None:
        with watching(browser) as watched:
            opened(watched, studio, call)
            page = watched.page
            page.keyboard.press("?")
            page.get_by_label("Listen to single keys").uncheck()
            page.keyboard.press("Escape")
            page.keyboard.press("]")
            assert watched.now == 0.0
            page.reload()  # and they stay so
            page.get_by_role("tab", name="turn").wait_for()
            page.keyboard.press("]")
            assert watched.now == 0.0

    def test_where_the_playhead_is_is_said(self, browser: Browser, studio: str, call: str) -> None:
        with watching(browser) as watched:
            opened(watched, studio, call)
            watched.page.keyboard.press("]")
            place = watched.page.get_by_role("slider", name="Position in the call")
            assert place.get_attribute("aria-valuetext") == "0:01.0 of 0:08, turn 1, user"
            assert place.get_attribute("aria-valuenow") == "1.00"
            said = "() => document.getElementById('announcer').textContent === 'turn 1, user'"
            watched.page.wait_for_function(said)

    def test_tabs_follow_the_arrows(self, browser: Browser, studio: str, call: str) -> None:
        with watching(browser) as watched:
            opened(watched, studio, call)
            watched.page.get_by_role("tab", name="turn").focus()
            watched.page.keyboard.press("ArrowRight")
            assert watched.page.get_by_role("tab", name="Moments").get_attribute("aria-selected") == "true"
            assert watched.now == 0.0  # the arrow was the tabs', not the player's

    def test_colours_follow_the_system_and_can_be_chosen(
        self, browser: Browser, studio: str, call: str
    ) -> None:
        paper = "getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()"
        with watching(browser, color_scheme="dark") as watched:
            opened(watched, studio, call)
            assert watched.page.evaluate(paper) == "#191d21"
            watched.page.get_by_label("Colours").select_option("light")
            assert watched.page.evaluate(paper) == "#ffffff"
            watched.page.reload()
            assert watched.page.evaluate(paper) == "#ffffff"

    def test_who_wants_less_movement_gets_a_zoom_at_once(
        self, browser: Browser, studio: str, call: str
    ) -> None:
        frame = "document.querySelector('.frame').style.width"
        with watching(browser, reduced_motion="reduce") as watched:
            opened(watched, studio, call)
            before = watched.page.evaluate(frame)
            watched.page.keyboard.press("+")
            first = watched.page.evaluate(
                f"new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(() => d({frame}))))"
            )
            assert float(first[:-2]) == pytest.approx(float(before[:-2]) / 2, rel=0.01)

    def test_nothing_moves_while_a_call_is_opened(self, browser: Browser, studio: str, call: str) -> None:
        with watching(browser) as watched:
            watched.context.add_init_script(SHIFTS)
            opened(watched, studio, call)
            watched.page.wait_for_load_state("networkidle")
            # "good" is 0.1 after the Core Web Vitals; we want none that could be seen
            assert watched.page.evaluate("window.shifts") < 0.01


def _tokens(style: str, selector: str) -> dict[str, str]:
    (block,) = re.findall(re.escape(selector) + r" \{(.*?)\n\}", style, re.DOTALL)
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


def _luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(first: str, second: str) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("selector", [":root", ':root[data-theme="dark"]'])
def test_every_colour_of_words_can_be_read_on_every_ground(selector: str) -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21.0)
    tokens = _tokens((STATIC / "style.css").read_text(encoding="utf-8"), selector)
    words = ("ink", "soft", "user", "endpoint", "bad", "warn", "good", "violet")
    grounds = ("page", "paper", "raised")
    poor = {
        (word, ground): round(_contrast(tokens[word], tokens[ground]), 2)
        for word, ground in itertools.product(words, grounds)
        if _contrast(tokens[word], tokens[ground]) < 4.5  # WCAG 2.2, 1.4.3 (AA)
    }
    assert poor == {}


def test_no_module_parses_text_as_html() -> None:
    html = "innerHTML|outerHTML|insertAdjacentHTML|setHTML|DOMParser|srcdoc"
    forbidden = re.compile(rf"{html}|document\.write|\beval\(|new Function")
    found = {
        f"{path.relative_to(STATIC)}: {hit.group()}"
        for path in STATIC.rglob("*.js")
        for hit in forbidden.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_the_page_names_no_other_place() -> None:
    address = re.compile(r"(?:https?:)?//[a-z0-9-]+\.[a-z]", re.IGNORECASE)
    namespace = "http://www.w3.org/"
    for path in (path for path in STATIC.rglob("*.*") if path.suffix in (".js", ".css", ".html", ".svg")):
        text = path.read_text(encoding="utf-8").replace(namespace, "")
        assert not address.search(text), path.name
        if path.suffix == ".css":
            assert "@import" not in text
            assert "url(" not in text
