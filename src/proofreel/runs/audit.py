"""Causes of the wrong answers of a run: ``audits/<judge>.jsonl``, one line an answer, and people's causes over them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from proofreel.core import Item, Outcome, Table, TokenUse
from proofreel.core._base import Record
from proofreel.judges.audit import (
    Audited,
    AuditKey,
    Cause,
    agreement_table,
    assign_cause,
    cause_table,
    read_overrides,
)
from proofreel.runs._each import each_line
from proofreel.runs._files import RunError, whole_lines
from proofreel.runs._judge_model import judging_model
from proofreel.runs.judge_run import Wanted
from proofreel.runs.judgements import trajectory_hash
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.result import RunResult
from proofreel.runs.run_folder import RunFolder

FOLDER = "audits"
OVERRIDES = "overrides.csv"
WRONG = frozenset({Outcome.WRONG, Outcome.UNPARSED, Outcome.MODEL_FAILED})
"""Answers that count as not right; a failed judge or harness says nothing about the agent."""


class CauseLine(Record):
    """A line of the file; ``trajectory`` is the hash of what was audited."""

    item_id: str
    epoch: int
    trajectory: str
    found: Cause


def audit_run(
    run: RunFolder, items: Mapping[str, Item], want: Wanted, on_line: Callable[[], None] = lambda: None
) -> tuple[Path, dict[AuditKey, Cause]]:
    """Has a model name the cause of every wrong answer; what was named before is read from the file.

    Args:
        run: the folder.
        items: its items by id, for reference answers.
        want: judge, fallback, address, generation settings, concurrency and ``retry_failed``.
        on_line: called after every answer.

    Raises:
        RunError: no results, another process writes the file, or it cannot be written.
        UserError: the judge cannot be used.
    """
    results = [r for k, r in sorted(run.latest().items()) if k[0] in items]
    if not results:
        raise RunError(f"{run.path}: no results to audit; run it first")
    path = run.path / FOLDER / f"{re.sub(r'[^A-Za-z0-9._]+', '_', want.judge).strip('._')}.jsonl"
    wrong = [r for r in results if r.verdict.outcome in WRONG]
    hashes = {r.key: trajectory_hash(r.trajectory) for r in wrong}
    done = {
        k
        for k, c in read_causes(path, hashes).items()
        if not (want.retry_failed and c.status == "judge_failed")
    }
    left = [r for r in wrong if r.key not in done]
    config = want.settings.config
    model = judging_model(want.judge, want.base_url, config)
    fallback = judging_model(want.fallback_judge, want.base_url, config)

    async def one(result: RunResult) -> str:
        cause = await assign_cause(
            result.trajectory,
            items[result.item_id],
            model,
            fallback=fallback,
            attempts=want.settings.attempts,
            config=config,
        )
        key = result.key
        line = CauseLine(item_id=key[0], epoch=key[1], trajectory=hashes[key], found=cause)
        return line.model_dump_json()

    each_line(path, left, one, want.concurrency, on_line)
    return path, read_causes(path, hashes)


def read_causes(path: Path, trajectories: Mapping[AuditKey, str]) -> dict[AuditKey, Cause]:
    """The last cause of each of these trajectories, given as hashes; empty for an absent file.

    Raises:
        RunError: a line is broken.
    """
    lines, _ = whole_lines(path)
    found = {}
    for number, text in enumerate(lines, 1):
        try:
            line = CauseLine.model_validate_json(text)
        except ValidationError as error:
            raise RunError(
                f"{path} line {number}: {error.errors()[0]['msg']}; restore the file from a copy"
            ) from None
        if trajectories.get((line.item_id, line.epoch)) == line.trajectory:
            found[line.item_id, line.epoch] = line.found
    return found


def audited_of(
    causes: Mapping[AuditKey, Cause], people: Mapping[AuditKey, Mapping[str, str]]
) -> list[Audited]:
    """Judge and people together; causes that people name for answers that are not wrong are left out."""
    return [Audited(k, c.cause, people.get(k, {})) for k, c in sorted(causes.items())]


def spent_on_causes(causes: Mapping[AuditKey, Cause]) -> TokenUse:
    """Tokens and money of the valid lines."""
    return sum((c.tokens for c in causes.values()), TokenUse())


def audit_tables(runs: Sequence[ScoredRun]) -> tuple[Table, ...]:
    """Distribution of causes and agreement of annotators, for a report.

    The audit of a run is the first of its files; people's causes are ``audits/overrides.csv`` beside it. There are no
    tables unless a run has an audit or is one of VideoGAIA, whose protocol asks for them.

    Raises:
        RunError: a file is broken.
        UserError: the causes of people are not as they must be.
    """
    found: dict[str, list[Audited]] = {}
    example = ""
    for run in runs:
        files = sorted((run.folder.path / FOLDER).glob("*.jsonl")) if run.folder is not None else []
        if run.settings.benchmark == "videogaia" or files:
            example = example or run.path
        if files:
            extra = files[0].with_name(OVERRIDES)
            people = read_overrides(extra) if extra.exists() else {}
            wrong = [k for k, v in run.verdicts.items() if v.outcome in WRONG and k in run.results]
            causes = read_causes(files[0], {k: trajectory_hash(run.results[k].trajectory) for k in wrong})
            name = run.settings.name
            found[name if name not in found else f"{name} ({run.path})"] = audited_of(causes, people)
    if not example:
        return ()
    ask = f"proofreel audit {example} --judge MODEL"
    return (
        cause_table(found, f"No audit yet: {ask}"),
        agreement_table(
            [a for several in found.values() for a in several],
            f"Causes of one annotator only; add those of people: {ask} --override FILE",
        ),
    )
