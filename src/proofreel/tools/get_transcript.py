"""``get_transcript``: the words spoken in a window, from a subtitle file or from the prepared index."""

import json
from typing import Any

from proofreel.core import Evidence, Provenance, Quote, Window
from proofreel.tools._video_args import finite_number
from proofreel.tools.tool import ToolContext, ToolResult, tool

NO_SPEECH = "No speech was found in this video: music, ambient sound or silence only."
NO_TRANSCRIPT = "This video comes without a transcript, so what is said in it is unknown."


@tool(
    "get_transcript",
    description=(
        "Returns what is said in the video as segments with start, end (seconds) and text, and their count; a note "
        "instead when there is no speech. Optionally only the segments that overlap a window. Use it when words, "
        "names or the order of statements matter."
    ),
    properties={
        "start_time": {
            "type": "number",
            "description": "Start of the window in seconds; leave out for the beginning.",
        },
        "end_time": {"type": "number", "description": "End of the window in seconds; leave out for the end."},
    },
)
async def get_transcript(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """Segments that end strictly after the start and start strictly before the end of the window.

    ``start`` and ``end`` are taken as other names of the arguments (the paper's). Data keys: ``qid``, ``window``,
    ``segment_count``, ``segments`` and, without speech, ``note``.
    """
    start, end = (_first(args, name, name.removesuffix("_time")) for name in ("start_time", "end_time"))
    for name, value in (("start_time", start), ("end_time", end)):
        if isinstance(value, str):
            return ToolResult.failure("validation", f"{name} must be a number of seconds, got {value}")
    segments, note = _segments(ctx)
    window = {"start_time": start, "end_time": end}
    data: dict[str, Any] = {"qid": ctx.question.id, "window": window}
    if not segments:
        data |= {"segment_count": 0, "segments": [], "note": note}
        return ToolResult(ok=True, text=json.dumps(data, ensure_ascii=False), data=data)
    kept = [s for s in segments if (start is None or s["end"] > start) and (end is None or s["start"] < end)]
    data |= {"segment_count": len(kept), "segments": kept}
    return ToolResult(
        ok=True,
        text=json.dumps(data, ensure_ascii=False),
        data=data,
        evidence=tuple(_spoken(s, ctx.step) for s in kept if s["text"]),
    )


def _first(args: dict[str, Any], *names: str) -> float | str | None:
    return next((v for n in names if (v := finite_number(args.get(n))) is not None), None)


def _segments(ctx: ToolContext) -> tuple[list[dict[str, Any]], str]:
    """Segments, and the note to give when there are none."""
    if ctx.question.transcript:
        from proofreel.video import load_transcript

        cues = load_transcript(ctx.question.transcript)
        return [{"start": c.start, "end": c.end, "text": c.text} for c in cues], NO_SPEECH
    index = ctx.options.get("index")
    if index is not None:
        lines = [{"start": s.start, "end": s.end, "text": s.text} for s in index.speech]
        return lines, "; ".join([NO_SPEECH, *index.notes])
    return [], NO_TRANSCRIPT


def _spoken(segment: dict[str, Any], step: int | None) -> Evidence:
    return Evidence(
        window=Window(start=segment["start"], end=max(segment["start"], segment["end"])),
        quote=Quote(text=segment["text"], source="speech"),
        provenance=Provenance(claimed_by="get_transcript", step=step),
    )
