from __future__ import annotations

from collections.abc import Sequence

from streams import clock
from streams.language.client import Completion, LanguageModel, Message
from user_sim.policy import Compose, Composed
from user_sim.wording import compose


class Scribe(LanguageModel):
    """A language model without a server, which remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Message] = []

    async def complete(self, messages: Sequence[Message]) -> Completion:
        self.asked = list(messages)
        return Completion(" How does it work?\n", None, "scribe", 0.0)


def test_a_request_becomes_a_chat_and_its_answer_keeps_the_number() -> None:
    model = Scribe()
    request = Compose(7, (("system", "You call."), ("user", "The line is open.")))
    assert clock.run(compose(model, request), simulate=True) == Composed(7, "How does it work?")
    assert model.asked == [Message("system", "You call."), Message("user", "The line is open.")]
