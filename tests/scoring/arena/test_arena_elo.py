from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.arena.battles import Label
from scoring.arena.elo import Elo, elo
from scoring.arena.importers import load
from scoring.arena.leaderboard import tallies
from scoring.arena.outcomes import outcomes
from tests.scoring.arena.matches import SPEAKBENCH, battles, simulated

# computed by an independent implementation, in the order of the file, ties half
SPEAKBENCH_K32 = {
    "gemini2-flash-exp": 1255.8846,
    "gpt4o-audio": 1182.7579,
    "gpt4o-text+tts": 1069.6783,
    "asr+llama3+tts": 1059.8913,
    "gemini2-flash-exp+asr+tts": 1059.0388,
    "gpt4o-audio+asr+tts": 1055.6864,
    "diva+tts": 1054.5088,
    "gemini2-flash-text+tts": 1040.6973,
    "qwen2-audio+tts": 956.9956,
    "typhoon2-audio+tts": 925.5445,
    "llama-omni": 880.675,
    "typhoon2-audio": 764.9944,
    "moshi": 693.647,
}
SPEAKBENCH_K32_NO_TIES = {"gemini2-flash-exp": 1292.7749, "gpt4o-audio": 1264.9743, "moshi": 577.7433}
SPEAKBENCH_K4 = {"gpt4o-audio": 1075.2599, "gemini2-flash-exp": 1065.3413, "moshi": 898.9938}
SPEAKBENCH_ORDER_SD = {"gpt4o-audio": 22.2, "qwen2-audio+tts": 28.6, "moshi": 15.8}


def rounded(found: dict[str, Elo], names: dict[str, float]) -> dict[str, float]:
    return {name: round(found[name].rating, 4) for name in names}


def test_speakbench_has_the_published_elo_and_the_noise_of_its_order() -> None:
    held = load(SPEAKBENCH).battles
    found = elo(outcomes(held)[0])
    assert rounded(found, SPEAKBENCH_K32) == SPEAKBENCH_K32
    for name, sd in SPEAKBENCH_ORDER_SD.items():
        assert found[name].order_sd == pytest.approx(sd, rel=0.25)  # two samples of 200 orders
    decided = [battle for battle in held if battle.label is not Label.TIE]
    assert rounded(elo(outcomes(decided)[0], shuffles=0), SPEAKBENCH_K32_NO_TIES) == SPEAKBENCH_K32_NO_TIES
    assert rounded(elo(outcomes(held)[0], k=4, shuffles=0), SPEAKBENCH_K4) == SPEAKBENCH_K4


@pytest.mark.parametrize(
    ("order", "a", "b"),
    [
        ("aaaaabbbbb", 974.94, 1025.06),
        ("bbbbbaaaaa", 1025.06, 974.94),
        ("ababababab", 994.81, 1005.19),
    ],
)
def test_the_last_battles_weigh_most(order: str, a: float, b: float) -> None:  # D39 (a)
    found = elo(outcomes(battles(("A", "B", order)))[0])
    assert (round(found["A"].rating, 2), round(found["B"].rating, 2)) == (a, b)
    assert found["A"].order_sd is not None and found["A"].order_sd > 5


def test_ten_systems_keep_ten_thousand_points_and_every_win_is_a_loss() -> None:
    """The invariants of S2S-Arena's table: 1,001 battles without ties."""
    truth = {f"s{index}": 1000.0 + 40 * index for index in range(10)}
    held = simulated(truth, 1001, 300, 7)
    found = elo(outcomes(held)[0], shuffles=0)
    assert sum(one.rating for one in found.values()) == pytest.approx(10000, abs=1e-9)
    counted = tallies(held)
    assert sum(one.wins for one in counted.values()) == sum(one.losses for one in counted.values()) == 1001
    assert sum(one.battles for one in counted.values()) == 2002


def test_without_other_orders_there_is_no_noise_to_tell() -> None:
    assert elo(outcomes(battles(("A", "B", "a")))[0], shuffles=0)["A"] == Elo(1016.0, None)
    assert elo(outcomes([])[0]) == {}


@settings(max_examples=25)
@given(seed=st.integers(0, 99), count=st.integers(1, 60), sides=st.integers(0, 2**60))
def test_names_and_sides_change_nothing(seed: int, count: int, sides: int) -> None:
    truth = {"A": 1200.0, "B": 1000.0, "C": 950.0, "D": 800.0}
    held = simulated(truth, count, 10, seed)
    new = dict(zip("ABCD", "DBAC", strict=True))
    turned = [
        (b.swapped() if sides >> place & 1 else b).model_copy(
            update={"system_a": new[b.system_a], "system_b": new[b.system_b]}
            if not sides >> place & 1
            else {"system_a": new[b.system_b], "system_b": new[b.system_a]}
        )
        for place, b in enumerate(held)
    ]
    plain, again = (elo(outcomes(one)[0], shuffles=5) for one in (held, turned))
    for name, place in plain.items():
        assert again[new[name]].rating == pytest.approx(place.rating, abs=1e-9)
        assert again[new[name]].order_sd == pytest.approx(place.order_sd, abs=1e-9)
    assert np.mean([one.rating for one in plain.values()]) == pytest.approx(1000, abs=1e-9)
