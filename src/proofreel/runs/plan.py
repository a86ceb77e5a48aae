"""Before any call: are the inputs whole, does it fit the models, what will it cost, who pays, is there room."""

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from proofreel.agents.agent import AGENTS
from proofreel.benchmarks import get_benchmark
from proofreel.core import Item
from proofreel.core.errors import UserError
from proofreel.runs import plan_calls, plan_checks
from proofreel.runs.plan_files import FileFact, Progress, probe_all
from proofreel.runs.plan_fit import as_words
from proofreel.runs.plan_index import index_cost
from proofreel.runs.plan_money import payers, totals
from proofreel.runs.plan_records import LEVELS, Disk, Finding, Money, RunPlan
from proofreel.runs.plan_work import Work
from proofreel.runs.setup import Wanted, choose
from proofreel.video.cache import cache_dir, cache_limit

RESULT_BYTES, FRAME_BYTES = 40_000, 150
"""Bytes of a result with its log, and of a frame in the ledger."""


def make_plan(
    wanted: Wanted, *, out: Path = Path("runs"), progress: Progress | None = None, measure: bool = False
) -> RunPlan:
    """Looks at every file and works through every call of a run without making one.

    Args:
        wanted: the run, in the words of ``proofreel run``.
        out: where its folder would go.
        progress: told (done, total) while files are looked at.
        measure: find out the rate of reading and hearing on a piece of video now, instead of going by known rates.

    Raises:
        UserError: an unknown name, a data folder that cannot be used at all, or a model that is needed and missing.
    """
    spec = AGENTS.get(wanted.agent)
    if spec.needs_model and not wanted.model:
        raise UserError(f"agent {wanted.agent!r} needs a model; give one with --model")
    loaded = get_benchmark(wanted.benchmark).load(wanted.data)
    chosen = choose(loaded, wanted.ids, wanted.limit, wanted.exact)
    root = Path(loaded.root)
    began = time.monotonic()
    facts = probe_all({i.question.video for i in chosen}, progress=progress)
    probed = time.monotonic() - began
    good = [i for i in chosen if facts[i.question.video].error is None]
    findings = [
        *plan_checks.check_rows(loaded),
        *plan_checks.check_files(facts, chosen, root),
        *plan_checks.check_times(facts, chosen),
        *plan_checks.check_transcripts(facts, chosen),
        *plan_checks.check_twins(chosen),
    ]
    if not good:
        findings.append(Finding(kind="file", where="data", message="no video can be read", weight="stops"))
    work = Work.of(wanted, good, facts)
    roles = [t.record() for t in work.tallies.values() if t.calls]
    money = totals(roles) if work.known else [Money(level=level, tokens=None, usd=None) for level in LEVELS]  # type: ignore[arg-type]
    findings += work.fit.findings()
    findings += _money_findings(wanted, money, len(good) * wanted.epochs)
    paying = payers(work.models(), work.cards, wanted.base_url)
    for payer in paying:
        if payer.present is False:
            message = f"{payer.variable} is not set; the run will need it"
            findings.append(Finding(kind="key", where=payer.model, message=message, weight="note"))
    disk = _disk(work, len(good) * wanted.epochs, out)
    findings += _disk_findings(disk)
    indexed = spec.needs_index or wanted.agent in plan_calls.INDEXED
    lengths = [f.duration for f in facts.values() if f.error is None and f.duration is not None]
    return RunPlan(
        benchmark=wanted.benchmark,
        agent=wanted.agent,
        model=wanted.model,
        perceiver=wanted.perceiver,
        judge=wanted.judge,
        epochs=wanted.epochs,
        rows=loaded.rows,
        usable=len(loaded.items),
        questions=len(good),
        videos=len(facts) + len(plan_checks.missing_videos(loaded)),
        readable=len(lengths),
        video_seconds=sum(lengths),
        shortest=min(lengths, default=None),
        longest=max(lengths, default=None),
        video_bytes=sum(f.bytes for f in facts.values()),
        findings=tuple(findings),
        frames=dict(work.frames) if work.known else dict.fromkeys(LEVELS),
        largest=work.largest,
        roles=tuple(roles),
        money=tuple(money),
        payers=tuple(paying),
        disk=disk,
        index=index_cost(good, facts, measure=measure) if indexed else None,
        assumptions=plan_calls.assumptions(wanted.agent) if work.known else (),
        ready=not any(f.weight == "stops" for f in findings),
        proposal=_proposal(wanted, good, facts, work),
        probe_seconds=probed,
    )


def _proposal(wanted: Wanted, items: Sequence[Item], facts: Mapping[str, FileFact], work: Work) -> str | None:
    """Settings under which every request fits, tried out on all of them; None when none are needed or found."""
    settings = dict(work.fit.settings)
    for _ in range(4):
        if not settings or work.fit.no_way:
            return None
        work = Work.of(replace(wanted, options={**wanted.options, **settings}), items, facts)
        if not work.fit.faults:
            return as_words(settings)
        settings |= work.fit.settings
    return None


def _money_findings(wanted: Wanted, money: Sequence[Money], pairs: int) -> list[Finding]:
    if wanted.max_cost is None:
        return []
    limit = f"--max-cost {wanted.max_cost:g}"
    low, typical, high = (m.usd for m in money)
    if low is None or typical is None or high is None:
        why = "no price is known for a model of this run, so the limit could not be kept"
        return [
            Finding(kind="money", where=limit, message=f"{why}; add a price or leave it out", weight="stops")
        ]
    if low > wanted.max_cost:
        enough = int(pairs * wanted.max_cost / low)
        message = (
            f"at the least the run costs {low:.2f} USD; it would stop after about {enough} of {pairs} answers"
        )
        return [Finding(kind="money", where=limit, message=message, weight="stops")]
    if typical > wanted.max_cost:
        enough = int(pairs * wanted.max_cost / typical)
        message = f"typically the run costs {typical:.2f} USD; it would stop after about {enough} of {pairs} answers"
        return [Finding(kind="money", where=limit, message=message, weight="fault")]
    return []


def _disk(work: Work, pairs: int, out: Path) -> Disk:
    limit = cache_limit()
    frames = work.frames["typical"] or 0
    return Disk(
        cache=int(min(sum(work.cached.values()) + sum(work.clips.values()), limit)),
        run=pairs * RESULT_BYTES + frames * FRAME_BYTES,
        cache_free=_free(cache_dir()),
        run_free=_free(out),
        cache_limit=limit,
    )


def _free(folder: Path) -> int:
    there = next(p for p in (folder.resolve(), *folder.resolve().parents) if p.exists())
    return shutil.disk_usage(there).free


def _disk_findings(disk: Disk) -> list[Finding]:
    found = []
    if disk.run > disk.run_free:
        message = (
            f"the run's folder needs about {disk.run / 1e6:.0f} MB, {disk.run_free / 1e6:.0f} MB are free"
        )
        found.append(Finding(kind="disk", where="disk", message=message, weight="stops"))
    if disk.cache > disk.cache_free:
        message = (
            f"the cache would need {disk.cache / 1e6:.0f} MB, {disk.cache_free / 1e6:.0f} MB are free: slower"
        )
        found.append(Finding(kind="disk", where="disk", message=message, weight="note"))
    return found
