"""Runs of the levels on the small world, in the engine and without it."""

import asyncio
from pathlib import Path
from typing import Any

import anyio

from benchmarks.vzb_world import MODEL
from proofreel.agents import AgentContext, Budget
from proofreel.benchmarks import JudgeContext, RunView, ScoredItem, get_benchmark
from proofreel.benchmarks.videozerobench.marks import LevelRun, level_runs
from proofreel.core import Item
from proofreel.models import resolve_model
from proofreel.runs.numbers_load import load_run
from proofreel.runs.progress import Progress
from proofreel.runs.setup import Wanted, prepare_run
from proofreel.runs.start import start
from proofreel.runs.views import run_view
from proofreel.testing import GeminiServer, OpenAIServer
from proofreel.video import Ledger


def run_levels(data: Path, out: Path, model: Any, agent: str = "levels", **words: Any) -> RunView:
    """A whole run against a scripted server, read back from its folder."""
    with OpenAIServer(model) as server:
        given: dict[str, Any] = {"generate": {"max_retries": 0}} | words
        wanted = Wanted(
            benchmark="videozerobench", data=data, agent=agent, model=MODEL, base_url=server.url, **given
        )
        prepared = prepare_run(wanted)
        start(prepared, out, Progress(len(prepared.settings.keys)))
    return run_view(load_run(out))


def ask_directly(
    items: list[Item],
    model: Any,
    *,
    name: str = MODEL,
    mode: str = "careful",
    budget: dict[str, Any] | None = None,
    server: type[OpenAIServer] | type[GeminiServer] = OpenAIServer,
    route: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[RunView, Any]:
    """Exam and judge without the engine's run: the view of the results, and the server that was asked."""
    own = get_benchmark("videozerobench")
    ledgers: dict[str, Ledger] = {}

    async def one(item: Item, main: Any) -> ScoredItem:
        assert own.exam is not None and own.judge is not None
        ledger = ledgers[item.question.id] = Ledger()
        ctx = AgentContext(
            model=main, budget=Budget.of(**(budget or {})), ledger=ledger, options={**options, "mode": mode}
        )
        trajectory = await own.exam(item, ctx, "levels")
        chosen = JudgeContext(mode="official" if mode == "official" else "careful", options=options)
        judged = await own.judge(trajectory, item, chosen)
        return ScoredItem(item, 1, trajectory, judged.verdict, judged.details)

    async def every(main: Any) -> list[ScoredItem]:
        room = anyio.CapacityLimiter(4)

        async def kept(item: Item) -> ScoredItem:
            async with room:
                return await one(item, main)

        return list(await asyncio.gather(*(kept(i) for i in items)))

    with server(model) as running:
        main = resolve_model(name, base_url=running.url, **({"max_retries": 0} | (route or {})))
        scored = asyncio.run(every(main))
    view = RunView(
        path="memory",
        benchmark="videozerobench",
        agent="levels",
        model=name,
        mode="official" if mode == "official" else "careful",
        judge=None,
        scored=tuple(scored),
        options=options,
        shown=lambda item, epoch: ledgers[item].entries,
    )
    return view, running


def read(view: RunView, mode: str | None = None) -> LevelRun:
    """The values of one run."""
    return level_runs([view], mode)[0]


def means(view: RunView, mode: str | None = None) -> dict[str, float | None]:
    """Every value of a run in percent."""
    run = read(view, mode)
    return {n: run.stat(n).value for n in ("acc1", "acc2", "acc3", "tiou", "l4", "viou", "l5")}
