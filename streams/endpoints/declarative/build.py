"""Addresses of declared endpoints: `file.yaml?NAME=VALUE`, and the vendors whose files come with vivavoce.

`elevenlabs://AGENT_ID` is the vendor's own address, `elevenlabs+ws://HOST:PORT/PATH` another host that
speaks its protocol. There the requests before the call are left out, and so are keys, unless `key_env=NAME`
sends one.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus, urlsplit

from streams.endpoints.errors import AuthenticationFailed
from streams.endpoints.failures import is_loopback
from streams.endpoints.naming import Address
from streams.endpoints.parameters import Builder
from streams.endpoints.protocol import Endpoint
from streams.endpoints.secrets import redact_url
from streams.endpoints.websocket import RawLog

if TYPE_CHECKING:
    from streams.endpoints.declarative.model import Description

FILES = Path(__file__).parent / "files"
"""The descriptions that come with vivavoce; each is a scheme."""

_SUFFIXES = (".yaml", ".yml")


def is_file(address: str) -> bool:
    """True if an address names a file: `my.yaml`, `my.yaml?rate=16000`."""
    path = address.partition("?")[0]
    return "://" not in path and path.endswith(_SUFFIXES)


def parse_file(address: str) -> tuple[Path, Address]:
    """The file that an address names, and its parameters."""
    path, _, query = address.partition("?")
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    parameters = {unquote_plus(name): value for name, _, value in pairs}
    return Path(path).expanduser(), Address(redact_url(address), "", path, parameters)


def from_file(address: str, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """The endpoint of `file.yaml?NAME=VALUE`.

    Raises:
        AddressInvalid: The file is not valid, or a parameter is wrong.
        AuthenticationFailed: A variable of the environment that it names is not set.
    """
    return _build(*parse_file(address), environ, raw_log)


def _shipped(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    return _build(FILES / f"{address.protocol}.yaml", address, environ, raw_log)


def _build(path: Path, address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    # pydantic's models of the schema take a tenth of a second to make
    from streams.endpoints.declarative.endpoint import DeclaredEndpoint
    from streams.endpoints.declarative.load import load

    description = load(path, address)
    if not description.connect.url.value:
        vendor = f"Write {address.scheme}+ws://HOST:PORT/PATH."
        raise address.invalid("no host", vendor if address.scheme else "Give the file a `connect.url`.")
    values: dict[str, object] = {"call_id": uuid.uuid4().hex}
    values.update(_environment(description, address, environ))
    return DeclaredEndpoint(description, values, address=address.shown, raw_log=raw_log)


def _environment(description: Description, address: Address, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that the file names, as `$NAME`; a key never goes over an open network."""
    from streams.endpoints.declarative.lint import variables

    before, during = variables(description)
    optional = {step.when_set for step in description.prepare if step.when_set}
    wanted = {name: name for name in sorted(before | during | optional)}
    if address.transport:
        wanted = _at_own_host(wanted, address)
    values: dict[str, str] = {}
    for name, source in wanted.items():
        value = environ.get(source, "")
        if value:
            values[f"${name}"] = value
        elif name not in optional:
            remedy = f"Set the environment variable {source} to your key."
            raise AuthenticationFailed(address.shown, f"no key: {source} is not set", remedy)
    for name in before | during:
        if f"${name}" in values and not _encrypted(description, name in before, name in during):
            raise address.invalid(
                f"the key in {name} would cross the network unencrypted", "Use wss or https."
            )
    return values


def _at_own_host(wanted: Mapping[str, str], address: Address) -> dict[str, str]:
    """At a host of one's own, a key is sent only if the address says which."""
    source = address.get("key_env")
    if source is None:
        return {}
    if len(wanted) != 1:
        names = ", ".join(wanted) or "none"
        raise address.invalid(f"key_env={source}", f"It needs a file with one variable; this has {names}.")
    return dict.fromkeys(wanted, source)


def _encrypted(description: Description, before: bool, during: bool) -> bool:
    urls = [str(step.url.value) for step in description.prepare] if before else []
    urls += [str(description.connect.url.value)] if during else []
    return all(
        urlsplit(url).scheme not in ("http", "ws") or is_loopback(urlsplit(url).hostname or "")
        for url in urls
    )


BUILDERS: Mapping[str, Builder] = {
    scheme: _shipped
    for path in sorted(FILES.glob("*.yaml"))
    for scheme in (path.stem, f"{path.stem}+ws", f"{path.stem}+wss")
}
"""Every shipped file, at its vendor's own address and at a host of one's own."""
