"""Was all held that was planned? A gate that lets pass what nobody has called is none. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from recordings.format import Planned
from scoring.digest.columns import Digest
from scoring.gate.checks import Check, Kind, Status

HELD = "held"
"""Name of the check."""


def held(plan: Sequence[Planned]) -> Iterator[Check]:
    """What keeps a gate from deciding: for each endpoint with calls that were not held, one check."""
    planned = Counter(each.endpoint for each in plan)
    for endpoint, count in Counter(each.endpoint for each in plan if each.state != "done").items():
        why = f"{count} of {planned[endpoint]} calls of the plan are not held: viva run --resume holds them"
        yield Check(Kind.THRESHOLD, HELD, endpoint, Status.UNDECIDED, why)


def unrecorded(plan: Sequence[Planned], digest: Digest) -> Counter[str]:
    """Calls of each endpoint that were held and left no recording: void, though no episode says so."""
    known = {row.id for row in digest.rows}
    done = [each for each in plan if each.state == "done" and each.attempts]
    return Counter(each.endpoint for each in done if each.attempts[-1].folder not in known)
