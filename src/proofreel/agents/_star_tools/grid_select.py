"""``image-grid-select-tool``: one look at a grid narrows the visible frames to the stretch that matters."""

from proofreel.agents._star_scene import grid_side, span_frames
from proofreel.agents._star_tools.tool import WHOLE, Bench, StarTool, ToolFault, shape, whole_number
from proofreel.core import Window

_PROMPT = """\
The picture is a grid of {n} frames of one video in order of time, numbered 1 to {n}. Choose the stretch in which the \
answer lies, from one numbered frame to another (they may be the same).

{question}
Wanted: {wanted}

Reply with this JSON object and nothing else:
{{"start": <number of the first frame>, "end": <number of the last frame>}}"""


async def run(wanted: str, bench: Bench) -> str:
    """Replaces the visible frames by as many as the grid has cells, evenly spread over the chosen stretch."""
    scene, frames = bench.scene, bench.gridded()
    prompt = _PROMPT.format(
        n=len(frames), question=bench.question.rendered(), wanted=wanted or "the question"
    )
    found = await bench.form(prompt, shape(start=WHOLE, end=WHOLE), [scene.grid(frames)], len(frames))
    start, end = (whole_number(found.get(k)) for k in ("start", "end"))
    if start is None or end is None or not (1 <= start <= end <= len(frames)):
        raise ToolFault("validation", f"the stretch must lie in 1 to {len(frames)}, got {start} to {end}")
    first, last = frames[start - 1], frames[end - 1]
    scene.replace(span_frames(first.index, last.index, grid_side(len(frames)) ** 2, scene.total))
    bench.claim(
        Window(start=first.time, end=last.time), wanted, "image-grid-select-tool", [f.time for f in frames]
    )
    now = scene.visible
    span = f"{len(now)} frames from {now[0].time:.1f} to {now[-1].time:.1f} s"
    return f"Cells {start} to {end} were chosen; now {span} are visible."


TOOL = StarTool(
    "image-grid-select-tool",
    "temporal",
    "Looks at the visible frames as one grid, picks the stretch that matters and replaces the visible frames by finer "
    "ones from it. Input: what to look for.",
    run,
)
