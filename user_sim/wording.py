"""Finds words for an LLM user: the shell between its policy and a language model."""

from __future__ import annotations

from typing import Literal, cast

from streams.language.client import LanguageModel, Message
from user_sim.policy import Compose, Composed

_Role = Literal["system", "user", "assistant"]


async def compose(language_model: LanguageModel, request: Compose) -> Composed:
    """Ask the language model for the words of a request; they come back as the model wrote them.

    Raises:
        LanguageError: The model could not be asked, after the client's own retries: our failure.
    """
    messages = [Message(cast(_Role, role), content) for role, content in request.messages]
    completion = await language_model.complete(messages)
    return Composed(request.request, completion.text.strip())
