"""TLS, robots.txt, politeness: what goes over the wire of a live visit."""

from __future__ import annotations

import asyncio
import datetime
import ssl
import time
from pathlib import Path

import pytest
from tests.tools.web.web_server import NoSearch, article, page, redirect, site

from proofreel.tools.web import WebError, WebSession, WebSettings
from proofreel.tools.web.guard import Policy, check_url
from proofreel.tools.web.live import LiveWeb
from proofreel.tools.web.robots import Rules, parse_robots

NAME = "pages.proofreel-check.org"


async def loopback(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


def certificate(folder: Path, name: str) -> Path:
    """A certificate for a name and its key, in one file; it is its own authority."""
    x509 = pytest.importorskip("cryptography.x509", reason="makes the test certificate")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + secret)
    return path


def test_tls_names_the_host_and_verifies_its_certificate(tmp_path: Path) -> None:
    mine = certificate(tmp_path, NAME)
    server_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_tls.load_cert_chain(mine)
    asked: list[str | None] = []
    server_tls.sni_callback = lambda socket, name, context: asked.append(name)
    trust = ssl.create_default_context(cafile=str(mine))
    with site({"/": page(b"over TLS")}, tls=server_tls) as web:
        policy = Policy(allow=frozenset({("127.0.0.1", web.port)}))

        async def get(name: str, tls: ssl.SSLContext | None) -> bytes:
            source = LiveWeb(policy, max_bytes=1000, pace=0, robots=False, resolve=loopback, tls=tls)
            return (await source.hop(check_url(f"https://{name}:{web.port}/", policy))).body

        assert asyncio.run(get(NAME, trust)) == b"over TLS"
        assert asked == [NAME]
        assert web.seen[0][1]["host"] == f"{NAME}:{web.port}"
        with pytest.raises(WebError, match="certificate verify failed"):
            asyncio.run(get("other.proofreel-check.org", trust))
        with pytest.raises(WebError, match="certificate verify failed"):
            asyncio.run(get(NAME, None))
        assert len(web.seen) == 1


ROBOTS = """\
# comments and unknown fields are nothing
Sitemap: https://example.org/sitemap.xml
User-agent: otherbot
Disallow: /

User-agent: Proofreel
User-agent: another
Disallow: /private
Allow: /private/open
Disallow: /*.json$
Disallow: /search?q=*&page=
Disallow:

User-agent: *
Disallow: /
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", False),
        ("/privateer", False),
        ("/private/open/x", True),
        ("/a/b.json", False),
        ("/a/b.json?x", True),
        ("/search?q=a&page=2", False),
        ("/search?q=a", True),
        ("/%70rivate", False),
    ],
)
def test_robots_rules(path: str, allowed: bool) -> None:
    assert parse_robots(ROBOTS).allow(path) is allowed


def test_robots_for_everybody_and_ties() -> None:
    everybody = parse_robots("User-agent: *\nDisallow: /a\nAllow: /a\n")
    assert everybody.allow("/a/b")
    assert not parse_robots("User-agent: *\nDisallow: /a/b\nAllow: /a\n").allow("/a/b/c")
    assert not parse_robots("User-agent: *\nDisallow: /").allow("/x")
    assert parse_robots("User-agent: otherbot\nDisallow: /").allow("/x")
    assert parse_robots("<html>not found</html>") == Rules()


def test_a_hostile_robots_pattern_takes_no_time() -> None:
    began = time.monotonic()
    rules = parse_robots("User-agent: *\nDisallow: /" + "a*" * 2000 + "b$")
    assert rules.allow("/" + "a" * 4000)
    assert time.monotonic() - began < 1


def visits(web, paths: list[str], **options) -> list[str]:
    settings = WebSettings.of({"web_allow": web.allow, "web_pace": 0, **options})

    async def all_of_them() -> list[str]:
        session = WebSession(settings, provider=NoSearch())
        said = []
        for path in paths:
            try:
                said.append((await session.visit(web.root + path)).title)
            except WebError as error:
                said.append(f"{error.kind}: {error}")
        session.close()
        return said

    return asyncio.run(all_of_them())


def test_robots_are_asked_once_a_site_and_obeyed() -> None:
    routes = {
        "/robots.txt": page(b"User-agent: *\nDisallow: /secret", "text/plain"),
        "/open": page(article("Open", "Words.")),
        "/secret": page(article("Secret", "Words.")),
        "/way": redirect("/secret"),
    }
    with site(routes) as web:
        opened, secret, way = visits(web, ["/open", "/secret", "/way"])
        assert opened == "Open"
        assert secret.startswith("robots: ") and "robots.txt of 127.0.0.1" in secret
        assert way.startswith("robots: ")
        assert web.paths() == ["/robots.txt", "/open", "/way"]
        assert visits(web, ["/secret"], web_robots=False) == ["Secret"]


def test_a_site_without_robots_is_open_and_a_failing_one_is_left_alone() -> None:
    with site({"/a": page(article("A", "Words."))}) as web:
        assert visits(web, ["/a"]) == ["A"]
    with site({"/a": page(article("A", "Words.")), "/robots.txt": page(b"", status=503)}) as web:
        (said,) = visits(web, ["/a"])
        assert "robots.txt cannot be read" in said and "503" in said
        assert web.paths() == ["/robots.txt"]


def test_one_host_is_not_asked_faster_than_its_pace() -> None:
    times: list[float] = []

    def clocked(visit) -> None:
        times.append(time.monotonic())
        visit.send(article("A", "Words."))

    routes = {f"/{n}": clocked for n in range(4)}
    with site(routes) as web:
        settings = WebSettings.of({"web_allow": web.allow, "web_pace": 0.3, "web_robots": False})

        async def at_once() -> None:
            import anyio

            session = WebSession(settings, provider=NoSearch())
            async with anyio.create_task_group() as group:
                for path in routes:
                    group.start_soon(session.visit, web.root + path)
            session.close()

        asyncio.run(at_once())
    gaps = [b - a for a, b in zip(sorted(times), sorted(times)[1:], strict=False)]
    assert len(times) == 4
    assert times[-1] - times[0] >= 0.8, gaps  # three pauses of 0.3 s, less what a busy machine shifts
