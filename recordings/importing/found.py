"""What there is to import at a path: pairs and stereo files of a folder, with the transcripts beside them.

    NAME.wav                              a stereo file: the user left, the endpoint right
    NAME.user.wav + NAME.endpoint.wav     two files of one side each
    NAME/user.wav + NAME/endpoint.wav     the same in a folder of their own
    NAME.json, .rttm, .vtt, .TextGrid ..  the transcript of NAME

Links are not followed out of the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from recordings.errors import RecordingError
from recordings.format import Outcome, Side
from recordings.importing.mix import Message

SOUNDS = frozenset({".wav", ".flac", ".mp3", ".ogg", ".opus", ".aiff", ".aif"})
TRANSCRIPTS = (".json", ".jsonl", ".rttm", ".vtt", ".textgrid", ".labels", ".txt")

_SIDES = {"user": Side.USER, "endpoint": Side.ENDPOINT}


@dataclass(frozen=True, slots=True)
class Words:
    """A transcript.

    Attributes:
        side: Whose it is; None if it names its speakers.
        own: What it has of the endpoint is the endpoint's own text, not what was heard of it.
        cut_after: Letters after which its lines are cut off; 0 if they are whole.
    """

    path: Path
    side: Side | None = None
    own: bool = False
    cut_after: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """A call made elsewhere, as files.

    Attributes:
        name: What the episode will be called.
        sounds: One stereo file, or the user's and the endpoint's.
        endpoint: What it calls the endpoint, if it does.
        outcome: How the call ended, if it says so.
        mixed: Words of both sides in order, if its one recording is a mix of both.
    """

    name: str
    format: str
    sounds: tuple[Path, ...]
    words: tuple[Words, ...] = ()
    endpoint: str = ""
    outcome: Outcome = Outcome.COMPLETED
    reason: str = ""
    notes: tuple[str, ...] = ()
    mixed: tuple[Message, ...] = ()


def sources_in(folder: Path) -> list[Source]:
    """Every call in a folder and below it, by name; episodes in it are not looked into.

    Raises:
        RecordingError: There is none, or a side of one is missing.
    """
    root = folder.resolve()
    sounds = [path for path in _files(folder, root) if path.suffix.casefold() in SOUNDS]
    pairs: dict[Path, dict[Side, Path]] = {}
    found: list[Source] = []
    for path in sounds:
        base, side = _side(path)
        if side is None:
            found.append(Source(_name(path.with_suffix(""), folder), "stereo", (path,), words_of(path)))
        else:
            pairs.setdefault(base, {})[side] = path
    found += [_pair(base, both, folder) for base, both in pairs.items()]
    if not found:
        endings = ", ".join(sorted(SOUNDS))
        raise RecordingError(folder, "holds no recording", f"Recordings end in {endings}.")
    return sorted(found, key=lambda source: source.name)


def words_of(sound: Path) -> tuple[Words, ...]:
    """The transcript beside a recording, if there is one."""
    return tuple(Words(path) for path in _beside(sound.with_suffix("")))[:1]


def _pair(base: Path, both: dict[Side, Path], folder: Path) -> Source:
    missing = [side.value for side in (Side.USER, Side.ENDPOINT) if side not in both]
    if missing:
        (there,) = both.values()
        raise RecordingError(
            there, f"has no {missing[0]} beside it", "A pair is NAME.user and NAME.endpoint."
        )
    own = [
        Words(path, side) for side in _SIDES.values() for path in _beside(both[side].with_suffix(""))[:1]
    ]
    words = own or [Words(path) for path in _beside(base)[:1]]
    return Source(_name(base, folder), "pair", (both[Side.USER], both[Side.ENDPOINT]), tuple(words))


def pair_name(user: Path) -> str:
    """What a call is called whose user's side is this file."""
    base, side = _side(user)
    return slug(base.stem if side is None else base.name)


def _side(path: Path) -> tuple[Path, Side | None]:
    """The call that a file belongs to, and the side of it, if its name says one."""
    stem = path.stem
    if stem in _SIDES:
        return path.parent, _SIDES[stem]
    base, dot, last = stem.rpartition(".")
    return (path.with_name(base), _SIDES[last]) if dot and last in _SIDES else (path, None)


def _beside(base: Path) -> list[Path]:
    names = {path.name.casefold(): path for path in base.parent.iterdir() if not path.is_symlink()}
    wanted = [f"{base.name}{ending}".casefold() for ending in TRANSCRIPTS]
    return [names[name] for name in wanted if name in names]


def _name(base: Path, folder: Path) -> str:
    """A name that can be a folder's, and tells files of different folders apart."""
    relative = base.relative_to(folder) if base != folder else Path(folder.name)
    return slug("-".join(relative.parts))


def slug(text: str) -> str:
    """Letters, digits, dots, dashes and underscores alone; never empty, never hidden."""
    kept = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in text)
    return kept.strip(".-")[:120] or "call"


def _files(folder: Path, root: Path) -> Iterator[Path]:
    for path in sorted(_entries(folder)):
        if path.is_symlink() and not path.resolve().is_relative_to(root):
            continue
        if path.is_dir():
            if (
                not path.is_symlink()
                and not path.name.startswith(".")
                and not (path / "episode.json").exists()
            ):
                yield from _files(path, root)
        elif path.is_file():
            yield path


def _entries(folder: Path) -> Sequence[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise RecordingError(folder, f"cannot be read ({error.strerror})") from error
