"""`command:ARGV`: a program that takes a WAV and gives a WAV: run once a turn, or kept alive.

With `{input}` and `{output}` in its arguments it is run for every turn. Without, it is started once for all
sessions, and is asked in lines of JSON: `{"input": PATH, "output": PATH, "session": NAME, "turn": N}` goes
to its standard input, `{"output": PATH, "text": WORDS}` or `{"error": WORDS}` comes back; lines that are no
such thing are taken for chatter. `{"ready": true}` says that it has loaded. There is never a shell.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import errno
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import IO, Any

from streams.audio import Samples, to_pcm16
from streams.endpoints.local.model import ModelFailed, Said, pcm_of

_TAIL = 2000
"""Bytes of standard error that are looked at for the last line."""


class Program:
    """One process that is kept alive, and answers one request at a time; blocking, for threads.

    Args:
        argv: The program and its arguments.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv = list(argv)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] | None = None

    def start(self, limit_s: float) -> None:
        """Start it, and wait until it is ready, if it does not run yet. Raises `ModelFailed`."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            self.stop()
            atexit.register(self.stop)
            try:
                self._begin(limit_s)
            except ModelFailed:
                self.stop()
                raise

    def _begin(self, limit_s: float) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `stop` closes it
        self._process = _begun(
            self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        if "ready" not in self._answer(limit_s):
            raise ModelFailed('its first answer was not {"ready": true}')

    def ask(self, request: dict[str, object], limit_s: float) -> dict[str, Any]:
        """Send a request, wait for its answer. Raises `ModelFailed`."""
        with self._lock:
            process = self._process
            if process is None or process.stdin is None:
                raise ModelFailed("the program does not run")
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
            except OSError:
                raise ModelFailed(self._ended()) from None
            return self._answer(limit_s)

    def _answer(self, limit_s: float) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        late = threading.Event()
        alarm = threading.Timer(limit_s, self._give_up, [late])
        alarm.daemon = True
        alarm.start()
        try:
            return self._read(self._process.stdout)
        except ModelFailed:
            if late.is_set():
                raise ModelFailed(_late(self._argv, limit_s)) from None
            raise
        finally:
            alarm.cancel()

    def _give_up(self, late: threading.Event) -> None:
        late.set()
        if self._process is not None:
            self._process.kill()

    def _read(self, lines: IO[str]) -> dict[str, Any]:
        for line in lines:
            try:
                answer = json.loads(line)
            except ValueError:
                continue
            if isinstance(answer, dict) and answer.keys() & {"ready", "output", "error"}:
                if "error" in answer:
                    raise ModelFailed(str(answer["error"]))
                return answer
        raise ModelFailed(self._ended())

    def _ended(self) -> str:
        assert self._process is not None and self._errors is not None
        return _ended(self._argv, self._process.wait(), _last_line(self._errors))

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        errors, self._errors = self._errors, None
        streams: list[IO[Any] | None] = [errors]
        if process is not None:
            process.kill()
            process.wait()
            streams += [process.stdin, process.stdout]
        for stream in streams:
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


_programs: dict[tuple[str, ...], Program] = {}


class ProgramModel:
    """One session's use of a program; see `Model`.

    Args:
        argv: The program and its arguments.
        input_rate: Samples per second of the WAV files that it gets: mono, PCM16.
        timeout_s: Longest time for an answer.
        load_s: Longest time until a program that is kept alive is ready.
    """

    def __init__(self, argv: Sequence[str], input_rate: int, *, timeout_s: float, load_s: float) -> None:
        self._argv = tuple(argv)
        self._rate = input_rate
        self._timeout_s, self._load_s = timeout_s, load_s
        self._kept: Program | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="vivavoce-", ignore_cleanup_errors=True)
        self._turns = 0
        if not any("{input}" in part for part in argv):
            self._kept = _programs.setdefault(self._argv, Program(argv))

    async def start(self) -> None:
        """Start a program that is kept alive; see that one for each turn is there. Raises `ModelFailed`."""
        if self._kept is not None:
            await asyncio.to_thread(self._kept.start, self._load_s)
        elif shutil.which(self._argv[0]) is None:
            raise ModelFailed(_unrunnable(self._argv, os.strerror(errno.ENOENT)))

    def hear(self, frame: Samples) -> bool | None:
        """Programs hear whole turns."""
        return None

    async def reply(self, audio: Samples) -> AsyncGenerator[Said, None]:
        """The WAV that it gives for the WAV of the turn."""
        self._turns += 1
        heard = Path(self._folder.name) / f"{self._turns:03d}-in.wav"
        spoken = heard.with_name(f"{self._turns:03d}-out.wav")
        await asyncio.to_thread(_write, heard, audio, self._rate)
        text = ""
        if self._kept is not None:
            request = {"input": str(heard), "output": str(spoken), "session": self._folder.name}
            asked = {**request, "turn": self._turns}
            answer = await asyncio.to_thread(self._kept.ask, asked, self._timeout_s)
            spoken, text = Path(answer["output"]), str(answer.get("text", ""))
        else:
            await self._run_once(heard, spoken)
        yield await asyncio.to_thread(_read, spoken, text)

    async def _run_once(self, heard: Path, spoken: Path) -> None:
        places = {"{input}": str(heard), "{output}": str(spoken)}
        argv = [_filled(part, places) for part in self._argv]
        with tempfile.TemporaryFile() as errors:
            process = _begun(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
            try:
                code = await asyncio.to_thread(process.wait, self._timeout_s)
            except subprocess.TimeoutExpired:
                raise ModelFailed(_late(argv, self._timeout_s)) from None
            finally:  # a reply that nobody waits for any more
                if process.poll() is None:
                    process.kill()
                    process.wait()
            if code != 0:
                raise ModelFailed(_ended(argv, code, _last_line(errors)))

    async def close(self) -> None:
        """Forget the session's files; a program that is kept alive serves the next session."""
        with contextlib.suppress(OSError):
            self._folder.cleanup()


