"""Has the trajectories of a run judged by a model: one flushed line a judgement, so that a killed run goes on.

A file of judgements is never written over. The same judge with the same settings goes on where its file ends; other
settings, or ``again``, begin a new file with a number in its name.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
from filelock import FileLock, Timeout

from proofreel.core import Item, TokenUse, Trajectory
from proofreel.core.errors import UserError
from proofreel.judges._rubric_prompt import Prompt, built_in
from proofreel.judges.judged import JudgementKey
from proofreel.judges.rubric import Judgement, RubricSettings, judge_rubric
from proofreel.runs._files import RunError, append_line, drop_torn_line
from proofreel.runs._judge_model import judging_model
from proofreel.runs.judgements import (
    FOLDER,
    JudgeHead,
    JudgementLine,
    Judgements,
    read_judgements,
    trajectory_hash,
)
from proofreel.runs.money import Purse
from proofreel.runs.result import Key
from proofreel.runs.run_folder import RunFolder, utc_now
from proofreel.video import Ledger

IDENTITY = ("judge", "fallback_judge", "base_url", "settings", "prompt_sha256", "repeats")


@dataclass(frozen=True)
class Task:
    """One judgement to make."""

    key: JudgementKey
    trajectory: Trajectory
    item: Item

    @cached_property
    def hash(self) -> str:
        """Of the trajectory: a judgement of another one does not count for this task."""
        return trajectory_hash(self.trajectory)


@dataclass(frozen=True)
class Wanted:
    """How to judge.

    Attributes:
        judge: model that judges.
        fallback_judge: model asked only when the judge fails, None for none.
        base_url: address of the judges' server.
        settings: mode and options; ``config`` holds generation settings.
        prompt: another rubric than ours.
        repeats: judgements of each trajectory.
        concurrency: judgements at a time.
        max_cost: nothing new starts when it could take the spend of this file over so many USD.
        retry_failed: ask once more where the judge failed.
        again: begin a new file although one with these settings is there.
    """

    judge: str
    fallback_judge: str | None = None
    base_url: str | None = None
    settings: RubricSettings = field(default_factory=RubricSettings)
    prompt: Prompt | None = None
    repeats: int = 1
    concurrency: int = 8
    max_cost: float | None = None
    retry_failed: bool = False
    again: bool = False


@dataclass(frozen=True)
class JudgeDone:
    """What came of it: the file as it is now, how many judgements were made now, and why it stopped early."""

    file: Judgements
    made: int
    stopped: str | None = None


def judge_run(
    run: RunFolder,
    items: Mapping[str, Item],
    want: Wanted,
    on_line: Callable[[JudgementLine], None] | None = None,
    on_plan: Callable[[int], None] | None = None,
) -> JudgeDone:
    """Judges every stored trajectory of a run.

    Args:
        run: the folder; its results are read and not changed.
        items: its items by id, for milestones.
        want: how.
        on_line: called after every judgement.
        on_plan: called once with the number of judgements still to make.

    Raises:
        RunError: no results, another process writes this file, or it cannot be written.
        UserError: the judge cannot be used, no question has milestones, or a money limit without a price.
    """
    results = [r for k, r in sorted(run.latest().items()) if k[0] in items]
    if not results:
        raise RunError(f"{run.path}: no results to judge; run it first")
    if not any(items[r.item_id].gold.milestones for r in results):
        raise UserError(
            f"{run.path}: no question has milestones, and without them nothing is judged; make them with: "
            "proofreel milestones FILE --model M"
        )
    tasks = [
        Task((r.item_id, r.epoch, n), r.trajectory, items[r.item_id])
        for n in range(1, want.repeats + 1)
        for r in results
    ]
    head = head_of(want)
    path = file_for(run.path / FOLDER, want.judge, head, again=want.again)
    return judge_tasks(path, head, tasks, want, on_line, on_plan)


def head_of(want: Wanted) -> JudgeHead:
    """The settings line of a file."""
    how = want.settings
    prompt = want.prompt or built_in(reference=how.reference, frames=how.grounded)
    return JudgeHead(
        created=utc_now(),
        proofreel=version("proofreel"),
        judge=want.judge,
        fallback_judge=want.fallback_judge,
        base_url=want.base_url,
        settings=how,
        prompt=prompt.name,
        prompt_sha256=prompt.sha256,
        system=prompt.system,
        repeats=want.repeats,
    )


def file_for(folder: Path, name: str, head: JudgeHead, *, again: bool = False) -> Path:
    """The file to go on with, or the first free name: NAME.jsonl, NAME-2.jsonl, ..."""
    stem = re.sub(r"[^A-Za-z0-9._]+", "_", name).strip("._") or "judge"
    number = 1
    while True:
        path = folder / f"{stem if number == 1 else f'{stem}-{number}'}.jsonl"
        if not path.exists() or _empty(path):
            return path
        there = read_judgements(path).head
        if not again and all(getattr(there, f) == getattr(head, f) for f in IDENTITY):
            return path
        number += 1


def judge_tasks(
    path: Path,
    head: JudgeHead,
    tasks: Sequence[Task],
    want: Wanted,
    on_line: Callable[[JudgementLine], None] | None = None,
    on_plan: Callable[[int], None] | None = None,
) -> JudgeDone:
    """Makes the judgements that a file does not have yet.

    Raises:
        RunError: another process writes this file, or it cannot be written.
        UserError: the judge cannot be used, or a money limit without a price.
    """
    _check_money(want)
    model = judging_model(want.judge, want.base_url, want.settings.config)
    fallback = judging_model(want.fallback_judge, want.base_url, want.settings.config)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        drop_torn_line(path)
        if not path.exists() or _empty(path):
            append_line(path, head.model_dump_json())
        file = read_judgements(path)
        said = {(line.key, line.trajectory): line.judgement.status for line in file.lines}
        again = {"judge_failed"} if want.retry_failed else set()
        left = [t for t in tasks if said.get((t.key, t.hash)) in {None, *again}]
        if on_plan is not None:
            on_plan(len(left))
        ledger = None
        if want.settings.grounded:
            ledger = Ledger(path.parent / "ledger" / path.name)

        async def one(task: Task) -> Judgement:
            return await judge_rubric(
                task.trajectory,
                task.item,
                model,
                settings=want.settings,
                prompt=want.prompt,
                fallback=fallback,
                ledger=ledger,
            )

        work = _Work(path, want, one, _purse(want, file), on_line or (lambda line: None))
        if left:
            anyio.run(work.all, left)
        if work.broken is not None:
            raise work.broken
    return JudgeDone(read_judgements(path), work.made, work.stopped)


@dataclass
class _Work:
    path: Path
    want: Wanted
    judge: Callable[[Task], Awaitable[Judgement]]
    purse: Purse
    on_line: Callable[[JudgementLine], None]
    made: int = 0
    stopped: str | None = None
    broken: RunError | None = None

    async def all(self, tasks: Sequence[Task]) -> None:
        self._room = anyio.Condition()
        limiter = anyio.CapacityLimiter(self.want.concurrency)
        async with anyio.create_task_group() as group:
            for task in tasks:
                await limiter.acquire_on_behalf_of(task.key)
                if not await self._may_start():
                    limiter.release_on_behalf_of(task.key)
                    break
                self.purse.start(_money_key(task.key))
                group.start_soon(self._one, task, limiter, group.cancel_scope)

    async def _may_start(self) -> bool:
        async with self._room:
            while self.stopped is None:
                answer = self.purse.may_start()
                if answer == "yes":
                    return True
                if answer == "no":
                    self.stopped = self.purse.why_not()
                    break
                await self._room.wait()
        return False

    async def _one(self, task: Task, limiter: anyio.CapacityLimiter, scope: anyio.CancelScope) -> None:
        try:
            judgement = await self.judge(task)
            item, epoch, repeat = task.key
            line = JudgementLine(
                item_id=item,
                epoch=epoch,
                repeat=repeat,
                at=utc_now(),
                trajectory=task.hash,
                judgement=judgement,
            )
            self.purse.pay(_money_key(task.key), judgement.tokens)
            self.purse.end(_money_key(task.key), finished=True)
            append_line(self.path, line.model_dump_json())
            self.made += 1
            self.on_line(line)
        except RunError as error:
            # A judgement that cannot be kept must not be paid for.
            self.stopped, self.broken = str(error), error
            scope.cancel()
        finally:
            limiter.release_on_behalf_of(task.key)
            with anyio.CancelScope(shield=True):
                async with self._room:
                    self._room.notify_all()


def _money_key(key: JudgementKey) -> Key:
    return f"{key[0]}#{key[2]}", key[1]


def _purse(want: Wanted, file: Judgements) -> Purse:
    costs = [line.judgement.tokens.cost_usd or 0.0 for line in file.lines]
    return Purse(want.max_cost, sum(costs), max(costs, default=None))


def _check_money(want: Wanted) -> None:
    from proofreel.models import model_card

    if want.max_cost is None:
        return
    for name in (want.judge, want.fallback_judge):
        if name is not None and not model_card(name).prices:
            raise UserError(
                f"--max-cost: the price of {name} is not known; add a card for it (PROOFREEL_MODELS)"
            )


def spent_on(file: Judgements) -> TokenUse:
    """Tokens and money of all lines of a file, failed ones included."""
    return sum((line.judgement.tokens for line in file.lines), TokenUse())


def _empty(path: Path) -> bool:
    """No whole line: killed while the first one was written."""
    return b"\n" not in path.read_bytes()[:1_000_000]


class _alone:  # noqa: N801 - reads as a word in ``with``
    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, FileLock(path.with_name(f".{path.stem}.lock"))

    def __enter__(self) -> None:
        try:
            self.lock.acquire(timeout=0)
        except Timeout:
            raise RunError(f"{self.path}: another process writes to this file; wait for it") from None
        except OSError as error:
            raise RunError(f"{self.path}: cannot be written to ({error.strerror})") from None

    def __exit__(self, *unused: Any) -> None:
        self.lock.release()
