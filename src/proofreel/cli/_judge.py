"""What ``judge`` does once its words are read."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from proofreel.cli._tables import print_table
from proofreel.judges._rubric_prompt import prompt_from_file
from proofreel.judges.rubric import RubricSettings
from proofreel.judges.rubric_scores import ABBREVIATIONS
from proofreel.judges.tables import panel_tables, scores_table
from proofreel.runs.judge_run import JudgeDone, Wanted, judge_run, spent_on
from proofreel.runs.judgements import JudgementLine, judged_runs
from proofreel.runs.numbers_load import load_run
from proofreel.runs.progress import money
from proofreel.runs.run_folder import RunFolder
from proofreel.runs.start import gold_of

SHOWN = (
    "judge",
    "mode",
    "judged",
    "failed",
    "Traj",
    "Traj low",
    "Traj high",
    "MC-Rate",
    *ABBREVIATIONS.values(),
)
"""Columns of the scores that a terminal has room for."""


def judge_all(
    path: Path,
    judges: list[str],
    *,
    mode: str | None,
    repeats: int,
    grounded: bool,
    mask_letter: bool,
    blind: bool | None,
    prompt: Path | None,
    fallback_judge: str | None,
    base_url: str | None,
    config: dict[str, Any],
    structured: bool | None,
    attempts: int,
    concurrency: int,
    max_cost: float | None,
    retry_failed: bool,
    again: bool,
    data: Path | None,
    force: bool,
) -> None:
    """Judges with every named model and prints the scores; exit code 3 when a judge gave none."""
    run = RunFolder.open(path)
    items = gold_of(run, data=data, force=force)
    told = None if prompt is None else prompt_from_file(prompt)
    settings = RubricSettings(
        mode="official" if (mode or run.settings.mode) == "official" else "careful",
        blind=blind,
        mask_letter=mask_letter,
        grounded=grounded,
        attempts=attempts,
        config=config,
        structured=structured,
    )
    console = Console()
    done: list[JudgeDone] = []
    for name in dict.fromkeys(judges):
        want = Wanted(
            name,
            fallback_judge=fallback_judge,
            base_url=base_url,
            settings=settings,
            prompt=told,
            repeats=repeats,
            concurrency=concurrency,
            max_cost=max_cost,
            retry_failed=retry_failed,
            again=again,
        )
        with judging(console, name) as (on_line, on_plan):
            done.append(judge_run(run, items, want, on_line, on_plan))
        say_done(console, done[-1], total=len(run.latest()) * repeats)
    loaded = load_run(path, probe_videos=False)
    if not loaded.items:
        loaded.items = items
    every = judged_runs(loaded)
    print_table(console, scores_table(every, ""), SHOWN)
    for table in panel_tables(every, ""):
        if table.rows:
            print_table(console, table)
    if any(not any(j.status == "judged" for j in d.file.latest.values()) for d in done):
        raise typer.Exit(3)


@contextmanager
def judging(
    console: Console, name: str
) -> Iterator[tuple[Callable[[JudgementLine], None], Callable[[int], None]]]:
    """A progress bar in a terminal; nothing elsewhere. Gives what to call after a judgement, and with their number."""
    if not console.is_terminal:
        yield lambda line: None, lambda total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda line: bar.advance(task), lambda total: bar.update(task, total=total)


def say_done(console: Console, done: JudgeDone, total: int) -> None:
    """One line on a file: what is in it, what failed, what it cost, who judged."""
    latest = done.file.latest
    count = {s: sum(j.status == s for j in latest.values()) for s in ("judged", "judge_failed", "not_judged")}
    spent = spent_on(done.file)
    parts = [f"{count['judged']}/{total} judged", f"{done.made} now"]
    parts += (
        [f"{count['judge_failed']} judge failed (--retry-failed asks again)"] if count["judge_failed"] else []
    )
    parts += [f"{count['not_judged']} with nothing to judge"] if count["not_judged"] else []
    parts += [
        f"{spent.total:,} tokens",
        money(spent.cost_usd or 0.0, int(spent.cost_usd is None and spent.calls > 0)),
    ]
    console.print(
        f"{done.file.head.judge}: {' · '.join(parts)}", markup=False, highlight=False, soft_wrap=True
    )
    judged = [j for j in latest.values() if j.status == "judged"]
    makers, served = sorted({j.judge for j in judged}), sorted({j.served for j in judged if j.served})
    if len(makers) > 1 or len(served) > 1:
        named = makers if len(makers) > 1 else served
        told = f"several models judged: {', '.join(named)}; the scores mix them"
        console.print(f"note: {told}", style="yellow", markup=False, highlight=False, soft_wrap=True)
    reasons = dict.fromkeys(j.reason for j in latest.values() if j.status != "judged")
    for why in list(reasons)[:3]:
        console.print(f"note: {why}", style="yellow", markup=False, highlight=False, soft_wrap=True)
    for problem in done.file.problems:
        console.print(f"note: {problem}", style="yellow", markup=False, soft_wrap=True)
    if done.stopped:
        console.print(f"stopped: {done.stopped}", style="yellow", markup=False, soft_wrap=True)
    console.print(f"judgements: {done.file.path}", markup=False, highlight=False, soft_wrap=True)
