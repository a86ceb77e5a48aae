"""Bytes of a page to text: HTML through trafilatura, PDF through pypdf, plain text as it is.

Runs in a child process (``reader``), because hostile HTML and PDF can take for ever or take everything.
"""

import html
import io
import re
from typing import Any

from proofreel.tools.web.charset import decode
from proofreel.tools.web.errors import WebError
from proofreel.tools.web.hop import plain_type

MAX_TEXT = 2_000_000
"""Characters kept of one page in all; what an agent reads is cut shorter."""
LARGE = 1_500_000
"""Characters of HTML above which the main text is not told from the rest: that takes too long."""
MAX_PAGES = 300
_BINARY = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x7fELF",
    b"RIFF",
    b"\x1f\x8b",
    b"MZ",
    b"OggS",
    b"ID3",
)
_HTML = re.compile(rb"<(?:!doctype|html|head|body|title|div|p|h1|table|article|meta|script)\b", re.I)
_NO_CONTROL = dict.fromkeys((*range(9), 11, *range(14, 32), *range(127, 160)))
_CONTROL = bytes(set(range(32)) - {9, 10, 12, 13, 27})


def read_page(body: bytes, content_type: str, url: str, *, truncated: bool = False) -> dict[str, Any]:
    """Title, text and how they were read.

    Args:
        body: without content encoding.
        content_type: header as sent; empty when there was none.
        url: for messages and for trafilatura.
        truncated: the body was cut off at the byte limit.

    Returns:
        ``kind`` (html, pdf, text), ``title``, ``text`` (main text), ``whole`` (all visible text, for quote checks),
        ``charset``, ``notes``.

    Raises:
        WebError: ``binary``, ``too_large`` or ``unreadable``.
    """
    named = content_type.partition(";")[0].strip().lower()
    kind = kind_of(body, named)
    if kind == "binary":
        raise WebError(
            "binary",
            f"{url}: {plain_type(named) if named else 'the bytes'} cannot be read as text; only pages and PDFs are",
        )
    if kind == "pdf":
        if truncated:
            raise WebError(
                "too_large", f"{url}: the PDF is larger than the byte limit and cannot be read in part"
            )
        return _pdf(body, url)
    text, charset, note = decode(body, content_type)
    page = _texts("", "", text, []) if kind == "text" else _html(text, url)
    notes = ([note] if note else []) + page["notes"]
    return page | {"kind": kind, "charset": charset, "notes": notes}


def kind_of(body: bytes, named: str) -> str:
    """``html``, ``pdf``, ``text`` or ``binary``, by the bytes first and the name second."""
    head = body[:4096]
    if b"%PDF-" in head[:1024]:
        return "pdf"
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff"))
    strange = len(head) - len(head.translate(None, _CONTROL))
    if head.startswith(_BINARY) or (not wide and strange > len(head) // 50):
        return "binary"
    if named in ("text/html", "application/xhtml+xml") or _HTML.search(head) or (wide and b"<\x00" in head):
        return "html"
    return "text"


def _html(text: str, url: str) -> dict[str, Any]:
    import trafilatura

    whole = trafilatura.html2txt(text) or _without_tags(text)
    if len(text) > LARGE:
        note = "the page is very large; all visible text is given"
        return _texts(_title(text), "", whole, [note])
    found = trafilatura.bare_extraction(
        text, url=url, favor_recall=True, include_tables=True, include_comments=False, with_metadata=True
    )
    parts = {} if found is None else found if isinstance(found, dict) else found.as_dict()
    main = parts.get("text") or ""
    notes = [] if main else ["no main text was found; all visible text is given"]
    if not (main or whole):
        notes = ["the page has no text; it may need scripts, which are not run"]
    return _texts(_title(text) or str(parts.get("title") or ""), main, whole, notes)


def _texts(title: str, main: str, whole: str, notes: list[str]) -> dict[str, Any]:
    text = (main or whole)[:MAX_TEXT]
    return {
        "title": _tidy(title[:500]),
        "text": _tidy(text),
        "whole": _tidy(whole[:MAX_TEXT]),
        "notes": notes,
    }


def _tidy(text: str) -> str:
    """Text that every file and screen takes: no control characters but tab and line ends, no half characters."""
    return text.translate(_NO_CONTROL).encode("utf-8", "replace").decode("utf-8")


def _without_tags(text: str) -> str:
    """Visible text of a page that the parser makes nothing of."""
    text = re.sub(r"<(script|style)\b.*?</\1\s*>", " ", text, flags=re.I | re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]{0,2000}>", " ", text)).split())


def _title(text: str) -> str:
    found = re.search(r"<title[^>]{0,200}>([^<]{1,1000})", text[:100_000], re.I)
    return " ".join(html.unescape(found[1]).split()) if found else ""


def _pdf(body: bytes, url: str) -> dict[str, Any]:
    import logging

    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        document = PdfReader(io.BytesIO(body))
        if document.is_encrypted and not document.decrypt(""):
            raise WebError("unreadable", f"{url}: the PDF needs a password")
        pages = []
        size = 0
        for number, page in enumerate(document.pages[:MAX_PAGES], 1):
            text = page.extract_text()
            pages.append(f"[page {number}]\n{text}")
            size += len(text)
            if size > MAX_TEXT:
                break
        count = len(document.pages)
        title = str((document.metadata or {}).get("/Title") or "")
    except WebError:
        raise
    except Exception as error:  # noqa: BLE001  a PDF can break its reader in any way
        raise WebError("unreadable", f"{url}: the PDF is broken ({type(error).__name__})") from None
    text = "\n\n".join(pages)[:MAX_TEXT]
    notes = [] if len(pages) == count else [f"the first {len(pages)} of {count} pages are read"]
    if not size:
        notes.append("the PDF holds no text; it may be scanned")
    return _texts(title, text, text, notes) | {"kind": "pdf", "charset": ""}
