import pytest

from recordings.format import EndpointInfo, EpisodeInfo, Event, UsageReported
from scoring.usage import session_usage, total
from streams.language.session_prices import Model, Rates
from tests.recordings.calls import episode_info

DETAILS = {
    "input_tokens": 1000.0,
    "input_token_details.text_tokens": 400.0,
    "input_token_details.audio_tokens": 600.0,
    "input_token_details.cached_tokens": 500.0,
    "input_token_details.cached_tokens_details.text_tokens": 300.0,
    "input_token_details.cached_tokens_details.audio_tokens": 200.0,
    "output_tokens": 250.0,
    "output_token_details.text_tokens": 50.0,
    "output_token_details.audio_tokens": 200.0,
    "total_tokens": 1250.0,
}
# text:  100 * 4 + 300 * 0.4 + 50 * 24  =   400 +  120 +  1200 =  1720
# audio: 400 * 32 + 200 * 0.4 + 200 * 64 = 12800 +  80 + 12800 = 25680; together 27400 / 10^6
USD = 0.0274


def call(
    address: str = "openai://gpt-realtime-2.1",
    protocol: str = "openai-realtime/openai",
    model: str = "gpt-realtime-2.1",
    minutes: float = 1.0,
) -> EpisodeInfo:
    endpoint = EndpointInfo(address=address, protocol=protocol, model=model)
    return episode_info().model_copy(update={"endpoint": endpoint, "duration_s": 60 * minutes})


def used(values: dict[str, float], **fields: object) -> Event:
    return UsageReported.model_validate({"t": 1.0, "unit": "tokens", "values": values, **fields})


def test_text_sound_and_what_was_there_before_have_prices_of_their_own() -> None:
    found = session_usage(call(), [used(DETAILS)])
    assert found.usd == pytest.approx(USD)
    assert (found.price_as_of, found.unpriced) == (("2026-11-30",), ())
    assert str(found) == (
        "1.0 minutes, 1,000 tokens in (600 of sound), 250 tokens out (200 of sound);"
        " 0.0274 US dollars (prices of 2026-11-30)"
    )


def test_reports_of_responses_are_summed() -> None:
    found = session_usage(call(), [used(DETAILS, response="r1"), used(DETAILS, response="r2")])
    assert found.counts["tokens"]["total_tokens"] == 2500
    assert found.usd == pytest.approx(2 * USD)


def test_reports_that_count_from_the_start_are_never_summed() -> None:
    reports = [used({"seconds": seconds}, unit="seconds", cumulative=True) for seconds in (10.0, 25.0)]
    assert session_usage(call(), reports).counts == {"seconds": {"seconds": 25.0}}


def test_the_transcript_of_the_user_is_paid_to_another_model() -> None:
    heard = {"transcription.input_tokens": 400.0, "transcription.output_tokens": 40.0}
    events = [used(DETAILS), used(heard, model="gpt-4o-mini-transcribe")]
    # 400 * 1.25 + 40 * 5 = 700, / 10^6
    assert session_usage(call(), events).usd == pytest.approx(USD + 0.0007)


def test_sessions_that_are_paid_by_the_minute_cost_their_length() -> None:
    grok = call("xai://grok-voice-latest", "openai-realtime/xai", "grok-voice-latest", minutes=6)
    assert session_usage(grok, []).usd == pytest.approx(0.30)


@pytest.mark.parametrize(
    ("info", "events", "cause"),
    [
        (call(model="gpt-realtime-9"), [used(DETAILS)], "no price of gpt-realtime-9 fits"),
        (call(), [used({"total_tokens": 10.0, "input_tokens": 10.0})], "no price of gpt-realtime-2.1 fits"),
        (
            call(),
            [used(DETAILS), used({"transcription.seconds": 2.0}, unit="seconds", model="whisper-1")],
            "no price of whisper-1 fits",
        ),
        (call(), [], "the endpoint counted nothing"),
        (call("openai+wss://gateway/v1"), [used(DETAILS)], "not at its vendor's own address"),
        (call("qwen://x", "openai-realtime/qwen"), [used(DETAILS)], "no price of openai-realtime/qwen is"),
    ],
)
def test_a_price_that_is_not_known_is_not_guessed(
    info: EpisodeInfo, events: list[Event], cause: str
) -> None:
    found = session_usage(info, events)
    assert found.usd is None
    assert cause in found.unpriced[0]
    assert "price unknown" in str(found)


def test_images_and_other_modalities_make_the_price_unknown() -> None:
    rates = Rates.model_validate({"in": 1, "cached": 1, "out": 1})
    model = Model(text=rates, audio=rates)
    assert model.of(DETAILS) is not None
    assert model.of({**DETAILS, "input_tokens": 1100.0, "input_token_details.image_tokens": 100.0}) is None


def test_one_unknown_price_makes_the_sum_unknown_and_what_costs_nothing_does_not() -> None:
    known, unknown = session_usage(call(), [used(DETAILS)]), session_usage(call(), [])
    assert (known + unknown).usd is None
    ours = session_usage(call("reference://", "openai-realtime/reference"), [used(DETAILS)])
    never_began = session_usage(call(minutes=0), [])
    whole = total([known, ours, never_began])
    assert whole.usd == pytest.approx(USD)
    assert (whole.minutes, whole.counts["tokens"]["input_tokens"]) == (2.0, 2000.0)


def test_only_what_was_counted_or_costs_something_is_told() -> None:
    assert session_usage(call(), [used(DETAILS)]).worth_telling
    assert not session_usage(call("reference://"), [used(DETAILS)]).worth_telling
    assert not session_usage(call("pcm+ws://h:1/?rate=16000", "pcm"), []).worth_telling
