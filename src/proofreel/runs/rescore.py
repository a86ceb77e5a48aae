"""Verdicts on stored trajectories, again: another mode, another judge, no inference. The first verdicts stay."""

import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from proofreel.benchmarks import JudgeContext, Judged
from proofreel.core import Item, Outcome, TokenUse
from proofreel.core._base import Record
from proofreel.core.errors import UserError
from proofreel.judges import Verdict
from proofreel.runs._files import RunError, write_atomically
from proofreel.runs.judging import Mode, judged_of
from proofreel.runs.result import RunResult
from proofreel.runs.run_folder import RunFolder, utc_now


class Rescored(Record):
    """The new verdict of one (item, epoch), and whether it differs from the first one."""

    item_id: str
    epoch: int
    verdict: Verdict
    details: dict[str, Any] = Field(default_factory=dict)
    first: Outcome
    changed: bool


class Scores(Record):
    """A file ``scores/<name>.json``.

    Attributes:
        judge: model that judged, None for local rules.
        fallback_judge: asked only when the judge stayed unavailable.
        counts: items by outcome.
        changed: how many outcomes or letters differ from the first verdicts.
        tokens: of the judge.
    """

    format_version: Literal[1] = 1
    name: str
    created: str
    mode: Mode
    judge: str | None
    fallback_judge: str | None = None
    counts: dict[str, int]
    changed: int = Field(ge=0)
    tokens: TokenUse = TokenUse()
    seconds: float = Field(ge=0)
    items: tuple[Rescored, ...]


def rescore(
    run: RunFolder,
    items: dict[str, Item],
    *,
    mode: Mode,
    judge: str | None = None,
    fallback_judge: str | None = None,
    base_url: str | None = None,
    name: str | None = None,
    on_item: Callable[[], None] = lambda: None,
) -> tuple[Scores, Path]:
    """Judges every stored trajectory anew and writes the verdicts beside the first ones.

    Args:
        run: the folder.
        items: its items by id, for gold.
        mode: careful or official.
        judge: model that judges or reads letters; None for local rules.
        fallback_judge: asked only when the judge stays unavailable.
        base_url: address of the judge's server.
        name: of the file; mode and judge by default. A file of that name is never overwritten.
        on_item: called after each item.

    Raises:
        RunError: no results, or a file of that name is there.
        UserError: the judge cannot be used.
    """
    results = [r for _, r in sorted(run.latest().items())]
    if not results:
        raise RunError(f"{run.path}: no results to score; run it first")
    if name is not None and not _FILE_NAME(name):
        raise UserError(
            f"--name {name!r}: give up to 80 letters, digits, spaces and . _ -, a letter or digit first"
        )
    path = _free(run.path / "scores", name or _name(mode, judge), named=name is not None)
    began = time.monotonic()
    ctx = JudgeContext(
        mode=mode,
        judge=_judge(judge, base_url, "judge"),
        fallback=_judge(fallback_judge, base_url, "fallback_judge"),
        options=run.settings.options,
    )
    judged = _all(results, items, run.settings.benchmark, ctx, on_item)
    rows = tuple(
        Rescored(
            item_id=r.item_id,
            epoch=r.epoch,
            verdict=j.verdict,
            details=j.details,
            first=r.verdict.outcome,
            changed=(j.verdict.outcome, j.verdict.letter) != (r.verdict.outcome, r.verdict.letter),
        )
        for r, j in zip(results, judged, strict=True)
    )
    scores = Scores(
        name=path.stem,
        created=utc_now(),
        mode=mode,
        judge=judge,
        fallback_judge=fallback_judge,
        counts=dict(Counter(row.verdict.outcome.value for row in rows)),
        changed=sum(row.changed for row in rows),
        tokens=sum((j.tokens for j in judged), TokenUse()),
        seconds=time.monotonic() - began,
        items=rows,
    )
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, scores.model_dump_json(indent=1) + "\n")
    return scores, path


_FILE_NAME = re.compile(r"\w[\w .-]{0,79}").fullmatch


def _name(mode: Mode, judge: str | None) -> str:
    return mode if judge is None else f"{mode}-{re.sub(r'[^A-Za-z0-9._]+', '_', judge)}"


def _free(folder: Path, name: str, *, named: bool) -> Path:
    path = folder / f"{name}.json"
    if path.exists() and named:
        raise RunError(f"{path}: is there already; choose another --name")
    number = 2
    while path.exists():
        path = folder / f"{name}-{number}.json"
        number += 1
    return path


def _judge(name: str | None, base_url: str | None, role: str) -> Any:
    if name is None:
        return None
    from proofreel.models import resolve_model

    return resolve_model(name, base_url=base_url, role=role)


def _all(
    results: list[RunResult],
    items: dict[str, Item],
    benchmark: str,
    ctx: JudgeContext,
    on_item: Callable[[], None],
) -> list[Judged]:
    """Judgements in the order of the results; with a judge eight at a time."""
    import anyio

    done: dict[int, Judged] = {}

    async def one(place: int, room: anyio.CapacityLimiter) -> None:
        result = results[place]
        async with room:
            done[place] = await judged_of(result.trajectory, items[result.item_id], benchmark, ctx)
        on_item()

    async def every() -> None:
        room = anyio.CapacityLimiter(8)
        async with anyio.create_task_group() as group:
            for place in range(len(results)):
                group.start_soon(one, place, room)

    anyio.run(every)
    return [done[n] for n in range(len(results))]
