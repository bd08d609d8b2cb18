"""Joins a Ray cluster, or starts one on this machine."""

from __future__ import annotations

import importlib.util
import logging
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.suite.hold import HolderUnfit

TRIES = 3
SERVER_DIED = "Starting Ray client server failed"
"""The client server of a head forks with threads of gRPC about, and now and then the fork dies of it
(github.com/ray-project/ray/issues/63202, in Ray 2.60): the next does not."""


class RayMissing(HolderUnfit):
    """Ray is not installed, or its cluster cannot be reached."""


def join(address: str) -> Any:
    """Connect to a cluster, or start one on this machine; returns the library.

    Args:
        address: "ray" or "ray://HOST:PORT".

    Raises:
        RayMissing: See there.
    """
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "ray":
        # one that runs on this machine is taken; else one is started for this process
        options |= {"address": os.environ.get("RAY_ADDRESS"), "include_dashboard": False}
    elif address.startswith("ray://"):
        options |= {"address": address}
    else:
        raise RayMissing(f"--on {address}: expected ray, or ray://HOST:PORT")
    if importlib.util.find_spec("ray") is None:
        raise RayMissing("Ray is not installed. pip install 'vivavoce[ray]'")
    if address != "ray" and token_is_wanted(os.environ, Path.home()):
        os.environ["RAY_AUTH_MODE"] = "token"  # Ray reads it when it is imported
    import ray

    if not ray.is_initialized():
        _join(ray, address, options)
    quieten()
    return ray


def _join(ray: Any, address: str, options: Mapping[str, Any]) -> None:
    failures = (ConnectionError, RuntimeError, ValueError, TimeoutError, ray.exceptions.RayError)
    for left in reversed(range(TRIES)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of a time-out, which is said below
                ray.init(**options)
            return
        except failures as error:
            if left and SERVER_DIED in str(error):
                continue
            found = str(error).strip().rpartition("\n")[2].rstrip(".")
            what = f"{address}: no cluster can be reached ({found}). {remedy(address, os.environ)}"
            raise RayMissing(what.strip()) from error


def node(ray: Any) -> str:
    """Id of the node that this process is on."""
    found: str = ray.get_runtime_context().get_node_id()
    return found


def token_is_wanted(environ: Mapping[str, str], home: Path) -> bool:
    """Whether a token is at hand and nothing says what to do with it.

    `ray start` and `ray.init` then ask for the token, but a Ray Client does not give it unless it is told:
    its connection times out without a word (Ray 2.60).
    """
    if "RAY_AUTH_MODE" in environ:
        return False
    given = "RAY_AUTH_TOKEN" in environ or "RAY_AUTH_TOKEN_PATH" in environ
    return given or (home / ".ray" / "auth_token").is_file()


def remedy(address: str, environ: Mapping[str, str]) -> str:
    """What may be in the way of a Ray Client, which itself tells of a time-out alone."""
    if not address.startswith("ray://"):
        return ""
    found = "Look whether `ray start --head --ray-client-server-port=PORT` runs there"
    if environ.get("RAY_AUTH_MODE") != "token":
        found += (
            ", and whether it wants a token (RAY_AUTH_MODE=token and RAY_AUTH_TOKEN, the same as there)"
        )
    return found + "."


def quieten() -> None:
    """Keep Ray from writing what happens on its nodes into the standard output of a command.

    It has no option for the loss of a node; what that means for a run, the run says.
    """
    from ray._private import worker

    worker._worker_logs_enabled = False
