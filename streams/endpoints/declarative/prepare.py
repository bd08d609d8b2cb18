"""The requests before a call: what is asked of an HTTP server, and what its answer gives to the call."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO
from urllib.parse import urlsplit

from streams.endpoints.declarative.model import Prepare
from streams.endpoints.declarative.templates import Lookup
from streams.endpoints.errors import AuthenticationFailed, ConnectFailed, EndpointError
from streams.endpoints.failures import is_loopback
from streams.endpoints.pieces import FieldError
from streams.endpoints.secrets import find_secrets, redact, redact_url

_LONGEST_ANSWER = 1 << 20
"""Bytes of an answer that are read."""

_LONGEST_BODY = 300
"""Characters of an error's body that are shown."""

_REFUSED = (401, 403)


@dataclass(frozen=True, slots=True)
class Request:
    """One request; holds keys, and shows none."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    timeout_s: float


class HttpRefused(Exception):
    """An answer that is no success.

    Attributes:
        status: The HTTP status.
        body: What came with it.
    """

    def __init__(self, status: int, body: str) -> None:
        self.status = status
        self.body = body
        super().__init__(status)


def request(step: Prepare, lookup: Lookup) -> Request:
    """What a step asks; its JSON body makes the content type."""
    headers = {name: text for name, each in step.headers.items() if (text := each.text(lookup)) is not None}
    body = step.body.fill(lookup)
    if body is not None and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json"
    data = None if body is None else json.dumps(body).encode()
    return Request(step.method, step.url.text(lookup) or "", headers, data, step.timeout_s)


def taken(step: Prepare, answer: bytes) -> dict[str, object]:
    """The values that the call takes from an answer.

    Raises:
        FieldError: It is no JSON, or lacks one of them.
    """
    try:
        message = json.loads(answer)
    except (ValueError, RecursionError):
        raise FieldError(f"the answer has {len(answer)} bytes that are no JSON") from None
    values = {name: path.find(message) for name, path in step.take.items()}
    for name, value in values.items():
        if value is None or value == "":
            raise FieldError(f"the answer has no {step.take[name].text}")
    return values


async def prepared(
    step: Prepare, lookup: Lookup, address: str, secrets: Sequence[str]
) -> dict[str, object]:
    """Make the request of a step.

    Args:
        step: The step.
        lookup: Values of its placeholders.
        address: The endpoint, for errors.
        secrets: Strings that errors must not show.

    Raises:
        ConnectFailed: It was not answered as it should be.
        AuthenticationFailed: The key was refused.
    """
    asked = request(step, lookup)
    failure = f"{asked.method} {redact_url(asked.url)}, which prepares the call"
    hidden = [*secrets, *find_secrets(asked.url, asked.headers, ())]
    error: EndpointError
    try:
        return taken(step, await asyncio.to_thread(fetch, asked))
    except HttpRefused as refused:
        error = _refused(refused, failure, address, hidden)
    except FieldError as wrong:
        error = ConnectFailed(address, f"{failure}: {wrong}", "Check `prepare.take` against the answer.")
    except (OSError, http.client.HTTPException, ValueError) as trouble:
        found = redact(str(getattr(trouble, "reason", trouble)), hidden)
        error = ConnectFailed(address, f"{failure}, failed ({found})", "Check its URL and the network.")
    raise error  # outside of `except`: no cause with a key is chained to it


def _refused(refused: HttpRefused, failure: str, address: str, hidden: Sequence[str]) -> EndpointError:
    body = redact(" ".join(refused.body.split()), hidden)[:_LONGEST_BODY]
    found = f"{failure}, was answered with HTTP {refused.status}" + (f": {body}" if body else "")
    if refused.status in _REFUSED:
        return AuthenticationFailed(address, found, "Check the key in its environment variable.")
    if 300 <= refused.status < 400:
        return ConnectFailed(address, found, "Redirects are not followed: name the address it points to.")
    return ConnectFailed(address, found, "Check the parameters of the address, and what the vendor says.")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Keys are for the host that was named."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        return None


def fetch(asked: Request) -> bytes:
    """The body of the answer; blocks, so it belongs in a thread.

    Raises:
        HttpRefused: The status is no success; redirects are not followed.
        OSError, http.client.HTTPException, ValueError: No answer.
    """
    if urlsplit(asked.url).scheme not in ("http", "https"):
        raise ValueError("no address of http or https")
    loopback = is_loopback(urlsplit(asked.url).hostname or "")
    proxies: dict[str, str] | None = {} if loopback else None
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies), _NoRedirects)
    call = urllib.request.Request(  # noqa: S310 (the scheme was checked)
        asked.url, data=asked.body, headers=dict(asked.headers), method=asked.method
    )
    try:
        with opener.open(call, timeout=asked.timeout_s) as answer:
            body: bytes = answer.read(_LONGEST_ANSWER)
            return body
    except urllib.error.HTTPError as error:
        with error:
            raise HttpRefused(error.code, error.read(_LONGEST_ANSWER).decode(errors="replace")) from None
