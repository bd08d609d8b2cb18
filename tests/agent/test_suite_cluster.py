"""Joining a cluster: what is said where it cannot be done, and whose token is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.suite.workers.cluster import RayMissing, join, remedy, token_is_wanted


def test_what_names_no_cluster_is_said() -> None:
    with pytest.raises(RayMissing, match="expected ray, or ray://HOST:PORT"):
        join("slurm")


@pytest.mark.parametrize(
    ("environ", "file", "wanted"),
    [
        ({}, False, False),
        ({}, True, True),  # `ray start` has written it there
        ({"RAY_AUTH_TOKEN": "t"}, False, True),
        ({"RAY_AUTH_TOKEN_PATH": "/t"}, False, True),
        ({"RAY_AUTH_MODE": "disabled", "RAY_AUTH_TOKEN": "t"}, True, False),
    ],
)
def test_a_token_that_is_at_hand_is_given_unless_it_is_said_otherwise(
    tmp_path: Path, environ: dict[str, str], file: bool, wanted: bool
) -> None:
    if file:
        (tmp_path / ".ray").mkdir()
        (tmp_path / ".ray" / "auth_token").write_text("t")
    assert token_is_wanted(environ, tmp_path) is wanted


def test_what_may_be_in_the_way_of_a_client_is_named() -> None:
    assert "RAY_AUTH_TOKEN" in remedy("ray://head:10001", {})
    found = remedy("ray://head:10001", {"RAY_AUTH_MODE": "token"})
    assert "--ray-client-server-port" in found and "RAY_AUTH_TOKEN" not in found
    assert remedy("ray", {}) == ""
