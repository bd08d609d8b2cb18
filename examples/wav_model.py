"""A template for a model that takes a WAV and gives a WAV, kept alive between turns.

    viva run demo --endpoint 'command:python examples/wav_model.py'

Copy it into the repository of the model, run it with that repository's Python, and fill in `load` and
`answer`; docs/python-endpoints.md has a table of what the open speech models need. As it stands it says
back what it hears, so that it can be tried. It needs nothing of vivavoce.

How it is asked: a line of JSON on standard input for each turn,
    {"input": "/tmp/.../001-in.wav", "output": "/tmp/.../001-out.wav", "session": "...", "turn": 1}
and a line back on standard output: {"output": PATH, "text": WORDS}, or {"error": WORDS}. Other lines
that the model prints do no harm. The input is mono, 16-bit, 16000/s (`?input_rate=`).
"""

import json
import shutil
import sys
from typing import Any


def load() -> Any:
    """Load the weights, once.

    Kimi-Audio, as its README has it:
        from kimia_infer.api.kimia import KimiAudio
        return KimiAudio(model_path="moonshotai/Kimi-Audio-7B-Instruct", load_detokenizer=True)
    """
    return None


def answer(model: Any, heard: str, spoken: str, history: list[Any]) -> str:
    """Answer the WAV `heard` by writing the WAV `spoken`, of any rate; returns the words, or "".

    `history` is this session's: keep in it what the model wants to know of earlier turns.

    Kimi-Audio, as its README has it:
        history.append({"role": "user", "message_type": "audio", "content": heard})
        wav, text = model.generate(history, output_type="both")
        soundfile.write(spoken, wav.detach().cpu().view(-1).numpy(), 24000)
    """
    history.append(heard)
    shutil.copyfile(heard, spoken)
    return ""


def main() -> None:
    """Say that the model has loaded, then answer line by line."""
    model = load()
    histories: dict[str, list[Any]] = {}
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        history = histories.setdefault(asked["session"], [])
        try:
            text = answer(model, asked["input"], asked["output"], history)
        except Exception as error:  # noqa: BLE001 - whatever the model raises is told, and the call ends
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
            continue
        print(json.dumps({"output": asked["output"], "text": text}), flush=True)


if __name__ == "__main__":
    main()
