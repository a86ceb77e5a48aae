"""``relevant-patch-zooming-tool``: every visible frame is enlarged where the matter is."""

from proofreel.agents._star_scene import PATCHES, Seen, patch
from proofreel.agents._star_tools.per_frame import each_frame
from proofreel.agents._star_tools.tool import TEXT, Bench, StarTool, ToolFault, shape

_PROMPT = """\
This is one frame of a video. Which part of it should be enlarged for this: {wanted}

A top left, B top right, C bottom left, D bottom right, E centre; each is half as wide and high as the frame. List \
the parts that matter, the most important first; none when nothing here matters. \
Reply with this JSON object and nothing else:
{{"patches": ["<letter>", ...]}}"""
BEFORE = " (before it was enlarged)"
_SCHEMA = shape(patches={"type": "array", "items": {**TEXT, "enum": list(PATCHES)}})


async def run(wanted: str, bench: Bench) -> str:
    """From now on a frame is shown as its first chosen patch, with a margin; frames without one stay whole."""
    if not wanted.strip():
        raise ToolFault("validation", "say what is to be enlarged")
    frames = bench.scene.visible
    zoomed: dict[int, str] = {}

    async def ask(frame: Seen) -> None:
        found = await bench.form(_PROMPT.format(wanted=wanted), _SCHEMA, bench.scene.refs([frame]), 1)
        listed = found.get("patches")
        letters = [str(p).strip().upper()[:1] for p in listed] if isinstance(listed, list) else []
        known = [p for p in letters if p in PATCHES]
        if known:
            frame.crop, zoomed[frame.index] = patch(known[0], frame.crop), known[0]
            if bench.ctx.mode != "official":  # the same may be asked anew of the enlarged part
                frame.answers = {_earlier(q): a for q, a in frame.answers.items()}

    note = await each_frame(frames, bench, ask)
    said = ", ".join(f"{f.name}: {zoomed[f.index]}" for f in frames if f.index in zoomed)
    return f"Enlarged: {said or 'no frame'}." + (f" [{note}]" if note else "")


def _earlier(question: str) -> str:
    return question if question.endswith(BEFORE) else question + BEFORE


TOOL = StarTool(
    "relevant-patch-zooming-tool",
    "spatial",
    "Enlarges the part of each visible frame that matters; later tools see the enlarged part. Input: what matters.",
    run,
)
