"""Addresses of Pipecat bots with a websocket transport."""

from __future__ import annotations

from collections.abc import Mapping

from streams.audio import AudioFormat, AudioFormatError
from streams.endpoints.errors import HandshakeTimeout
from streams.endpoints.events import Ready
from streams.endpoints.naming import Address
from streams.endpoints.parameters import Builder, key_of, seconds_of
from streams.endpoints.pipecat.codec import PipecatCodec
from streams.endpoints.pipecat.frames import installed
from streams.endpoints.protocol import Endpoint
from streams.endpoints.websocket import RawLog, WebsocketEndpoint

_READY_S = 30.0
"""Longest time until the bot is ready: many load their models when somebody calls."""

_OPTIONS = frozenset({"rate", "out_rate", "rtvi", "reply_gap", "key_env"})
_YES_NO = {"yes": True, "no": False}


class PipecatEndpoint(WebsocketEndpoint):
    """A bot behind its websocket; see `WebsocketEndpoint`."""

    async def open(self) -> Ready:
        """As `WebsocketEndpoint.open`; a bot without RTVI never answers, and that is said."""
        try:
            return await super().open()
        except HandshakeTimeout as late:
            remedy = "A bot without RTVI never says that it is ready: call it with rtvi=no."
            raise HandshakeTimeout(late.address, late.found, remedy) from None


def _pipecat(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`pipecat+ws://HOST:PORT/ws?rate=16000&out_rate=24000&rtvi=no`; by default the rates are Pipecat's."""
    if not installed():
        raise address.invalid("pipecat-ai is not installed", "pip install 'vivavoce[hear]'")
    gap = address.read("reply_gap", seconds_of, "seconds")
    use_rtvi = address.read("rtvi", _yes_or_no, "yes or no")
    key_env = address.get("key_env") or ""
    key = key_of(address, environ, key_env, needed=False)
    codec = PipecatCodec(
        _format(address, "rate", 16000),
        _format(address, "out_rate", 24000),
        use_rtvi=use_rtvi is not False,
        reply_gap_s=0.8 if gap is None else gap,
    )
    return PipecatEndpoint(
        codec,
        address.url(without=_OPTIONS),
        address=address.shown,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        handshake_timeout_s=_READY_S,
        raw_log=raw_log,
        key_env=key_env,
    )


def _format(address: Address, name: str, usual: int) -> AudioFormat:
    rate = address.read(name, int, "samples per second")
    try:
        return AudioFormat(usual if rate is None else rate)
    except AudioFormatError as exc:
        raise address.invalid(str(exc), f"Name the rate of its pipeline, as {name}={usual}.") from None


def _yes_or_no(text: str) -> bool:
    if text not in _YES_NO:
        raise ValueError(text)
    return _YES_NO[text]


BUILDERS: Mapping[str, Builder] = {"pipecat+ws": _pipecat, "pipecat+wss": _pipecat}
