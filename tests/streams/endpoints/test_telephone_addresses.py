"""Addresses of Twilio and its cousins, and of Pipecat bots: what they say, and what they may not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from streams.audio import AudioFormat, Encoding
from streams.endpoints.address import connect
from streams.endpoints.errors import AddressInvalid, AuthenticationFailed, HandshakeTimeout
from streams.endpoints.pipecat import build as pipecat
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints.sockets import CANARY, listen, run


def made(address: str, environ: dict[str, str] | None = None) -> WebsocketEndpoint:
    endpoint = connect(address, environ or {})
    assert isinstance(endpoint, WebsocketEndpoint)
    return endpoint


def start_of(endpoint: WebsocketEndpoint) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(endpoint.codec.opening()[-1])
    return content


# --- Twilio and its cousins


@pytest.mark.parametrize(
    ("address", "wire"),
    [
        ("twilio+ws://h:1/x", AudioFormat(8000, Encoding.MULAW)),
        ("telnyx+wss://h/x?encoding=alaw", AudioFormat(8000, Encoding.ALAW)),
        ("plivo+ws://h:1/x", AudioFormat(8000, Encoding.MULAW)),
        ("plivo+ws://h:1/x?encoding=pcm16&rate=16000", AudioFormat(16000)),
        ("exotel+ws://h:1/x?rate=24000", AudioFormat(24000)),
        ("vonage+ws://h:1/x", AudioFormat(16000)),
        ("vonage+ws://h:1/x?rate=8000", AudioFormat(8000)),
    ],
)
def test_the_format_is_the_provider_s_or_one_of_its_choice(address: str, wire: AudioFormat) -> None:
    capabilities = made(address).capabilities
    assert (capabilities.input, capabilities.output) == (wire, wire)


@pytest.mark.parametrize(
    ("address", "found", "remedy"),
    [
        ("vonage+ws://h:1/x?rate=11025", "no pcm16 at 11025/s", "Expected one of 16000, 8000, 24000."),
        ("vonage+ws://h:1/x?encoding=mulaw", "no mulaw", "Expected one of pcm16."),
        ("telnyx+ws://h:1/x?encoding=opus", "'opus'", "Expected one of mulaw, alaw."),
    ],
)
def test_a_format_that_a_provider_does_not_have_is_refused(address: str, found: str, remedy: str) -> None:
    with pytest.raises(AddressInvalid) as caught:
        made(address)
    assert found in str(caught.value) and remedy in str(caught.value)


def test_the_query_is_for_the_call_and_not_for_the_socket() -> None:
    endpoint = made("twilio+ws://h:1/media?name=Mia&rate=fast")  # Twilio has one format: `rate` is not ours
    assert endpoint.url == "ws://h:1/media"
    assert start_of(endpoint)["start"]["customParameters"] == {"name": "Mia", "rate": "fast"}


def test_exotel_s_parameters_and_rate_stand_in_the_socket_s_address_too() -> None:
    endpoint = made("exotel+ws://h:1/media?name=Mia&rate=16000")
    assert endpoint.url == "ws://h:1/media?name=Mia&sample-rate=16000"
    assert start_of(endpoint)["start"]["custom_parameters"] == {"name": "Mia"}
    assert made("exotel+ws://h:1/media?rate=8000").url == "ws://h:1/media"


def test_vonage_spreads_the_parameters_over_its_first_message() -> None:
    start = start_of(made("vonage+ws://h:1/media?name=Mia"))
    assert start == {
        "event": "websocket:connected",
        "content-type": "audio/l16;rate=16000",
        "name": "Mia",
    }


@pytest.mark.parametrize("provider", ["twilio", "telnyx", "plivo", "exotel"])
def test_every_call_has_names_of_its_own(provider: str) -> None:
    first, second = (json.dumps(start_of(made(f"{provider}+ws://h:1/x"))) for _ in range(2))
    assert first != second


def test_a_parameter_that_looks_like_a_key_reaches_the_endpoint_and_no_log() -> None:
    got: list[str] = []
    logged: list[str] = []

    async def take(socket: ServerConnection) -> None:
        got.extend([str(message) async for message in socket])

    async def main() -> None:
        server, port = await listen(take)
        async with server:
            address = f"twilio+ws://127.0.0.1:{port}/media?token={CANARY}"
            endpoint = connect(address, {}, raw_log=lambda at, direction, text: logged.append(str(text)))
            assert CANARY not in endpoint.address
            await endpoint.open()
            await endpoint.close()

    run(main())
    assert json.loads(got[1])["start"]["customParameters"] == {"token": CANARY}
    assert len(logged) == len(got) and CANARY not in "".join(logged)


# --- Pipecat


def test_a_bot_has_pipecat_s_own_rates_unless_it_is_said_otherwise() -> None:
    usual = made("pipecat+ws://h:7860/ws").capabilities
    assert (usual.input, usual.output) == (AudioFormat(16000), AudioFormat(24000))
    own = made("pipecat+ws://h:7860/ws?rate=8000&out_rate=16000&rtvi=no&who=mia")
    assert (own.capabilities.input, own.capabilities.output) == (AudioFormat(8000), AudioFormat(16000))
    assert own.capabilities.ready_on_connect and own.url == "ws://h:7860/ws?who=mia"


@pytest.mark.parametrize(
    ("query", "found"),
    [("rtvi=maybe", "yes or no"), ("rate=quick", "samples per second"), ("out_rate=7", "whole number")],
)
def test_a_parameter_that_makes_no_sense_is_refused(query: str, found: str) -> None:
    with pytest.raises(AddressInvalid, match=found):
        made(f"pipecat+ws://h:7860/ws?{query}")


def test_a_token_comes_from_the_environment_and_goes_into_a_header() -> None:
    address = "pipecat+ws://127.0.0.1:7860/ws?key_env=BOT_TOKEN"
    endpoint = made(address, {"BOT_TOKEN": CANARY})
    assert endpoint.headers == {"Authorization": f"Bearer {CANARY}"}
    assert CANARY not in endpoint.url
    with pytest.raises(AuthenticationFailed, match="BOT_TOKEN is not set"):
        made(address)


def test_without_pipecat_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipecat, "installed", lambda: False)
    with pytest.raises(AddressInvalid, match=r"pip install 'vivavoce\[hear\]'"):
        made("pipecat+ws://h:7860/ws")


def test_a_bot_that_never_says_that_it_is_ready_is_called_without_rtvi() -> None:
    async def silent(socket: ServerConnection) -> None:
        async for _ in socket:
            pass

    async def main() -> None:
        server, port = await listen(silent)
        async with server:
            with pytest.raises(HandshakeTimeout, match="call it with rtvi=no"):
                await made(f"pipecat+ws://127.0.0.1:{port}/ws").open()
            endpoint = made(f"pipecat+ws://127.0.0.1:{port}/ws?rtvi=no")
            await endpoint.open()
            await endpoint.close()

    run(main())
