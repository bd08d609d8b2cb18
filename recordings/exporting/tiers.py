"""Formats with one tier a speaker: Praat's TextGrid and ELAN's EAF. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from recordings.exporting.cues import Cue, apart
from recordings.format import Side

_EAF = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"


def textgrid(cues: Sequence[Cue], duration_s: float) -> str:
    """Praat's TextGrid, long form: an interval tier a side, silence as intervals without text."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0"]
    lines += [f"xmax = {duration_s}", "tiers? <exists>", f"size = {len(Side)}", "item []:"]
    for number, side in enumerate(Side, 1):
        intervals = _intervals([*apart(cues, side)], duration_s)
        lines += [f"    item [{number}]:", '        class = "IntervalTier"', f'        name = "{side}"']
        lines += ["        xmin = 0", f"        xmax = {duration_s}"]
        lines += [f"        intervals: size = {len(intervals)}"]
        for place, (start, end, text) in enumerate(intervals, 1):
            quoted = text.replace('"', '""')
            lines += [f"        intervals [{place}]:", f"            xmin = {start}"]
            lines += [f"            xmax = {end}", f'            text = "{quoted}"']
    return "\n".join(lines) + "\n"


def _intervals(cues: Sequence[Cue], duration_s: float) -> list[tuple[float, float, str]]:
    """Cues and the silences between them, from 0 to the end without a hole."""
    found: list[tuple[float, float, str]] = []
    position = 0.0
    for cue in cues:
        if cue.start_s > position:
            found.append((position, cue.start_s, ""))
        found.append((cue.start_s, cue.end_s, cue.text))
        position = cue.end_s
    if position < duration_s or not found:
        found.append((position, duration_s, ""))
    return found


def elan(cues: Sequence[Cue], sound: str, date: str) -> bytes:
    """ELAN's EAF: a tier a side, times in milliseconds.

    Args:
        cues: Of one call.
        sound: Name of the WAV file beside it.
        date: ISO 8601, of the recording; "" if it is not known.
    """
    root = ElementTree.Element(
        "ANNOTATION_DOCUMENT",
        {
            "AUTHOR": "vivavoce",
            "DATE": date or "1970-01-01T00:00:00+00:00",
            "FORMAT": "3.0",
            "VERSION": "3.0",
            f"{{{_XSI}}}noNamespaceSchemaLocation": _EAF,
        },
    )
    head = ElementTree.SubElement(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    media = {"MEDIA_URL": sound, "RELATIVE_MEDIA_URL": f"./{sound}", "MIME_TYPE": "audio/x-wav"}
    ElementTree.SubElement(head, "MEDIA_DESCRIPTOR", media)
    order = ElementTree.SubElement(root, "TIME_ORDER")
    slots = annotations = 0
    for side in Side:
        attributes = {"LINGUISTIC_TYPE_REF": "turn", "TIER_ID": str(side), "PARTICIPANT": str(side)}
        tier = ElementTree.SubElement(root, "TIER", attributes)
        for cue in apart(cues, side):
            slots, annotations = slots + 2, annotations + 1
            names = f"ts{slots - 1}", f"ts{slots}"
            for name, seconds in zip(names, (cue.start_s, cue.end_s), strict=True):
                value = str(round(1000 * seconds))
                ElementTree.SubElement(order, "TIME_SLOT", TIME_SLOT_ID=name, TIME_VALUE=value)
            slot = {"TIME_SLOT_REF1": names[0], "TIME_SLOT_REF2": names[1]}
            outer = ElementTree.SubElement(tier, "ANNOTATION")
            inner = ElementTree.SubElement(
                outer, "ALIGNABLE_ANNOTATION", {"ANNOTATION_ID": f"a{annotations}", **slot}
            )
            ElementTree.SubElement(inner, "ANNOTATION_VALUE").text = cue.text
    kind = {"GRAPHIC_REFERENCES": "false", "LINGUISTIC_TYPE_ID": "turn", "TIME_ALIGNABLE": "true"}
    ElementTree.SubElement(root, "LINGUISTIC_TYPE", kind)
    ElementTree.indent(root)
    ElementTree.register_namespace("xsi", _XSI)
    found: bytes = ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return found
