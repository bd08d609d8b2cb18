"""One HTML file that asks nothing of the network, and runs and styles by nothing but what we wrote."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from scoring.report.safe import neutralise

STYLE = Path(__file__).parent / "report.css"
"""The look of all pages, light and dark."""


def render(template: Path, styles: Sequence[Path], script: Path | None = None, **values: object) -> str:
    """A page from its template, which finds `style` and `script` with their hashes beside the values.

    Texts are escaped, and their control characters made visible.
    """
    import jinja2
    from markupsafe import Markup

    def finalize(value: object) -> object:
        return neutralise(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        autoescape=True,
        finalize=finalize,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = "".join(path.read_text(encoding="utf-8") for path in styles)
    code = script.read_text(encoding="utf-8") if script else ""
    return environment.get_template(template.name).render(
        **values,
        # our own files: the page may run and style by nothing else
        style=Markup(style),  # noqa: S704
        script=Markup(code),  # noqa: S704
        style_hash=hash_of(style),
        script_hash=hash_of(code),
    )


def hash_of(text: str) -> str:
    """As a content security policy names the text of an element."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
