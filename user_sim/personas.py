"""From a scenario to the user that plays it."""

from __future__ import annotations

from scenarios.schema import PolicyKind, Scenario
from user_sim.adaptive import AdaptivePolicy
from user_sim.llm import LlmPolicy
from user_sim.policy import Policy
from user_sim.scripted import ScriptedPolicy


def make_policy(scenario: Scenario, seed: int) -> Policy:
    """The policy that the scenario asks for; the same seed makes the same user."""
    match scenario.policy:
        case PolicyKind.SCRIPTED:
            return ScriptedPolicy(scenario)
        case PolicyKind.ADAPTIVE:
            return AdaptivePolicy(scenario, seed)
        case PolicyKind.LLM:
            return LlmPolicy(scenario, seed)
