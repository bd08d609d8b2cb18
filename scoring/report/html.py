"""A run as one HTML file that asks nothing of the network: tables, timelines, texts, sound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from recordings.format import EpisodeInfo, Model
from recordings.reader import Episode
from scoring.digest.make import digest_of
from scoring.judge.rated import LABELS
from scoring.report import figures, picture
from scoring.report.dimensions import Sound, sound_of
from scoring.report.embed import Export, call_data, view_of_calls, write_sound
from scoring.report.figures import Group, group, groups
from scoring.report.marked import Row, rows
from scoring.report.page import STYLE, render
from scoring.report.picture import Picture, draw
from scoring.report.repeats import repeats, sensitivity, sensitivity_lines
from scoring.report.sound import Audio, data_uri, stereo
from scoring.science.tables import tables as science_tables
from scoring.score import METRICS, EpisodeScores, RunScores
from streams.audio import Pcm

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
    """One episode as the template shows it.

    Attributes:
        audio: Address of its sound: a data URI, or a file beside the page; "" if it has none here.
        data: All that the studio's view shows of it; None if it is not to be listened to.
    """

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
    data: Markup | None = None


def write_html(scores: RunScores, path: Path, export: Export | None = None) -> None:
    """Write the report of a run; with an export, also to be listened to as in the studio.

    Raises:
        NoSuchCall: The export names a call that is not shown.
        RecordingError: An episode cannot be read again for its sound.
        OSError: The file cannot be written.
    """
    path.write_text(render_html(scores, export=export), encoding="utf-8", errors="replace")


def render_html(scores: RunScores, audio_limit: int = AUDIO_LIMIT, export: Export | None = None) -> str:
    """The report of a run as one page; sound beside it is written here."""
    digest = scores.digest or digest_of(scores.episodes)
    if export:
        export.check([episode.info.id for episode in scores.episodes])
    pages = list(_pages(scores, audio_limit, export))
    calls = {page.number: page.data for page in pages if page.data is not None}
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
        episodes=sorted(pages, key=lambda page: page.info.outcome.void),
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
        studio=view_of_calls(calls) if calls else None,
        beside=export is not None and export.files is not None,
    )


def _pages(scores: RunScores, audio_limit: int, export: Export | None) -> Iterator[EpisodePage]:
    left = audio_limit
    for number, episode in enumerate(scores.episodes, start=1):
        recording = Episode.load(episode.path)
        user, endpoint = recording.track("user")[0], recording.track("endpoint")[0]
        if export is None or export.wants(episode.info.id):
            files, sound = _heard(number, user, endpoint, episode.info, export, left > 0)
        else:
            files, sound = None, ""
        left -= len(sound) if files is None else 0
        sound = sound if left >= 0 else ""
        data = call_data(episode.path, files) if export and export.wants(episode.info.id) else None
        yield _page(number, episode, recording, user, endpoint, sound, data)


def _heard(
    number: int, user: Pcm, endpoint: Pcm, info: EpisodeInfo, export: Export | None, room: bool
) -> tuple[dict[str, str] | None, str]:
    """Files beside the page, if there are any, and what the figure plays."""
    if export is not None and export.files is not None:
        files = write_sound(stereo(user, endpoint, info), export, number)
        return files, files.get("both", "")
    audio = export.audio if export else Audio.FLAC
    return None, data_uri(stereo(user, endpoint, info), audio) if room else ""


def _page(
    number: int,
    scores: EpisodeScores,
    recording: Episode,
    user: Pcm,
    endpoint: Pcm,
    sound: str,
    data: Markup | None,
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
        data=data,
    )


def _several(found: list[Group]) -> list[Group]:
    """Groups are worth a table only if there are at least two."""
    return found if len(found) > 1 else []
