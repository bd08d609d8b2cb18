from __future__ import annotations

import pytest

from streams.endpoints.errors import AddressInvalid
from streams.reference.config import Config, ConfigError, Mode
from streams.reference.delivery import DeliveryPace
from streams.reference.inprocess import reference_endpoint


def test_a_query_names_the_behaviour() -> None:
    config = Config.parse("mode=metronome&delays=0.1,0.5&pace=ragged&reply=2&seed=7")
    plan = config.metronome()
    assert (plan.delays, plan.pace, plan.reply, plan.seed) == ((0.1, 0.5), DeliveryPace.RAGGED, 2.0, 7)


@pytest.mark.parametrize(
    ("query", "wait_s"),
    [
        ("", 0.5),
        ("silence=0.8", 0.8),
        ("mode=metronome&delays=3", 0.5),
        ("mode=metronome&delays=0.1", 0.06),  # 0.1 less two frames
        ("mode=metronome&delays=0.5,0.3&leading_silence=0.1", 0.16),  # 0.3 - 0.1 - 0.04
        ("mode=metronome&delays=0.5&silence=0.2", 0.2),
    ],
)
def test_the_wait_fits_the_shortest_delay(query: str, wait_s: float) -> None:
    assert Config.parse(query).wait_s == pytest.approx(wait_s)


@pytest.mark.parametrize(
    ("query", "parameter", "says"),
    [
        ("delay=1", "delay", "Did you mean 'delays'?"),
        ("mode=drum", "mode", "'assistant', 'rehearsed', 'metronome' or 'clicks'"),
        ("delays=0.5", "delays", "no meaning with mode=assistant"),
        ("mode=metronome&greets=true", "greets", "no meaning with mode=metronome"),
        ("mode=metronome&delays=", "delays", "valid number"),
        ("mode=metronome&delays=0.01", "delays", "greater than or equal to 0.06"),
        ("mode=metronome&delays=0.1&silence=0.1", "delays", "leaves no time"),
        ("mode=metronome&delays=0.4&leading_silence=0.4", "delays", "leaves no time"),
        ("silence=1&silence=2", "silence", "more than once"),
        ("silence=nan", "silence", "finite"),
        ("mode=clicks&length=inf", "length", "finite"),
    ],
)
def test_what_does_not_fit_is_an_error_that_says_what_does(query: str, parameter: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.parse(query)
    assert caught.value.parameter == parameter
    assert says in str(caught.value)


def test_a_session_inherits_what_it_does_not_name() -> None:
    base = Config.parse("silence=0.9&pace=realtime")
    assert Config.parse("pace=burst", base).silence == 0.9
    other = Config.parse("mode=metronome", base)  # an assistant's silence is no metronome's
    assert (other.mode, other.pace, other.wait_s) == (Mode.METRONOME, DeliveryPace.REALTIME, 0.46)


def test_a_session_cannot_choose_what_is_the_operators() -> None:
    with pytest.raises(ConfigError, match="when the server starts"):
        Config.parse("llm=http://10.0.0.1/v1%23x", fixed=("llm",))


@pytest.mark.parametrize("address", ["reference://host?mode=clicks", "openai://x", "reference://?delay=1"])
def test_an_address_that_names_nothing_is_invalid(address: str) -> None:
    with pytest.raises(AddressInvalid):
        reference_endpoint(address)
