"""A folder of pages that stands in for the web: searched with BM25, visited by URL, no network."""

import json
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from proofreel.core.errors import UserError
from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import SafeUrl, check_url
from proofreel.tools.web.hop import Hop
from proofreel.tools.web.reading import read_page
from proofreel.tools.web.search.provider import OnWait, SearchResult

INDEX = "index.jsonl"
HOME = "https://corpus.example/"
"""URL prefix of files without a URL of their own; the domain is reserved and never exists."""
TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".pdf": "application/pdf",
}
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SNIPPET = 240


@dataclass(frozen=True)
class Paper:
    """A file of the collection."""

    url: str
    path: Path
    title: str


class Corpus:
    """Pages of a folder.

    ``index.jsonl`` is optional: lines with ``file`` (relative path), ``url`` and ``title``, the last two optional.
    Files without a URL get one below ``https://corpus.example/``.

    Raises:
        UserError: no folder, no page in it, or a broken index.
    """

    name = "corpus"

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise UserError(f"{self.folder}: no such folder; --set web_corpus must name a folder of pages")
        given = _index(self.folder)
        self.papers: dict[str, Paper] = {}
        for path in sorted(p for p in self.folder.rglob("*") if p.suffix.lower() in TYPES and p.is_file()):
            name = path.relative_to(self.folder).as_posix()
            row = given.pop(name, {})
            url = check_url(str(row.get("url") or HOME + quote(name))).text
            if url in self.papers:
                raise UserError(f"{self.folder / INDEX}: {url} is given to two files; one of them must go")
            self.papers[url] = Paper(url, path, str(row.get("title") or ""))
        if given:
            raise UserError(f"{self.folder / INDEX}: {next(iter(given))} is not in the folder")
        if not self.papers:
            raise UserError(f"{self.folder}: holds no page ({', '.join(TYPES)})")
        self._lock = threading.Lock()
        self._ranked: tuple[Any, list[tuple[Paper, str, str]]] | None = None
        self.unread: list[str] = []

    async def hop(self, url: SafeUrl) -> Hop:
        """The file behind a URL.

        Raises:
            WebError: ``miss``: the collection does not have it.
        """
        paper = self.papers.get(url.text)
        if paper is None:
            raise WebError("miss", f"{url} is not in the collection {self.folder} ({len(self.papers)} pages)")
        return Hop(
            url.text,
            200,
            "OK",
            (("content-type", TYPES[paper.path.suffix.lower()]),),
            paper.path.read_bytes(),
        )

    async def search(self, query: str, count: int, on_wait: OnWait | None = None) -> list[SearchResult]:
        """Pages that share words with the query, by BM25 (Lucene's variant, k1 1.5, b 0.75)."""
        import anyio.to_thread

        return await anyio.to_thread.run_sync(self.rank, query, count)

    def rank(self, query: str, count: int) -> list[SearchResult]:
        """As ``search``; the index is built at the first call."""
        model, pages = self._built()
        words = words_of(query)
        if not words or not pages:
            return []
        scores = model.get_scores(words)
        best = sorted(range(len(pages)), key=lambda i: (-scores[i], pages[i][0].url))[:count]
        return [_result(*pages[i], words) for i in best if scores[i] > 0]

    def _built(self) -> tuple[Any, list[tuple[Paper, str, str]]]:
        with self._lock:
            if self._ranked is None:
                self._ranked = self._build()
            return self._ranked

    def _build(self) -> tuple[Any, list[tuple[Paper, str, str]]]:
        try:
            import bm25s
        except ImportError:
            raise UserError("searching a collection needs: pip install 'proofreel[web]'") from None
        pages: list[tuple[Paper, str, str]] = []
        for paper in self.papers.values():
            try:
                page = read_page(paper.path.read_bytes(), TYPES[paper.path.suffix.lower()], paper.url)
            except WebError as error:
                self.unread.append(str(error))
                continue
            title = paper.title or page["title"] or paper.path.stem
            pages.append((paper, title, page["text"]))
        # A page without a single word would leave the average length undefined.
        tokens = [words_of(f"{title} {title} {text}") or ["\x00"] for _, title, text in pages]
        model = bm25s.BM25()
        if pages:
            model.index(tokens, show_progress=False)
        return model, pages


def words_of(text: str) -> list[str]:
    """Words in lower case; Chinese, Japanese and Korean runs as pairs of characters."""
    words: list[str] = []
    for word in _WORD.findall(text.casefold()):
        at = 0
        for run in _CJK.finditer(word):
            words += [word[at : run.start()]] if run.start() > at else []
            chars = run[0]
            words += [chars[i : i + 2] for i in range(len(chars) - 1)] or [chars]
            at = run.end()
        words += [word[at:]] if at < len(word) else []
    return words


def _result(paper: Paper, title: str, text: str, words: list[str]) -> SearchResult:
    return SearchResult(title=title[:300], link=paper.url, snippet=best_passage(text, words, _SNIPPET))


def best_passage(text: str, words: list[str], width: int) -> str:
    """The stretch of a text, about ``width`` characters long and letter for letter, that holds most of the words."""
    flat = " ".join(text.split())
    wanted = set(words)
    low = flat.casefold()
    places = sorted({m.start() for w in wanted for m in re.finditer(re.escape(w), low)})[:5000]
    best, where = -1, 0
    for place in places[:400]:
        inside = low[place : place + width]
        score = sum(w in inside for w in wanted)
        if score > best:
            best, where = score, place
    start = max(0, where - 40)
    start = flat.rfind(" ", 0, start) + 1 if start else 0
    return flat[start : start + width].strip()


def _index(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / INDEX
    rows: dict[str, dict[str, Any]] = {}
    if not path.is_file():
        return rows
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            name = str(row.get("file") or row.get("path") or "")
        except (ValueError, AttributeError):
            raise UserError(f"{path} line {number}: is no JSON object") from None
        if not name:
            raise UserError(f"{path} line {number}: needs a file (relative path), and may have url and title")
        rows[name] = row
    return rows
