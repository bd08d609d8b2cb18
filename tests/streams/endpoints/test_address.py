import pytest

from streams.audio import AudioFormat, Encoding
from streams.endpoints.address import BUILDERS, Address, connect
from streams.endpoints.errors import AddressInvalid, AuthenticationFailed
from streams.endpoints.fake import FakeEndpoint
from streams.endpoints.protocol import Endpoint, PlaybackReport, TurnMode
from streams.endpoints.websocket import RawLog, WebsocketEndpoint

KEYS = {"OPENAI_API_KEY": "sk-canary-1", "MY_KEY": "my-canary-2", "DASHSCOPE_API_KEY": "ds-canary-3"}


def wire(endpoint: Endpoint) -> tuple[str, dict[str, str]]:
    """Where the socket would go, and with which headers."""
    assert isinstance(endpoint, WebsocketEndpoint)
    return endpoint.url, dict(endpoint.headers)


def test_a_vendors_address_needs_only_the_model() -> None:
    url, headers = wire(connect("openai://gpt-realtime-2.1", KEYS))
    assert url == "wss://api.openai.com/v1/realtime?model=gpt-realtime-2.1"
    assert headers == {"Authorization": "Bearer sk-canary-1"}


@pytest.mark.parametrize(
    ("address", "url", "headers"),
    [
        (
            "openai://flash?dialect=qwen",
            "wss://dashscope-intl.aliyuncs.com/api-ws/v1/realtime?model=flash",
            {"Authorization": "Bearer ds-canary-3"},
        ),
        (
            "openai://dep?dialect=azure&resource=res&key_env=MY_KEY",
            "wss://res.openai.azure.com/openai/v1/realtime?model=dep",
            {"api-key": "my-canary-2"},
        ),
        (
            "openai://old?dialect=openai-beta",
            "wss://api.openai.com/v1/realtime?model=old",
            {"OpenAI-Beta": "realtime=v1", "Authorization": "Bearer sk-canary-1"},
        ),
        (
            "azure-openai://dep?resource=res&key_env=MY_KEY",
            "wss://res.openai.azure.com/openai/v1/realtime?model=dep",
            {"api-key": "my-canary-2"},
        ),
        (
            "azure-voice-live://gpt-realtime?resource=res&key_env=MY_KEY",
            "wss://res.services.ai.azure.com/voice-live/realtime?api-version=2026-07-15&model=gpt-realtime",
            {"api-key": "my-canary-2"},
        ),
        (
            "qwen://qwen3-omni-flash-realtime",
            "wss://dashscope-intl.aliyuncs.com/api-ws/v1/realtime?model=qwen3-omni-flash-realtime",
            {"Authorization": "Bearer ds-canary-3"},
        ),
        (
            "xai://grok-voice-latest?key_env=MY_KEY",
            "wss://api.x.ai/v1/realtime?model=grok-voice-latest",
            {"Authorization": "Bearer my-canary-2"},
        ),
        (
            "glm://glm-realtime-air?key_env=MY_KEY",
            "wss://open.bigmodel.cn/api/paas/v4/realtime",
            {"Authorization": "Bearer my-canary-2"},
        ),
        (
            "stepfun://step-audio-2?key_env=MY_KEY",
            "wss://api.stepfun.com/v1/realtime?model=step-audio-2",
            {"Authorization": "Bearer my-canary-2"},
        ),
        (
            "openai://ft:gpt-realtime:org::id",
            "wss://api.openai.com/v1/realtime?model=ft%3Agpt-realtime%3Aorg%3A%3Aid",
            {"Authorization": "Bearer sk-canary-1"},
        ),
    ],
)
def test_dialects_differ_in_url_and_key(address: str, url: str, headers: dict[str, str]) -> None:
    assert wire(connect(address, KEYS)) == (url, headers)


def test_our_parameters_are_taken_out_and_the_rest_goes_to_the_server() -> None:
    address = "openai+ws://127.0.0.1:8765/v1/realtime?model=x%20y&dialect=s2s&voice=joe&rate=16000&room=7"
    url, headers = wire(connect(address, {}))
    assert url == "ws://127.0.0.1:8765/v1/realtime?model=x%20y&room=7"
    assert headers == {}


def test_a_dialects_own_parameters_are_added_unless_the_address_has_them() -> None:
    assert wire(connect("vllm-omni+ws://localhost:8091?model=m", {}))[0] == (
        "ws://localhost:8091/v1/realtime?model=m&duplex=1"
    )
    url = "ws://localhost:8091/x?duplex=0"
    assert wire(connect(f"vllm-omni+{url}", {}))[0] == url


def test_the_vendors_limit_of_sessions_is_no_other_servers() -> None:
    assert connect("openai://gpt-realtime", KEYS).capabilities.max_session_s == 3600
    assert connect("openai+ws://localhost:8765", {}).capabilities.max_session_s is None


def test_the_path_of_a_realtime_server_may_be_left_out() -> None:
    assert wire(connect("openai+ws://localhost:8765", {}))[0] == "ws://localhost:8765/v1/realtime"


def test_options_in_the_address_reach_the_session() -> None:
    endpoint = connect("openai+ws://localhost:1/?turn_detection=manual&encoding=mulaw", {})
    assert endpoint.capabilities.input == endpoint.capabilities.output == AudioFormat(8000, Encoding.MULAW)
    assert not endpoint.capabilities.continuous
    assert endpoint.capabilities.playback_report is PlaybackReport.TRUNCATE


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.9.9.9"])
def test_a_key_may_go_to_loopback_in_the_clear(host: str) -> None:
    address = f"openai+ws://{host}:9?key_env=OPENAI_API_KEY"
    assert wire(connect(address, KEYS))[1] == {"Authorization": "Bearer sk-canary-1"}


