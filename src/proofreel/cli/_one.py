"""What ``ask`` does once its words are read."""

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import typer

from proofreel.core.errors import UserError
from proofreel.core.trajectory import StopReason

FAILED = {StopReason.MODEL_ERROR, StopReason.HARNESS_ERROR, StopReason.OVERFLOW, StopReason.TRUNCATED}
FAILED |= {
    StopReason.FILTERED,
    StopReason.EMPTY,
    StopReason.TOOL_FAILURES,
    StopReason.UNPARSED,
    StopReason.BUDGET,
}


def check_writable(out: Path, sources: Iterable[Path | None] = ()) -> None:
    """Refuses a page that cannot be written before anything slow or dear is done.

    Args:
        out: where the page is to go.
        sources: files that are read, which the page must not replace.

    Raises:
        UserError: ``out`` is a folder, a device or one of the sources, or its folder cannot be written to.
    """
    if out.is_dir():
        raise UserError(f"{out}: is a folder; name a file, such as {out / 'proof.html'}")
    if out.exists() and not out.is_file():
        raise UserError(f"{out}: is a pipe or device; name a file, such as proof.html")
    if any(out.exists() and source.exists() and out.samefile(source) for source in sources if source):
        raise UserError(f"{out}: the page would replace this file; choose another place with --out")
    folder = next(p for p in (out.resolve().parent, *out.resolve().parents) if p.exists())
    if not os.access(folder, os.W_OK):
        raise UserError(f"{folder}: cannot be written to; choose another place with --out")


def check_words(text: str, choices: Iterable[str]) -> None:
    """Refuses words that are no text, and choices that cannot be told apart.

    Raises:
        UserError: bytes that are not UTF-8, or the same option twice.
    """
    seen: set[str] = set()
    for said in (text, *choices):
        try:
            said.encode()
        except UnicodeEncodeError as error:
            shown = said.encode("utf-8", "replace").decode()[:60]
            raise UserError(f"{shown}: is not UTF-8 text; write the question and its options anew") from error
    for choice in choices:
        if choice in seen:
            raise UserError(f"option {choice!r} is given twice; options must differ")
        seen.add(choice)


def check_limits(limits: Mapping[str, float | None]) -> None:
    """Refuses limits that would limit nothing.

    Raises:
        UserError: a limit is negative or not a number.
    """
    names = {"usd": "--max-cost", "seconds": "--timeout"}
    for name, value in limits.items():
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise UserError(f"{names.get(name, name)} must be a number of 0 or more, got {value}")


def _progress_lines(log: Any, every: float = 3.0) -> Callable[[str, float, float, str], None]:
    """For agents whose preparation takes long: a line every few seconds, none for what is done at once."""
    said = time.monotonic()

    def tell(stage: str, done: float, total: float, message: str) -> None:
        nonlocal said
        if time.monotonic() - said >= every:
            said = time.monotonic()
            log.print(message, style="dim", markup=False)

    return tell


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
    from proofreel.runs.option_names import check_options
    from proofreel.runs.single import Setup, ask, context, frames_seen, make_question

    setup = Setup(**setup_fields)
    spec = AGENTS.get(setup.agent)
    if spec.needs_model and not setup.model:
        free = ", ".join(n for n, s in list_agents().items() if not s.needs_model)
        raise UserError(f"agent {setup.agent} needs a model; give one with --model, or use {free}")
    others = {n: a.run.__module__ for n, a in list_agents().items()}
    for note in check_options(setup.options, setup.agent, (spec.run.__module__,), others):
        Console(stderr=True).print(f"note: {note}", style="yellow", markup=False, highlight=False)
    check_words(text, choices)
    check_limits(setup.limits)
    check_writable(out, (video, transcript))
    question = make_question(video, text, choices, transcript)
    log = Console(stderr=True)

    def waiting(attempt: int, reason: str, seconds: float) -> None:
        log.print(f"waiting {seconds:.0f} s, attempt {attempt}: {reason}", style="dim", markup=False)

    ctx = context(setup, on_wait=waiting)
    ctx.options["on_progress"] = _progress_lines(log)
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
