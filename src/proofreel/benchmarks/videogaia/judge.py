"""The benchmark's verdict: a judge model whose canaries came back alive, a fallback only when it cannot be had."""

import logging
from typing import Any
from weakref import WeakKeyDictionary

import anyio

from proofreel.benchmarks.hooks import JudgeContext, Judged
from proofreel.core import Item, Outcome, TokenUse, Trajectory
from proofreel.judges import Verdict
from proofreel.judges.open_canaries import CanaryReport, try_canaries
from proofreel.judges.open_model import judge_open_answer

_known: WeakKeyDictionary[Any, CanaryReport] = WeakKeyDictionary()
_turns: WeakKeyDictionary[Any, anyio.Lock] = WeakKeyDictionary()


async def judge(trajectory: Trajectory, item: Item, ctx: JudgeContext) -> Judged:
    """Judges an open answer.

    Options of the run: ``judge_canaries`` (true): try the judge before its first verdict. Carefully, a judge that
    misses more than one canary judges nothing (``judge_failed``, saying which); officially it does, and the record
    says so. ``judge_retries`` (5): requests after the first. ``judge_pause`` (0.5): seconds before the first retry.

    ``details["open"]`` is the ``OpenVerdict``; ``details["canaries"]`` what the judge said to them.
    """
    settings = {
        "retries": int(ctx.options.get("judge_retries", 5)),
        "pause": float(ctx.options.get("judge_pause", 0.5)),
    }
    report, spent = None, TokenUse()
    if ctx.judge is not None and ctx.options.get("judge_canaries", True):
        report, spent = await _canaries(ctx.judge, settings)
        if not report.fit and ctx.mode == "careful":
            said = f"the judge is not fit: {report.said}"[:1000]
            verdict = Verdict(outcome=Outcome.JUDGE_FAILED, reason=said)
            return Judged(verdict=verdict, tokens=spent, details={"canaries": _kept(report)})
    verdict, record = await judge_open_answer(
        trajectory, item.question, item.gold, ctx.judge, fallback=ctx.fallback, mode=ctx.mode, **settings
    )
    details: dict[str, Any] = {} if report is None else {"canaries": _kept(report)}
    if record is not None:
        details["open"] = record.model_dump(mode="json", exclude={"tokens"}) | {"disagrees": record.disagrees}
        spent = spent + record.tokens
    return Judged(verdict=verdict, tokens=spent, details=details)


async def _canaries(model: Any, settings: dict[str, Any]) -> tuple[CanaryReport, TokenUse]:
    """The judge's report, and its cost for the one that had it made; once a judge and process."""
    async with _turns.setdefault(model, anyio.Lock()):
        known = _known.get(model)
        if known is not None:
            return known, TokenUse()
        report = await try_canaries(model, **settings)
        _known[model] = report
        if report.missed:
            logging.getLogger("proofreel").warning("judge %s", report.said)
        return report, report.tokens


def _kept(report: CanaryReport) -> dict[str, Any]:
    return {"judge": report.judge, "asked": report.asked, "missed": list(report.missed), "fit": report.fit}