@pytest.mark.parametrize("address", ["openai+wss://voice.example/v1", "openai+ws://127.0.0.1:9"])
def test_a_key_that_nobody_asked_for_goes_to_nobody_but_the_vendor(address: str) -> None:
    assert wire(connect(address, KEYS))[1] == {}
    assert wire(connect("openai://gpt-realtime", KEYS))[1] == {"Authorization": "Bearer sk-canary-1"}


def test_a_key_is_sent_over_tls() -> None:
    address = "openai+wss://voice.example/v1/realtime?key_env=MY_KEY"
    assert wire(connect(address, KEYS))[1] == {"Authorization": "Bearer my-canary-2"}


def test_a_key_never_crosses_an_open_network() -> None:
    assert wire(connect("openai+ws://voice.example:80", KEYS))[1] == {}
    with pytest.raises(AddressInvalid, match="MY_KEY would cross the network unencrypted") as caught:
        connect("openai+ws://voice.example:80?key_env=MY_KEY", KEYS)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["openai://gpt-realtime", "openai+ws://localhost:1?key_env=OPENAI_API_KEY"]
)
def test_a_missing_key_is_named(address: str) -> None:
    with pytest.raises(
        AuthenticationFailed, match=r"OPENAI_API_KEY is not set.*Set the environment variable"
    ):
        connect(address, {})


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("gpt-realtime", "no scheme"),
        ("opnai://x", "scheme 'opnai' is not known.*Did you mean openai.*Known schemes: .*fake, .*glm"),
        ("openai://", "no model"),
        ("openai://?voice=a", "no model"),
        ("openai://m?dialect=klingon", "dialect 'klingon' is not known.*azure, azure-beta.*or a FILE.yaml"),
        ("openai://m?voise=a", "parameter 'voise' is not known.*Did you mean voice"),
        ("openai://m?dialect=azure&key_env=MY_KEY", "needs a resource"),
        ("openai://m?dialect=s2s", "no vendor's address.*Write s2s.ws://HOST:PORT/v1/realtime"),
        ("openai://m?dialect=qwenn", "Did you mean `qwen`"),
        ("vllm-omni://m", "no vendor's address.*Write vllm-omni.ws://"),
        ("qwen://m?dialect=xai", "the scheme 'qwen' has its own dialect.*Leave out dialect=xai"),
        ("openai://m?dialect=nowhere.yaml", "nowhere.yaml.*found no readable file"),
        ("openai://m?rate=16000", "openai has no input of 16000 Hz. It has: 24000"),
        ("qwen+ws://h:1/?encoding=mulaw", "qwen has no input of mulaw. It has: pcm16"),
        ("openai://m?turn_detection=psychic", "turn_detection='psychic'.*manual, semantic_vad, server_vad"),
        ("openai+ws://localhost:1?dialect=s2s&turn_detection=manual", "s2s has no turn_detection=manual"),
        ("openai://m?rate=fast", "rate='fast'.*samples per second"),
        ("openai://m?rate=11025", "audio rate 11025 Hz"),
        ("openai://m?encoding=mp3", "encoding='mp3'.*pcm16, mulaw, alaw"),
        ("openai+ws:///path", "no host"),
        ("openai+ws://h:99999", "[Pp]ort"),
        ("openai+ws://[::1", "Invalid IPv6"),
        ("pcm+ws://h:1/", "no rate.*rate=16000"),
        ("pcm+ws://h:1/?rate=16000&reply_gap=nan", "reply_gap='nan'"),
        ("fake://?delay=-1", "delay='-1'"),
        ("fake://?dealy=1", "Did you mean delay"),
    ],
)  # fmt: skip
def test_a_wrong_address_says_what_is_wrong_and_what_would_be_right(address: str, message: str) -> None:
    with pytest.raises(AddressInvalid, match=message):
        connect(address, KEYS)


def test_plain_pcm_has_a_rate_for_each_direction() -> None:
    endpoint = connect("pcm+ws://h:9000/call?rate=16000&out_rate=24000&user=7", {})
    assert wire(endpoint)[0] == "ws://h:9000/call?user=7"
    assert (endpoint.capabilities.input.rate, endpoint.capabilities.output.rate) == (16000, 24000)
    assert connect("pcm+ws://h:1?encoding=alaw", {}).capabilities.output == AudioFormat(8000, Encoding.ALAW)


def test_a_fake_is_made_by_its_address() -> None:
    endpoint = connect("fake://?replies=2&rate=16000", {})
    assert isinstance(endpoint, FakeEndpoint)
    assert endpoint.capabilities.output.rate == 16000
    assert TurnMode.SERVER_VAD in endpoint.capabilities.turn_modes


def test_keys_in_an_address_go_to_the_server_and_are_never_shown() -> None:
    endpoint = connect("openai+ws://localhost:1/v1/realtime?api_key=C4NARY-KEY", {})
    assert wire(endpoint)[0] == "ws://localhost:1/v1/realtime?api_key=C4NARY-KEY"
    parsed = Address.parse("openai+ws://localhost:1/v1/realtime?api_key=C4NARY-KEY")
    assert "C4NARY" not in f"{endpoint!r} {endpoint.address} {parsed!r}"
    assert endpoint.address == "openai+ws://localhost:1/v1/realtime?api_key=***"


def test_callers_add_schemes_of_their_own() -> None:
    made = FakeEndpoint(address="mine://x")

    def build(address: Address, environ: object, raw_log: RawLog | None) -> Endpoint:
        assert (address.scheme, address.target, address.get("a")) == ("mine", "x", "b c")
        return made

    assert connect("mine://x?a=b%20c", {}, builders={**BUILDERS, "mine": build}) is made
