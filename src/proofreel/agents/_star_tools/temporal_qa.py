"""``temporal-qa-tool``: a video model answers on all visible frames in their order."""

from proofreel.agents._star_scene import thinned
from proofreel.agents._star_tools.tool import Bench, StarTool, ToolFault

MOST = 96
_PROMPT = """\
These are frames of one video in order of time, each with its second. Answer from them, with times where they matter; \
say so when they do not show it.

{wanted}"""


async def run(wanted: str, bench: Bench) -> str:
    """The answer; the visible frames stay as they are (at most 96 are shown, evenly spread)."""
    if not wanted.strip():
        raise ToolFault("validation", "give a question")
    most = bench.most_images("temporal")
    frames = thinned(bench.scene.visible, MOST if most is None else max(1, min(MOST, most)))
    reply = await bench.look(
        _PROMPT.format(wanted=wanted), bench.scene.refs(frames), len(frames), role="temporal"
    )
    said = reply.text.strip()
    bench.reports.append(f"On all visible frames, {wanted}: {said}")
    return said


TOOL = StarTool(
    "temporal-qa-tool",
    "temporal",
    "Answers a question about what happens across all visible frames in their order. Input: the question.",
    run,
)
