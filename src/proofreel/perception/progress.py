"""A progress bar for people."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_LABELS = {"screen": "reading the screen", "speech": "listening", "embed": "comparing", "wait": "waiting"}


@contextmanager
def progress_bar(
    name: str = "", *, console: "Console | None" = None
) -> Iterator[Callable[[str, float, float, str], None]]:
    """A bar on standard error whose value is passed to ``prepare`` as ``progress``.

    ``with progress_bar("talk.mp4") as progress: prepare("talk.mp4", progress=progress)``

    Args:
        name: shown before the stage, such as the file name.
        console: where to draw; standard error without it.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        console=console or Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(name, total=None, note="")
        current = ""

        def show(stage: str, done: float, total: float, message: str) -> None:
            nonlocal current
            label = f"{name}: {_LABELS.get(stage, stage)}" if name else _LABELS.get(stage, stage)
            if stage != current:
                current = stage
                bar.reset(task, description=label, total=total or None, note=message)
            bar.update(task, completed=done, total=total or None, note=message, description=label)

        yield show
