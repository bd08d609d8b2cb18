"""From an address to an endpoint: the wire protocols, and the endpoints that live in this process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from recordings.reader import Episode
from recordings.replay import replay
from streams.audio import AudioFormat
from streams.endpoints import address as addresses
from streams.endpoints.protocol import Capabilities, Endpoint
from streams.endpoints.replay import ReplayEndpoint

IN_PROCESS = ("reference://", "fake://", "replay:")
"""Endpoints that live in this process, and so can be called in simulated time."""


def in_process(address: str) -> bool:
    """True if the endpoint lives in this process."""
    return address.startswith(IN_PROCESS)


def connect(address: str, environ: Mapping[str, str]) -> Endpoint:
    """Make the endpoint of an address; it is not open yet.

    Raises:
        AddressInvalid: The address names no endpoint.
        AuthenticationFailed: The key that the endpoint needs is not in the environment.
    """
    if address.startswith("replay:"):
        return _replay(address)

    def reference(*_: object) -> Endpoint:
        from streams.reference.inprocess import reference_endpoint

        return reference_endpoint(address)

    return addresses.connect(address, environ, builders={**addresses.BUILDERS, "reference": reference})


def _replay(address: str) -> Endpoint:
    episode = Episode.load(Path(address.removeprefix("replay:")))
    capabilities = Capabilities(
        protocol="replay",
        input=AudioFormat(episode.info.user_rate),
        output=AudioFormat(episode.info.endpoint_rate),
    )
    return ReplayEndpoint(replay(episode), capabilities, address=address)
