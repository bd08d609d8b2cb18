"""What went wrong, as an outcome: the one place that knows whose fault an exception is."""

from __future__ import annotations

from collections.abc import Iterator

from agent.call import End
from agent.media import BehindRealTime
from agent.python_tools import PythonToolUnfit
from recordings.errors import RecordingError
from recordings.format import Outcome
from scenarios.problems import ScenarioError
from streams.devices.interfaces import DeviceError
from streams.endpoints.errors import EndpointError, RateLimited
from streams.language.errors import LanguageError
from streams.speech.interfaces import SpeechError
from user_sim.conditions.telephone import UnfitCodec
from user_sim.voice import UserVoiceFailed

_TABLE: tuple[tuple[type[Exception], Outcome, str], ...] = (
    (BehindRealTime, Outcome.BEHIND_REAL_TIME, "us"),
    (RateLimited, Outcome.RATE_LIMITED, "endpoint"),
    (EndpointError, Outcome.ENDPOINT_ERROR, "endpoint"),
    (UserVoiceFailed, Outcome.USER_FAILED, "us"),
    (DeviceError, Outcome.USER_FAILED, "us"),
    (SpeechError, Outcome.USER_FAILED, "us"),
    (LanguageError, Outcome.USER_FAILED, "us"),
    (ScenarioError, Outcome.SCENARIO_INVALID, "us"),
    (PythonToolUnfit, Outcome.SCENARIO_INVALID, "us"),
    (UnfitCodec, Outcome.SCENARIO_INVALID, "us"),
    (RecordingError, Outcome.HARNESS_FAILED, "us"),
)


def end_for(failure: BaseException) -> End:
    """The end of a session that failed; anything unforeseen is our own failure."""
    first = first_cause(failure)
    for kind, outcome, by in _TABLE:
        if isinstance(first, kind):
            return End(outcome, str(first), by)
    return End(Outcome.HARNESS_FAILED, f"{type(first).__name__}: {first}", "us")


def first_cause(failure: BaseException) -> BaseException:
    """What failed first: of a group of failures, the first of them."""
    return next(_leaves(failure))


def _leaves(failure: BaseException) -> Iterator[BaseException]:
    if isinstance(failure, BaseExceptionGroup):
        for inner in failure.exceptions:
            yield from _leaves(inner)
    else:
        yield failure
