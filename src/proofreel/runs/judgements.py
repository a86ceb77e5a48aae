"""Judged trajectories of runs on disk: ``judgements/<judge>.jsonl`` in the run's folder, and the tables they fill.

The first line of a file says how was judged; every further line is one judgement, written when it was made. A failed
judgement stays in the file; a later line of the same (item, epoch, repeat) replaces it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Literal

from pydantic import Field, ValidationError

from proofreel.core import Table, Trajectory
from proofreel.core._base import Record
from proofreel.judges.judged import JudgedRun, JudgementKey
from proofreel.judges.rubric import Judgement, RubricSettings
from proofreel.runs._files import RunError, whole_lines
from proofreel.runs.numbers_load import ScoredRun

FOLDER = "judgements"


class JudgeHead(Record):
    """The first line of a file.

    Attributes:
        created: UTC, ISO 8601.
        proofreel: version that began the file.
        judge: model that judges.
        fallback_judge: model asked only when the judge fails, None for none.
        base_url: address of the judge's server, None for the provider's own.
        settings: mode and options of the judge.
        prompt: version or file name of the rubric.
        prompt_sha256: hash of what is the same for all items.
        system: the rubric itself.
        repeats: judgements of each trajectory.
    """

    kind: Literal["settings"] = "settings"
    format_version: Literal[1] = 1
    created: str
    proofreel: str
    judge: str
    fallback_judge: str | None = None
    base_url: str | None = None
    settings: RubricSettings = RubricSettings()
    prompt: str
    prompt_sha256: str
    system: str
    repeats: int = Field(default=1, ge=1)


class JudgementLine(Record):
    """One judgement of one trajectory; ``repeat`` counts from 1, ``trajectory`` is the hash of what was judged."""

    kind: Literal["judgement"] = "judgement"
    item_id: str
    epoch: int = Field(default=1, ge=1)
    repeat: int = Field(default=1, ge=1)
    at: str
    trajectory: str
    judgement: Judgement

    @property
    def key(self) -> JudgementKey:
        """(item id, epoch, repeat)."""
        return self.item_id, self.epoch, self.repeat


@dataclass(frozen=True)
class Judgements:
    """A file of judgements.

    Attributes:
        path: the file.
        head: how was judged.
        lines: every judgement ever written, failed ones included, oldest first.
        problems: what a reader must know (a half-written last line).
    """

    path: Path
    head: JudgeHead
    lines: tuple[JudgementLine, ...] = ()
    problems: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """File name without ending."""
        return self.path.stem

    @property
    def latest(self) -> dict[JudgementKey, Judgement]:
        """The valid judgement of each (item, epoch, repeat)."""
        return {line.key: line.judgement for line in self.lines}

    def of(self, trajectories: Mapping[tuple[str, int], str]) -> dict[JudgementKey, Judgement]:
        """The valid judgements of these trajectories, given as hashes by (item id, epoch).

        An item that was run again has another trajectory; what was said of the old one is left out.
        """
        lines = (x for x in self.lines if trajectories.get((x.item_id, x.epoch)) == x.trajectory)
        return {line.key: line.judgement for line in lines}

    @property
    def failed_lines(self) -> int:
        """Failures ever written, also those that a later line made good."""
        return sum(line.judgement.status == "judge_failed" for line in self.lines)


def trajectory_hash(trajectory: Trajectory) -> str:
    """First 32 hexadecimal digits of the SHA-256 of a trajectory as it is stored."""
    return hashlib.sha256(trajectory.model_dump_json().encode()).hexdigest()[:32]


def read_judgements(path: Path) -> Judgements:
    """One file. A half-written last line is left out and told in ``problems``.

    Raises:
        RunError: absent, no settings on the first line, or another line is broken.
    """
    raw, torn = whole_lines(path)
    if not raw:
        raise RunError(f"{path}: no judgements here; make them with: proofreel judge RUN --judge MODEL")
    lines: list[JudgementLine] = []
    try:
        head = JudgeHead.model_validate_json(raw[0])
        for text in raw[1:]:
            lines.append(JudgementLine.model_validate_json(text))  # noqa: PERF401 - its length names a broken line
    except ValidationError as error:
        where = f"{path} line {len(lines) + 2}"
        raise RunError(f"{where}: {error.errors()[0]['msg']}; restore the file from a copy") from None
    problems = (f"{path}: the last line is half-written and left out",) if torn else ()
    return Judgements(path, head, tuple(lines), problems)


def load_judgements(folder: str | Path) -> tuple[Judgements, ...]:
    """Every file of judgements of a run, by name; none for a run that was never judged.

    Raises:
        RunError: a file cannot be read.
    """
    return tuple(read_judgements(p) for p in sorted((Path(folder) / FOLDER).glob("*.jsonl")))


def judged_runs(run: ScoredRun) -> tuple[JudgedRun, ...]:
    """A run once for every file of judgements it has."""
    if run.folder is None:
        return ()
    s = run.settings
    used = [r.trajectory.tokens.total for r in run.results.values()]
    each = fmean(used) if used else None
    present = {k: trajectory_hash(r.trajectory) for k, r in run.results.items()}
    return tuple(
        JudgedRun(
            path=run.path,
            agent=s.agent,
            model=s.model,
            judge=file.name,
            judgements=file.of(present),
            items=run.items,
            verdicts={k: v.outcome for k, v in run.verdicts.items()},
            asked=s.keys,
            repeats=file.head.repeats,
            options=s.options,
            settings=file.head.settings,
            tokens_each=each,
        )
        for file in load_judgements(run.folder.path)
    )


def judge_tables(runs: Sequence[ScoredRun]) -> tuple[Table, ...]:
    """All tables that rest on judged trajectories, and those of error audits, for a report.

    Runs of benchmarks without milestones are left out; without any other run there are no tables. A table whose
    judgements are absent says in ``missing`` which command makes them.

    Raises:
        RunError: a file of judgements cannot be read.
    """
    from proofreel.judges.tables import all_tables
    from proofreel.runs.audit import audit_tables
    from proofreel.runs.judge_summary import slices_table
    from proofreel.runs.judge_validate import load_validations

    audits = audit_tables(runs)
    chosen = [r for r in runs if any(i.gold.milestones for i in r.items.values())]
    if not chosen:
        return audits
    pairs = [(r, j) for r in chosen for j in judged_runs(r)]
    checks = [v for r in chosen if r.folder is not None for v in load_validations(r.folder.path)]
    items = {i: item for r in chosen for i, item in r.items.items()}
    slices = slices_table(
        pairs, f"No judged run of AgentVidBench: proofreel judge {chosen[0].path} --judge MODEL"
    )
    return (*all_tables([j for _, j in pairs], items, chosen[0].path, checks), slices, *audits)
