"""``find_words``: where words are said or stand on screen."""

from typing import Any

from proofreel.core import Evidence, Provenance, Quote, TimedBox
from proofreel.tools import ToolContext, ToolResult, tool

MOST = 5


@tool(
    "find_words",
    description="Finds where words are said or stand on screen: the first moments with what stands there.",
    properties={"words": {"type": "string", "description": "One or more words, as they would be written."}},
    required=("words",),
)
async def find_words(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """The first lines that hold all the words, in order of time, each as evidence."""
    wanted = str(args.get("words") or "").lower().split()
    if not wanted:
        return ToolResult.failure("validation", "words is empty; give at least one word")
    index = ctx.options.get("index")
    if index is None:
        return ToolResult.failure("validation", "this video was not read: there is no index to search")
    lines = sorted(index.lines, key=lambda line: line.start)
    hits = [line for line in lines if all(word in line.text.lower() for word in wanted)][:MOST]
    text = "\n".join(f"{line.window} {line.kind}: {line.text}" for line in hits)
    return ToolResult(
        ok=True,
        text=text or "The words do not come up.",
        evidence=tuple(_evidence(line, ctx.step) for line in hits),
    )


def _evidence(line: Any, step: int | None) -> Evidence:
    on_screen = line.kind == "screen"
    return Evidence(
        window=line.window,
        boxes=(TimedBox(time=line.start, box=line.box),) if on_screen else (),
        quote=Quote(text=line.text, source="screen" if on_screen else "speech"),
        provenance=Provenance(claimed_by="find_words", step=step, frames=line.frames if on_screen else ()),
    )
