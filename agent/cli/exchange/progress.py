"""How far an import has come, on standard error; nothing where that is no terminal, or for one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int, doing: str = "importing") -> Iterator[Callable[[str], None]]:
    """Gives a function that is called with the name of each part that is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=total < 2) as bar:
        task = bar.add_task(doing, total=total)

        def step(name: str) -> None:
            bar.update(task, advance=1, description=name[:40].replace("[", "("))

        yield step
