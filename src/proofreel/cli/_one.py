"""What ``ask`` does once its words are read."""

import os
from pathlib import Path
from typing import Any

import typer

from proofreel.core.errors import UserError
from proofreel.core.trajectory import StopReason

FAILED = {StopReason.MODEL_ERROR, StopReason.HARNESS_ERROR, StopReason.OVERFLOW, StopReason.TRUNCATED}
FAILED |= {StopReason.FILTERED, StopReason.EMPTY, StopReason.TOOL_FAILURES}


def check_writable(out: Path) -> None:
    """Refuses a page that cannot be written before anything slow or dear is done.

    Raises:
        UserError: ``out`` is a folder, or its folder cannot be written to.
    """
    if out.is_dir():
        raise UserError(f"{out}: is a folder; name a file, such as {out / 'proof.html'}")
    folder = next(p for p in (out.resolve().parent, *out.resolve().parents) if p.exists())
    if not os.access(folder, os.W_OK):
        raise UserError(f"{folder}: cannot be written to; choose another place with --out")


def answer_one(
    video: Path,
    text: str,
    choices: tuple[str, ...],
    *,
    transcript: Path | None,
    out: Path,
    as_json: bool,
    **setup_fields: Any,
) -> None:
    """Asks, prints, writes the page. Ends with exit code 3 when a model or our own code failed."""
    from rich.console import Console

    from proofreel.agents import list_agents
    from proofreel.agents.agent import AGENTS
    from proofreel.perception import prepare, progress_bar
    from proofreel.report import print_answer, write_proof
    from proofreel.runs.single import Setup, ask, context, frames_seen, make_question

    setup = Setup(**setup_fields)
    spec = AGENTS.get(setup.agent)
    if spec.needs_model and not setup.model:
        free = ", ".join(n for n, s in list_agents().items() if not s.needs_model)
        raise UserError(f"agent {setup.agent} needs a model; give one with --model, or use {free}")
    check_writable(out)
    question = make_question(video, text, choices, transcript)
    log = Console(stderr=True)

    def waiting(attempt: int, reason: str, seconds: float) -> None:
        log.print(f"waiting {seconds:.0f} s, attempt {attempt}: {reason}", style="dim", markup=False)

    ctx = context(setup, on_wait=waiting)
    if spec.needs_index:
        with progress_bar(video.name) as progress:
            ctx.options["index"] = prepare(video, progress=progress, transcript=transcript)
    trajectory = ask(question, setup, ctx)
    if as_json:
        typer.echo(trajectory.model_dump_json(indent=2))
    else:
        print_answer(trajectory, question, Console())
    page = write_proof(trajectory, question, video, out, frames_seen=frames_seen(ctx, question))
    (log if as_json else Console()).print(
        f"proof page: {page}", markup=False, highlight=False, soft_wrap=True
    )
    if trajectory.answer.stop in FAILED:
        raise typer.Exit(3)
