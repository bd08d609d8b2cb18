"""A run as one HTML file that asks nothing of the network: tables, timelines, texts, sound."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recordings.format import EpisodeInfo, Model
from recordings.reader import Episode
from scoring.digest.make import digest_of
from scoring.judge.rated import LABELS
from scoring.report import figures, picture
from scoring.report.dimensions import Sound, sound_of
from scoring.report.figures import Group, group, groups
from scoring.report.marked import Row, rows
from scoring.report.page import STYLE, render
from scoring.report.picture import Picture, draw
from scoring.report.repeats import repeats, sensitivity, sensitivity_lines
from scoring.science.tables import tables as science_tables
from scoring.score import METRICS, EpisodeScores, RunScores
from streams.audio import Pcm
from streams.resample import resample

AUDIO_LIMIT = 20_000_000
"""Bytes of sound in one report; episodes beyond it are shown without."""

VERDICT_LABELS = ("complete", "partial", "missing", "wrong", *LABELS)
"""Labels that have a colour of their own."""

_HERE = Path(__file__).parent
_CARDS = (
    "response_latency",
    "first_byte",
    "unanswered_turns",
    "endpoint_interruptions",
    "user_wer_heard",
    "endpoint_wer_heard",
)


@dataclass(frozen=True, slots=True)
class Greeting:
    """Endpoint speech before the user's first turn."""

    at: str
    intended: str
    heard: str


@dataclass(frozen=True, slots=True)
class EpisodePage:
    """One episode as the template shows it."""

    number: int
    scores: EpisodeScores
    info: EpisodeInfo
    title: str
    picture: Picture
    rows: list[Row]
    greetings: list[Greeting]
    models: list[Model]
    audio: str
    sound: Sound


def write_html(scores: RunScores, path: Path) -> None:
    """Write the report of a run.

    Raises:
        RecordingError: An episode cannot be read again for its sound.
        OSError: The file cannot be written.
    """
    path.write_text(render_html(scores), encoding="utf-8", errors="replace")


def render_html(scores: RunScores, audio_limit: int = AUDIO_LIMIT) -> str:
    """The report of a run as one page."""
    digest = scores.digest or digest_of(scores.episodes)
    return render(
        _HERE / "report.html.j2",
        [STYLE],
        _HERE / "report.js",
        run=scores.run,
        name=Path(scores.run).name or scores.run,
        whole=group("all episodes", digest),
        usage=str(scores.usage) if scores.usage.worth_telling else "",
        by_endpoint=_several(groups(digest, lambda row: row.endpoint)),
        by_scenario=_several(groups(digest, lambda row: row.scenario)),
        # void episodes are shown, but set apart
        episodes=sorted(_pages(scores, audio_limit), key=lambda page: page.info.outcome.void),
        verdicts=figures.verdicts(digest),
        tallies=figures.tallies(digest),
        science=science_tables(scores.science),
        metrics={metric.name: metric for metric in METRICS},
        verdict_labels=VERDICT_LABELS,
        cards=_CARDS,
        repeats=repeats(digest),
        another_user=sensitivity_lines(sensitivity(digest)),
        left_out=len(digest.rows) - len(scores.episodes),
        figures=figures,
        picture=picture,
    )


def _pages(scores: RunScores, audio_limit: int) -> list[EpisodePage]:
    pages: list[EpisodePage] = []
    left = audio_limit
    for number, episode in enumerate(scores.episodes, start=1):
        recording = Episode.load(episode.path)
        user, endpoint = recording.track("user")[0], recording.track("endpoint")[0]
        sound = _sound(user, endpoint, episode.info) if left > 0 else ""
        left -= len(sound)
        pages.append(_page(number, episode, recording, user, endpoint, sound if left >= 0 else ""))
    return pages


def _page(
    number: int, scores: EpisodeScores, recording: Episode, user: Pcm, endpoint: Pcm, sound: str
) -> EpisodePage:
    view = scores.view
    live = [turn for turn in recording.turns if turn.side.value == "endpoint"]
    step = view.timeline.endpoint_step
    greetings = []
    for stretch in view.timeline.greeting:
        own = [t for t in live if t.start * step < stretch.end and t.end * step > stretch.start]
        intended = " ".join(turn.intended or "" for turn in own)
        heard = " ".join(turn.heard or "" for turn in own)
        greetings.append(Greeting(figures.clock(view.timeline.seconds(stretch.start)), intended, heard))
    models = list(scores.info.models)
    if scores.recogniser is not None:
        models.append(Model(role="offline transcripts", **scores.recogniser.model_dump()))
    return EpisodePage(
        number=number,
        scores=scores,
        info=scores.info,
        title=str(scores.info.scenario.get("title") or scores.scenario or scores.info.id),
        picture=draw(view.timeline, user, endpoint, view.events),
        rows=rows(view.timeline, view.texts, view.language),
        greetings=greetings,
        models=models,
        audio=sound,
        sound=sound_of(recording),
    )


def _sound(user: Pcm, endpoint: Pcm, info: EpisodeInfo) -> str:
    """Both tracks as a data URI, FLAC: the user on the left, the endpoint as heard on the right."""
    import soundfile

    rate = info.endpoint_rate
    left = np.frombuffer(resample(user.astype("<i2").tobytes(), info.user_rate, rate), "<i2")
    length = max(left.size, endpoint.size)
    if not length:
        return ""
    both = np.zeros((length, 2), np.int16)
    both[: left.size, 0], both[: endpoint.size, 1] = left, endpoint
    file = io.BytesIO()
    soundfile.write(file, both, rate, format="FLAC", subtype="PCM_16")
    return f"data:audio/flac;base64,{base64.b64encode(file.getvalue()).decode()}"


def _several(found: list[Group]) -> list[Group]:
    """Groups are worth a table only if there are at least two."""
    return found if len(found) > 1 else []
