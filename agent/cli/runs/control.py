"""What commands do to a run: on its loop, at once, each answered."""

from __future__ import annotations

from agent.control import Control
from agent.suite.brake import Brake
from agent.suite.plan import Job
from streams.events.commands import done, not_available
from streams.events.messages import Ack, Command

STOPPED = "stopped by a command"


class RunControl:
    """The reins of a run and of its calls.

    Args:
        simulated: The run is held in simulated time, which cannot wait for anybody.
    """

    def __init__(self, *, simulated: bool = False) -> None:
        self._simulated = simulated
        self._controls: dict[str, Control] = {}
        self.brake = Brake()

    def control(self, job: Job) -> Control:
        """The reins of a call that is about to begin."""
        control = self._controls[job.id] = Control()
        return control

    def ended(self, job: Job) -> None:
        """A call is over."""
        self._controls.pop(job.id, None)

    def obey(self, command: Command) -> Ack:
        """Do what an allowed command asks for."""
        match command.name:
            case "pause" if self._simulated:
                return not_available("simulated time does not wait; stop the run, and resume it later")
            case "pause":
                self.brake.pause()
                return done(f"no call begins until resume; {self._under_way()}")
            case "resume":
                self.brake.resume()
                return done("calls begin again")
            case "stop" if not command.episode:
                self.brake.stop(STOPPED)
                return done(f"no call begins any more; {self._under_way()}")
            case _:
                return self._obey_in_call(command)

    def _obey_in_call(self, command: Command) -> Ack:
        control = self._controls.get(command.episode)
        if control is None or not control.live:
            return not_available(f"the call {command.episode} is not under way")
        match command.name:
            case "stop":
                control.stop(STOPPED)
                return done("the call ends now, as cancelled")
            case "say":
                control.say(command.text)
                return done("the user says it when it is next its turn")
            case "take_over":
                return self._take_over(control)
            case "give_back" if control.give_back():
                return done("the simulated user speaks again")
            case _:
                return not_available(f"no person speaks in {command.episode}")

    def _take_over(self, control: Control) -> Ack:
        if self._simulated:
            return not_available("simulated time does not wait for what a person says")
        if not control.has_microphone:
            found = "no microphone is at hand where this call is held"
            return not_available(f"{found} (calls of worker processes have none: --workers 0)")
        taken = [name for name, each in self._controls.items() if each.taken_over]
        if taken:
            return not_available(f"a person speaks in {taken[0]}: give that back first")
        control.take_over()
        return done("a person speaks in the user's place, as soon as what is being said is said")

    def _under_way(self) -> str:
        live = sum(control.live for control in self._controls.values())
        return (
            f"{live} under way {'is' if live == 1 else 'are'} held to {'its' if live == 1 else 'their'} end"
        )
