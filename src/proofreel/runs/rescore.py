"""Verdicts on stored trajectories, again: another mode, another judge, no inference. The first verdicts stay."""

import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from proofreel.core import Item, Outcome, TokenUse
from proofreel.core._base import Record
from proofreel.judges import Verdict
from proofreel.runs._files import RunError, write_atomically
from proofreel.runs.judging import Mode, verdict_of
from proofreel.runs.result import RunResult
from proofreel.runs.run_folder import RunFolder, utc_now


class Rescored(Record):
    """The new verdict of one (item, epoch), and whether it differs from the first one."""

    item_id: str
    epoch: int
    verdict: Verdict
    first: Outcome
    changed: bool


class Scores(Record):
    """A file ``scores/<name>.json``.

    Attributes:
        judge: model that read the letters, None for local rules.
        counts: items by outcome.
        changed: how many outcomes or letters differ from the first verdicts.
        tokens: of the judge.
    """

    format_version: Literal[1] = 1
    name: str
    created: str
    mode: Mode
    judge: str | None
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
    base_url: str | None = None,
    name: str | None = None,
    on_item: Callable[[], None] = lambda: None,
) -> tuple[Scores, Path]:
    """Judges every stored trajectory anew and writes the verdicts beside the first ones.

    Args:
        run: the folder.
        items: its items by id, for gold.
        mode: careful or official.
        judge: model that reads letters; None for local rules.
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
    path = _free(run.path / "scores", name or _name(mode, judge), named=name is not None)
    model, began = _judge(judge, base_url), time.monotonic()
    verdicts, used = _all(results, items, mode, model, on_item)
    rows = tuple(
        Rescored(
            item_id=r.item_id,
            epoch=r.epoch,
            verdict=v,
            first=r.verdict.outcome,
            changed=(v.outcome, v.letter) != (r.verdict.outcome, r.verdict.letter),
        )
        for r, v in zip(results, verdicts, strict=True)
    )
    scores = Scores(
        name=path.stem,
        created=utc_now(),
        mode=mode,
        judge=judge,
        counts=dict(Counter(row.verdict.outcome.value for row in rows)),
        changed=sum(row.changed for row in rows),
        tokens=used,
        seconds=time.monotonic() - began,
        items=rows,
    )
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, scores.model_dump_json(indent=1) + "\n")
    return scores, path


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


def _judge(name: str | None, base_url: str | None) -> Any:
    if name is None:
        return None
    from proofreel.models import resolve_model

    return resolve_model(name, base_url=base_url, role="judge")


def _all(
    results: list[RunResult], items: dict[str, Item], mode: Mode, judge: Any, on_item: Callable[[], None]
) -> tuple[list[Verdict], TokenUse]:
    """Verdicts in the order of the results; with a judge eight at a time."""
    import anyio

    done: dict[int, tuple[Verdict, TokenUse]] = {}

    async def one(place: int, room: anyio.CapacityLimiter) -> None:
        result = results[place]
        async with room:
            done[place] = await verdict_of(result.trajectory, items[result.item_id], mode, judge)
        on_item()

    async def every() -> None:
        room = anyio.CapacityLimiter(8)
        async with anyio.create_task_group() as group:
            for place in range(len(results)):
                group.start_soon(one, place, room)

    anyio.run(every)
    return [done[n][0] for n in range(len(results))], sum((u for _, u in done.values()), TokenUse())
