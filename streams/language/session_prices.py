"""What a spoken session costs at its vendor, from a dated table; what is not in it stays unknown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field

TABLE = Path(__file__).with_name("session_prices.yaml")
"""The table that is shipped."""

TRANSCRIPTION = "transcription."
"""Before the counts of a model that transcribes the user."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rates(_Strict):
    """US dollars per million tokens of one modality.

    Attributes:
        fresh: Tokens that go in.
        cached: Tokens that go in and were there before.
        out: Tokens that come out.
    """

    fresh: float = Field(alias="in")
    cached: float | None = None
    out: float


class Model(_Strict):
    """What a model costs: text and sound apart."""

    text: Rates
    audio: Rates

    def of(self, used: Mapping[str, float]) -> float | None:
        """US dollars for token counts in OpenAI's names; None if they do not add up by modality.

        price = sum over text and audio of ((in - cached) * fresh + cached * cached + out * out) / 10^6
        """
        cached_in = used.get("input_token_details.cached_tokens", 0.0)
        price = seen_in = seen_cached = seen_out = 0.0
        for name, rates in (("text", self.text), ("audio", self.audio)):
            sent = used.get(f"input_token_details.{name}_tokens", 0.0)
            cached = used.get(f"input_token_details.cached_tokens_details.{name}_tokens", 0.0)
            came = used.get(f"output_token_details.{name}_tokens", 0.0)
            if cached and rates.cached is None:
                return None
            price += (sent - cached) * rates.fresh + cached * (rates.cached or 0.0) + came * rates.out
            seen_in, seen_cached, seen_out = seen_in + sent, seen_cached + cached, seen_out + came
        whole = (used.get("input_tokens", 0.0), cached_in, used.get("output_tokens", 0.0))
        return price / 1e6 if (seen_in, seen_cached, seen_out) == whole else None


class Vendor(_Strict):
    """The prices of one protocol at its vendor's own address.

    Attributes:
        protocol: As adapters declare it.
        as_of: The day they were looked up, ISO.
        models: By name, where tokens are paid for.
        transcripts: Models that transcribe the user.
        minute: Where minutes of session are paid for, whatever the model.
    """

    protocol: str
    as_of: str
    source: str
    models: Mapping[str, Model] = {}
    transcripts: Mapping[str, Rates] = {}
    minute: float | None = None


def vendor(protocol: str, table: Path = TABLE) -> Vendor | None:
    """The prices of a protocol; None if none are known."""
    return _read(table).get(protocol)


def transcript_price(rates: Rates, used: Mapping[str, float]) -> float | None:
    """US dollars for a transcript of the user; None if it is not counted in tokens."""
    sent, came = used.get(f"{TRANSCRIPTION}input_tokens"), used.get(f"{TRANSCRIPTION}output_tokens")
    return None if sent is None or came is None else (sent * rates.fresh + came * rates.out) / 1e6


@cache
def _read(table: Path) -> Mapping[str, Vendor]:
    rows = yaml.load(table.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - gives text only
    vendors = [Vendor.model_validate(row) for row in rows]
    return {each.protocol: each for each in vendors}
