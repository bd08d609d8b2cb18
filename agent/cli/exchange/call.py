"""One call made elsewhere becomes an episode, whole or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agent.cli.exchange.mix import apart
from agent.cli.exchange.scenario import Fitted, fitted
from agent.cli.exchange.speech import Lines, Spoken, recognised, spoken_in
from agent.episode_info import version
from recordings.errors import RecordingError
from recordings.format import Absent, EndpointInfo, Imported, Side
from recordings.importing.episode import Call, unscripted, write
from recordings.importing.found import Source, Words
from recordings.importing.lines import Line
from recordings.importing.sides import sides_of
from recordings.importing.sound import Sound, read_sound
from recordings.importing.speech import Said, with_roles
from recordings.importing.tracks import Tracks, lined_up
from recordings.importing.words import read_words
from recordings.reader import Episode
from scenarios.load import LoadedScenario, canonical_json
from scoring.score import read_timeline
from scoring.texts import clips_to_transcribe
from scoring.transcribe import transcribe
from scoring.transcripts import Clip, ClipKind, Transcripts
from streams.speech.interfaces import Recogniser, SpeechDetector


@dataclass(frozen=True, slots=True)
class How:
    """What holds for every call of one import.

    Attributes:
        endpoint: The endpoint's name in tables; "" takes that of the source.
        user_speaker: Name of the user in transcripts; "" takes the usual ones.
        endpoint_speaker: The same for the endpoint.
        own_words: Transcripts hold the endpoint's own text, not what was heard of it.
        swapped: The user is on the right.
        detector: Tells speech from other sound on the user's side; None takes every sound for speech.
        recogniser: Writes down what has no words; None leaves it unscored.
    """

    endpoint: str = ""
    offset_s: float = 0.0
    user_speaker: str = ""
    endpoint_speaker: str = ""
    own_words: bool = False
    swapped: bool = False
    language: str = "en"
    scenario: LoadedScenario | None = None
    detector: SpeechDetector | None = None
    recogniser: Recogniser | None = None


async def import_call(source: Source, how: How, out: Path) -> Path:
    """Make an episode of a call; returns its folder in `out`.

    Raises:
        RecordingError: A file cannot be read or written, or there is such an episode already.
        WordsUnreadable: The transcript is none, or names speakers that are neither side.
        OffsetInvalid: The offset is none.
        SpeechError: The detector failed.
    """
    folder = out / source.name
    channels = 2 if len(source.sounds) == 1 and not source.mixed else 1
    sounds = [read_sound(path, channels) for path in source.sounds]
    lines, notes = _lines(source, how)
    if source.mixed:
        tracks, spoken = await apart(source, sounds[0], how.recogniser, how.language)
    else:
        tracks = _tracks(sounds, how)
        spoken = await spoken_in(tracks, lines, how.detector, own_words=how.own_words)
    imported = _imported(source, sounds, lines, [*notes, *spoken.notes])
    with _draft(folder) as draft:
        call = _call(source, how, out.name, tracks, spoken.said, imported)
        write(draft, call)
        if how.recogniser is not None:
            words = await _transcripts(draft, how.recogniser)
            spoken = replace(spoken, said=recognised(spoken.said, words))
        write(draft, _finished(call, spoken, how))
    return folder


@contextmanager
def _draft(folder: Path) -> Iterator[Path]:
    """A folder beside the episode's that becomes it at the end, or is gone."""
    if folder.exists():
        found = "exists already"
        raise RecordingError(folder, found, "Choose another --out: an episode is never overwritten.")
    draft = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".importing-", dir=folder.parent))
        yield draft
        draft.chmod(0o755)  # while it was a draft it was its maker's alone
        draft.rename(folder)
    except OSError as error:
        raise RecordingError(folder, f"cannot be written ({error.strerror})") from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _tracks(sounds: Sequence[Sound], how: How) -> Tracks:
    if len(sounds) == 1:
        user, endpoint = sounds[0].channels[::-1] if how.swapped else sounds[0].channels
        return lined_up(user, sounds[0].rate, endpoint, sounds[0].rate, offset_s=how.offset_s)
    mine, theirs = sounds
    return lined_up(mine.channels[0], mine.rate, theirs.channels[0], theirs.rate, offset_s=how.offset_s)


