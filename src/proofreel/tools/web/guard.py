"""The guard: which URLs may be visited, and the addresses that stand for them.

A page, a search result or a redirect can name any URL. Only http and https to public addresses on ordinary ports pass,
and the connection goes to the very address that was checked (``transport``), so a name cannot change in between.
"""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import quote

from proofreel.tools.web.addresses import not_public
from proofreel.tools.web.errors import WebError

PORTS = frozenset({80, 443})
MAX_URL = 4096
LOCAL_NAMES = frozenset(
    "localhost local localdomain internal intranet lan home corp private arpa onion alt invalid test".split()
)
"""Last labels that mean this machine or this network, or nothing at all."""

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""``async (host, port) -> addresses``."""

_PORT_OF = {"http": 80, "https": 443}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_V6_HOST = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::([0-9]{0,5}))?")
_NAME_HOST = re.compile(r"([^:\[\]]+)(?::([0-9]{0,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_KEEP = "/?#[]@!$&'()*+,;=:%-._~"


@dataclass(frozen=True)
class Policy:
    """What the guard lets through.

    Attributes:
        ports: ports of ordinary web servers.
        allow: (address, port) pairs that pass although they are not public. For tests and deliberate use of a server
            of one's own; only an explicit option fills it.
    """

    ports: frozenset[int] = PORTS
    allow: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True)
class SafeUrl:
    """A URL in one agreed form: ASCII host, explicit scheme, no fragment, nothing hidden."""

    text: str
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{shown}:{self.port}"

    def __str__(self) -> str:
        return self.text


def check_url(url: str, policy: Policy | None = None) -> SafeUrl:
    """The URL in its agreed form.

    Raises:
        WebError: ``address``, with the reason, for everything that is not plain http(s) to a host that could be public.
    """
    policy = policy or Policy()
    given = url.strip(" ")
    if len(given) > MAX_URL:
        raise _refused(given[:80] + "...", f"longer than {MAX_URL} characters")
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in given):
        raise _refused(ascii(given), "it holds control characters")
    scheme_found = _SCHEME.match(given)
    scheme = scheme_found[1].lower() if scheme_found else ""
    if scheme not in _PORT_OF:
        raise _refused(given, f"only http and https are fetched{f', not {scheme}' if scheme else ''}")
    if not given[len(scheme) :].startswith("://"):
        raise _refused(given, "it has no // after the scheme")
    rest = given[len(scheme) + 3 :]
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    if "\\" in rest[: len(authority) + 1]:
        raise _refused(given, "a backslash follows the host")
    if "@" in authority:
        raise _refused(given, "it carries credentials")
    host, port_text = _split(given, authority)
    port = int(port_text) if port_text else _PORT_OF[scheme]
    host = _host(given, host)
    _check_place(given, host, port, policy)
    tail = quote(rest[len(authority) :].partition("#")[0], safe=_KEEP)
    shown = f"[{host}]" if ":" in host else host
    spoken = shown if port == _PORT_OF[scheme] else f"{shown}:{port}"
    tail = tail if tail.startswith("/") else f"/{tail}"
    return SafeUrl(f"{scheme}://{spoken}{tail}", scheme, host, port)


def _split(url: str, authority: str) -> tuple[str, str]:
    found = _V6_HOST.fullmatch(authority) or _NAME_HOST.fullmatch(authority)
    if found is None:
        raise _refused(url, "the host and port cannot be read")
    return found[1], found[2] or ""


def _host(url: str, host: str) -> str:
    """The host as an address or an ASCII name."""
    if ":" in host:
        try:
            return IPv6Address(host).compressed
        except ValueError:
            raise _refused(url, "the IPv6 address cannot be read") from None
    if "%" in host or any(c.isspace() for c in host):
        raise _refused(url, "the host is escaped or holds spaces")
    name = unicodedata.normalize("NFKC", host).replace("。", ".").lower()
    name = name.removesuffix(".")
    if not name.isascii():
        import idna

        try:
            name = idna.encode(name, uts46=True, std3_rules=True).decode().lower().removesuffix(".")
        except (idna.IDNAError, UnicodeError):
            raise _refused(url, "the host is no valid international name") from None
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused(url, "the host is no valid name")
    if _NUMERIC.fullmatch(labels[-1]):
        try:
            return str(IPv4Address(name))
        except ValueError:
            raise _refused(url, "an address must be written as four plain decimal numbers") from None
    return name


def _check_place(url: str, host: str, port: int, policy: Policy) -> None:
    literal = ":" in host or host.replace(".", "").isdigit()
    if literal and (host, port) in policy.allow:
        return
    if port not in policy.ports and (literal or port not in {p for _, p in policy.allow}):
        raise _refused(url, f"port {port} is not one of {', '.join(map(str, sorted(policy.ports)))}")
    if literal:
        why = not_public(host)
        if why:
            raise _refused(url, f"{host} is {_article(why)} address")
        return
    labels = host.split(".")
    if len(labels) == 1 or labels[-1] in LOCAL_NAMES:
        raise _refused(url, f"{host} names this machine or its network")


async def checked_addresses(host: str, port: int, policy: Policy, resolve: Resolver) -> list[str]:
    """The addresses of a host, every one of them checked.

    One forbidden address among several refuses the host: which one a client connects to is the resolver's choice.

    Raises:
        WebError: ``address`` for a forbidden one, ``network`` when there is none.
    """
    found = list(dict.fromkeys(await resolve(host, port)))
    if not found:
        raise WebError("network", f"{host}: the name has no address")
    for address in found:
        plain = address.partition("%")[0]
        if (plain, port) in policy.allow:
            continue
        why = not_public(address)
        if why:
            raise WebError(
                "address", f"{host} is not fetched: its address {address} is {_article(why)} address"
            )
        if port not in policy.ports:
            raise WebError("address", f"{host} is not fetched: port {port} is not an allowed one")
    return found


def _article(why: str) -> str:
    return f"{'an' if why[0] in 'aeiouAEIOU' else 'a'} {why}"


def _refused(url: str, why: str) -> WebError:
    shown = url if len(url) <= 200 else url[:200] + "..."
    return WebError("address", f"{shown!r} is not fetched: {why}")
