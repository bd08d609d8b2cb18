"""What can go wrong with an endpoint.

EndpointError
├── AddressInvalid         the name given is no endpoint (ours to tell, before a call)
├── ConnectFailed          nobody there, refused, TLS, DNS
│   ├── AuthenticationFailed   a key is missing or was rejected
│   └── RateLimited            no session now: the account has used up what it may
├── HandshakeTimeout       connected, but the session was never ready
├── ProtocolViolation      a message that breaks the protocol
└── EndpointClosed         the connection ended while we needed it

Messages name the endpoint, what was found, what was expected and what to do; never a key.
"""

from __future__ import annotations


class EndpointError(Exception):
    """Base of all endpoint failures.

    Attributes:
        address: The endpoint as it was named, without secrets.
        found: What happened.
        remedy: What to do.
    """

    def __init__(self, address: str, found: str, remedy: str = "") -> None:
        self.address = address
        self.found = found
        self.remedy = remedy
        super().__init__(address, found, remedy)

    def __str__(self) -> str:
        tail = f" {self.remedy}" if self.remedy else ""
        return f"{self.address}: {self.found}.{tail}"


class AddressInvalid(EndpointError):
    """The name given is not the name of an endpoint."""


class ConnectFailed(EndpointError):
    """No connection could be made.

    Attributes:
        retry_after_s: Seconds that the endpoint asks to wait before the next try, if it does.
    """

    retry_after_s: float | None = None


class AuthenticationFailed(ConnectFailed):
    """A key is missing, or the endpoint rejected it."""


class RateLimited(ConnectFailed):
    """The endpoint does not answer now: the account has used up what it may."""


class HandshakeTimeout(EndpointError):
    """The connection stands, but the session never became ready."""


class ProtocolViolation(EndpointError):
    """The endpoint sent what the protocol does not allow."""


class EndpointClosed(EndpointError):
    """The connection ended while it was needed."""
