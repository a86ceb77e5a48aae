"""Evidence of an answer: stretches that were looked at, and words from the web held against what was archived."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary, finalize

from proofreel.core import Evidence, Provenance, Quote, Window

MOST_QUOTES = 4
FOUND = "stands there letter for letter"
NOT_FOUND = "NOT found there as quoted"
_QUOTED = re.compile(r"[\"“„]([^\"“”„\n]{1,400})[\"”]")


def quoted(summary: str) -> list[str]:
    """What a summary puts between double quotes, each once."""
    return list(dict.fromkeys(m.strip() for m in _QUOTED.findall(summary) if len(m.strip()) >= 3))


def sources_of(data: Mapping[str, Any], raw: str) -> list[tuple[str, str]]:
    """(URL, text) of everything a web tool gave: the page, or each result's title and snippet."""
    if "final_url" in data:
        return [(str(data["final_url"]), raw)]
    rows = data.get("results") or ()
    return [(str(r["link"]), f"{r['title']}\n{r['snippet']}") for r in rows]


def web_quotes(
    summary: str, sources: Sequence[tuple[str, str]], claimed_by: str, step: int | None
) -> tuple[Evidence, ...]:
    """The quotes of a summary: those that stand in the source are words of the web, the others only the model's."""
    from proofreel.tools.web.quotes import find_quote

    found = []
    for words in quoted(summary):
        url = next((u for u, text in sources if find_quote(words, text)), None)
        tried = url or (sources[0][0] if len(sources) == 1 else f"{len(sources)} search results")
        found.append(_web(words, url is not None, tried, claimed_by, step))
    return tuple(found)


def _web(words: str, there: bool, url: str, claimed_by: str, step: int | None) -> Evidence:
    return Evidence(
        quote=Quote(text=words, source="web" if there else "model"),
        note=f"{url}: {FOUND if there else NOT_FOUND}",
        provenance=Provenance(claimed_by=claimed_by, step=step),
    )


def look_evidence(
    window: Window, said: str, goal: str, times: Iterable[float], claimed_by: str, step: int | None
) -> Evidence:
    """A stretch that was looked at, with the model's words about it and the frames they rest on."""
    return Evidence(
        window=window,
        quote=Quote(text=said[:500], source="model") if said else None,
        note=goal,
        provenance=Provenance(claimed_by=claimed_by, step=step, frames=tuple(times)),
    )


def chosen(gathered: Sequence[Evidence], answer: str) -> list[Evidence]:
    """What goes with an answer: every look, and the web quotes that mention the answer, or else the last ones."""
    looks = [e for e in gathered if e.window is not None]
    quotes = list(
        {(e.quote, e.note): e for e in gathered if e.window is None and e.quote is not None}.values()
    )
    said = _plain(answer)
    naming = [e for e in quotes if e.quote and said and said in _plain(e.quote.text)]
    naming.sort(key=lambda e: e.quote is None or e.quote.source != "web")
    last = max((e.provenance.step or 0 for e in quotes), default=0)
    return looks + (naming or [e for e in quotes if e.provenance.step == last])[:MOST_QUOTES]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


async def checked(cited: Sequence[Evidence], session: Any) -> list[Evidence]:
    """Web quotes held against the archive of the run once more; what is not there is marked and is no web quote.

    Args:
        cited: evidence of an answer.
        session: the run's ``WebSession``, None without web tools; without an archive nothing is changed.
    """
    if session is None or session.archive is None:
        return list(cited)
    from proofreel.tools.web.quotes import check_quote

    out = []
    for e in cited:
        if e.quote is not None and e.quote.source == "web":
            url, p = e.note.split(": ")[0], e.provenance
            there = await check_quote(e.quote.text, session.archive, url=url, reader=_reader_of(session))
            e = _web(e.quote.text, there.found, url, p.claimed_by, p.step)
            if there.found:
                e = e.model_copy(update={"note": f"{url}: {FOUND} in the archived page"})
        out.append(e)
    return out


_readers: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def _reader_of(session: Any) -> Any:
    """One reader a session: a child process of its own for every question would cost a second each."""
    from proofreel.tools.web.reader import PageReader

    reader = _readers.get(session)
    if reader is None:
        reader = _readers[session] = PageReader()
        finalize(session, reader.close)
    return reader
