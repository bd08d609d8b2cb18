import pytest

from streams.endpoints.secrets import find_secrets, is_sensitive, redact, redact_url


@pytest.mark.parametrize(
    "name",
    [
        "key", "api_key", "api-key", "apikey", "API-KEY", "token", "access_token", "sig", "signature",
        "X-Amz-Signature", "X-Amz-Credential", "Ocp-Apim-Subscription-Key", "Authorization", "xi-api-key",
        "client_secret", "password", "Cookie",
    ],
)  # fmt: skip
def test_names_of_keys_are_sensitive(name: str) -> None:
    assert is_sensitive(name)


@pytest.mark.parametrize(
    "name", ["model", "key_env", "keyword", "monkey", "api-version", "OpenAI-Beta", "rate"]
)
def test_other_names_are_not(name: str) -> None:
    assert not is_sensitive(name)


def test_an_address_keeps_everything_but_its_secrets() -> None:
    shown = redact_url("openai+wss://me:pa55word@h:8/p?model=x%2Fy&api_key=C4NARY&Sig=a%20b&empty#f")
    assert shown == "openai+wss://me:***@h:8/p?model=x%2Fy&api_key=***&Sig=***&empty#f"


def test_even_a_broken_address_shows_no_key() -> None:
    assert redact_url("ws://me:pw@[::1?key=C4NARY") == "[::1"


def test_secrets_are_found_wherever_a_connection_holds_them() -> None:
    secrets = find_secrets(
        "wss://u:p%40ssword@h/?token=to%2Fken1&model=gpt-realtime",
        {"Authorization": "Bearer sk-canary", "OpenAI-Beta": "realtime=v1"},
        ["realtime", "openai-insecure-api-key.ek-canary"],
    )
    assert set(secrets) == {
        "Bearer sk-canary", "sk-canary", "to%2Fken1", "to/ken1", "p%40ssword", "p@ssword", "ek-canary",
    }  # fmt: skip
    assert redact("no sk-canary, no to/ken1; Bearer sk-canary", secrets) == "no ***, no ***; ***"
