"""One call: hears the user, lets turns be answered, and keeps what was said.

The order of happenings follows OpenAI Realtime. Who hears and who answers are parts (`Cast`), so that the
assistant and the metronome take turns in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from streams.clock import now, sleep_exactly
from streams.endpoints.events import ResponseStatus
from streams.reference import commands as do
from streams.reference import happenings as did
from streams.reference.defects.sound import Echo
from streams.reference.dialogue import Dialogue, NoSuchItem, Role
from streams.reference.ears import Began, Ears, Ended, Urged
from streams.reference.replies import Cast, Piece, ReplyFailed, UserTurn
from streams.reference.settings import SessionSettings
from streams.speech.interfaces import SPEECH_RATE, SpeechError


class StreamTime:
    """Where the samples of a stream stand on the loop's clock.

    A frame is sent when its last sample has been spoken, and may come late but never early. So time 0 of
    the stream is the smallest of (arrival - position at the end of the frame).
    """

    def __init__(self) -> None:
        self.zero = float("inf")
        self.position_s = 0.0

    def frame(self, position_s: float, *, at: float) -> None:
        """A frame that ends at this position arrived."""
        self.position_s = position_s
        self.zero = min(self.zero, at - position_s)

    def clock(self, position_s: float, *, at: float) -> float:
        """When this position was spoken; `at` if no audio has come at all."""
        return self.zero + position_s if self.zero < float("inf") else at


@dataclass(slots=True)
class _Reply:
    id: str
    turn: UserTurn
    item: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    calls: list[did.ReplyToolCalled] = field(default_factory=list)
    task: asyncio.Task[None] | None = None


class Conversation:
    """One session from the endpoint's side.

    Args:
        cast: Who hears and who answers.
        settings: Reads the settings that hold now.
        emit: Takes each happening, in order.
        tasks: Where replies and transcriptions run.
    """

    def __init__(
        self,
        cast: Cast,
        settings: Callable[[], SessionSettings],
        emit: Callable[[did.Happening], None],
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._cast = cast
        self._settings = settings
        self._emit = emit
        self._tasks = tasks
        self._dialogue = Dialogue()
        self._time = StreamTime()
        self._samples = 0
        self._ears: Ears | None = None
        self._ears_for = settings()
        self._user_item = ""
        self._turns = 0
        self._asked: UserTurn | None = None
        self._queued: UserTurn | None = None
        self._replies = self._calls = 0
        self._reply: _Reply | None = None
        self._echo: Echo | None = None
        self._begun = 0
        self._transcriptions: set[asyncio.Task[None]] = set()

    async def take(self, command: do.Command, *, at: float) -> None:
        """Follow one command that arrived at time `at`."""
        match command:
            case do.Append():
                await self._hear(command.audio, at)
            case do.UpdateSession():
                self._emit(did.SessionChanged())
            case do.Commit():
                self._commit_by_hand(command, at)
            case do.Clear():
                self._ears = None
                self._emit(did.InputCleared())
            case do.CreateResponse():
                self._respond_by_hand(command, at)
            case do.CancelResponse():
                self._cancel_by_hand(command)
            case _:
                self._edit(command)

    def close(self) -> None:
        """Stop all that is being made."""
        for task in [*self._transcriptions, *([self._reply.task] if self._reply else [])]:
            if task is not None:
                task.cancel()

    async def _hear(self, pcm: bytes, at: float) -> None:
        settings = self._settings()
        rate = settings.input.rate
        start_s = self._samples / rate
        self._samples += len(pcm) // 2
        self._time.frame(self._samples / rate, at=at)
        if self._ears is None or self._ears_for.turn_taking != settings.turn_taking:
            self._ears, self._ears_for = self._cast.ears(settings, start_s), settings
        if start_s == 0 and self._cast.opens:
            self._respond(UserTurn(0, 0.0, self._time.zero))
        self._give_back(pcm)
        for heard in await self._ears.hear(pcm):
            if settings.turn_taking is None:
                continue
            match heard:
                case Began(at_s, due_s):
                    if due_s is not None:
                        await sleep_exactly(self._time.clock(due_s, at=at))
                    self._began(at_s, interrupt=settings.turn_taking.interrupt_response)
                case Urged(due_s):
                    await sleep_exactly(self._time.clock(due_s, at=at))
                    self._talk_unasked(heard)
                case Ended():
                    self._ended(heard, at, answer=settings.turn_taking.create_response)

    def _give_back(self, pcm: bytes) -> None:
        """The user's own voice, as a line with an echo would bring it back."""
        if self._cast.echo is None:
            return
        self._echo = self._echo or self._cast.echo(self._settings().input.rate)
        heard = self._echo.push(pcm)
        if any(heard):
            name = f"echo_{self._begun:04d}"  # what was flushed is over: what follows has another name
            self._emit(did.ReplyAudio(name, name, heard))

    def _talk_unasked(self, urge: Urged) -> None:
        if self._reply is None:
            self._respond(UserTurn(self._turns, urge.due_s, now(), urge=urge))

    def _began(self, at_s: float, *, interrupt: bool) -> None:
        self._begun += 1
        self._user_item = self._dialogue.new_id()
        self._emit(did.UserBegan(self._user_item, round(at_s * 1000)))
        if interrupt and self._reply is not None:
            self._give_up(self._reply, "turn_detected")

    def _ended(self, ended: Ended, at: float, *, answer: bool) -> None:
        if not self._user_item:  # it was not noticed that the user began
            self._user_item = self._dialogue.new_id()
        self._emit(did.UserStopped(self._user_item, round(ended.at_s * 1000)))
        self._commit(self._user_item, ended, at)
        if answer and self._reply is None:
            self._respond(self._question(at))
        elif answer and self._cast.queues:
            self._queued = self._question(at)

    def _commit_by_hand(self, command: do.Commit, at: float) -> None:
        ended = self._ears.take() if self._ears is not None else None
        if ended is None:
            message = "There is no audio to commit; with turn detection on, the server commits."
            self._refuse("input_audio_buffer_commit_empty", message, command)
            return
        self._commit(self._dialogue.new_id(), ended, at)
        self._time = StreamTime()  # without turn detection a client may pause its stream between turns

    def _commit(self, item: str, ended: Ended, at: float) -> None:
        _, previous = self._dialogue.add(Role.USER, item=item)
        self._user_item = ""
        self._emit(did.UserCommitted(item, previous))
        clip_s = ended.clip.size / SPEECH_RATE
        before = self._asked.clip_s if self._asked else 0.0
        ended_at = self._time.clock(ended.at_s, at=at)
        self._asked = UserTurn(self._turns, ended.at_s, ended_at, before + clip_s)
        if self._cast.recogniser is not None:
            task = self._tasks.create_task(self._transcribe(item, ended))
            self._transcriptions.add(task)
            task.add_done_callback(self._transcriptions.discard)

    async def _transcribe(self, item: str, ended: Ended) -> None:
        assert self._cast.recogniser is not None
        try:
            transcript = await self._cast.recogniser.transcribe(ended.clip)
        except SpeechError as error:
            self._emit(did.UserNotTranscribed(item, str(error)))
            return
        self._dialogue.hear(item, transcript.text)
        if self._settings().transcribe:
            self._emit(did.UserTranscribed(item, transcript.text, ended.clip.size / SPEECH_RATE))

    def _respond_by_hand(self, command: do.CreateResponse, at: float) -> None:
        if self._reply is not None:
            message = f"Reply {self._reply.id} is still being made; cancel it, or wait for its end."
            self._refuse("conversation_already_has_active_response", message, command)
            return
        self._respond(self._question(at))

    def _question(self, at: float) -> UserTurn:
        """What was committed and not answered; without audio, a turn that ends now."""
        turn = self._asked or UserTurn(self._turns, self._time.position_s, at)
        self._asked = None
        self._turns += 1
        return turn

    def _respond(self, turn: UserTurn) -> None:
        self._replies += 1
        reply = self._reply = _Reply(f"resp_{self._replies:04d}", turn)
        self._emit(did.ReplyBegan(reply.id))
        reply.task = self._tasks.create_task(self._make(reply))

    async def _make(self, reply: _Reply) -> None:
        if self._transcriptions:
            await asyncio.wait(self._transcriptions)
        settings = self._settings()
        messages = self._dialogue.messages()
        pieces = self._cast.replier.reply(
            reply.turn, messages, settings.instructions, settings.output.rate, settings.tools
        )
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    self._deliver(reply, piece)
        except ReplyFailed as error:
            self._end(reply, ResponseStatus.FAILED, str(error))
        else:
            self._end(reply, ResponseStatus.COMPLETED)

    def _deliver(self, reply: _Reply, piece: Piece) -> None:
        if piece.tool is not None:
            self._calls += 1
            item, previous = self._dialogue.add(Role.TOOL)
            use, call = piece.tool, f"call_{self._calls:04d}"
            reply.calls.append(did.ReplyToolCalled(reply.id, item, previous, call, use.name, use.arguments))
            self._emit(reply.calls[-1])
            return
        if reply.item is None:
            reply.item, previous = self._dialogue.add(Role.ASSISTANT)
            self._emit(did.ReplyItemBegan(reply.id, reply.item, previous))
        self._dialogue.say(reply.item, piece.text, len(piece.pcm) // 2)
        reply.metadata.update(piece.metadata)
        if piece.text:
            self._emit(did.ReplyText(reply.id, reply.item, piece.text))
        if piece.pcm:
            self._emit(did.ReplyAudio(reply.id, reply.item, piece.pcm))

    def _cancel_by_hand(self, command: do.CancelResponse) -> None:
        reply = self._reply
        if reply is None or command.response_id not in (None, reply.id):
            self._refuse("response_cancel_not_active", "No such reply is being made.", command)
            return
        self._give_up(reply, "client_cancelled")

    def _give_up(self, reply: _Reply, reason: str) -> None:
        assert reply.task is not None
        reply.task.cancel()
        self._end(reply, ResponseStatus.CANCELLED, reason)

    def _end(self, reply: _Reply, status: ResponseStatus, reason: str = "") -> None:
        text = self._dialogue.text(reply.item) if reply.item else ""
        spoken_s = self._dialogue.samples(reply.item) / self._settings().output.rate if reply.item else 0.0
        tokens = did.Tokens(
            audio_in=round(reply.turn.clip_s * 10),
            audio_out=round(spoken_s * 20),
            text_out=len(text.split()),
        )
        self._reply = None
        self._emit(
            did.ReplyEnded(reply.id, reply.item, text, status, reason, tokens, reply.metadata, reply.calls)
        )
        queued, self._queued = self._queued, None
        if queued is not None and status is ResponseStatus.COMPLETED:
            self._respond(queued)

    def _edit(self, command: do.Command) -> None:
        try:
            match command:
                case do.CreateItem(item=do.ToolOutput() as result):
                    item, previous = self._dialogue.add(Role.TOOL, result.output, result.id)
                    self._emit(did.ToolOutputAdded(item, previous, result.call_id, result.output))
                case do.CreateItem(item=do.NewItem() as new):
                    item, previous = self._dialogue.add(Role(new.role), new.text, new.id)
                    self._emit(did.TextItemAdded(item, previous, new.role, new.text))
                case do.DeleteItem():
                    self._dialogue.delete(command.item_id)
                    self._emit(did.ItemDeleted(command.item_id))
                case do.TruncateItem():
                    rate = self._settings().output.rate
                    self._dialogue.truncate(command.item_id, command.audio_end_ms * rate // 1000)
                    self._emit(did.ItemTruncated(command.item_id, command.audio_end_ms))
        except NoSuchItem as error:
            self._refuse("invalid_value", str(error), command)

    def _refuse(self, code: str, message: str, command: do.Command) -> None:
        self._emit(did.Refused(code, message, command.event_id))
