"""``page_visit``: the text of a page or PDF."""

from typing import Any

from proofreel.core import Evidence, Provenance, Quote
from proofreel.tools.tool import ToolContext, ToolResult, tool

QUOTES = 3


@tool(
    "page_visit",
    description=(
        "Opens a web page or PDF and returns its text. The goal says what you look for on it; it does not change the "
        "text."
    ),
    properties={
        "url": {"type": "string", "description": "Full URL with http:// or https://."},
        "goal": {"type": "string", "description": "What to find on the page; may be left out."},
    },
    required=("url",),
)
async def page_visit(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """One page; how the web is reached is in ``ctx.options``.

    The text is cut at ``web_chars`` characters (60,000) and fenced as data. Data keys: ``url``, ``final_url``,
    ``status``, ``title``, ``kind``, ``content_type``, ``charset``, ``sha256`` and ``size`` of the bytes as sent,
    ``chars`` and ``shown_chars``, ``redirects``, ``notes``, ``labels``, ``archive_id``, ``source``, ``goal``. Evidence:
    with a goal, up to three sentences that share most words with it, letter for letter.
    """
    from proofreel.tools.web import WebError, session_of
    from proofreel.tools.web.untrusted import fenced

    url, goal = args.get("url"), args.get("goal")
    if not isinstance(url, str) or not url.strip():
        return ToolResult.failure("validation", "url must be a full URL with http:// or https://")
    if goal is not None and not isinstance(goal, str):
        return ToolResult.failure("validation", "goal must be a text")
    session = session_of(ctx.options)
    try:
        page = await session.visit(url)
    except WebError as error:
        return ToolResult.failure(f"web_{error.kind}", str(error), data={"url": url, "goal": goal})
    shown = page.text[: session.settings.web_chars]
    notes = list(page.notes)
    if len(shown) < len(page.text):
        notes.append(f"only the first {len(shown):,} of {len(page.text):,} characters are shown")
    data = {
        "url": page.url,
        "final_url": page.final_url,
        "status": page.status,
        "title": page.title,
        "kind": page.kind,
        "content_type": page.content_type,
        "charset": page.charset,
        "sha256": page.sha256,
        "size": page.size,
        "chars": len(page.text),
        "shown_chars": len(shown),
        "redirects": list(page.redirects),
        "notes": notes,
        "labels": [{"kind": b.kind, "start": b.start, "excerpt": b.excerpt} for b in page.labels],
        "archive_id": page.archive_id,
        "source": page.source,
        "goal": goal,
    }
    head = "\n".join([page.title or "(no title)", page.final_url, *(f"note: {n}" for n in notes)])
    return ToolResult(
        ok=True,
        text=fenced(f"{head}\n\n{shown}", "Page", page.labels),
        data=data,
        evidence=tuple(
            Evidence(
                quote=Quote(text=sentence, source="web"),
                note=page.final_url,
                provenance=Provenance(claimed_by="page_visit", step=ctx.step),
            )
            for sentence in _about(shown, goal or "")
        ),
    )


def _about(text: str, goal: str) -> list[str]:
    """Sentences of a text that share most words with a goal (two at least), in the order of the text."""
    import re

    from proofreel.tools.web.corpus import words_of

    wanted = {w for w in words_of(goal) if len(w) > 2 or not w.isascii()}
    sentences = [s.strip() for s in re.split(r"(?<=[.!?。！？])\s+|\n+", text) if 3 <= len(s.strip()) <= 500]
    scored = [(len(wanted & set(words_of(s))), -i, s) for i, s in enumerate(sentences)]
    best = sorted((row for row in scored if row[0] >= 2), reverse=True)[:QUOTES]
    return [s for _, _, s in sorted(best, key=lambda row: -row[1])]
