"""Before any call: are the inputs whole, does it fit the models, what will it cost, who pays, is there room."""

import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proofreel.agents.agent import AGENTS
from proofreel.benchmarks import get_benchmark
from proofreel.core import Item
from proofreel.core.errors import UserError
from proofreel.models.card import ModelCard
from proofreel.models.cards import model_card
from proofreel.models.estimate import Facts
from proofreel.runs import plan_calls, plan_checks
from proofreel.runs.plan_files import FileFact, Progress, probe_all
from proofreel.runs.plan_fit import Fit, frames_of
from proofreel.runs.plan_index import index_cost
from proofreel.runs.plan_money import Tally, payers, totals
from proofreel.runs.plan_records import LEVELS, Disk, Finding, Level, Money, RunPlan
from proofreel.runs.setup import Wanted, choose
from proofreel.video.cache import cache_dir, cache_limit

RESULT_BYTES, FRAME_BYTES = 40_000, 150
"""Bytes of a result with its log, and of a frame in the ledger."""


def make_plan(wanted: Wanted, *, out: Path = Path("runs"), progress: Progress | None = None) -> RunPlan:
    """Looks at every file and works through every call of a run without making one.

    Args:
        wanted: the run, in the words of ``proofreel run``.
        out: where its folder would go.
        progress: told (done, total) while files are looked at.

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
    work = _Work(wanted, facts)
    for item in good:
        work.add(item)
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
        index=index_cost(good, facts) if spec.needs_index or wanted.agent in plan_calls.INDEXED else None,
        assumptions=plan_calls.assumptions(wanted.agent) if work.known else (),
        ready=not any(f.weight == "stops" for f in findings),
        proposal=work.fit.proposal,
        probe_seconds=probed,
    )


class _Work:
    """Calls of all questions, summed up by role and level."""

    def __init__(self, wanted: Wanted, facts: Mapping[str, FileFact]) -> None:
        self.wanted = wanted
        names = {"main": wanted.model, "perceiver": wanted.perceiver or wanted.model, "judge": wanted.judge}
        self.names: dict[str, str] = {r: n.removeprefix("proofreel/") for r, n in names.items() if n}
        self.cards: dict[str, ModelCard] = {n: model_card(n) for n in self.names.values()}
        self.facts = {
            p: Facts(f.duration or 0.0, f.width, f.height, f.frames)
            for p, f in facts.items()
            if f.error is None
        }
        self.files = facts
        self.known = wanted.agent in plan_calls.AGENTS
        self.fit = Fit()
        self.tallies: dict[tuple[str, Level], Tally] = {}
        self.frames: dict[str, int | None] = dict.fromkeys(LEVELS, 0)
        self.cached: dict[Any, float] = {}
        self.clips: dict[Any, float] = {}
        self.setting = plan_calls.Setting(
            options=wanted.options,
            limits=wanted.limits,
            main=self._card("main"),
            looker=self._card("perceiver"),
            main_name=self.names.get("main", ""),
            looker_name=self.names.get("perceiver", ""),
        )

    def _card(self, role: str) -> ModelCard | None:
        return self.cards[self.names[role]] if role in self.names else None

    def add(self, item: Item) -> None:
        """Works through the calls of one question at every level."""
        make = plan_calls.AGENTS.get(self.wanted.agent)
        if make is None:
            return
        fact = self.files[item.question.video]
        for level in LEVELS:
            calls = make(item.question, fact, self.setting, level)  # type: ignore[arg-type]
            calls = calls + self._votes(item, level)
            for call in calls:
                self._call(item.question.id, call, level)

    def _votes(self, item: Item, level: str) -> list[plan_calls.Call]:
        if "judge" not in self.names:
            return []
        from proofreel.judges.letters_vote import CANDIDATES, ONE_AT_A_TIME

        several = not self.names["judge"].startswith(ONE_AT_A_TIME)
        return plan_calls.votes(item.question, several, CANDIDATES, level)  # type: ignore[arg-type]

    def _call(self, item: str, call: plan_calls.Call, level: str) -> None:
        name = self.names[call.role]
        card = self.cards[name]
        tally = self.tallies.setdefault(
            (call.role, level),  # type: ignore[arg-type]
            Tally(call.role, name, card, level),  # type: ignore[arg-type]
        )
        plan = self.fit.check(item, call, card, name, self.facts)
        sent = call if plan is None else plan_calls.Call(call.role, call.text, call.completion, plan.refs)
        tally.add(sent, self.facts, self.wanted.epochs)
        frames, weight = frames_of(plan, call, self.facts)
        self.frames[level] = (self.frames[level] or 0) + frames * self.wanted.epochs
        if level != "low":
            self._keep(sent, weight)

    def _keep(self, call: plan_calls.Call, weight: float) -> None:
        """Bytes the media cache will hold: each reference once."""
        for ref in call.refs:
            if weight:
                self.cached[ref] = weight
            else:
                fact = self.files[ref.video]
                share = (ref.end - ref.start) / fact.duration if fact.duration else 1.0  # type: ignore[union-attr]
                self.clips[ref] = fact.bytes * min(share, 1.0)

    @property
    def largest(self) -> str | None:
        """The largest request, in words; None without media."""
        fit = self.fit
        if not fit.most_images and not fit.most_tokens:
            return None
        return f"largest request: {fit.most_images} images, about {fit.most_tokens} media tokens"

    def models(self) -> dict[str, list[str]]:
        """Roles of each model that is called."""
        found: dict[str, list[str]] = {}
        called = {role for role, _ in self.tallies} if self.known else set(self.names)
        for role, name in self.names.items():
            if role in called:
                found.setdefault(name, []).append(role)
        return found


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


def _disk(work: _Work, pairs: int, out: Path) -> Disk:
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
