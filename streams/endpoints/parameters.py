"""What several schemes read from an address in the same way: audio formats, seconds, keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from streams.audio import AudioFormat, AudioFormatError, Encoding
from streams.endpoints.errors import AuthenticationFailed
from streams.endpoints.naming import Address
from streams.endpoints.protocol import Endpoint
from streams.endpoints.websocket import RawLog

Builder = Callable[[Address, Mapping[str, str], RawLog | None], Endpoint]
"""Makes an endpoint that is not opened yet from an address, the environment, and a log of raw messages."""


def read_format(address: Address, rate_name: str, default_rate: int = 24000) -> AudioFormat:
    """The audio format of the parameters `encoding` and `rate_name`; G.711 without a rate is 8000/s.

    Raises:
        AddressInvalid: An encoding that is not known, or a rate that no audio has.
    """
    encoding = address.read("encoding", Encoding, f"one of {', '.join(Encoding)}") or Encoding.PCM16
    rate = address.read(rate_name, int, "samples per second")
    if rate is None:
        rate = default_rate if encoding is Encoding.PCM16 else 8000
    try:
        return AudioFormat(rate, encoding)
    except AudioFormatError as exc:
        raise address.invalid(str(exc), "Name a usual rate, as 8000, 16000 or 24000.") from None


def seconds_of(text: str) -> float:
    """Seconds from 0 up; ValueError for anything else."""
    seconds = float(text)
    if not 0 <= seconds < math.inf:
        raise ValueError(text)
    return seconds


def yes_or_no(text: str) -> bool:
    """A switch; ValueError for anything else."""
    if text not in ("yes", "no"):
        raise ValueError(text)
    return text == "yes"


def key_of(address: Address, environ: Mapping[str, str], name: str, *, needed: bool) -> str:
    """The key of that environment variable, or "" where none is wanted.

    A key goes to the vendor's own address, or where the address names it by `key_env`: a key that just
    is set is nobody else's business. It never goes over an open network.

    Raises:
        AuthenticationFailed: A key is wanted, and its variable is not set.
        AddressInvalid: The key would cross the network unencrypted.
    """
    if not needed and address.get("key_env") is None:
        return ""
    key = environ.get(name, "")
    if not key:
        remedy = f"Set the environment variable {name} to your key."
        raise AuthenticationFailed(address.shown, f"no key: {name} is not set", remedy)
    if not address.safe_for_keys:
        raise address.invalid(f"the key in {name} would cross the network unencrypted", "Use wss.")
    return key
