from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import soundfile
from markupsafe import escape
from rich.console import Console

from recordings.format import Flushed, Outcome, Side, TickLate, Verdict
from recordings.reader import Episode
from scoring.report.figures import TOPICS, causes_text, clock, number, spread_text, title, value_text
from scoring.report.html import render_html, write_html
from scoring.report.marked import rows
from scoring.report.picture import ENDPOINT_Y, LANE, LEFT, Picture, draw, envelope
from scoring.report.safe import neutralise
from scoring.report.terminal import in_pieces, print_report
from scoring.score import METRICS, RunScores, read_timeline, score
from streams.audio import Pcm
from tests.scoring.episodes import CallMaker, tone

EVIL = '<script>alert(1)</script> "quoted" \u202egnp.exe \x1b[31m'


def call(text: str = "hello there", heard: str = "hello dear") -> CallMaker:
    made = (
        CallMaker().user(0.5, 2.5, text, heard=heard).reply(3.3, tone(1.0, 24000), response="r0", item="i")
    )
    return made.turn(Side.ENDPOINT, 3.3, 4.3, intended="It is one.", heard="it is won")


def scored(folder: Path) -> RunScores:
    return asyncio.run(score([folder], None))


def drawn(made: CallMaker, folder: Path) -> Picture:
    episode = Episode.load(made.write(folder / "e"))
    return draw(
        read_timeline(episode), episode.track("user")[0], episode.track("endpoint")[0], episode.events
    )


