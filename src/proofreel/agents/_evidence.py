"""From the stretches an agent cites to typed evidence that says whether they were ever shown."""

from typing import Any

from proofreel.agents.agent import AgentContext
from proofreel.core import Evidence, Provenance, Question, Quote, Window, merge_windows


def cited_windows(final: dict[str, Any], duration: float | None) -> list[Window]:
    """Valid windows of the ``evidence`` list of a final answer, clamped to the video, merged and in order."""
    found = []
    for pair in final.get("evidence") or ():
        if isinstance(pair, dict):
            pair = (pair.get("start"), pair.get("end"))
        try:
            start, end = (float(v) for v in pair)
            window = Window(start=max(start, 0.0), end=end)
        except (TypeError, ValueError):
            continue
        if duration and window.start >= duration:
            continue
        found.append(window.clamped(duration) if duration else window)
    return merge_windows(found)


def cited_evidence(
    final: dict[str, Any], gathered: list[Evidence], question: Question, ctx: AgentContext
) -> tuple[Evidence, ...]:
    """Evidence for the answer.

    Windows the agent cites come first, each with the times of the frames that were shown inside it (none when no
    frame was: the claim is then visibly unfounded). Without citations, what the tools gathered stands in.
    """
    windows = cited_windows(final, question.duration)
    if not windows:
        return tuple(gathered)
    return tuple(_cite(w, gathered, ctx) for w in windows)


def _cite(window: Window, gathered: list[Evidence], ctx: AgentContext) -> Evidence:
    inside = [
        e for e in gathered if e.window and e.window.start <= window.end and window.start <= e.window.end
    ]
    shown = sorted({t for e in inside for t in e.provenance.frames if window.contains(t)})
    tightest = min(inside, key=lambda e: e.window.length if e.window else 0.0, default=None)
    quote = tightest.quote if tightest else None
    return Evidence(
        window=window,
        quote=None if quote is None else Quote(text=quote.text, source=quote.source),
        note="" if inside else "no tool looked at or heard this stretch",
        provenance=Provenance(
            claimed_by=str(getattr(ctx.model, "name", None) or "model"),
            step=tightest.provenance.step if tightest else None,
            frames=tuple(shown),
        ),
    )
