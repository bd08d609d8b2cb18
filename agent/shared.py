"""One user's side for two: a voice of ours, and a person who speaks in its place for a while.

The track counts on, whoever speaks. What the policy wants said is said by whoever has the word; words that
were not begun when the word changes hands are then for the other to say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence

from agent.call import UserTrack
from agent.mouth import Speaks
from agent.person import PersonMicrophone
from streams.audio import FRAME_MS, Frame, silence
from streams.devices.interfaces import DeviceLost
from streams.playback import Spoken
from user_sim import policy as user
from user_sim.hearing import Hearing


class SharedTrack:
    """The user's track; see `agent.call.UserTrack`.

    Args:
        ours: Where our voice speaks; nothing was captured by anybody yet.
        lost: Told when the person's device is gone; the track is silent from there on.
    """

    def __init__(self, ours: UserTrack, lost: Callable[[DeviceLost], None]) -> None:
        self._ours = ours
        self._lost = lost
        self._theirs: PersonMicrophone | None = None
        self._everybody: list[UserTrack] = [ours]
        self.rate = ours.rate
        self.position = ours.position

    @property
    def speaking(self) -> bool:
        """True while somebody says something."""
        return bool(self.saying)

    @property
    def saying(self) -> tuple[str, ...]:
        """Names of what is being said, or will be."""
        return self._ours.saying if self._theirs is None else self._theirs.saying

    def hand_to(self, person: PersonMicrophone | None) -> None:
        """From the next frame on a person speaks, or our voice again."""
        self._theirs = person
        if person is not None:
            self._everybody.append(person)

    def say(self, pcm: bytes, utterance: str) -> int:
        """Our voice speaks; see `Microphone.say`."""
        return self._ours.say(pcm, utterance)

    def stop(self) -> list[Spoken]:
        """Our voice breaks off; a person cannot be stopped."""
        return self._ours.stop()

    def next_frame(self) -> Frame:
        """The audio of the 20 ms that have just passed."""
        frame = self._ours.next_frame()  # of silence while a person speaks: it counts on
        self.position = self._ours.position
        if self._theirs is None:
            return frame
        try:
            return self._theirs.next_frame()
        except DeviceLost as error:
            self._lost(error)
            self._theirs.frame = silence(self.rate * FRAME_MS // 1000)
            return Frame(self._theirs.frame, self.rate)

    def finished(self) -> list[Spoken]:
        """What was said to its end since the last call, by whoever."""
        return [spoken for one in self._everybody for spoken in one.finished()]


class SharedMouth:
    """Says what the policy decides on; see `agent.mouth.Speaks`."""

    def __init__(self, ours: Speaks) -> None:
        self._ours = self._speaks = ours
        self._not_begun: set[asyncio.Future[None]] = set()
        self._said_until = ours.said_until

    @property
    def hearing(self) -> Hearing:
        """The user's ear on the endpoint."""
        return self._ours.hearing

    @hearing.setter
    def hearing(self, hearing: Hearing) -> None:
        self._ours.hearing = hearing

    @property
    def said_until(self) -> int:
        """One past the last audible sample of the latest words that took the turn."""
        self._said_until = max(self._said_until, self._speaks.said_until)
        return self._said_until

    def hand_to(self, person: Speaks | None) -> None:
        """A person says what is to be said, or our voice again."""
        self._said_until = self.said_until
        self._speaks = self._ours if person is None else person
        self._speaks.hearing = self.hearing
        for words in self._not_begun:
            words.cancel()

    async def say(self, action: user.Say, decided_at: float) -> None:
        """Say words that take the turn; returns when they are on their way, or said."""
        while not await self._done(self._speaks.say(action, decided_at)):
            pass

    async def say_beside(self, action: user.Say) -> None:
        """Say something that takes no turn; left out if the word changes hands before it is begun."""
        await self._done(self._speaks.say_beside(action))

    async def press(self, action: user.PressKeys) -> None:
        """Press keys; likewise."""
        await self._done(self._speaks.press(action))

    async def _done(self, words: Coroutine[None, None, None]) -> bool:
        """Whether words were said, or are on their way; False if the word has changed hands before."""
        saying = asyncio.ensure_future(words)
        self._not_begun.add(saying)
        try:
            await asyncio.wait([saying])
        finally:
            self._not_begun.discard(saying)
            saying.cancel()
        if saying.cancelled():
            return False
        saying.result()
        return True

    def settled(self, causes: Sequence[user.Cause], t: float, utterance: str = "") -> None:
        """Behaviours of the scenario have happened."""
        self._speaks.settled(causes, t, utterance)

    def stop(self, t: float) -> None:
        """Break off at session time `t`."""
        self._speaks.stop(t)
