"""Formats of one line, or a few, for each stretch of speech. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from recordings.exporting.cues import Cue


def audacity(cues: Sequence[Cue]) -> str:
    """Audacity's label track: start, end, and `user: words`, parted by tabs; microseconds."""
    return "".join(f"{cue.start_s:.6f}\t{cue.end_s:.6f}\t{cue.side}: {cue.text}\n" for cue in cues)


def rttm(cues: Sequence[Cue], name: str) -> str:
    """NIST's Rich Transcription Time Marked: who speaks when.

    Args:
        cues: Of one recording.
        name: Of the recording, without spaces.
    """
    return "".join(
        f"SPEAKER {name} 1 {cue.start_s:.6f} {cue.end_s - cue.start_s:.6f} <NA> <NA> {cue.side} <NA> <NA>\n"
        for cue in cues
    )


def webvtt(cues: Sequence[Cue]) -> str:
    """WebVTT with the speaker as the voice of each cue; milliseconds. Cues without words are left out."""
    parts = ["WEBVTT\n"]
    for cue in cues:
        if cue.text:
            words = cue.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            start, end = (round(1000 * seconds) for seconds in (cue.start_s, cue.end_s))
            parts.append(f"{_stamp(start)} --> {_stamp(max(end, start + 1))}\n<v {cue.side}>{words}\n")
    return "\n".join(parts)


def _stamp(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:03d}"
