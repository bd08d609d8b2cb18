"""Who looks on at a run: nobody unless asked, and then nothing is imported, wrapped or made."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from agent.cli.configuration import defaults
from agent.cli.main import app
from agent.cli.onlookers.onlookers import Everybody, OnlookerOptions, Onlookers
from agent.observers import Audience, Levels, Nobody
from agent.session import Engines
from agent.suite.hold import Result
from agent.suite.plan import Job
from recordings.format import Event, Outcome, SessionEnded, SessionStarted
from scenarios.load import from_scenario
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from tests.agent.calls import scripted
from tests.agent.cli_calls import ENGINES, ROOT, Viva

JOB = Job("e", from_scenario(scripted()), "fake://", 0, 0)


def test_without_onlookers_a_call_has_no_audience_but_the_screen() -> None:
    async def main() -> None:
        nobody, screen, engines = (
            Onlookers(OnlookerOptions()),
            Nobody(),
            Engines(ToneVoice(), EnergyDetector()),
        )
        assert nobody.audience(JOB, screen)._audiences == [screen]
        assert nobody.engines(engines) is engines
        assert nobody.observers(judges := ()) is judges
        assert nobody.told(print) is print
        await nobody.close(whole=True)

    asyncio.run(main())


MODULES = """
import json, sys
from agent.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
json.dump(sorted({name.split(".")[0] for name in sys.modules}), sys.stdout)
"""


def test_a_run_that_nobody_looks_at_imports_none_of_their_libraries(viva: Viva) -> None:
    arguments = ["run", "hello.yaml", "--endpoint", "fake://", "--simulated", "--no-report", *ENGINES]
    done = subprocess.run(
        [sys.executable, "-c", MODULES, *arguments],
        cwd=viva.folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not {"aiomqtt", "paho", "opentelemetry", "prometheus_client", "wsgiref"} & set(
        json.loads(done.stdout)
    )


def test_everybody_sees_everything_in_the_same_order() -> None:
    seen: list[tuple[str, object]] = []

    class Sees(Nobody):
        def __init__(self, name: str) -> None:
            self._name = name

        def event(self, event: Event) -> None:
            seen.append((self._name, event))

        def levels(self, levels: Levels) -> None:
            seen.append((self._name, levels))

    all_of_them: list[Audience] = [Sees("a"), Sees("b")]
    everybody, began, levels = Everybody(all_of_them), SessionStarted(t=0), Levels(1, 2)
    everybody.event(began)
    everybody.levels(levels)
    assert seen == [("a", began), ("b", began), ("a", levels), ("b", levels)]


def test_a_call_that_could_not_say_that_it_ended_has_ended_all_the_same() -> None:
    class Sees(Nobody):
        def __init__(self) -> None:
            self.ends: list[tuple[float, Outcome, str]] = []

        def event(self, event: Event) -> None:
            if isinstance(event, SessionEnded):
                self.ends.append((event.t, event.outcome, event.reason))

    async def main() -> Sees:
        onlookers, screen = Onlookers(OnlookerOptions()), Sees()
        onlookers.audience(JOB, screen).event(SessionStarted(t=1.5))
        onlookers.ended(Result(JOB, "e", Outcome.HARNESS_FAILED, "its process died"))
        onlookers.ended(Result(JOB, "e", Outcome.HARNESS_FAILED, "its process died"))
        onlookers.audience(JOB, screen).event(SessionEnded(t=2, outcome=Outcome.COMPLETED))
        onlookers.ended(Result(JOB, "e", Outcome.COMPLETED))
        return screen

    assert asyncio.run(main()).ends == [
        (1.5, Outcome.HARNESS_FAILED, "its process died"),
        (2.0, Outcome.COMPLETED, ""),
    ]


def test_viva_toml_names_them(tmp_path: Path) -> None:
    file = tmp_path / "viva.toml"
    events = 'mqtt = "mqtt://host/p"\nmqtt_allow = ["pause,stop"]\n'
    file.write_text(f'[run]\n{events}otlp = "http://host:4318"\nmetrics_port = 9464\n')
    assert defaults(file, app)["run"] == {
        "mqtt": "mqtt://host/p",
        "mqtt_allow": ["pause,stop"],
        "otlp": "http://host:4318",
        "metrics_port": 9464,
    }


@pytest.mark.parametrize("module", ["aiomqtt", "prometheus_client"])
def test_a_library_that_is_missing_is_named_before_any_call(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    option = ("--mqtt", "mqtt://host/p") if module == "aiomqtt" else ("--metrics-port", "0")
    done = viva.simulated("fake://", *option)
    assert done.code in (2, 3)
    assert "pip install 'vivavoce[" in done.err
    assert not (viva.folder / "run").exists()


def test_a_run_goes_on_untraced_where_opentelemetry_is_missing(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    done = viva.simulated("fake://?replies=3", "--otlp", "http://127.0.0.1:9", "--no-report")
    assert done.code == 0
    assert "pip install 'vivavoce[otel]'. This run is not traced." in done.err
