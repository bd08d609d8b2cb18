"""A blueprint as a small picture: melody, loudness and pauses, in the colours of the page around it."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.blueprint.record import Blueprint

WIDTH, HEIGHT = 320, 96
_TOP, _MIDDLE, _BOTTOM = 6, 50, 90


def picture(blueprint: Blueprint) -> str:
    """An SVG element to put into a page; it draws with `currentColor`, on light ground and on dark.

    Above the pitch, below the loudness, dashed; pauses are bands over the whole height. The width is time.
    """
    parts = [_bands(blueprint)]
    if blueprint.pitch is not None and blueprint.pitch.contour_hz is not None:
        points = blueprint.pitch.contour_hz
        xs = _across(blueprint.pitch.contour_span_s, blueprint.seconds)
        label = f"{min(points):.0f} to {max(points):.0f} Hz"
        parts.append(_line(points, xs, (_TOP, _MIDDLE - 6), "pitch", label, 'stroke-width="1.6"'))
    if blueprint.loudness is not None:
        points = blueprint.loudness.contour_lufs
        xs = _across(blueprint.loudness.contour_span_s, blueprint.seconds)
        label = f"{min(points):.0f} to {max(points):.0f} LUFS"
        style = 'stroke-width="1.2" stroke-dasharray="3 2"'
        parts.append(_line(points, xs, (_MIDDLE + 6, _BOTTOM), "loudness", label, style))
    if len(parts) == 1 and not parts[0]:
        parts.append(_note("nothing to be heard" if blueprint.signal is None else "no contour"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img"><title>{_title(blueprint)}</title>'
        f"{''.join(parts)}</svg>"
    )


def _title(blueprint: Blueprint) -> str:
    said = [f"{blueprint.seconds:.1f} s"]
    if blueprint.pitch is not None and blueprint.pitch.mean_hz is not None:
        said.append(f"pitch {blueprint.pitch.mean_hz:.0f} Hz")
    if blueprint.loudness is not None:
        said.append(f"loudness {blueprint.loudness.integrated_lufs:.1f} LUFS")
    if blueprint.pace is not None:
        said.append(f"{blueprint.pace.pause_count} pauses")
    return ", ".join(said)


def _bands(blueprint: Blueprint) -> str:
    if blueprint.pace is None or not blueprint.seconds:
        return ""
    scale = WIDTH / blueprint.seconds
    return "".join(
        f'<rect class="pause" x="{pause.start_s * scale:.1f}" y="0" '
        f'width="{max(1.0, (pause.end_s - pause.start_s) * scale):.1f}" height="{HEIGHT}" '
        'fill="currentColor" opacity="0.12"/>'
        for pause in blueprint.pace.pauses
    )


def _across(span_s: tuple[float, float] | None, seconds: float) -> tuple[float, float]:
    """First and last place of a contour on the picture."""
    first, last = span_s or (0.0, seconds)
    return first / seconds * WIDTH, last / seconds * WIDTH


def _line(
    points: Sequence[float],
    xs: tuple[float, float],
    ys: tuple[int, int],
    kind: str,
    label: str,
    style: str,
) -> str:
    (left, right), (top, bottom) = xs, ys
    low, high = min(points), max(points)
    across = (right - left) / (len(points) - 1)
    height = (bottom - top) / ((high - low) or 1.0)
    places = " ".join(
        f"{left + index * across:.1f},{bottom - (point - low) * height:.1f}"
        for index, point in enumerate(points)
    )
    return (
        f'<polyline class="{kind}" points="{places}" fill="none" stroke="currentColor" {style}/>'
        f'<text x="{WIDTH - 2}" y="{top + 6}" font-size="8" text-anchor="end" fill="currentColor" '
        f'opacity="0.7">{label}</text>'
    )


def _note(text: str) -> str:
    place = f'x="{WIDTH // 2}" y="{HEIGHT // 2}" font-size="11" text-anchor="middle"'
    return f'<text {place} fill="currentColor">{text}</text>'