class Page(HTMLParser):
    """Collects elements and checks that they are nested."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.seen if name == tag]


def test_the_page_is_whole_and_asks_nothing_of_the_network(tmp_path: Path) -> None:
    call().write(tmp_path / "run" / "a")
    call().write(tmp_path / "run" / "b", outcome=Outcome.CONNECT_FAILED, endpoint="other://x")
    html = render_html(scored(tmp_path / "run"))
    page = Page(html)
    links = [v for _, attrs in page.seen for k, v in attrs.items() if k in ("src", "href", "srcset") and v]
    assert links
    assert all(link.startswith("data:audio/flac;base64,") for link in links)
    assert "@import" not in html
    assert "url(" not in html


def test_the_page_allows_only_its_own_script_and_style(tmp_path: Path) -> None:
    call().write(tmp_path / "a")
    html = render_html(scored(tmp_path))
    (policy,) = [a["content"] for a in Page(html).all("meta") if "http-equiv" in a]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    for tag in ("style", "script"):
        (body,) = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not any("style" in attrs for _, attrs in Page(html).seen)


def test_text_of_others_is_data(tmp_path: Path) -> None:
    made = call(EVIL, EVIL)
    made.write(tmp_path / "a", scenario={"id": "x", "title": EVIL}, endpoint=EVIL)
    html = render_html(scored(tmp_path))
    assert html.count("<script>") == 1  # ours
    assert "&lt;script&gt;alert(1)" in html
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert "⟨U+202E⟩gnp.exe" in html


def test_void_calls_are_shown_but_set_apart(tmp_path: Path) -> None:
    call().write(tmp_path / "run" / "a", outcome=Outcome.BEHIND_REAL_TIME, scenario={"title": "Spoiled"})
    call().write(tmp_path / "run" / "b", scenario={"title": "Counted"})
    html = render_html(scored(tmp_path / "run"))
    assert html.index(">Counted<") < html.index("Void: spoiled by our own side") < html.index(">Spoiled<")
    assert [a["class"] for a in Page(html).all("article") if "class" in a] == ["void"]


def test_a_verdict_stands_beside_the_reply_with_its_reason(tmp_path: Path) -> None:
    made = call()
    verdicts = (
        Verdict(judge="facts", label="wrong", reason="contradicts: price"),
        Verdict(judge="llm", unscored="no_key"),
    )
    made.turns[-1] = made.turns[-1].model_copy(update={"verdicts": verdicts})
    made.write(tmp_path / "a")
    html = render_html(scored(tmp_path))
    assert '<span class="chip wrong">wrong</span> facts: <bdi>contradicts: price</bdi>' in html
    assert '<span class="chip none">unscored: no key</span> llm' in html
    assert '<span class="chip wrong">1 wrong</span>' in html  # the tally of the run


def test_every_time_in_the_transcript_can_be_listened_to(tmp_path: Path) -> None:
    call().user(5.0, 6.0).write(tmp_path / "a")  # the second turn has no reply
    scores = scored(tmp_path)
    times = [button["data-at"] for button in Page(render_html(scores)).all("button")]
    assert times == ["0.5", "3.3", "5.0"]
    assert Page(render_html(scores, audio_limit=100)).all("button") == []


def test_the_page_says_what_every_metric_is(tmp_path: Path) -> None:
    call().write(tmp_path / "a")
    scores = scored(tmp_path)
    html = render_html(scores)
    for metric in METRICS:
        result = scores.metrics[metric.name]
        assert (str(escape(metric.description)) in html) == bool(result.n or result.unscored)


def test_a_half_surrogate_does_not_spoil_the_page() -> None:  # D43
    assert neutralise("a\ud800b\u2067c\nd") == "a⟨U+D800⟩b⟨U+2067⟩c d"


def test_every_timeline_has_a_title_and_a_description(tmp_path: Path) -> None:
    call().write(tmp_path / "a")
    page = Page(render_html(scored(tmp_path)))
    (svg,) = page.all("svg")
    assert svg["role"] == "img"
    ids = {attrs.get("id") for _, attrs in page.seen}
    assert set(str(svg["aria-labelledby"]).split()) <= ids


def test_the_sound_is_both_tracks_on_one_time_axis(tmp_path: Path) -> None:
    made = call()
    made.write(tmp_path / "a")
    (audio,) = Page(render_html(scored(tmp_path))).all("audio")
    data = base64.b64decode(str(audio["src"]).split(",")[1])
    both, rate = soundfile.read(io.BytesIO(data), dtype="int16")
    assert (rate, both.shape) == (24000, (round(made.seconds * 24000), 2))
    assert np.array_equal(both[:, 1], made.endpoint_track)
    assert abs(int(np.flatnonzero(np.abs(both[:, 0]) > 1000)[0]) - 12000) < 24  # the user begins at 0.5 s


def test_sound_beyond_the_limit_is_left_out(tmp_path: Path) -> None:
    call().write(tmp_path / "a")
    html = render_html(scored(tmp_path), audio_limit=100)
    assert "<audio" not in html
    assert "viva listen" in html


def test_the_file_is_written(tmp_path: Path) -> None:
    call().write(tmp_path / "run" / "a")
    write_html(scored(tmp_path / "run"), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_picture_stands_on_the_time_axis(tmp_path: Path) -> None:
    made = call().note(
        Flushed(t=4.0, by="endpoint", at=96000, items=(("i", 1, 2),)),
        Flushed(t=1.0, by="endpoint", at=24000),  # nothing was playing: no cut
        TickLate(t=2.0, lateness_ms=7.0),
    )
    picture = drawn(made, tmp_path)
    scale = picture.scale

    def seconds(x: float) -> float:
        return (x - LEFT) / scale

    assert [seconds(box.x) for box in picture.user] == pytest.approx([0.5], abs=0.01)
    assert [seconds(box.x) for box in picture.endpoint] == pytest.approx([3.3], abs=0.01)
    (bracket,) = picture.brackets
    assert (bracket.text, bracket.kind) == ("800 ms", "wait")
    assert seconds(bracket.x) == pytest.approx(2.5, abs=0.01)
    assert seconds(bracket.x + bracket.width) == pytest.approx(3.3, abs=0.01)
    assert [seconds(mark.x) for mark in picture.flushes] == pytest.approx([4.0], abs=0.01)
    (turn,) = picture.turns
    assert (turn.x, turn.label) == (picture.user[0].x, "1")
    assert [seconds(mark.x) for mark in picture.late] == pytest.approx([2.0], abs=0.01)


def test_a_cut_in_and_a_missing_reply_are_drawn_as_such(tmp_path: Path) -> None:
    made = CallMaker().user(0.0, 3.0).reply(2.6, tone(1.0, 24000), response="r").user(8.0, 9.0)
    made.length = 40.0
    picture = drawn(made, tmp_path)
    assert [(b.text, b.kind) for b in picture.brackets] == [
        ("\N{MINUS SIGN}400 ms", "cut-in"),
        ("no reply", "unanswered"),
    ]
    assert len(picture.overlaps) == 1
    assert len(picture.dead_air) == 2
    assert "−400 ms, no reply" in picture.description


def test_an_envelope_shows_where_sound_is_and_how_loud() -> None:
    pcm: Pcm = np.zeros(24000, np.int16)
    pcm[6000:12000] = 8192  # a quarter of full scale: half the lane's height
    path = envelope(pcm, 24000, 100.0, ENDPOINT_Y)
    assert path.count("M") == 1
    points = [(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", path)]
    assert min(x for x, _ in points) == pytest.approx(LEFT + 25, abs=2)
    assert max(x for x, _ in points) == pytest.approx(LEFT + 50, abs=2)
    assert {round(abs(y - ENDPOINT_Y), 1) for _, y in points} == {LANE / 2}
    assert envelope(np.zeros(0, np.int16), 24000, 100.0, 0) == ""


def test_word_errors_are_marked_and_an_interrupted_reply_is_not_compared(tmp_path: Path) -> None:
    made = call().user(4.0, 5.0, "stop now", heard="stop")
    made.write(tmp_path / "a")
    view = scored(tmp_path).episodes[0].view
    first, second = rows(view.timeline, view.texts, "en")
    heard = first.user[2]
    assert [(word.op, word.text, word.expected) for word in heard.words] == [
        ("hit", "hello", ""),
        ("substitution", "dear", "there"),
    ]
    assert heard.errors == "1 of 2"
    assert first.interrupted
    assert first.endpoint[2].words == ()
    assert first.endpoint[2].text == "it is won"
    assert [word.op for word in second.user[2].words] == ["hit", "deletion"]
    assert second.endpoint[2].unscored == "session_ended"


def test_the_terminal_says_what_was_left_out(tmp_path: Path) -> None:
    call().write(tmp_path / "run" / "a")
    call().write(tmp_path / "run" / "b", outcome=Outcome.BEHIND_REAL_TIME)
    call().write(tmp_path / "run" / "c", endpoint="other://[red]x[/red]\x1b[31m")
    console = Console(width=100, record=True, file=io.StringIO())
    print_report(scored(tmp_path / "run"), console)
    text = console.export_text()
    assert "3 calls: 2 completed, 1 behind real time" in text
    assert "1 void" in text
    assert "1 of 2" in text  # calls of the first endpoint that count
    assert re.search(r"response latency\s+800 ms\s+2", text)
    assert "[red]" in text  # text of others is no markup
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines() if "run" not in line) <= 100


def printed(scores: RunScores, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO())
    with console.capture() as capture:
        print_report(scores, console)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("width", [80, 120])
def test_a_short_run_is_shown_exchange_by_exchange(tmp_path: Path, width: int) -> None:
    long = " ".join(["many words"] * 20)
    made = call(long, "many birds").user(5.0, 6.0, "stop now", heard="stop")
    made.turns[-2] = made.turns[-2].model_copy(
        update={"verdicts": (Verdict(judge="facts", label="partial", reason="not stated: price"),)}
    )
    made.write(tmp_path / "a")
    text = printed(scored(tmp_path), width)
    heading = next(at for at, line in enumerate(text) if " words " in line)
    times = ("0:00.5   ", "0:03.3   ", "0:05.0   ", "         ") if width >= 104 else ("", "", "", "")
    asked, replied, again, silence = (
        line.removeprefix(time) for line, time in zip(text[heading + 2 : heading + 6], times, strict=True)
    )
    assert re.fullmatch(r"user       many words [a-z ]+… +39/40", asked)
    assert re.fullmatch(r"endpoint   it is won +800 ms +1/3   partial", replied)
    assert re.fullmatch(r"user       stop now +1/2", again)
    assert re.fullmatch(r"endpoint   session ended", silence)
    assert max(map(len, text[1:])) <= width
    assert any(line == "verdicts  facts: 1 partial" for line in text)


def test_a_long_run_is_shown_in_tables_alone(tmp_path: Path) -> None:
    for name in "abcdefghijklmnop":  # 16 exchanges
        call().write(tmp_path / "run" / name)
    assert not any("it is won" in line for line in printed(scored(tmp_path / "run"), 80))


def test_names_are_broken_behind_their_signs_and_never_within_a_word(tmp_path: Path) -> None:
    address = "openai+wss://voice.example.org/v1/realtime?model=a-rather-long-name&key_env=KEY"
    assert in_pieces(address, 24) == [
        "openai+wss://voice.",
        "example.org/v1/realtime?",
        "model=a-rather-long-",
        "name&key_env=KEY",
    ]
    assert in_pieces("abcdefghij", 6) == ["abcde…"]
    call().write(tmp_path / "run" / "a", endpoint=address)
    call().write(tmp_path / "run" / "b", endpoint="reference://")
    text = printed(scored(tmp_path / "run"), 80)
    at = next(i for i, line in enumerate(text) if line.startswith("endpoint ") and " calls " in line)
    table = text[at + 2 : text.index("", at)]
    assert max(map(len, table)) <= 80
    assert "".join(line.split("   ")[0] for line in table) == f"{address}reference://"
    assert all(" 800 ms " in line for line in table if line.startswith(("openai", "reference")))


@pytest.mark.parametrize("width", [80, 120])
def test_metrics_stand_by_topic(tmp_path: Path, width: int) -> None:
    call().write(tmp_path / "a")
    text = printed(scored(tmp_path), width)
    topics = [line for line in text if line in (*TOPICS, "other")]
    # no mm-hm in the call
    assert topics == ["outcome", "timing", "turns", "interruptions", "turn-taking", "words"]
    shown = [line for line in text if any(line.startswith(f"  {title(m.name)}  ") for m in METRICS)]
    assert len(shown) == sum(
        bool(result.n or result.unscored) for result in scored(tmp_path).metrics.values()
    )


def test_a_run_in_which_every_call_is_void_has_no_numbers(tmp_path: Path) -> None:
    call().write(tmp_path / "a", outcome=Outcome.BEHIND_REAL_TIME)
    text = printed(scored(tmp_path), 80)
    assert "1 void (100.0 %), spoiled by our own side: left out of the numbers, 0 counted" in text
    assert any("it is won" in line for line in text)  # shown all the same
    assert not any("response latency" in line for line in text)


def test_numbers_are_short_and_signed() -> None:
    assert number(-400.2, "ms") == "−400 ms"
    assert number(-0.2, "ms") == "0 ms"
    assert number(12345.6, "ms") == "12346 ms"
    assert number(0.1234, "ratio") == "12.3 %"
    assert number(2.345, "count") == "2.35"
    assert clock(62.46) == "1:02.5"


def test_a_missing_value_is_a_dash_with_its_causes(tmp_path: Path) -> None:
    CallMaker().user(0.0, 1.0).write(tmp_path / "a")
    latency = scored(tmp_path).metrics["response_latency"]
    assert value_text(latency) == "–"
    assert spread_text(latency) == ""
    assert causes_text(latency) == "1\N{NO-BREAK SPACE}session\N{NO-BREAK SPACE}ended"


def test_the_number_of_values_is_never_cut_off(tmp_path: Path) -> None:
    for place in range(12):
        call().write(tmp_path / f"e{place:02}")
    lines = printed(scored(tmp_path), 80)
    (line,) = (text for text in lines if text.startswith("  response latency"))
    n = scored(tmp_path).metrics["response_latency"].n
    assert n >= 10 and str(n) in line.split()
