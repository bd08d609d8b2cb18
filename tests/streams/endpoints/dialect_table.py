"""The table of dialects in `docs/protocols.md`.

`python -m tests.streams.endpoints.dialect_table` writes it anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from streams.audio import AudioFormat
from streams.endpoints.openai_realtime.dialects import DIALECTS, Dialect

PAGE = Path(__file__).parents[3] / "docs" / "protocols.md"
BEGIN, END = "<!-- dialects -->", "<!-- end of dialects -->"

HEADINGS = (
    "dialect",
    "its vendor's address",
    "key",
    "session",
    "sent, asked for (Hz)",
    "turns",
    "user's words",
    "told what was heard",
    "limit",
    "evidence",
)


def table() -> str:
    """Markdown: a row a dialect, and below it where its facts were read."""
    rows = [HEADINGS, ("---",) * len(HEADINGS), *map(_row, DIALECTS.values())]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *_sources()])


def _row(dialect: Dialect) -> tuple[str, ...]:
    own = f"`{dialect.scheme}+ws://HOST:PORT/PATH`" if dialect.scheme else f"`…&dialect={dialect.name}`"
    needs = "&resource=NAME" if "{resource}" in dialect.url else ""
    vendors = f"`{dialect.scheme}://MODEL{needs.replace('&', '?')}`"
    limit = dialect.max_session_s
    return (
        dialect.name,
        vendors if dialect.scheme and dialect.url else own,
        f"`{dialect.key_env}`" if dialect.key_env else "none",
        dialect.shape.upper() if dialect.shape == "ga" else "beta",
        f"{_rate(dialect.input)}, {_rate(dialect.output)}",
        ", ".join(sorted(mode.removesuffix("_vad") for mode in dialect.turn_modes)),
        dialect.user_text.value,
        dialect.playback.value,
        "not known" if limit is None else f"{limit / 60:g} min",
        dialect.evidence.value,
    )


def _rate(audio: AudioFormat) -> str:
    return str(audio.rate)


def _sources() -> Iterator[str]:
    yield "Where this was read:"
    yield ""
    for dialect in DIALECTS.values():
        yield f"- **{dialect.name}**: {dialect.source}."


def between_markers(page: str) -> str:
    """The table that the page has now."""
    return page.partition(BEGIN)[2].partition(END)[0].strip()


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise SystemExit(f"{PAGE}: no {BEGIN} and {END}; put both where the table belongs")
    PAGE.write_text(f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
