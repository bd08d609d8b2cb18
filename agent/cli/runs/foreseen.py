"""What a minute of call will cost where nobody named a price: by a vendor's list, or by earlier calls."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from agent.connect import connect
from agent.suite.budget import Prices
from recordings.run import RUN


def foreseen(prices: Prices, addresses: Iterable[tuple[str, str]], beside: Path) -> Prices:
    """Prices of a minute as far as they can be foreseen; what was named goes first.

    Args:
        prices: What was named.
        addresses: Of the endpoints: as they are shown, and as they are called.
        beside: Folder whose runs tell what a minute has cost.
    """
    found = dict(prices.per_minute)
    unknown = {shown: address for shown, address in addresses if shown not in found}
    for shown, address in unknown.items():
        if (listed := _listed(address)) is not None:
            found[shown] = listed
    if missing := unknown.keys() - found.keys():
        found |= {shown: usd for shown, usd in _cost_before(beside).items() if shown in missing}
    return Prices(found)


def _listed(address: str) -> float | None:
    """US dollars for a minute at a vendor that takes the same for each."""
    from streams.language.session_prices import vendor

    if "+" in address.partition(":")[0]:  # not the vendor's own address
        return None
    prices = vendor(connect(address, os.environ).capabilities.protocol)
    return None if prices is None else prices.minute


def _cost_before(folder: Path) -> dict[str, float]:
    """US dollars that a minute of call has cost, by address as it is shown, over the runs in a folder."""
    from scoring.digest.store import FILE, load_file
    from scoring.usage import Usage

    spent: dict[str, list[Usage]] = {}
    for manifest in sorted(folder.glob(f"*/{RUN}")) if folder.is_dir() else ():
        digest = load_file(manifest.with_name(FILE))
        for row in () if digest is None else digest.rows:
            used = Usage.from_json(row.usage)
            if not row.void and used.usd is not None and used.minutes:
                spent.setdefault(row.endpoint, []).append(used)
    return {
        shown: sum(one.usd or 0.0 for one in many) / sum(one.minutes for one in many)
        for shown, many in spent.items()
    }
