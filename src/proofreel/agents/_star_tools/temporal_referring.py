"""``temporal-referring-tool``: describes a given stretch of the video."""

from proofreel.agents._star_tools.tool import Bench, StarTool, ToolFault
from proofreel.core import Window
from proofreel.tools._observation import times_in

_PROMPT = """\
You are shown the video from {start:.1f} to {end:.1f} s. Describe what happens in it, in order, with times in seconds \
of the whole video. Asked for: {wanted}"""


async def run(wanted: str, bench: Bench) -> str:
    """The description; the range comes first in the input, as ``12-30 s`` or ``0:12 to 0:30``."""
    spans = [w for w in times_in(wanted) if w.length > 0]
    if not spans:
        raise ToolFault("validation", "name a range of time in seconds, such as 12-30 s")
    duration = bench.scene.duration
    start, end = spans[0].start, min(spans[0].end, duration)
    if start >= end:
        raise ToolFault(
            "validation", f"the range {start:g} to {spans[0].end:g} s is past the end ({duration:.1f} s)"
        )
    refs, count = bench.stretch(start, end, "temporal")
    reply = await bench.look(
        _PROMPT.format(start=start, end=end, wanted=wanted), refs, count, role="temporal"
    )
    said = reply.text.strip()
    bench.claim(Window(start=start, end=end), said, "temporal-referring-tool", reply.frames)
    bench.reports.append(f"{start:.1f} to {end:.1f} s: {said}")
    return said


TOOL = StarTool(
    "temporal-referring-tool",
    "temporal",
    "Describes what happens in a range of time. Input: the range in seconds first (12-30 s), then what to attend to.",
    run,
)
