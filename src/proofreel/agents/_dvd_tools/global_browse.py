"""``global_browse_tool``: one look over the descriptions of the whole video (agents protocol, section 3)."""

import json
from typing import Any

from proofreel.agents._dvd_base import Unusable
from proofreel.agents._dvd_prompts import browse_prompt
from proofreel.agents._dvd_tools.given import Given, no_reply
from proofreel.agents.answers import after_thinking, json_objects
from proofreel.core import Evidence, Provenance, Quote, Window
from proofreel.tools import ToolContext, ToolResult, tool
from proofreel.tools._observation import times_in

MOST_CLIPS, MOST_TOKENS = 300, 512


@tool(
    "global_browse_tool",
    description=(
        "Gives an overview of the whole video for a query: the subjects that bear on it and what happens, with times. "
        "Use it first."
    ),
    properties={"query": {"type": "string", "description": "What is wanted, in words of the question."}},
    required=("query",),
)
async def global_browse_tool(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """A model reads the 300 most similar descriptions in order of time and answers in at most 512 tokens.

    The result is JSON with ``subject_registry`` and ``query_related_event``; a reply that is no JSON is taken as the
    event, with the whole registry.
    """
    from inspect_ai.model import ChatMessageUser

    given = Given.of(ctx)
    query = str(args.get("query") or "").strip()
    if not query:
        return ToolResult.failure("validation", "query must say what is wanted")
    clips, used = await given.search.best(query, MOST_CLIPS)
    if not clips:
        return ToolResult.failure(
            "error", "no clip of this video is described; look at frames with frame_inspect_tool"
        )
    base = given.search.base
    message = ChatMessageUser(content=browse_prompt(query, base, [c.line for c in clips]))

    def read(text: str) -> dict[str, Any]:
        said = after_thinking(text).strip()
        for found in json_objects(said):
            if str(found.get("query_related_event") or "").strip():
                return {
                    "subject_registry": found.get("subject_registry") or {},
                    "query_related_event": str(found["query_related_event"]),
                }
        if not said:
            raise Unusable("the overview is empty")
        return {"subject_registry": base.registry(), "query_related_event": said}

    limit: dict[str, Any] = {} if ctx.options.get("thinking") else {"max_tokens": MOST_TOKENS}
    asked = await given.asker.ask(given.reader, message, "reader", read, **limit)
    if asked.value is None:
        return no_reply(asked, data={"clips": len(clips)})
    evidence, named = _claims(asked.value["query_related_event"], given, ctx.step)
    given.put_down(c for c in clips if c.number in named)
    return ToolResult(
        ok=True,
        text=json.dumps(asked.value, ensure_ascii=False),
        evidence=evidence,
        data={"clips": len(clips), "tokens_used": (used + asked.tokens).total},
        tokens=used + asked.tokens,
    )


def _claims(event: str, given: Given, step: int | None) -> tuple[tuple[Evidence, ...], set[int]]:
    """Evidence for every sentence that names a time of the video, and the clips it rests on."""
    found, named = [], set()
    base = given.search.base
    for line in event.replace(". ", ".\n").splitlines():
        for window in times_in(line):
            if window.end > base.duration:
                continue
            spot = Window(start=window.start, end=max(window.end, min(window.start + 1.0, base.duration)))
            under = base.over(spot)
            named |= {c.number for c in under}
            frames = tuple(t for c in under for t in given.frames_of(c) if spot.contains(t, 0.5))
            found.append(
                Evidence(
                    window=spot,
                    quote=Quote(text=line.strip()[:500], source="model"),
                    provenance=Provenance(claimed_by="global_browse_tool", step=step, frames=frames),
                )
            )
    return tuple(found), named
