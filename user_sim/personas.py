"""From a scenario to the user that plays it."""

from __future__ import annotations

from scenarios.schema import PolicyKind, Scenario
from user_sim.adaptive import AdaptivePolicy
from user_sim.behaviours.behaving import Behaving
from user_sim.llm import LlmPolicy
from user_sim.policy import Policy
from user_sim.scripted import ScriptedPolicy


def make_policy(scenario: Scenario, seed: int, policy: Policy | None = None) -> Policy:
    """The user that the scenario asks for, with its behaviours; the same seed makes the same user.

    Args:
        scenario: What should happen.
        seed: Base of every random choice.
        policy: Decides what is asked, instead of the scenario's own.
    """
    policy = policy or _asking(scenario, seed)
    if not scenario.behaviours:
        return policy
    return Behaving(policy, scenario.behaviours, seed, scenario.language)


def _asking(scenario: Scenario, seed: int) -> Policy:
    match scenario.policy:
        case PolicyKind.SCRIPTED:
            return ScriptedPolicy(scenario)
        case PolicyKind.ADAPTIVE:
            return AdaptivePolicy(scenario, seed)
        case PolicyKind.LLM:
            return LlmPolicy(scenario, seed)
