"""``proofreel human``: a person answers, as an agent would."""

from pathlib import Path
from typing import Annotated, Any

import typer


def command(
    target: Annotated[str, typer.Argument(help="A benchmark's name, or a video file.", show_default=False)],
    question: Annotated[
        str | None, typer.Argument(help="The question, for a video file.", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="One choice, for a video file; repeat it.", show_default=False),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The benchmark's data folder.", show_default=False)
    ] = None,
    ids: Annotated[
        str | None, typer.Option(help="Only these questions: 3 or 1,4 or 10-20.", show_default=False)
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many questions.", show_default=False)
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Time for one question.", show_default=False)
    ] = None,
    no_search: Annotated[
        bool, typer.Option("--no-search", help="No search over speech and screen text.")
    ] = False,
    transcript: Annotated[
        Path | None,
        typer.Option(help="SRT or VTT file of the video, taken instead of hearing it.", show_default=False),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="The run's folder, or the proof page of one video.", show_default=False),
    ] = None,
) -> None:
    r"""Answer questions yourself, on a page with a player, a search and room for evidence (this machine only).

    The answers are a run like any other: report it, compare it, score it. Blank counts as wrong. Kill it at any
    time and go on with proofreel resume; an open question is taken up where it was.

    \b
    Examples:
      proofreel human mini --ids 1-3
      proofreel human agentvidbench --data DIR --minutes 10 --out runs/me
      proofreel human talk.mp4 "Which gate?" --option "Gate 1" --option "Gate 2"
    """
    from proofreel.benchmarks.benchmark import BENCHMARKS
    from proofreel.core.errors import UserError

    options: dict[str, Any] = {"open": not no_open, "port": port, "search": not no_search}
    limits = {} if minutes is None else {"seconds": minutes * 60}
    if target in BENCHMARKS.all():
        from proofreel.cli._run import run_one

        if question is not None or option:
            raise UserError(f"{target} is a benchmark and has its own questions; leave the question out")
        words = {"benchmark": target, "data": data, "ids": ids, "limit": limit, "concurrency": 1}
        run_one(out, agent="human", options=options, limits=limits, **words)
        return
    if question is None:
        names = ", ".join(BENCHMARKS.all())
        raise UserError(
            f"{target}: no such benchmark ({names}); for a video file, write the question after it"
        )
    from proofreel.cli._one import answer_one

    answer_one(
        Path(target),
        question,
        tuple(option or ()),
        transcript=transcript,
        out=out or Path("proof.html"),
        as_json=False,
        agent="human",
        options=options,
        limits=limits,
    )
