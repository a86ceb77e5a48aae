"""Sites that publish benchmarks with their answers: neither searched, nor shown, nor opened."""

import logging
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

LOG = logging.getLogger("proofreel.web")

DEFAULT = (
    "huggingface.co/datasets",
    "huggingface.co/papers",
    "hf.co/datasets",
    "hf-mirror.com/datasets",
    "modelscope.cn/datasets",
    "opendatalab.com",
    "paperswithcode.com",
    "~videogaia",
)
"""Where data sets of questions and answers are published, and anything that carries the name of the benchmark."""


@dataclass(frozen=True)
class BlockList:
    """Patterns: ``site.org`` (with its subdomains), ``site.org/path`` (and below), ``~word`` (anywhere)."""

    patterns: tuple[str, ...] = DEFAULT

    @classmethod
    def of(cls, more: str | Iterable[str] = (), *, defaults: bool = True) -> "BlockList":
        """The default patterns and more, given as a list or parted by commas."""
        given = more.split(",") if isinstance(more, str) else list(more)
        own = tuple(p.strip().lower() for p in given if p.strip())
        return cls((DEFAULT if defaults else ()) + own)

    def blocks(self, url: str) -> str | None:
        """The pattern that a URL falls under, None when it is free.

        Copies of a blocked page behind another host (an archive, a reader, a translation) name its address in theirs
        and fall under the same pattern.
        """
        try:
            parts = urlsplit(url.lower())
        except ValueError:  # a result with a broken link; its words are looked at all the same
            parts = urlsplit("")._replace(path=url.lower())
        host = _untranslated((parts.hostname or "").removesuffix("."))
        path = posixpath.normpath("/" + unquote(parts.path))
        inside = unquote(unquote(f"{parts.path}?{parts.query}"))
        for pattern in self.patterns:
            if pattern.startswith("~"):
                if _plain(pattern) in _plain(unquote(url.lower())):
                    return pattern
                continue
            site, _, below = pattern.partition("/")
            below = below.strip("/")
            same = host == site or host.endswith(f".{site}")
            if same and (not below or re.match(rf"/+{re.escape(below)}(?:/|$)", path)):
                return pattern
            tail = rf"/+{re.escape(below)}(?![\w-])" if below else r"(?![\w.-])"
            if re.search(rf"(?<![\w-]){re.escape(site)}{tail}", inside):
                return pattern
        return None

    def refuses(self, query: str) -> str | None:
        """The pattern that a search query asks for: a blocked word, or a blocked site by name."""
        text = query.lower()
        for pattern in self.patterns:
            wanted = (
                _plain(pattern) in _plain(text) if pattern.startswith("~") else pattern.split("/")[0] in text
            )
            if wanted:
                return pattern
        return None

    def note(self, what: str, pattern: str) -> str:
        """Writes to the log that the list fired, and returns the sentence."""
        said = f"{what[:200]} is on the block list ({pattern}): it may publish the benchmark's answers"
        LOG.warning("%s", said)
        return said


def _untranslated(host: str) -> str:
    """The host behind Google's translation of it (``a-b.org`` is ``a--b-org.translate.goog``)."""
    name = host.removesuffix(".translate.goog")
    return host if name == host else name.replace("--", "\0").replace("-", ".").replace("\0", "-")


def _plain(text: str) -> str:
    return re.sub(r"[\s~_\-+.]+", "", text)
