"""``clip_search_tool``: the clips whose descriptions fit an event best (agents protocol, section 3)."""

from typing import Any

from proofreel.agents._dvd_tools.given import Given
from proofreel.tools import ToolContext, ToolResult, tool

TOP = 16


@tool(
    "clip_search_tool",
    description=(
        "Finds clips by their descriptions and returns these in order of time, each with its span. Use it to find when "
        "something happens; describe the event, without a time."
    ),
    properties={
        "event_description": {"type": "string", "description": "The event to look for, in one sentence."},
        "top_k": {"type": "integer", "description": f"How many clips at most; default {TOP}."},
    },
    required=("event_description",),
)
async def clip_search_tool(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """Descriptions of the ``top_k`` most similar clips.

    In careful mode the option ``top_k`` of the agent overrides the model's; officially that setting never applies.
    """
    given = Given.of(ctx)
    event = str(args.get("event_description") or "").strip()
    if not event:
        return ToolResult.failure("validation", "event_description must say what to look for")
    asked = args.get("top_k", TOP)
    if ctx.mode != "official":
        asked = ctx.options.get("top_k") or asked
    try:
        top = TOP if asked is None or isinstance(asked, bool) else int(asked)
    except (TypeError, ValueError, OverflowError):
        top = 0
    if top < 1:
        return ToolResult.failure("validation", f"top_k must be a whole number above 0, got {asked!r}")
    clips, used = await given.search.best(event, top)
    if not clips:
        return ToolResult.failure(
            "error", "no clip of this video is described; look at frames with frame_inspect_tool"
        )
    given.put_down(clips)
    return ToolResult(
        ok=True,
        text="\n\n".join(c.line for c in clips),
        evidence=tuple(given.claim(c, "clip_search_tool", ctx.step) for c in clips),
        data={"clips": [c.number for c in clips], "top_k": top, "tokens_used": used.total},
        tokens=used,
    )
