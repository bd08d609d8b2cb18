"""What tests of the page share: one browser a module, and a studio over the calls that the module makes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.recordings.studio.browsers import chromium
from tests.recordings.studio.servers import client, ids, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def shown() -> Path | None:
    """A folder of calls, for a module that has a fixture of this name; none without."""
    return None


@pytest.fixture(scope="module")
def browser(shown: Path | None) -> Iterator[Browser]:
    """After the calls: Playwright keeps an event loop of its own."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def studio(shown: Path) -> Iterator[str]:
    """Address of a studio over the module's calls."""
    with running(shown) as address:
        yield address


@pytest.fixture(scope="module")
def calls(shown: Path) -> dict[str, str]:
    """Ids of the module's calls by their names."""
    with client(shown) as asked:
        return ids(asked)