def _lines(source: Source, how: How) -> tuple[Lines, list[str]]:
    """The lines of all transcripts of a call, and notes."""
    found: dict[Side, list[tuple[Line, Words]]] = {}
    cut = 0
    for words in source.words:
        lines = read_words(words.path)
        sided = (
            [(words.side, line) for line in lines]
            if words.side is not None
            else sides_of(lines, str(words.path), how.user_speaker, how.endpoint_speaker)
        )
        for side, line in sided:
            if words.cut_after and line.text is not None and len(line.text) >= words.cut_after:
                line, cut = replace(line, text=None), cut + 1
            found.setdefault(side, []).append((line, words))
        if words.side is None:  # who has no line in it said nothing
            found |= {side: [] for side in Side if side not in found}
    return found, [f"{cut} lines of the transcript are cut off: their words are not used"] if cut else []


def _call(
    source: Source, how: How, run: str, tracks: Tracks, said: Sequence[Said], imported: Imported
) -> Call:
    name = how.endpoint or source.endpoint or "imported"
    return Call(
        name=source.name,
        run=run,
        endpoint=EndpointInfo(address=name, protocol="imported"),
        tracks=tracks,
        said=said,
        source=imported,
        scenario=unscripted(source.name, how.language),
        outcome=source.outcome,
        reason=source.reason or "imported: how the call ended is not known",
        version=version(),
        absent=(Absent.USER_CLEAN, Absent.ARRIVALS, *((Absent.OVERLAP,) if source.mixed else ())),
    )


def _imported(
    source: Source,
    sounds: Sequence[Sound],
    lines: Lines,
    notes: Sequence[str],
) -> Imported:
    return Imported(
        format=source.format,
        files=tuple(sound.source for sound in sounds),
        words=", ".join(words.path.name for words in source.words)
        or (source.format if source.mixed else ""),
        inferred={"edges": "from the audio"} | _inferred(source, lines),
        notes=(*source.notes, *(note for sound in sounds for note in sound.notes), *notes),
    )


def _inferred(source: Source, lines: Lines) -> dict[str, str]:
    if source.mixed:
        return {"sides": "by the words that a recogniser heard"}
    return {f"utterances of the {side}": "from the audio" for side in Side if side not in lines}


async def _transcripts(draft: Path, recogniser: Recogniser) -> Transcripts:
    """The words of every utterance and reply, kept beside the episode for `viva score`."""
    episode = Episode.load(draft)
    clips = clips_to_transcribe(read_timeline(episode), episode.received, episode.turns)
    # replies by their turns too: a turn may be a part of what the timeline takes for one stretch
    for turn in episode.turns:
        kind = ClipKind.USER if turn.side is Side.USER else ClipKind.HEARD
        clip = Clip(kind=kind, spans=((turn.start, turn.end),))
        if clip not in clips and (turn.side is Side.USER or turn.heard is None):
            clips.append(clip)
    return await transcribe(episode, clips, recogniser)


def _finished(call: Call, spoken: Spoken, how: How) -> Call:
    """The call with roles, and with its scenario where it has one."""
    user = [one for one in spoken.said if one.side is Side.USER]
    others = [one for one in spoken.said if one.side is Side.ENDPOINT]
    roled, inferred = with_roles(user, spoken.talking, call.tracks.user_rate)
    fit = Fitted(roled) if how.scenario is None else fitted(roled, how.scenario.scenario)
    told = dict(call.source.inferred)
    if inferred:
        told["backchannels"] = f"{inferred}, by their words and length"
    source = call.source.model_copy(
        update={"inferred": told | fit.inferred, "notes": (*call.source.notes, *fit.notes)}
    )
    call = replace(call, said=[*fit.said, *others], labels=fit.labels, source=source)
    if how.scenario is None:
        return call
    pack = how.scenario.pack.id if how.scenario.pack else ""
    return replace(call, scenario=json.loads(canonical_json(how.scenario.scenario)), pack=pack)
