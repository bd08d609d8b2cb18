"""The keyboard during a call: one key, one deed. Where there is no terminal, there are no keys."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator

from agent.person import Person

HELP = {" ": "space talk/mute", "n": "n leave this out", "q": "q hang up"}


def press(person: Person, key: str) -> str:
    """Do what a key says; returns a word for the screen, or ""."""
    match key:
        case " ":
            person.talk(not person.talking)
            return "talking" if person.talking else "muted"
        case "n":
            person.skip()
            return "left out"
        case "q":
            person.hang_up()
            return "hanging up"
        case _:
            return ""


@contextlib.contextmanager
def keys(person: Person, *, push_to_talk: bool) -> Iterator[None]:
    """Listen to the keyboard while the call goes on; the terminal is as before afterwards."""
    try:
        import termios
        import tty

        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
    except (ImportError, OSError, ValueError, termios.error):  # no terminal, or no such system
        yield
        return
    loop = asyncio.get_running_loop()

    def pressed() -> None:
        for key in os.read(terminal, 16).decode("ascii", "replace"):
            if done := press(person, key):
                sys.stderr.write(f"          [{done}]\r\n")

    sys.stderr.write("keys: " + ", ".join(HELP.values()) + "\n")
    if push_to_talk:
        sys.stderr.write("muted: press space and talk\n")
    tty.setcbreak(terminal)
    loop.add_reader(terminal, pressed)
    try:
        yield
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
