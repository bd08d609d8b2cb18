"""Turns what goes wrong on a socket into errors that name the place, what was found, and a remedy."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from websockets.exceptions import InvalidMessage, InvalidProxy, InvalidStatus, InvalidURI, ProxyError

from streams.endpoints.errors import (
    AddressInvalid,
    AuthenticationFailed,
    ConnectFailed,
    EndpointClosed,
    EndpointError,
    RateLimited,
)
from streams.endpoints.events import Closed, Notice, NoticeLevel
from streams.endpoints.secrets import redact

E = TypeVar("E", bound=EndpointError)

_LONGEST_BODY = 300
"""Characters of an HTTP error's body that are shown."""

_KEY_TROUBLE = re.compile(r"api.?key|authenti|authoriz|unauthor|credential|forbidden", re.IGNORECASE)

_STATUS_REMEDIES = {
    404: "Check the path, and the model if the address names one.",
    429: "Too many sessions or requests: wait, or run fewer at a time.",
}

_SETUP_REMEDIES = {
    "session_limit_reached": "Close another session, or raise the server's number of sessions.",
    "beta_api_shape_disabled": "Use the GA dialect (dialect=openai).",
    "model_not_found": "Check the name of the model.",
}


def is_loopback(host: str) -> bool:
    """True for `localhost` and loopback addresses."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Failures:
    """Explains failures of one endpoint.

    Attributes:
        address: How the endpoint was named.
        url: Where the socket goes, keys masked.
        key_env: Environment variable of the key, or empty.
        secrets: Strings that must not be shown.
    """

    address: str
    url: str
    key_env: str
    secrets: Sequence[str]

    def of_connecting(self, exc: Exception) -> EndpointError:
        """Why no connection was made."""
        match exc:
            case InvalidStatus():
                return self._of_status(exc)
            case InvalidURI():
                return self._make(AddressInvalid, f"{self.url} is no websocket address")
            case InvalidProxy() | ProxyError():
                return self._connect(f"the proxy failed ({exc})", "Check HTTPS_PROXY and NO_PROXY.")
            case InvalidMessage() | EOFError():
                return self._connect(
                    f"what listens at {self.url} does not speak HTTP",
                    "Check the port, and whether it wants wss:// or ws://.",
                )
            case ImportError():
                return self._connect(f"{exc}", "Install it, or use a proxy of another kind.")
            case _:
                return self._of_network(exc)

    def _of_network(self, exc: Exception) -> EndpointError:
        match exc:
            case ConnectionRefusedError():
                found, remedy = (
                    f"nothing listens at {self.url}",
                    "Start the server, or check host and port.",
                )
            case socket.gaierror():
                found = f"the host name of {self.url} cannot be resolved"
                remedy = "Check its spelling and the network."
            case ssl.SSLCertVerificationError():
                found = f"the TLS certificate was not accepted ({exc.verify_message})"
                remedy = "Trust its issuer (SSL_CERT_FILE), or use ws:// on a network of your own."
            case ssl.SSLError():
                found, remedy = f"TLS failed ({exc})", "Use ws:// if the server has no TLS."
            case _:
                found, remedy = f"no connection to {self.url} ({exc})", "Check the address and the network."
        return self._connect(found, remedy)

    def _of_status(self, exc: InvalidStatus) -> EndpointError:
        status = exc.response.status_code
        body = redact(bytes(exc.response.body or b"").decode(errors="replace"), self.secrets)
        body = " ".join(body.split())[:_LONGEST_BODY]
        found = f"the handshake was answered with HTTP {status}" + (f": {body}" if body else "")
        if status in (401, 403):
            return self._make(AuthenticationFailed, found, self._key_remedy())
        if 300 <= status < 400:
            return self._connect(found, "Redirects are not followed: name the address it points to.")
        kind = RateLimited if status == 429 else ConnectFailed
        failed = self._make(kind, found, _STATUS_REMEDIES.get(status, "See what the server logged."))
        failed.retry_after_s = _seconds(exc.response.headers.get("Retry-After", ""))
        return failed

    def of_closing(self, event: Closed) -> EndpointError:
        """Why the connection ended before the session was ready."""
        code = "without a close frame" if event.code in (None, 1006) else f"with code {event.code}"
        found = f"closed during set-up {code}" + (f": {event.reason}" if event.reason else "")
        if _KEY_TROUBLE.search(event.reason):
            return self._make(AuthenticationFailed, found, self._key_remedy())
        return self._make(EndpointClosed, found, "See what the server logged.")

    def of_setup(self, notice: Notice) -> EndpointError:
        """Why the endpoint refused the set-up."""
        found = f"the set-up was answered with error {notice.code}: {notice.message}"
        if _KEY_TROUBLE.search(f"{notice.code} {notice.message}"):
            return self._make(AuthenticationFailed, found, self._key_remedy())
        if notice.level is NoticeLevel.RATE_LIMIT:
            limited = self._make(RateLimited, found, _STATUS_REMEDIES[429])
            limited.retry_after_s = notice.reset_s
            return limited
        remedy = _SETUP_REMEDIES.get(notice.code, "Check the dialect and the options of the address.")
        return self._connect(found, remedy)

    def _key_remedy(self) -> str:
        if self.key_env:
            return f"Set the environment variable {self.key_env} to a valid key."
        return "Name the environment variable that holds the key with key_env=NAME."

    def _connect(self, found: str, remedy: str) -> ConnectFailed:
        return self._make(ConnectFailed, found, remedy)

    def _make(self, kind: type[E], found: str, remedy: str = "") -> E:
        return kind(self.address, redact(found, self.secrets), remedy)


def _seconds(retry_after: str) -> float | None:
    """What a Retry-After header says, if it says seconds; a date would need the server's clock."""
    return float(retry_after) if retry_after.strip().isdecimal() else None
