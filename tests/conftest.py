"""What holds for every test: no keys, no network, no surprises from hypothesis."""

from __future__ import annotations

import importlib.util
import os
import signal

import hypothesis
import pytest

# read by huggingface_hub when it is imported: no test may wait for a download
os.environ["HF_HUB_OFFLINE"] = "1"

# two runs of the suite try the same examples, and a slow machine is no failure
hypothesis.settings.register_profile(
    "vivavoce",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("vivavoce")

# started in the background by a shell, a process ignores Ctrl+C, and so do its children
signal.signal(signal.SIGINT, signal.default_int_handler)

_SECRETS = ("_API_KEY", "_TOKEN", "_SECRET")
_ONLOOKERS = ("OTEL_", "VIVA_MQTT")


def pytest_report_header() -> list[str]:
    """Say at the top what cannot be tested here, so that a skip is no surprise."""
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    return [f"not installed: {', '.join(missing)}; tests that need them are skipped"] if missing else []


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys of whoever runs the tests, and their brokers and collectors, are not the tests' business."""
    for name in list(os.environ):
        if name.endswith(_SECRETS) or name.startswith(_ONLOOKERS):
            monkeypatch.delenv(name)
