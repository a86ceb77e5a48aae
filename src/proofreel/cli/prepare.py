"""``proofreel prepare``: read and hear videos ahead of time."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    videos: Annotated[list[Path], typer.Argument(help="Video files.", show_default=False)],
    fps: Annotated[float, typer.Option(help="Most readings of screen text a second of video.")] = 1.0,
    transcript: Annotated[
        Path | None, typer.Option(help="SRT or VTT file (one video only).", show_default=False)
    ] = None,
    no_speech: Annotated[bool, typer.Option("--no-speech", help="Do not listen.")] = False,
    no_screen: Annotated[bool, typer.Option("--no-screen", help="Do not read the screen.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Print every line that was read or heard.")] = False,
) -> None:
    """Read screen text and hear speech once, and keep it: later questions start at once.

    A stopped run goes on where it was. A file that cannot be read is named, and the others are done.

    Example: proofreel prepare talk.mp4 --show
    """
    from rich.console import Console

    from proofreel.core.errors import UserError
    from proofreel.core.time import clock
    from proofreel.perception import prepare, progress_bar
    from proofreel.report.terminal import plain

    if transcript is not None and len(videos) > 1:
        raise UserError("--transcript goes with one video")
    out, failed = Console(), 0
    for video in videos:
        try:
            with progress_bar(video.name) as progress:
                index = prepare(
                    video,
                    progress=progress,
                    fps=fps,
                    ocr=not no_screen,
                    speech=not no_speech,
                    transcript=transcript,
                )
        except UserError as error:
            if len(videos) == 1:
                raise
            typer.secho(f"error: {error}", err=True, fg=typer.colors.RED)
            failed += 1
            continue
        out.print(
            f"{video}: {clock(index.duration)}, {len(index.screen)} lines of screen text, "
            f"{len(index.speech)} of speech",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
        for note in index.notes:
            out.print(f"  note: {note}", markup=False, style="yellow", soft_wrap=True)
        for line in sorted(index.lines, key=lambda x: x.start) if show else ():
            out.print(
                f"  {line.window}  {line.kind:6}  {plain(line.text)}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
    if failed:
        raise typer.Exit(2)
