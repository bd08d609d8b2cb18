"""`viva agreement`: how far label sources agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json

if TYPE_CHECKING:
    from scoring.agreement.examine import Finding
    from scoring.agreement.labels import LabelSet


@dataclass(frozen=True, slots=True)
class AgreementRequest:
    """What was asked for.

    Attributes:
        sources: Addresses of label sources, see `scoring.agreement.sources`.
        truth: Address of the truth that two judges are compared with, or "".
        labels: The possible labels with commas between them, or "".
        ordered: The same from lowest to highest.
        swapped: The last source saw its items with the sides exchanged.
        both_orders: Two sources are one judge, the second with the sides exchanged.
        probe: Fusion under which it is asked what the verdicts of the one source rest on, or "".
    """

    sources: Sequence[str]
    truth: str = ""
    labels: str = ""
    ordered: str = ""
    swapped: bool = False
    both_orders: bool = False
    json: bool = False
    probe: str = ""


def agreement(request: AgreementRequest) -> int:
    """Compare label sources and print what was found."""
    from recordings.errors import RecordingError
    from scoring.agreement.labels import LabelError
    from scoring.agreement.output import to_json
    from scoring.judge.contract import JudgeUnfit

    try:
        finding = _probed(request) if request.probe else _examined(request)
    except (LabelError, JudgeUnfit) as error:
        return complain(error, exits.BAD_INPUT)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    if request.json:
        print_json(to_json(finding))
    else:
        from scoring.agreement.terminal import print_finding

        print_finding(finding)
    return exits.PASS


def _examined(request: AgreementRequest) -> Finding:
    from scoring.agreement.examine import examine
    from scoring.agreement.sources import load

    return examine(
        [load(address) for address in request.sources],
        declared=_declared(request),
        truth=load(request.truth) if request.truth else None,
        swapped=request.swapped,
        both_orders=request.both_orders,
    )


def _probed(request: AgreementRequest) -> Finding:
    """P1 and P2 of one source.

    Raises:
        LabelError: It holds no labels of the three dimensions, or the options do not go together.
        FusionMisnamed: There is no such policy.
    """
    from scoring.agreement.examine import examine_probes
    from scoring.agreement.labels import LabelError
    from scoring.agreement.sources import load
    from scoring.judge.fusion import fusion_named

    fusion = fusion_named(request.probe)
    if request.truth or request.labels or request.ordered or request.swapped or request.both_orders:
        raise LabelError("the command", "gives --probe with another option", "It stands alone.")
    sources = [load(address) for address in request.sources]
    return examine_probes(sources, fusion.rule, f"{fusion.name}@{fusion.version}")


def _declared(request: AgreementRequest) -> LabelSet | None:
    from scoring.agreement.labels import LabelError, LabelSet

    if request.labels and request.ordered:
        found = "gives both --labels and --ordered"
        raise LabelError("the command", found, "Ordered labels are declared: --ordered alone.")
    names = tuple(name.strip() for name in (request.labels or request.ordered).split(","))
    return LabelSet(names, ordered=bool(request.ordered)) if request.labels or request.ordered else None
