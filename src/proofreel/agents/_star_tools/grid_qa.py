"""``image-grid-qa-tool``: one question on all visible frames as one numbered picture."""

from proofreel.agents._star_tools.tool import Bench, StarTool, ToolFault

_PROMPT = """\
The picture is a grid of {n} frames of one video in order of time, numbered 1 to {n}.
{analysis}Answer from what is visible, naming the numbers of the frames that show it.

{wanted}"""
_ANALYSIS = "First go through the frames that matter, then answer. "


async def run(wanted: str, bench: Bench) -> str:
    """The answer, with the key from cells to frames; option ``grid_analysis`` asks for an analysis first."""
    if not wanted.strip():
        raise ToolFault("validation", "give a question")
    frames = bench.gridded()
    analysis = _ANALYSIS if bench.ctx.options.get("grid_analysis", True) else ""
    prompt = _PROMPT.format(n=len(frames), analysis=analysis, wanted=wanted)
    reply = await bench.look(prompt, [bench.scene.grid(frames)], len(frames))
    said = reply.text.strip()
    key = ", ".join(f"{n} = {f.name}" for n, f in enumerate(frames, 1))
    bench.reports.append(f"On a grid of frames ({key}), {wanted}: {said}")
    return f"{said}\n[cells: {key}]"


TOOL = StarTool(
    "image-grid-qa-tool",
    "spatial",
    "Answers a question on all visible frames shown as one grid of small pictures. Input: the question.",
    run,
)
