"""From a URL to a page an agent can read: redirects followed and checked one by one, then bytes to text."""

from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urljoin

from proofreel.tools.web.blocklist import BlockList
from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import Policy, SafeUrl, check_url
from proofreel.tools.web.hop import REDIRECTS, Hop, Source, may_be_text, plain_body, plain_type
from proofreel.tools.web.reader import PageReader
from proofreel.tools.web.untrusted import Label, labels_in


@dataclass(frozen=True)
class Page:
    """A page as read.

    Attributes:
        url: as asked for, in its agreed form.
        final_url: after redirects.
        text: main text, whole (the tool cuts it).
        whole: all visible text, menus and footers included.
        sha256: of the bytes as sent.
        size: bytes as sent.
        redirects: URLs passed on the way.
        notes: what a reader should know (cut off, odd charset).
        labels: passages that read like instructions.
        archive_id: record of the final answer, None when nothing is archived.
        source: ``live``, ``archive`` or ``corpus``.
    """

    url: str
    final_url: str
    status: int
    title: str
    text: str
    whole: str
    kind: str
    content_type: str
    charset: str
    sha256: str
    size: int
    redirects: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    archive_id: str | None = None
    source: str = "live"


async def follow(
    url: str, source: Source, policy: Policy, block: BlockList, redirects: int
) -> tuple[Hop, tuple[str, ...]]:
    """The final answer to a URL and the URLs passed on the way; every one of them is checked like the first.

    Raises:
        WebError: refused, no answer, too many redirects, or a status that is no page.
    """
    passed: list[str] = []
    target = _allowed(url, policy, block)
    while True:
        hop = await source.hop(target)
        location = hop.header("location")
        if hop.status not in REDIRECTS or not location:
            break
        passed.append(target.text)
        if len(passed) > redirects:
            raise WebError(
                "redirects",
                f"{url}: more than {redirects} redirects; the last one leads to {location[:100]!r}",
            )
        try:
            target = _allowed(urljoin(target.text, location.strip()), policy, block)
        except WebError as error:
            raise WebError(error.kind, f"{url} leads elsewhere: {error}") from None
        except ValueError:
            raise WebError("address", f"{url} leads to {location[:200]!r}, which is no URL") from None
        if target.text in passed:
            raise WebError("redirects", f"{url}: the redirects go in a circle (back to {target})")
    if not 200 <= hop.status < 300:
        # In our words: what the server calls its status is text of a stranger outside of any fence.
        raise WebError("http", f"{target}: the server answers {hop.status} {_phrase(hop.status)}".rstrip())
    return hop, tuple(passed)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _allowed(url: str, policy: Policy, block: BlockList) -> SafeUrl:
    safe = check_url(url, policy)
    pattern = block.blocks(safe.text)
    if pattern is not None:
        raise WebError("blocked", f"not fetched: {block.note(safe.text, pattern)}")
    return safe


async def read_hop(hop: Hop, reader: PageReader, limit: int) -> dict[str, object]:
    """Title, text and notes of an answer.

    Raises:
        WebError: it cannot be read.
    """
    if hop.truncated == "type" or not may_be_text(hop.content_type):
        raise WebError(
            "binary",
            f"{hop.url}: {plain_type(hop.content_type)} cannot be read as text; only pages and PDFs are",
        )
    body, cut = plain_body(hop, limit)
    if not body:
        raise WebError("unreadable", f"{hop.url}: the page is empty")
    page = await reader.read(body, hop.header("content-type"), hop.url, cut)
    if cut:
        page["notes"] = [f"only the first {len(body):,} bytes are read", *page["notes"]]
    return page


def page_of(
    url: str,
    hop: Hop,
    passed: tuple[str, ...],
    read: dict[str, object],
    archive_id: str | None,
    source: str,
    shown: int,
) -> Page:
    """Everything about a page in one value; the first ``shown`` characters, those an agent reads, are labelled."""
    import hashlib

    text, notes = str(read["text"]), read["notes"]
    return Page(
        url=url,
        final_url=hop.url,
        status=hop.status,
        title=str(read["title"]),
        text=text,
        whole=str(read["whole"]),
        kind=str(read["kind"]),
        content_type=hop.header("content-type"),
        charset=str(read["charset"]),
        sha256=hashlib.sha256(hop.body).hexdigest(),
        size=len(hop.body),
        redirects=passed,
        notes=tuple(str(n) for n in notes) if isinstance(notes, list) else (),
        labels=labels_in(text[:shown]),
        archive_id=archive_id,
        source=source,
    )
