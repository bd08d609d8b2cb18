"""A statistic that has no value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Undefined:
    """Stands where a number would stand: these data do not define it.

    Attributes:
        cause: Why, as a word for machines ("constant", "no_items").
    """

    cause: str


def or_none(result: T | Undefined) -> T | None:
    """The result, or None where it is undefined: for JSON, with the cause told beside it."""
    return None if isinstance(result, Undefined) else result
