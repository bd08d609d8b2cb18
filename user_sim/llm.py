"""A user that a language model plays. Pure: it asks for words with `Compose` and says what comes back.

While the endpoint pauses the next words are drafted; if the turn turns out to hold just what the draft was
based on, they are said at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from scenarios.facts.matching import tokens
from scenarios.schema import Scenario
from user_sim.policy import (
    Action,
    Advice,
    Compose,
    Composed,
    Ending,
    EndpointBegan,
    HeardSoFar,
    Line,
    Move,
    Percept,
    SaidInstead,
    TurnHeard,
)
from user_sim.prompt import quoted, system_prompt
from user_sim.spoken import END, spoken_words
from user_sim.turn_taking import Phase, TurnTaking

_SPEAK_FIRST = "The line is open. You speak first."
_UNCLEAR = "They said something that you could not understand."


@dataclass(slots=True)
class _Draft:
    request: int
    basis: tuple[str, ...]
    words: str | None = None


class LlmPolicy(TurnTaking):
    """Plays the scenario's persona with its aim until the model says `[END]`.

    It says at most `limits.max_turns` turns; the last one is asked to be a goodbye. A reply of the model
    without words is asked for once more; if that has none either, the user says goodbye and the call ends
    as failed: the fault is ours. A second silence in a row ends the call. A live judge's advice goes into
    the next request as a note; so does a question that stayed open when the user cut in with another one.
    """

    def __init__(self, scenario: Scenario, seed: int) -> None:
        super().__init__(scenario)
        self._system = system_prompt(scenario, seed)
        self._dialogue: list[tuple[str, str]] = []
        self._advice = ""
        self._requests = 0
        self._turns = 0
        self._awaited: int | None = None
        self._draft: _Draft | None = None
        self._retried = False

    # --- turns

    def _first(self, greeting: TurnHeard | None) -> Sequence[Action]:
        return self._answer(_SPEAK_FIRST if greeting is None else _as_data(greeting))

    def _reply(self, heard: TurnHeard) -> Sequence[Action]:
        if self._turns >= self.scenario.limits.max_turns:
            return self.hang_up(Ending.DONE)
        draft, self._draft = self._draft, None
        if draft is None or not heard.understood or draft.basis != _basis(heard.text):
            return self._answer(_as_data(heard))
        self._dialogue.append(("user", _as_data(heard)))
        self.phase, self._awaited = Phase.THINKING, draft.request
        return () if draft.words is None else self._speak(draft.words)

    def _said_instead(self, said: SaidInstead) -> Sequence[Action]:
        self._draft = self._awaited = None
        self._dialogue.append(("assistant", said.text))
        if not said.dropped:
            self._advice = "your question before you cut in was not answered, so ask it again"
        return super()._said_instead(said)

    def _still_open(self, heard: TurnHeard) -> Sequence[Action]:
        return self._reply(heard)

    def _unanswered(self) -> Sequence[Action]:
        return ()

    def _notice(self, percept: Percept) -> Sequence[Action]:
        match percept:
            case HeardSoFar(text=text) if self.phase is Phase.LISTENING and self._parting is None:
                return self._prepare(text)
            case EndpointBegan() if self.phase is Phase.THINKING:
                self.phase, self._awaited = Phase.LISTENING, None  # let it finish first
            case Composed(request=request, text=text):
                return self._composed(request, text)
            case Advice(move=move, point=point):
                about = json.dumps(point, ensure_ascii=False)
                wishes = {
                    Move.PRESS: f"ask again about {about}",
                    Move.DOUBT: f"what they said about {about} is wrong, so say that you doubt it",
                }
                self._advice = wishes.get(move, "go on to your next question")
                self._draft = None
        return ()

    # --- words

    def _answer(self, heard: str) -> Sequence[Action]:
        self._dialogue.append(("user", heard))
        self.phase = Phase.THINKING
        return self._ask_again()

    def _ask_again(self) -> Sequence[Action]:
        action = self._compose(())
        self._awaited = action.request
        return (action,)

    def _prepare(self, text: str) -> Sequence[Action]:
        basis = _basis(text)
        if not basis or (self._draft is not None and self._draft.basis == basis):
            return ()
        action = self._compose((("user", quoted(text)),))
        self._draft = _Draft(action.request, basis)
        return (action,)

    def _composed(self, request: int, text: str) -> Sequence[Action]:
        if request == self._awaited and self.phase is Phase.THINKING:
            return self._speak(text)
        if self._draft is not None and request == self._draft.request:
            self._draft.words = text
        return ()

    def _speak(self, written: str) -> Sequence[Action]:
        self._awaited = None
        words = spoken_words(written, self.scenario.persona.name)
        if not words.text:
            return self._wordless(ends=words.ends)
        self._turns += 1
        self._retried, self._advice = False, ""
        self._dialogue.append(("assistant", words.text))
        said = Line(words.text)
        return self.part(Ending.DONE, said) if words.ends else self.say(said, f"turn {self._turns}")

    def _wordless(self, *, ends: bool) -> Sequence[Action]:
        if ends:
            return self.hang_up(Ending.DONE) if self.scenario.goodbye is None else self.part(Ending.DONE)
        if self._retried:
            return self.part(Ending.FAILED)
        self._retried = True
        return self._ask_again()

    def _compose(self, more: Sequence[tuple[str, str]]) -> Compose:
        self._requests += 1
        messages: list[tuple[str, str]] = [("system", self._system)]
        for role, content in [*self._dialogue, *more]:
            if role == messages[-1][0]:
                content = f"{messages.pop()[1]}\n{content}"
            messages.append((role, content))
        role, content = messages.pop()
        messages.append((role, "\n".join([content, *self._notes()])))
        return Compose(self._requests, tuple(messages))

    def _notes(self) -> Sequence[str]:
        notes = [f"(Note to yourself: {self._advice}.)"] if self._advice else []
        if self._retried:
            notes.append("(Say your next words now, in plain spoken words.)")
        if self._turns + 1 >= self.scenario.limits.max_turns:
            notes.append(f"(This is your last turn: say goodbye and end with {END}.)")
        return notes

    def lines_ahead(self) -> Sequence[Line]:
        """The draft, if there is one; then "are you there?"."""
        if self.phase is Phase.OVER or self._parting is not None:
            return ()
        written = (self._draft.words or "") if self._draft is not None else ""
        drafted = spoken_words(written, self.scenario.persona.name).text
        return [*([Line(drafted)] if drafted else []), Line(self.phrases.still_there)]


def _as_data(heard: TurnHeard) -> str:
    return quoted(heard.text) if heard.understood and heard.text.strip() else _UNCLEAR


def _basis(text: str) -> tuple[str, ...]:
    """What two texts must share to be the same: their normalised words."""
    return tuple(token.form for token in tokens(text))