def argv_of(command: str) -> list[str]:
    """A command line as arguments, quoted as in a POSIX shell. Raises ValueError."""
    argv = shlex.split(command)
    if not argv:
        raise ValueError("no command")
    inputs, outputs = (any(place in part for part in argv) for place in ("{input}", "{output}"))
    if inputs != outputs:
        raise ValueError("{input} without {output}" if inputs else "{output} without {input}")
    return argv


def _filled(part: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        part = part.replace(place, value)
    return part


def _begun(argv: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    try:
        return subprocess.Popen(argv, **options)  # noqa: S603 - the user's own command, without a shell
    except OSError as error:
        raise ModelFailed(_unrunnable(argv, error.strerror)) from error


def _unrunnable(argv: Sequence[str], why: str | None) -> str:
    return f"{argv[0]} cannot be run: {why}. Check its name, or give its path"


def _ended(argv: Sequence[str], code: int, last: str) -> str:
    return f"{argv[0]} ended with code {code}" + (f": {last}" if last else "")


def _late(argv: Sequence[str], seconds: float) -> str:
    return f"{argv[0]} gave no answer within {seconds:g} s"


def _last_line(errors: IO[bytes]) -> str:
    size = errors.seek(0, 2)
    errors.seek(max(0, size - _TAIL))
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip() if lines else ""


def _write(path: Path, audio: Samples, rate: int) -> None:
    import numpy as np
    import soundfile

    soundfile.write(path, np.frombuffer(to_pcm16(audio), np.int16), rate, subtype="PCM_16")


def _read(path: Path, text: str) -> Said:
    import soundfile

    if not path.is_file():
        raise ModelFailed(f"the program wrote no file {path.name}")
    try:
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise ModelFailed(f"{path.name} is no sound file: {error}") from error
    return Said(pcm_of(samples.mean(axis=1)), int(rate), text)
