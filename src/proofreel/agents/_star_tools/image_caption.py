"""``image-caption-tool-llava``: a description of every visible frame."""

from proofreel.agents._star_scene import Seen
from proofreel.agents._star_tools.per_frame import each_frame
from proofreel.agents._star_tools.tool import Bench, StarTool

_PROMPT = """\
This is one frame of a video. Describe what it shows in two or three sentences: people, things, place, action, written \
words.{wanted}"""


async def run(wanted: str, bench: Bench) -> str:
    """Describes the frames that have no description yet; the planner reads descriptions in its memory."""
    frames = [f for f in bench.scene.visible if not f.caption]
    if not frames:
        return "Every visible frame is described already."
    extra = f" Attend to: {wanted}" if wanted.strip() else ""

    async def ask(frame: Seen) -> None:
        reply = await bench.look(_PROMPT.format(wanted=extra), bench.scene.refs([frame]), 1)
        frame.caption = reply.text.strip()

    note = await each_frame(frames, bench, ask)
    return f"{sum(bool(f.caption) for f in frames)} frames were described." + (f" [{note}]" if note else "")


TOOL = StarTool(
    "image-caption-tool-llava",
    "spatial",
    "Describes every visible frame that is not described yet. Input: what to attend to, or nothing.",
    run,
)
