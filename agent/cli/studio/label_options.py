"""Options of labelling and A/B listening."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LabelOption = Annotated[
    str,
    typer.Option(
        help="Label replies under this name: blind, the studio shows nothing else.", show_default=False
    ),
]
AbOption = Annotated[
    str,
    typer.Option(
        help="Under this name say which of two replies is better: blind, for the arena.", show_default=False
    ),
]
ReviewOption = Annotated[
    str,
    typer.Option(
        help="Under this name check the sample of a pack that was grown (viva scenarios grow).",
        show_default=False,
    ),
]
DimensionsOption = Annotated[
    str,
    typer.Option(
        help="What is asked about: overall, content, voice_quality, paralinguistics (default: the last "
        "three).",
        show_default=False,
    ),
]
TwiceOption = Annotated[
    float | None,
    typer.Option(
        help="Share the work: two people label this share of the replies, or of a pack's sample, one "
        "person each other (default: everybody labels everything).",
        min=0,
        max=1,
        show_default=False,
    ),
]
AgainOption = Annotated[
    float, typer.Option(help="Share that each person labels, or checks, a second time.", min=0, max=1)
]
CompareWithOption = Annotated[
    str,
    typer.Option(help="Judge to compare people with (default: the one that rated).", show_default=False),
]
OrderSeedOption = Annotated[int, typer.Option(help="Of the orders in which people are asked.")]
LabelsOption = Annotated[
    Path | None,
    typer.Option(help="Folder of the labels (default: labels in the first PATH).", show_default=False),
]
StoreOption = Annotated[Path, typer.Option(help="Where battles are appended (JSONL).")]
