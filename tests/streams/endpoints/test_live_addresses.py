"""Addresses of Gemini Live, OpenAI Live and Doubao: where the socket goes, with which key."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streams.audio import AudioFormat, Encoding
from streams.endpoints.address import connect
from streams.endpoints.errors import AddressInvalid, AuthenticationFailed
from streams.endpoints.websocket import WebsocketEndpoint

GEMINI = "google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
KEYS = {
    "GEMINI_API_KEY": "gemini-canary",
    "OPENAI_API_KEY": "openai-canary",
    "DOUBAO_ACCESS_KEY": "doubao-canary",
    "DOUBAO_APP_ID": "12345",
    "MY_KEY": "my-canary",
}


def made(address: str, environ: dict[str, str] | None = None) -> WebsocketEndpoint:
    endpoint = connect(address, KEYS if environ is None else environ)
    assert isinstance(endpoint, WebsocketEndpoint)
    return endpoint


def opening(address: str) -> dict[str, Any]:
    (message,) = made(address).codec.opening()
    found: dict[str, Any] = json.loads(message)
    return found


def test_vendors_addresses_need_only_the_model_and_the_key_is_in_a_header() -> None:
    gemini = made("gemini://gemini-3.1-flash-live-preview")
    assert gemini.url == f"wss://generativelanguage.googleapis.com/ws/{GEMINI}"
    assert gemini.headers == {"x-goog-api-key": "gemini-canary"}
    live = made("openai-live://gpt-live-1")
    assert live.url == "wss://api.openai.com/v1/live/sessions"
    assert live.headers == {"Authorization": "Bearer openai-canary"}
    doubao = made("doubao://1.2.1.1")
    assert doubao.url == "wss://openspeech.bytedance.com/api/v3/realtime/dialogue"
    assert {**doubao.headers, "X-Api-Connect-Id": ""} == {
        "X-Api-App-ID": "12345",
        "X-Api-Access-Key": "doubao-canary",
        "X-Api-Resource-Id": "volc.speech.dialog",
        "X-Api-App-Key": "PlgvMymc7f3tQnJ6",
        "X-Api-Connect-Id": "",
    }


def test_the_other_name_of_the_google_key_is_taken_where_the_first_is_not_set() -> None:
    assert made("gemini://m", {"GOOGLE_API_KEY": "g"}).headers == {"x-goog-api-key": "g"}
    both = {"GOOGLE_API_KEY": "g", "GEMINI_API_KEY": "first"}
    assert made("gemini://m", both).headers == {"x-goog-api-key": "first"}


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("gemini+ws://127.0.0.1:9?model=m", f"ws://127.0.0.1:9/ws/{GEMINI}"),
        ("gemini+wss://host/live?model=m&voice=Puck&room=7", "wss://host/live?room=7"),
        ("openai-live+ws://127.0.0.1:9?model=m", "ws://127.0.0.1:9/v1/live/sessions"),
        ("doubao+ws://127.0.0.1:9", "ws://127.0.0.1:9/api/v3/realtime/dialogue"),
        ("doubao+ws://127.0.0.1:9/x?model=2.2.0.0&silence_ms=500", "ws://127.0.0.1:9/x"),
    ],
)
def test_an_address_of_ones_own_gets_no_key_that_it_does_not_name(address: str, url: str) -> None:
    endpoint = made(address)
    assert (endpoint.url, endpoint.headers) == (url, {})


@pytest.mark.parametrize("scheme", ["gemini", "openai-live", "doubao"])
def test_a_named_key_goes_to_an_address_of_ones_own_and_never_in_the_clear(scheme: str) -> None:
    headers = made(f"{scheme}+wss://host/x?model=m&key_env=MY_KEY").headers
    assert any("my-canary" in value for value in headers.values())
    with pytest.raises(AddressInvalid, match="unencrypted"):
        made(f"{scheme}+ws://host/x?model=m&key_env=MY_KEY")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("gemini://m", "GEMINI_API_KEY"),
        ("openai-live://m", "OPENAI_API_KEY"),
        ("doubao://", "DOUBAO_ACCESS_KEY"),
    ],
)
def test_a_key_that_is_missing_is_told_with_its_variable(address: str, name: str) -> None:
    with pytest.raises(AuthenticationFailed, match=f"{name} is not set"):
        made(address, {})


def test_doubao_wants_its_app_id_beside_the_key() -> None:
    with pytest.raises(AuthenticationFailed, match="DOUBAO_APP_ID"):
        made("doubao://", {"DOUBAO_ACCESS_KEY": "k"})


def test_options_reach_the_session() -> None:
    setup = opening(
        "gemini://m?voice=Puck&language=de-DE&instructions=Be%20brief.&turn_detection=manual"
        "&resumption=no&compression=yes"
    )["setup"]
    voice = {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "Puck"}}, "languageCode": "de-DE"}
    assert setup["generationConfig"]["speechConfig"] == voice
    assert setup["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert setup["realtimeInputConfig"] == {"automaticActivityDetection": {"disabled": True}}
    assert "sessionResumption" not in setup
    assert setup["contextWindowCompression"] == {"slidingWindow": {}}
    session = opening("openai-live://m?voice=marin&encoding=alaw")["session"]
    assert session["audio"] == {
        "format": {"type": "audio/pcma", "rate": 8000},
        "output": {"voice": "marin"},
    }
    assert made("openai-live://m?rate=16000").capabilities.input == AudioFormat(16000)
    assert made("openai-live://m?encoding=mulaw").capabilities.output == AudioFormat(8000, Encoding.MULAW)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("gemini://", "no model. Write gemini://MODEL"),
        ("gemini+ws://127.0.0.1:9/", "no model. Add model=NAME"),
        ("openai-live://", "no model"),
        ("gemini://m?voise=x", "'voise' is not known. Did you mean voice?"),
        ("gemini://m?resumption=maybe", "Expected yes or no"),
        ("gemini://m?turn_detection=semantic_vad", "Expected one of server_vad, manual"),
        ("openai-live://m?rate=8000", "rate 8000. OpenAI Live has 16000 or 24000"),
        ("doubao://?silence_ms=100", "Expected milliseconds from 500 to 50000"),
        ("doubao://?turn_detection=no", "Expected one of server_vad, manual"),
    ],
)
def test_what_is_wrong_with_an_address_is_told(address: str, words: str) -> None:
    with pytest.raises(AddressInvalid) as caught:
        made(address)
    assert words in str(caught.value)
