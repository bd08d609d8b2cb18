"""Every address in README and docs/protocols.md is one: its endpoint can be made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.connect import connect
from streams.endpoints import address as addresses
from tests.streams.conformance.adapters import Environment

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/protocols.md")

LOCAL = ("python", "command")
"""Schemes of programs of one's own: such an address can be made where its program is."""

_ADDRESS = re.compile(r"(?<![\w:/+-])[a-z][a-z0-9-]*(?:\+wss?)?://[^\s\"`|)\],]*(?:,[a-z]+:[^\s\"`|)]*)?")
_OTHER = ("http://", "https://", "ws://", "wss://", "mqtt://", "ray://", "s3://")


def written(page: str) -> Iterator[str]:
    """The addresses as they stand on a page; what is cut short with an ellipsis is left out."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = dict.fromkeys(match[0].rstrip(".;:") for match in _ADDRESS.finditer(text))
    yield from (each for each in found if not each.startswith(_OTHER) and "…" not in each)


def filled(address: str) -> str:
    """With something in the place of what the reader is to fill in."""
    dialect = ROOT / "examples/dialects/inhouse.yaml"
    return address.replace("HOST:PORT", "127.0.0.1:9").replace("FILE.yaml", str(dialect))


@pytest.mark.parametrize(("page", "address"), [(page, each) for page in PAGES for each in written(page)])
def test_an_address_that_can_be_copied_names_an_endpoint(page: str, address: str) -> None:
    connect(filled(address), Environment())


def test_there_is_an_address_to_copy_for_every_scheme() -> None:
    named = {each.partition("://")[0].partition("+")[0] for each in written("README.md")}
    known = {each.partition("+")[0] for each in addresses.BUILDERS}
    assert known - named <= {"fake", *LOCAL}
