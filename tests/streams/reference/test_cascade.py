"""S3-Bench's cascade: the shipped configuration, and the same with small models in its places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from streams.clock import run
from streams.endpoints.errors import AddressInvalid
from streams.endpoints.events import TextReceived
from streams.reference.config import Config, ConfigError
from streams.reference.inprocess import reference_endpoint
from streams.speech.fake import ToneVoice
from tests.streams.openai_server import Reply, Request, chat_stream, serving
from tests.streams.reference.reference_calls import Call, call

SHIPPED = Path("examples/s3-cascade.yaml")
RATE = 24000


def test_the_shipped_file_names_the_models_of_the_paper() -> None:
    config = Config.parse(f"file={SHIPPED}")
    assert config.asr == "transformers:openai/whisper-large-v3"
    assert config.llm.endswith("#Qwen/Qwen3-8B")
    assert config.voice.startswith("openai:Qwen/Qwen3-TTS-") and "@ryan?" in config.voice


def test_what_the_address_says_goes_before_the_file() -> None:
    config = Config.parse(f"file={SHIPPED}&asr=whisper-base&silence=0.4")
    assert (config.asr, config.wait_s) == ("whisper-base", 0.4)
    assert config.llm.endswith("#Qwen/Qwen3-8B")


def test_a_language_model_may_stand_in_the_address_with_its_name() -> None:
    endpoint = reference_endpoint("reference://?llm=http://127.0.0.1:1/v1#some/model&silence=0.7")
    assert (endpoint._config.llm, endpoint._config.wait_s) == ("http://127.0.0.1:1/v1#some/model", 0.7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read"),
        ("- a\n", "holds no mapping"),
        ("a: [", "cannot be read"),
        ("arsr: x\n", "is no parameter. Did you mean 'asr'?"),
        ("file: other.yaml\n", "names another file"),
        ("delays: [3]\n", "has no meaning with mode=assistant"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str | None, words: str) -> None:
    file = tmp_path / "x.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises((ConfigError, AddressInvalid), match=None) as error:
        Config.parse(f"file={file}")
    assert words in str(error.value)


def test_a_client_of_the_server_may_not_name_files() -> None:
    from streams.reference.server import _FIXED

    with pytest.raises(ConfigError, match="is chosen when the server starts"):
        Config.parse(f"file={SHIPPED}", Config(), fixed=_FIXED)


@pytest.mark.models
@pytest.mark.wall_clock  # a server is asked, which knows no simulated time
def test_small_models_in_the_same_places_hold_a_dialogue(tmp_path: Path) -> None:
    from streams.resample import resample
    from streams.speech.piper import PiperSpeaker

    tone = run(ToneVoice(0.5).speak("x"))

    def respond(request: Request) -> Reply:
        if request.path.endswith("/audio/speech"):
            return Reply(resample(tone.pcm, tone.rate, RATE), content_type="audio/pcm")
        return chat_stream("Light ", "cannot leave it. ", "It is that heavy.")

    with serving(respond) as server:
        places = yaml.safe_load(SHIPPED.read_text())
        places["asr"] = "whisper:tiny"
        places["llm"] = places["llm"].replace("http://127.0.0.1:8000/v1", server.base_url)
        places["voice"] = places["voice"].replace("http://127.0.0.1:8091/v1", server.base_url)
        file = tmp_path / "small.yaml"
        file.write_text(yaml.safe_dump(places))

        async def main() -> Call:
            question = await PiperSpeaker("piper-joe").speak("What is a black hole?")
            pcm = resample(question.pcm, question.rate, RATE)
            return await call(reference_endpoint(f"reference://?file={file}"), {0.2: pcm}, 14.0)

        held = run(main())
        asked = [request for request in server.requests if request.path.endswith("/chat/completions")]
        spoken = [request for request in server.requests if request.path.endswith("/audio/speech")]
    assert asked[0].json["model"] == "Qwen/Qwen3-8B"
    assert "black hole" in asked[0].json["messages"][-1]["content"].lower()
    # the first is the warm-up; the others are the sentences, each as soon as it is written
    assert [each.json["input"] for each in spoken[1:]] == ["Light cannot leave it.", "It is that heavy."]
    assert {each.json["voice"] for each in spoken} == {"ryan"}
    assert {each.json["model"] for each in spoken} == {"Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice"}
    texts = [event.text for event in held.of(TextReceived)]
    assert "Light cannot leave it." in texts[0]
    assert np.count_nonzero(held.heard) == pytest.approx(2 * 0.5 * RATE, rel=0.1)
