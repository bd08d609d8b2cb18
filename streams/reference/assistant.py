"""Answers turns in words and voice, sentence by sentence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from streams.endpoints.protocol import Tool
from streams.reference.answers import Answerer
from streams.reference.delivery import Delivery, DeliveryPace
from streams.reference.dialogue import Message
from streams.reference.replies import Piece, ReplyFailed, UserTurn
from streams.reference.tool_use import ToolUse
from streams.resample import resample
from streams.speech import workers
from streams.speech.interfaces import SpeechError, Voice

Spoken = tuple[str | ToolUse, bytes]
"""A sentence, and its sound as PCM16; or a tool to call."""


class Assistant:
    """Speaks what an answerer says; the first sentence goes out while the others are still being made.

    Args:
        answerer: Finds the words.
        voice: Speaks them.
        pace: How fast the audio goes out.
        seed: Of ragged delivery.
    """

    def __init__(self, answerer: Answerer, voice: Voice, pace: DeliveryPace, seed: int = 0) -> None:
        self._answerer = answerer
        self._voice = voice
        self._pace = pace
        self._seed = seed

    async def reply(
        self,
        turn: UserTurn,
        messages: Sequence[Message],
        instructions: str,
        rate: int,
        tools: Sequence[Tool] = (),
    ) -> AsyncGenerator[Piece, None]:
        """See `Replier.reply`."""
        delivery = Delivery(self._pace, rate, self._seed + turn.number)
        async with aclosing(self._answerer.answer(messages, instructions, tools)) as sentences:
            upcoming = asyncio.create_task(self._next(sentences, rate))
            try:
                while (spoken := await upcoming) is not None:
                    text, sound = spoken
                    # the next sentence is made while this one is delivered
                    upcoming = asyncio.create_task(self._next(sentences, rate))
                    if isinstance(text, ToolUse):
                        yield Piece(b"", tool=text)
                        continue
                    async with aclosing(delivery.deliver(sound)) as pieces:
                        async for pcm in pieces:
                            yield Piece(pcm, text)
                            text = ""
            finally:
                upcoming.cancel()
                await asyncio.wait([upcoming])

    async def _next(self, sentences: AsyncGenerator[str | ToolUse, None], rate: int) -> Spoken | None:
        sentence = await anext(sentences, None)
        if sentence is None or isinstance(sentence, ToolUse):
            return None if sentence is None else (sentence, b"")
        return sentence, await self._speak(sentence, rate)

    async def _speak(self, sentence: str, rate: int) -> bytes:
        try:
            speech = await self._voice.speak(sentence)
        except SpeechError as error:
            raise ReplyFailed(str(error)) from error
        return await workers.run(resample, speech.pcm, speech.rate, rate, kind="tts")
