"""How a question of knowledge is said."""

from __future__ import annotations

from scenarios.items import query
from scenarios.schema import Item, ItemKind, Scenario, Turn
from user_sim.policy import CallStarted, Say
from user_sim.scripted import ScriptedPolicy

ITEM = Item(kind=ItemKind.CHOICE, options={"B": "proteins", "A": "DNA", "C": "lipids"}, answer="A")


def test_the_options_of_a_choice_are_read_aloud_in_the_order_of_their_letters() -> None:
    asked = query(Turn(text="What does PCR amplify?", item=ITEM, style="calm"))
    assert asked.text == "What does PCR amplify? A: DNA, B: proteins, C: lipids."
    assert (asked.spoken, asked.style) == (None, "calm")


def test_a_spoken_form_has_the_options_too() -> None:
    asked = query(Turn(text="What does PCR amplify?", spoken="What does P C R amplify?", item=ITEM))
    assert asked.aloud == "What does P C R amplify? A: DNA, B: proteins, C: lipids."


def test_what_is_no_choice_or_is_recorded_is_said_as_it_stands() -> None:
    plain = Turn(text="Hello!")
    open_question = Turn(text="Why?", item=Item(kind=ItemKind.OPEN, answer="because"))
    recorded = Turn(text="What does PCR amplify?", audio="asked.wav", item=ITEM)
    assert [query(turn) for turn in (plain, open_question, recorded)] == [plain, open_question, recorded]


def test_a_scripted_user_reads_the_options() -> None:
    turn = Turn(text="What does PCR amplify?", item=ITEM)
    user = ScriptedPolicy(Scenario(id="pcr", title="PCR", turns=(turn,)))
    assert next(line.text for line in user.lines_ahead()) == query(turn).text
    (say,) = (action for action in user.observe(CallStarted()) if isinstance(action, Say))
    assert say.line.text == query(turn).text
