"""``temporal-grounding-tool``: a grounding model says when something happens."""

import anyio.to_thread

from proofreel.agents._star_tools.tool import NUMBER, Bench, StarTool, ToolFault, shape
from proofreel.core import Window
from proofreel.tools._video_args import finite_number

_PROMPT = """\
Find the stretch of the video in which this happens: {wanted}

The video is {duration:.1f} s long; give seconds of the whole video. Reply with this JSON object and nothing else:
{{"start": <second>, "end": <second>}}
When it does not happen, both are -1."""


async def run(wanted: str, bench: Bench) -> str:
    """Adds one frame a second of the span; without a span nothing is added."""
    if not wanted.strip():
        raise ToolFault("validation", "say what is to be found")
    scene, backend = bench.scene, bench.backends.grounder
    if backend is None or isinstance(backend, str):
        window, by, frames = await _asked(wanted, bench)
    else:
        by, frames = backend.name, ()
        window = await anyio.to_thread.run_sync(backend.span, wanted, scene.video, scene.duration)
    if window is None:
        return "Nothing in the video fits; no frame was added."
    window = window.clamped(scene.duration)
    count = int(window.length) + 1
    new = scene.add(scene.at(window.start + i) for i in range(count))
    bench.claim(window, wanted, by, [t for t in frames if window.contains(t)])
    return f"It happens from {window.start:.1f} to {window.end:.1f} s; {len(new)} frames were added there."


async def _asked(wanted: str, bench: Bench) -> tuple[Window | None, str, tuple[float, ...]]:
    refs, count = bench.stretch(0.0, bench.scene.duration, "grounder", most=128)
    prompt = _PROMPT.format(wanted=wanted, duration=bench.scene.duration)
    found = await bench.form(prompt, shape(start=NUMBER, end=NUMBER), refs, count, role="grounder")
    start, end = (finite_number(found.get(k)) for k in ("start", "end"))
    shown = bench.replies[-1].frames
    if isinstance(start, str) or isinstance(end, str) or start is None or end is None:
        raise ToolFault("validation", f"the grounder gave no span: {found}")
    if end < 0 or end < start or start >= bench.scene.duration:
        return None, "grounder", shown
    return Window(start=max(0.0, start), end=end), "grounder", shown


TOOL = StarTool(
    "temporal-grounding-tool",
    "temporal",
    "Finds when something happens and makes one frame a second of it visible. Input: the event or scene.",
    run,
)
