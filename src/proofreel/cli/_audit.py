"""What ``audit`` does once its words are read."""

from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from proofreel.cli._tables import print_table
from proofreel.judges.audit import agreement_table, cause_table, read_overrides
from proofreel.judges.rubric import RubricSettings
from proofreel.runs._files import write_atomically
from proofreel.runs.audit import FOLDER, OVERRIDES, audit_run, audited_of, spent_on_causes
from proofreel.runs.judge_run import Wanted
from proofreel.runs.progress import money
from proofreel.runs.run_folder import RunFolder
from proofreel.runs.start import gold_of


def audit(
    path: Path,
    judge: str,
    *,
    override: Path | None,
    fallback_judge: str | None,
    base_url: str | None,
    config: dict[str, Any],
    concurrency: int,
    retry_failed: bool,
    data: Path | None,
    force: bool,
) -> None:
    """Audits, keeps people's causes with the run, prints both tables; exit code 3 when the judge named no cause."""
    run = RunFolder.open(path)
    kept = run.path / FOLDER / OVERRIDES
    people = (
        read_overrides(override) if override is not None else read_overrides(kept) if kept.exists() else {}
    )
    want = Wanted(
        judge,
        fallback_judge=fallback_judge,
        base_url=base_url,
        settings=RubricSettings(config=config),
        concurrency=concurrency,
        retry_failed=retry_failed,
    )
    console = Console()
    file, causes = audit_run(run, gold_of(run, data=data, force=force), want)
    if override is not None and override.resolve() != kept.resolve():
        write_atomically(kept, override.read_text(encoding="utf-8-sig"))
    audited = audited_of(causes, people)
    print_table(
        console, cause_table({run.settings.name: audited} if audited else {}, "No wrong answer to audit.")
    )
    if people:
        print_table(console, agreement_table(audited, "No answer was labelled by two annotators."))
    spent, failed = spent_on_causes(causes), sum(c.status == "judge_failed" for c in causes.values())
    parts = [
        f"{len(causes)} wrong answers",
        f"{sum(c.status == 'rule' for c in causes.values())} without an answer",
    ]
    parts += [f"{failed} judge failed (--retry-failed asks again)"] if failed else []
    parts += [
        f"{spent.total:,} tokens",
        money(spent.cost_usd or 0.0, int(spent.cost_usd is None and spent.calls > 0)),
    ]
    console.print(" · ".join(parts), markup=False, highlight=False, soft_wrap=True)
    makers = sorted({c.judge for c in causes.values() if c.status == "assigned"})
    if len(makers) > 1:
        told = f"note: several models judged: {', '.join(makers)}"
        console.print(told, style="yellow", markup=False, highlight=False, soft_wrap=True)
    unknown = sorted({k[0] for k in people} - {k[0] for k in causes})
    if unknown:
        told = f"note: causes for answers that are not wrong here: {', '.join(unknown[:5])}"
        console.print(told, style="yellow", markup=False, highlight=False, soft_wrap=True)
    console.print(f"causes: {file}", markup=False, highlight=False, soft_wrap=True)
    if failed and failed == len(causes):
        raise typer.Exit(3)
