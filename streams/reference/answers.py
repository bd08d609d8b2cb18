"""Who answers: the knowledge that ships with the endpoint, or a language model."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal, Protocol, cast

from streams.endpoints.protocol import Tool
from streams.reference.dialogue import Message, Role
from streams.reference.knowledge_base import KnowledgeBase, Told
from streams.reference.replies import ReplyFailed
from streams.reference.sentences import SentenceCutter, sentences
from streams.reference.tool_use import FILLER, ToolUse, said_of, tool_for

if TYPE_CHECKING:
    from streams.language.client import LanguageModel

GREETING = "Hello, this is vivavoce. You can ask me about science, or about a visit to the science museum."
NOT_HEARD = "Sorry, I did not catch that. Could you say it again?"
OFFER = "You can ask me about CRISPR, mRNA vaccines, photosynthesis, black holes, or the science museum."

_AGAIN = re.compile(r"\b(repeat|say (that|it) again|pardon|come again|once more)\b", re.IGNORECASE)

_PROMPT = (
    "You are a voice assistant on the telephone. Answer in one to three short sentences of plain spoken"
    " English, without lists, symbols or markup."
)


_ROLES: Mapping[Role, Literal["system", "user", "assistant"]] = {
    Role.SYSTEM: "system",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
}
"""Who speaks, in a language model's words; what tools returned is not told it."""


class Answerer(Protocol):
    """Finds words for a reply."""

    def answer(
        self, messages: Sequence[Message], instructions: str, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[str | ToolUse, None]:
        """Sentences of the reply to a dialogue; see `Replier.reply` for the arguments and errors."""


class KnowledgeAnswerer:
    """Answers from a knowledge base; what it does not know it says so.

    Args:
        base: What it knows.
        filler: Say that it takes a moment while a tool works.
    """

    def __init__(self, base: KnowledgeBase, *, filler: bool = False) -> None:
        self._base = base
        self._filler = filler

    async def answer(
        self, messages: Sequence[Message], instructions: str, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[str | ToolUse, None]:
        """See `Answerer.answer`; instructions change nothing here."""
        last = messages[-1] if messages else None
        if last is not None and last.role is Role.TOOL:
            yield said_of(last.text)
            return
        use = tool_for(last.text, tools) if last is not None and last.role is Role.USER else None
        if use is not None:
            yield use
            if self._filler:
                yield FILLER
            return
        for sentence in sentences(self.find(messages)):
            yield sentence

    def find(self, messages: Sequence[Message]) -> str:
        """The whole answer to the last message."""
        if not messages:
            return GREETING
        if messages[-1].role is not Role.USER:
            return NOT_HEARD
        text = messages[-1].text
        courtesy = self._base.small_talk(text)
        if courtesy is not None:
            return courtesy.answer
        past = self._past(messages)
        if past and _AGAIN.search(text):
            return past[-1].entry.answer
        verbatim = self._base.verbatim.answer(text)
        if verbatim is not None:
            return verbatim
        question = self._base.read(text)
        if not question.content and not question.topics:
            return self._more(past)
        last = past[-1].topic if past else None
        told = [each.entry.answer for each in past if each.whole]
        # of several questions at once, the last that is understood
        for part in (text, *reversed(sentences(text))):
            found = self._base.find(self._base.read(part), last=last, told=told)
            if found is not None:
                return found.entry.answer
        return f"I am sorry, I do not know about {self._base.unknown(question)}. {OFFER}"

    def _past(self, messages: Sequence[Message]) -> list[Told]:
        """What was told about topics so far, in order."""
        replies = (message.text for message in messages if message.role is Role.ASSISTANT)
        told = (self._base.told(text) for text in replies)
        return [each for each in told if each is not None and not each.topic.small_talk]

    def _more(self, past: Sequence[Told]) -> str:
        """The user asks for more of the same: what was cut off, or else what was not told yet."""
        if not past:
            return f"What would you like to know? {OFFER}"
        last = past[-1]
        if not last.whole:
            return last.entry.answer
        if last.topic.verbatim:
            return f"That is all I know about it. {OFFER}"
        told = {each.entry.id for each in past if each.topic is last.topic and each.whole}
        fresh = [entry for entry in last.topic.entries if entry.id not in told]
        return fresh[0].answer if fresh else f"That is all I know about {last.topic.topic}. {OFFER}"


class LanguageAnswerer:
    """Lets a language model answer, sentence by sentence as they are written."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def answer(
        self, messages: Sequence[Message], instructions: str, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[str | ToolUse, None]:
        """See `Answerer.answer`; tools are not used."""
        from streams.language.client import Message as Line
        from streams.language.errors import LanguageError

        if not messages or messages[-1].role is not Role.USER:
            yield NOT_HEARD if messages else GREETING
            return
        lines = [Line("system", instructions or _PROMPT)]
        lines += [Line(_ROLES[each.role], each.text) for each in messages if each.role in _ROLES]
        cutter = SentenceCutter()
        try:
            async with aclosing(cast("AsyncGenerator[str, None]", self._model.stream(lines))) as pieces:
                async for piece in pieces:
                    for sentence in cutter.push(piece):
                        yield sentence
        except LanguageError as error:
            raise ReplyFailed(str(error)) from error
        for sentence in cutter.finish():
            yield sentence
