"""The examples run as they are."""

from __future__ import annotations

import pytest

from examples import examine_an_endpoint, own_endpoint, own_metric, own_policy, read_an_episode
from recordings.format import Outcome
from recordings.reader import Episode


def test_the_insistent_user_hangs_up_when_it_hears_a_number() -> None:
    info = own_policy.main()
    assert info.outcome is Outcome.COMPLETED
    assert info.scenario["id"] == "bones"


def test_the_parrot_says_back_what_it_heard(capsys: pytest.CaptureFixture[str]) -> None:
    folder = own_endpoint.main()
    user, endpoint, *_ = Episode.load(folder).turns
    # the parrot needs 0.5 s of silence to know that the turn is over, and says the 0.6 s back
    assert endpoint.start_s - user.end_s == pytest.approx(0.5)
    assert endpoint.end_s - endpoint.start_s == pytest.approx(0.6)
    capsys.readouterr()
    read_an_episode.main(folder)
    assert "all files agree" in capsys.readouterr().out
    result = own_metric.main(folder)
    assert (result.n, dict(result.unscored)) == (0, {"nothing_understood": 2})


@pytest.mark.models
def test_an_endpoint_is_examined_in_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = examine_an_endpoint.SCENARIO
    # one question shows it all, in half the time
    short = whole.model_copy(update={"turns": whole.turns[:1]})
    monkeypatch.setattr(examine_an_endpoint, "SCENARIO", short)
    scores = examine_an_endpoint.main()
    latency = scores.metrics["response_latency"]
    assert latency.n == 1 and latency.value is not None and latency.value > 0
    heard = [texts.heard or "" for texts in scores.episodes[0].view.texts]
    assert "DNA" in heard[0]
