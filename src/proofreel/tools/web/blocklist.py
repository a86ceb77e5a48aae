"""Sites that publish benchmarks with their answers: neither searched, nor shown, nor opened."""

import logging
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
        """The pattern that a URL falls under, None when it is free."""
        parts = urlsplit(url.lower())
        host = (parts.hostname or "").removesuffix(".").removeprefix("www.")
        path = unquote(parts.path)
        whole = unquote(url.lower())
        for pattern in self.patterns:
            if pattern.startswith("~"):
                if _plain(pattern) in _plain(whole):
                    return pattern
                continue
            site, slash, below = pattern.partition("/")
            below = below.rstrip("/")
            same = host == site or host.endswith(f".{site}")
            if same and (not slash or re.match(rf"/+{re.escape(below)}(?:/|$)", path)):
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


def _plain(text: str) -> str:
    return re.sub(r"[\s~_\-+.]+", "", text)
