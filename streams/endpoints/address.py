"""From an address to an endpoint: the table of schemes; what each builds is in its folder's `build.py`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from streams.endpoints.declarative import build as declarative
from streams.endpoints.doubao import build as doubao
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.endpoints.gemini import build as gemini
from streams.endpoints.local import build as local
from streams.endpoints.naming import Address
from streams.endpoints.openai_live import build as openai_live
from streams.endpoints.openai_realtime import build as openai_realtime
from streams.endpoints.parameters import Builder, read_format, seconds_of
from streams.endpoints.pcm import build as pcm
from streams.endpoints.pipecat import build as pipecat
from streams.endpoints.protocol import Endpoint
from streams.endpoints.twilio import build as twilio
from streams.endpoints.websocket import RawLog

__all__ = ["BUILDERS", "Address", "Builder", "connect"]

_FAKE_OPTIONS = frozenset({"replies", "delay", "seconds", "text", "rate"})


def connect(
    address: str,
    environ: Mapping[str, str],
    *,
    raw_log: RawLog | None = None,
    builders: Mapping[str, Builder] | None = None,
) -> Endpoint:
    """The endpoint of that name, not opened yet.

    Args:
        address: See `Address`.
        environ: Where keys are looked up.
        raw_log: Sees every message on the wire, where there is a wire.
        builders: Schemes and their builders; `BUILDERS` if not given. Extend it by
            `{**BUILDERS, "scheme": builder}`.

    Raises:
        AddressInvalid: No such scheme, or a parameter that is missing, unknown or wrong.
        AuthenticationFailed: The key's environment variable is not set.
    """
    if declarative.is_file(address):
        return declarative.from_file(address, environ, raw_log)
    table = BUILDERS if builders is None else builders
    parsed = Address.parse(address)
    builder = table.get(parsed.scheme)
    if builder is None:
        near = difflib.get_close_matches(parsed.scheme, table, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        known = ", ".join(sorted(table))
        raise parsed.invalid(f"scheme {parsed.scheme!r} is not known", f"{hint}Known schemes: {known}.")
    return builder(parsed, environ, raw_log)


def _fake(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`fake://?replies=3&delay=0.6&seconds=1.5&text=hello&rate=24000`: tones after each turn."""
    address.allow_only(_FAKE_OPTIONS)
    rate = read_format(address, "rate").rate
    count = address.read("replies", int, "a number of replies")
    delay = address.read("delay", seconds_of, "seconds")
    seconds = address.read("seconds", seconds_of, "seconds")
    reply = FakeReply(
        pcm=tone(1.0 if seconds is None else seconds, rate=rate),
        text=address.get("text") or "",
        delay_s=0.6 if delay is None else delay,
    )
    return FakeEndpoint([reply] * (100 if count is None else count), rate=rate, address=address.shown)


BUILDERS: Mapping[str, Builder] = {
    **declarative.BUILDERS,
    **doubao.BUILDERS,
    **gemini.BUILDERS,
    **local.BUILDERS,
    **openai_live.BUILDERS,
    **openai_realtime.BUILDERS,
    **pcm.BUILDERS,
    **pipecat.BUILDERS,
    **twilio.BUILDERS,
    "fake": _fake,
}
"""The schemes that need nothing beyond this folder."""
