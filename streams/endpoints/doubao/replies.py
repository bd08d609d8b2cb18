"""Which reply sound and words belong to, and what the user is heard to say."""

from __future__ import annotations

from streams.endpoints.events import (
    AudioReceived,
    Edge,
    EndpointEvent,
    Flush,
    ItemEnded,
    Notice,
    NoticeLevel,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    TextMode,
    TextReceived,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.pieces import SampleAligner, Stamp

Events = list[EndpointEvent]

_UNNAMED = "unnamed-"
_AUDITED = "audit_content_risky"


class Replies:
    """The replies of one session, by the server's `reply_id`; each is one item of its own name."""

    def __init__(self) -> None:
        self._count = 0
        self.response = ""
        """The reply whose sound is being delivered, or empty."""
        self.latest = ""
        """That, or the last one."""
        self._cut = False
        self._users = 0
        self._user = self._user_text = ""
        self._aligner = SampleAligner(2)

    def begin(self, reply: str, stamp: Stamp, *, source: str = "") -> Events:
        """Sound of this reply follows; empty if the server names none."""
        if self.response and (reply == self.response or not (reply or self._cut)):
            return []
        events = self.end(stamp, status=ResponseStatus.INCOMPLETE, why="another reply began")
        if not reply:
            reply = self._coming()
            self._count += 1
        self.response = self.latest = reply
        events.append(ResponseStarted(**stamp, response=reply))
        if source == _AUDITED:
            message = "the vendor's audit replaced the reply"
            events.append(Notice(**stamp, level=NoticeLevel.WARNING, code=source, message=message))
        return events

    def audio(self, data: bytes, stamp: Stamp) -> Events:
        """PCM16 of the reply."""
        events = [] if self.response else self.begin("", stamp)
        pcm = self._aligner.push(self.response, data)
        if pcm:
            events.append(AudioReceived(**stamp, pcm=pcm, item=self.response, response=self.response))
        return events

    def text(self, text: str, reply: str, stamp: Stamp) -> Events:
        """Words of a reply; they may come before its sound."""
        name = reply or self.response or self._coming()
        said = TextReceived(**stamp, text=text, mode=TextMode.DELTA, item=name, response=name)
        return [said] if text else []

    def end(
        self,
        stamp: Stamp,
        reply: str = "",
        *,
        status: ResponseStatus = ResponseStatus.COMPLETED,
        why: str = "",
    ) -> Events:
        """The reply is delivered; an end of another reply than the present is stale."""
        name = self.response
        if not name or (reply and reply != name):
            return []
        if self._cut:
            status, why = ResponseStatus.CANCELLED, "interrupted"
        self._aligner.end(name)
        self.response, self._cut = "", False
        return [
            ItemEnded(**stamp, item=name, response=name),
            ResponseEnded(**stamp, response=name, status=status, reason=why),
        ]

    def user_began(self, question: str, stamp: Stamp) -> Events:
        """The first word of the user: what was not heard shall be dropped."""
        self._users += 1
        self._user, self._user_text = question or f"question-{self._users}", ""
        self._cut = bool(self.response)
        return [
            UserSpeech(**stamp, edge=Edge.START, item=self._user),
            Flush(**stamp, responses=(self.response,) if self.response else ()),
        ]

    def user_text(self, text: str, stamp: Stamp) -> Events:
        """All that the user is heard to have said so far."""
        self._user_text = text
        return [UserTextReceived(**stamp, text=text, mode=TextMode.CUMULATIVE, item=self._user)]

    def user_ended(self, stamp: Stamp) -> Events:
        """The user has finished."""
        events: Events = [UserSpeech(**stamp, edge=Edge.STOP, item=self._user)]
        if self._user_text:
            text = self._user_text
            events.append(UserTextReceived(**stamp, text=text, mode=TextMode.FINAL, item=self._user))
        return events

    @staticmethod
    def may_truncate(item: str) -> bool:
        """The server knows a reply of this name."""
        return not item.startswith(_UNNAMED)

    def _coming(self) -> str:
        return f"{_UNNAMED}{self._count + 1}"
