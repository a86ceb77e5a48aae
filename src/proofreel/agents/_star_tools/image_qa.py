"""``image-question-answering-tool``: the same question to every visible frame."""

from proofreel.agents._star_scene import Seen
from proofreel.agents._star_tools.per_frame import each_frame
from proofreel.agents._star_tools.tool import Bench, StarTool, ToolFault

_PROMPT = """\
This is one frame of a video. Answer in a sentence or two from what is visible in it; say so when it is not visible.

{wanted}"""


async def run(wanted: str, bench: Bench) -> str:
    """Asks every visible frame that was not asked exactly this; answers are kept with the frame."""
    if not wanted.strip():
        raise ToolFault("validation", "give a question")
    asked = [f for f in bench.scene.visible if wanted not in f.answers]
    if not asked:
        return "Every visible frame has been asked this already; the answers are in the memory."

    async def ask(frame: Seen) -> None:
        reply = await bench.look(_PROMPT.format(wanted=wanted), bench.scene.refs([frame]), 1)
        frame.answers[wanted] = reply.text.strip()

    note = await each_frame(asked, bench, ask)
    lines = [f"{f.name}: {f.answers[wanted]}" for f in asked if wanted in f.answers]
    return "\n".join([*lines, *([f"[{note}]"] if note else [])])


TOOL = StarTool(
    "image-question-answering-tool",
    "spatial",
    "Asks every visible frame the same question about what it shows. Input: a factual question about a single frame.",
    run,
)
