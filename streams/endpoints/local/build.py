"""`python:MODULE:NAME` and `command:PROGRAM ...`: from an address to an endpoint."""

from __future__ import annotations

from collections.abc import Mapping

from streams.endpoints.local.endpoint import LocalEndpoint
from streams.endpoints.local.model import Model
from streams.endpoints.local.turns import TurnFinder
from streams.endpoints.naming import Address
from streams.endpoints.parameters import Builder, seconds_of, yes_or_no
from streams.endpoints.protocol import Endpoint
from streams.endpoints.websocket import RawLog

_COMMON = frozenset({"input_rate", "output_rate", "silence", "threshold", "interrupts"})


def _rate(text: str) -> int:
    rate = int(text)
    if not 4000 <= rate <= 192_000:
        raise ValueError(text)
    return rate


def _level(text: str) -> float:
    level = float(text)
    if not -90 <= level <= 0:
        raise ValueError(text)
    return level


def _endpoint(address: Address, model: Model, input_rate: int, output_rate: int) -> Endpoint:
    silence = address.read("silence", seconds_of, "seconds")
    threshold = address.read("threshold", _level, "a level from -90 to 0 dBFS")
    interrupts = address.read("interrupts", yes_or_no, "yes or no")
    return LocalEndpoint(
        model,
        protocol=address.scheme,
        address=address.shown,
        input_rate=input_rate,
        output_rate=output_rate,
        turns=TurnFinder(
            input_rate,
            silence_s=0.6 if silence is None else silence,
            threshold_dbfs=-45.0 if threshold is None else threshold,
        ),
        interrupts=interrupts is not False,
    )


def _rates(address: Address, input_rate: int = 16000, output_rate: int = 24000) -> tuple[int, int]:
    expected = "samples per second from 4000 to 192000"
    return (
        address.read("input_rate", _rate, expected) or input_rate,
        address.read("output_rate", _rate, expected) or output_rate,
    )


def _python(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`python:my_model.py:reply?silence=0.6`."""
    from streams.endpoints.local.python import LoadingFailed, PythonModel, load, rate_of

    address.allow_only(_COMMON)
    try:
        found = load(address.target)
        declared = rate_of(found, "input_rate", 16000), rate_of(found, "output_rate", 24000)
    except LoadingFailed as error:
        raise address.invalid(str(error), error.remedy) from error
    input_rate, output_rate = _rates(address, *declared)
    return _endpoint(address, PythonModel(found, address.target, input_rate), input_rate, output_rate)


def _command(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`command:python infer.py {input} {output}?timeout=60`."""
    from streams.endpoints.local.program import ProgramModel, argv_of

    address.allow_only(_COMMON | {"timeout", "load"})
    try:
        argv = argv_of(address.target)
    except ValueError as error:
        remedy = "Write command:PROGRAM ARGUMENTS {input} {output}, or a program that reads lines of JSON."
        raise address.invalid(str(error), remedy) from None
    timeout = address.read("timeout", seconds_of, "seconds")
    load = address.read("load", seconds_of, "seconds")
    input_rate, output_rate = _rates(address)
    model = ProgramModel(
        argv,
        input_rate,
        timeout_s=120.0 if timeout is None else timeout,
        load_s=600.0 if load is None else load,
    )
    return _endpoint(address, model, input_rate, output_rate)


BUILDERS: Mapping[str, Builder] = {"python": _python, "command": _command}
