"""``web_search``: titles, links and snippets for a query."""

from typing import Any

from proofreel.core import Evidence, Provenance, Quote
from proofreel.tools.tool import ToolContext, ToolResult, tool


@tool(
    "web_search",
    description=(
        "Searches the web and returns up to 10 results, each with title, link and snippet. Snippets are short and may "
        "mislead: open a page with page_visit before relying on it."
    ),
    properties={"query": {"type": "string", "description": "What to look for, as typed into a search box."}},
    required=("query",),
)
async def web_search(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    """One search; how the web is reached is in ``ctx.options`` (``web``, ``web_provider``, ...).

    Data keys: ``query``, ``results``, ``provider``, ``source``, ``blocked`` (results left out), ``archive_id``,
    ``labels``. The text is fenced as data.
    """
    from proofreel.tools.web import WebError, session_of
    from proofreel.tools.web.untrusted import fenced, labels_in

    query = args.get("query", args.get("q"))
    if not isinstance(query, str) or not query.strip():
        return ToolResult.failure("validation", "query must be a text that is not empty")
    if len(query) > 1000:
        return ToolResult.failure("validation", f"query must have at most 1000 characters, got {len(query)}")
    query = query.encode("utf-8", "replace").decode()
    try:
        found = await session_of(ctx.options).search(query, ctx.on_wait)
    except WebError as error:
        return ToolResult.failure(f"web_{error.kind}", str(error), data={"query": query})
    rows = [f"{n}. {r.title}\n{r.link}\n{r.snippet}" for n, r in enumerate(found.results, 1)]
    labels = labels_in("\n\n".join(rows))
    data = {
        "query": found.query,
        "results": [r.model_dump() for r in found.results],
        "provider": found.provider,
        "source": found.source,
        "blocked": found.blocked,
        "archive_id": found.archive_id,
        "labels": [{"kind": label.kind, "excerpt": label.excerpt} for label in labels],
    }
    if not rows:
        return ToolResult(ok=True, text=f"No results for {found.query!r}.", data=data)
    return ToolResult(
        ok=True,
        text=fenced("\n\n".join(rows), f"Search results for {found.query!r}", labels),
        data=data,
        evidence=tuple(
            Evidence(
                quote=Quote(text=r.snippet, source="web"),
                note=r.link,
                provenance=Provenance(claimed_by="web_search", step=ctx.step),
            )
            for r in found.results
            if r.snippet
        ),
    )
