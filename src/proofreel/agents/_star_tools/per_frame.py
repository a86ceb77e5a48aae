"""One question to each of several frames, a few at a time, as far as the budget goes."""

from collections.abc import Awaitable, Callable, Sequence

import anyio

from proofreel.agents._star_scene import Seen, thinned
from proofreel.agents._star_tools.tool import Bench, ToolFault


async def each_frame(frames: Sequence[Seen], bench: Bench, ask: Callable[[Seen], Awaitable[None]]) -> str:
    """Asks every frame; a note on those that were left out or failed, empty when there are none.

    Args:
        frames: in order of time.
        bench: gives the bounds.
        ask: one model call on one frame that keeps its result.

    Raises:
        ToolFault: no frame could be asked, with the first reason.
    """
    left = bench.ctx.budget.frames_left
    bounds = [b for b in (bench.frames_per_tool, left) if b is not None]
    chosen = thinned(frames, max(1, min(bounds)) if bounds else None)
    faults: list[ToolFault] = []
    unasked: list[Seen] = []
    limiter = anyio.CapacityLimiter(max(1, bench.parallel))

    async def one(frame: Seen) -> None:
        async with limiter:
            if bench.calls.spent():
                unasked.append(frame)
                return
            try:
                await ask(frame)
            except ToolFault as fault:
                faults.append(fault)

    async with anyio.create_task_group() as group:
        for frame in chosen:
            group.start_soon(one, frame)
    done = len(chosen) - len(faults) - len(unasked)
    if not done:
        raise faults[0] if faults else ToolFault("budget", "the budget is used up")
    skipped = len(frames) - len(chosen) + len(unasked)
    notes = [f"{skipped} frames were not asked (limit)"] if skipped else []
    notes += [f"{len(faults)} frames gave nothing: {faults[0]}"] if faults else []
    return "; ".join(notes)
