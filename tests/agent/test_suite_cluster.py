"""Joining a cluster: what is said where it cannot be done, and whose token is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.suite.workers.cluster import SERVER_DIED, RayMissing, _join, join, remedy, token_is_wanted


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


class Head:
    """Ray, whose connections to a head fail with these causes, and then do not."""

    class exceptions:
        class RayError(Exception):
            pass

    def __init__(self, *causes: Exception) -> None:
        self._causes = list(causes)

    def init(self, **_: object) -> None:
        if self._causes:
            raise self._causes.pop(0)


def test_a_client_server_that_died_at_its_start_is_asked_for_again_and_nothing_else_is() -> None:
    died = ConnectionError(f"a long story\n{SERVER_DIED}.")
    _join(Head(died, died), "ray://head:10001", {})
    for causes in ((died, died, died), (ConnectionError("connection timeout"),)):
        head = Head(*causes)
        with pytest.raises(RayMissing, match=r"ray://head:10001: no cluster .*ray-client-server-port"):
            _join(head, "ray://head:10001", {})
        _join(head, "ray://head:10001", {})  # none of the causes is left
