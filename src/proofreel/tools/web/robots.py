"""robots.txt (RFC 9309): the rules for us, longest match first, asked once a site."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

import anyio

from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import SafeUrl, check_url
from proofreel.tools.web.hop import REDIRECTS, Hop, plain_body

TOKEN = "proofreel"
_LIMIT = 512_000
_SECONDS = 10.0
_REDIRECTS = 5


@dataclass(frozen=True)
class Rules:
    """Allow and disallow patterns of one group; empty allows everything."""

    rules: tuple[tuple[bool, str], ...] = ()

    def allow(self, path: str) -> bool:
        """Whether a path with its query may be fetched: the longest matching pattern decides, allow wins a tie."""
        best = (-1, True)
        for allowed, pattern in self.rules:
            if _matches(pattern, path):
                best = max(best, (len(pattern), allowed))
        return best[1]


NOTHING = Rules(((False, "/"),))


def parse_robots(text: str, token: str = TOKEN) -> Rules:
    """The rules of the groups that name us, or of those for everybody."""
    ours: list[tuple[bool, str]] = []
    everybody: list[tuple[bool, str]] = []
    names: list[str] = []
    named, in_rules = False, False
    for line in text.splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            names = [] if in_rules else names
            in_rules = False
            names.append(value.lower())
            named = named or value.lower() == token
        elif key in ("allow", "disallow"):
            in_rules = True
            if value:
                rule = (key == "allow", value)
                ours += [rule] * (token in names)
                everybody += [rule] * ("*" in names)
    return Rules(tuple(ours if named else everybody))


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern with ``*`` and a final ``$`` fits; leftmost finds, so that no pattern can take long."""
    path = unquote(path)
    first, *rest = [unquote(p) for p in pattern.removesuffix("$").split("*")]
    if not path.startswith(first):
        return False
    at = len(first)
    if not pattern.endswith("$"):
        return all((at := _after(path, part, at)) >= 0 for part in rest)
    if not rest:
        return path == first
    return all((at := _after(path, part, at)) >= 0 for part in rest[:-1]) and path[at:].endswith(rest[-1])


def _after(path: str, part: str, at: int) -> int:
    """Where a part ends that begins at ``at`` or later; -1 when it does not occur."""
    found = path.find(part, at)
    return -1 if found < 0 else found + len(part)


class Robots:
    """Rules by site; a site whose rules cannot be read because it fails (5xx, no answer) is left alone."""

    def __init__(self, fetch: Callable[[SafeUrl, int], Awaitable[Hop]]) -> None:
        self._fetch = fetch
        self._known: dict[str, Rules | WebError] = {}
        self._locks: dict[str, anyio.Lock] = {}

    async def check(self, url: SafeUrl) -> None:
        """Passes when the page may be fetched.

        Raises:
            WebError: ``robots`` when it may not, or the reason why the rules cannot be read.
        """
        async with self._locks.setdefault(url.origin, anyio.Lock()):
            if url.origin not in self._known:
                self._known[url.origin] = await self._ask(url)
        rules = self._known[url.origin]
        if isinstance(rules, WebError):
            raise WebError(
                rules.kind, f"{url}: robots.txt cannot be read, so the page is left alone ({rules})"
            )
        parts = urlsplit(url.text)
        if not rules.allow(parts.path + (f"?{parts.query}" if parts.query else "")):
            raise WebError("robots", f"{url}: robots.txt of {url.host} asks robots not to fetch it")

    async def _ask(self, url: SafeUrl) -> Rules | WebError:
        at = f"{url.origin}/robots.txt"
        try:
            with anyio.fail_after(_SECONDS):
                for _ in range(_REDIRECTS + 1):
                    hop = await self._fetch(self._target(at, url), _LIMIT)
                    if hop.status not in REDIRECTS or not hop.header("location"):
                        break
                    at = urljoin(at, hop.header("location"))
        except WebError as error:
            return error
        except TimeoutError:
            return WebError("timeout", f"{at} does not answer within {_SECONDS:g} s")
        if hop.status >= 500:
            return WebError("http", f"{at} answers {hop.status}")
        if hop.status != 200:
            return Rules()
        try:
            return parse_robots(plain_body(hop, _LIMIT)[0].decode("utf-8", "replace"))
        except WebError:
            return Rules()

    def _target(self, at: str, page: SafeUrl) -> SafeUrl:
        # The port of the page itself has passed the guard; where a redirect leads is checked like any page.
        if at == f"{page.origin}/robots.txt":
            return SafeUrl(at, page.scheme, page.host, page.port)
        return check_url(at)
