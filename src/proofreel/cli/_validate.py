"""What ``validate-judge`` does once its words are read."""

from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from proofreel.cli._tables import print_table
from proofreel.core.errors import UserError
from proofreel.judges._rubric_prompt import prompt_from_file
from proofreel.judges.rubric import RubricSettings
from proofreel.judges.validation.result import Validation
from proofreel.judges.validation.tables import verdict_table
from proofreel.report.table_text import to_markdown
from proofreel.runs._files import write_atomically
from proofreel.runs.judge_run import Wanted
from proofreel.runs.judge_validate import CHECKS, Plan, validate_judge
from proofreel.runs.progress import money
from proofreel.runs.run_folder import RunFolder
from proofreel.runs.start import gold_of


def validate(
    paths: list[Path],
    judge: str,
    *,
    checks: str | None,
    limit: int,
    ratings: Path | None,
    paraphraser: str | None,
    prompt: Path | None,
    grounded: bool,
    mask_letter: bool,
    base_url: str | None,
    config: dict[str, Any],
    structured: bool | None,
    concurrency: int,
    max_cost: float | None,
    data: Path | None,
    force: bool,
) -> None:
    """Runs the checks, prints and writes them; exit code 1 when one failed."""
    names = tuple(c.strip() for c in checks.split(",") if c.strip()) if checks is not None else CHECKS
    runs = [RunFolder.open(p) for p in paths]
    if len({r.path.name for r in runs}) < len(runs):
        raise UserError(
            "two runs have the same folder name; ratings and cases are told apart by it: rename one"
        )
    want = Wanted(
        judge,
        base_url=base_url,
        settings=RubricSettings(
            grounded=grounded, mask_letter=mask_letter, config=config, structured=structured
        ),
        prompt=None if prompt is None else prompt_from_file(prompt),
        concurrency=concurrency,
        max_cost=max_cost,
    )
    console = Console()
    with_items = [(r, gold_of(r, data=data, force=force)) for r in runs]
    outcome, path = validate_judge(
        with_items,
        want,
        Plan(checks=names, limit=limit, ratings=ratings, paraphraser=paraphraser),
        on_check=lambda name, total: console.print(
            f"{name}: {total} trajectories", style="dim", markup=False
        ),
    )
    page = path.with_suffix(".md")
    write_atomically(page, markdown(outcome))
    for check in outcome.checks:
        for table in check.tables:
            print_table(console, table)
    print_table(console, verdict_table(outcome.checks))
    for where in (path, page):
        console.print(f"written: {where}", markup=False, highlight=False, soft_wrap=True)
    if any(c.verdict == "failed" for c in outcome.checks):
        raise typer.Exit(1)


def markdown(outcome: Validation) -> str:
    """The outcome as a page."""
    lines = [
        f"# Checks of the judge {outcome.judge}",
        "",
        f"Made {outcome.created} on {', '.join(outcome.runs)}; rubric {outcome.prompt} "
        f"({outcome.prompt_sha256[:12]}), {outcome.settings.mode} mode.",
        "",
        to_markdown(verdict_table(outcome.checks)),
    ]
    for check in outcome.checks:
        spent = check.tokens
        cost = money(spent.cost_usd or 0.0, int(spent.cost_usd is None and spent.calls > 0))
        lines += [f"## {check.name}: {check.verdict.replace('_', ' ')}", "", f"{check.said}.", ""]
        lines += [f"{spent.calls} calls, {spent.total:,} tokens, {cost}.", ""] if spent.calls else []
        lines += [to_markdown(table, level=3) for table in check.tables]
    return "\n".join(lines)
