"""The guard's table: every hostile URL, DNS answer and redirect is refused with its reason before any connection."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tools.web.web_server import page, redirect, site

from proofreel.tools.web.addresses import not_public
from proofreel.tools.web.blocklist import BlockList
from proofreel.tools.web.errors import WebError
from proofreel.tools.web.guard import Policy, check_url, checked_addresses
from proofreel.tools.web.live import LiveWeb
from proofreel.tools.web.page import follow

HOSTILE_URLS = {
    "file:///etc/passwd": "not file",
    "ftp://example.org/x": "not ftp",
    "gopher://127.0.0.1:6379/_x": "not gopher",
    "javascript:alert(1)": "not javascript",
    "data:text/html,hi": "not data",
    "//example.org/x": "only http and https",
    "example.org/x": "only http and https",
    "http:example.org": "no //",
    "http://127.0.0.1/": "loopback",
    "http://127.1/": "four plain decimal",
    "http://127.255.255.254/": "loopback",
    "http://2130706433/": "four plain decimal",
    "http://0x7f000001/": "four plain decimal",
    "http://0x7f.0.0.1/": "four plain decimal",
    "http://0177.0.0.1/": "four plain decimal",
    "http://127.0.0.0x1/": "four plain decimal",
    "http://0/": "four plain decimal",
    "http://0.0.0.0/": "this network",
    "http://10.1.2.3/": "private",
    "http://172.31.0.1/": "private",
    "http://192.168.1.1/admin": "private",
    "http://100.64.0.1/": "carrier-grade",
    "http://100.100.100.200/latest/meta-data/": "carrier-grade",
    "http://169.254.169.254/latest/meta-data/": "metadata",
    "http://168.63.129.16/": "metadata",
    "http://192.0.0.192/": "reserved",
    "http://192.88.99.1/": "reserved",
    "http://198.18.0.1/": "benchmarking",
    "http://203.0.113.5/": "documentation",
    "http://224.0.0.1/": "multicast",
    "http://255.255.255.255/": "reserved",
    "http://[::1]/": "loopback",
    "http://[::]/": "unspecified",
    "http://[fe80::1]/": "link-local",
    "http://[fe80::1%25eth0]/": "cannot be read",
    "http://[fd00:ec2::254]/latest": "private",
    "http://[fec0::1]/": "site-local",
    "http://[ff02::1]/": "multicast",
    "http://[::ffff:127.0.0.1]/": "127.0.0.1 inside IPv6",
    "http://[::ffff:a9fe:a9fe]/": "169.254.169.254 inside IPv6",
    "http://[::ffff:0:10.0.0.1]/": "10.0.0.1 inside IPv6",
    "http://[::127.0.0.1]/": "127.0.0.1 inside IPv6",
    "http://[64:ff9b::10.0.0.1]/": "10.0.0.1 inside IPv6",
    "http://[64:ff9b:1::c0a8:101]/": "192.168.1.1 inside IPv6",
    "http://[2002:7f00:1::]/": "6to4",
    "http://[2001:0:7f00:1::]/": "reserved for protocols",
    "http://[2606:4700::5efe:7f00:1]/": "tunnel",
    "http://[2001:db8::1]/": "documentation",
    "http://[4000::1]/": "reserved",
    "http://localhost/": "this machine",
    "http://LOCALHOST./": "this machine",
    "http://a.localhost/": "this machine",
    "http://router/": "this machine",
    "http://printer.local/": "this machine",
    "http://metadata.google.internal/computeMetadata/v1/": "this machine",
    "http://db.corp/": "this machine",
    "http://hidden.onion/": "this machine",
    "http://①②⑦.⓪.⓪.①/": "loopback",
    "http://１２７.0.0.1/": "loopback",
    "http://127。0。0。1/": "loopback",
    "http://127.0.0.1./": "loopback",
    "http://loc\u00adalhost/": "this machine",
    "http://ⓛocalhost/": "this machine",
    "http://%31%32%37.0.0.1/": "escaped",
    "http://127.0.0.1%2f@example.org/": "credentials",
    "http://user:pass@example.org/": "credentials",
    "http://example.org@169.254.169.254/": "credentials",
    "http://example.org\\@127.0.0.1/": "backslash",
    "http://exam ple.org/": "spaces",
    "http://example.org\r\nHost: x/": "control characters",
    "http://example..org/": "no valid name",
    "http://-.org/": "no valid name",
    "http:///etc/passwd": "cannot be read",
    "http://example.org:0/": "port 0",
    "http://example.org:22/": "port 22",
    "http://example.org:6379/": "port 6379",
    "http://8.8.8.8:25/": "port 25",
    "http://example.org:99999/": "port 99999",
    "http://example.org:８０/": "cannot be read",
    "http://a:b:c/": "cannot be read",
    "http://" + "a" * 5000 + ".org/": "longer than",
}


@pytest.mark.parametrize("url", HOSTILE_URLS, ids=lambda u: ascii(u)[:60])
def test_hostile_url(url: str) -> None:
    with pytest.raises(WebError) as refused:
        check_url(url)
    assert refused.value.kind == "address"
    assert HOSTILE_URLS[url] in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("https://example.org", "https://example.org/"),
        ("HTTP://Example.ORG:80/A?b=c#d", "http://example.org/A?b=c"),
        ("https://example.org./a", "https://example.org/a"),
        ("https://example.org:443/a b?q=ü", "https://example.org/a%20b?q=%C3%BC"),
        ("https://en.wikipedia.org/wiki/A_(b)%20c", "https://en.wikipedia.org/wiki/A_(b)%20c"),
        ("http://bücher.example.org/", "http://xn--bcher-kva.example.org/"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]/"),
        ("http://[::ffff:8.8.8.8]/x", "http://[::ffff:808:808]/x"),
        ("https://example.org?x=1", "https://example.org/?x=1"),
    ],
)
def test_ordinary_urls_pass_in_one_form(url: str, form: str) -> None:
    assert check_url(url).text == form
    assert check_url(form).text == form


HOSTILE_ANSWERS = {
    ("127.0.0.1",): "loopback",
    ("10.0.0.8",): "private",
    ("169.254.169.254",): "metadata",
    ("93.184.216.34", "192.168.0.1"): "192.168.0.1",  # one bad answer among good ones
    ("::1",): "loopback",
    ("fe80::1%eth0",): "link-local",
    ("::ffff:10.0.0.1",): "inside IPv6",
    ("64:ff9b::7f00:1",): "inside IPv6",
    ("2002:a00:1::",): "6to4",
    ("0.0.0.0",): "this network",
    ("100.64.1.1",): "carrier-grade",
    ("no address",): "no address",
    (): "has no address",
}


@pytest.mark.parametrize("answers", HOSTILE_ANSWERS, ids=str)
def test_hostile_dns_answer(answers: Sequence[str]) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return answers

    web = LiveWeb(Policy(), max_bytes=1000, pace=0, robots=False, resolve=resolve)
    with pytest.raises(WebError) as refused:
        asyncio.run(web.hop(check_url("http://pages.proofreel-check.org/")))
    assert refused.value.kind == ("address" if answers else "network")
    assert HOSTILE_ANSWERS[tuple(answers)] in str(refused.value)


HOSTILE_REDIRECTS = {
    "file:///etc/passwd": "not file",
    "http://169.254.169.254/latest/meta-data/": "metadata",
    "//10.0.0.1/x": "private",
    "http://[::ffff:127.0.0.1]/": "inside IPv6",
    "gopher://127.0.0.1:6379/": "not gopher",
    "http://localhost/": "this machine",
    "http://2130706433/": "four plain decimal",
    "http://user:pw@example.org/": "credentials",
    "http://127.0.0.1:1/": "port 1",
    "https://huggingface.co/datasets/x/y": "block list",
}


@pytest.mark.parametrize("to", HOSTILE_REDIRECTS)
def test_hostile_redirect(to: str) -> None:
    with site({"/a": redirect(to)}) as web:
        with pytest.raises(WebError) as refused:
            asyncio.run(_follow(web.root + "/a", Policy(allow=frozenset({("127.0.0.1", web.port)}))))
        assert refused.value.kind in ("address", "blocked")
        assert HOSTILE_REDIRECTS[to] in str(refused.value)
        assert web.root in str(refused.value)
        assert web.paths() == ["/a"]


def test_redirect_to_a_name_with_a_private_address() -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["10.0.0.1"]

    with site({"/a": redirect("http://innocent.proofreel-check.org/")}) as web:
        policy = Policy(allow=frozenset({("127.0.0.1", web.port)}))
        source = LiveWeb(policy, max_bytes=1000, pace=0, robots=False, resolve=_mixed(resolve))
        with pytest.raises(
            WebError, match=r"innocent.proofreel-check.org is not fetched: its address 10.0.0.1"
        ):
            asyncio.run(follow(web.root + "/a", source, policy, BlockList(), 5))


def test_the_checked_address_is_the_one_that_is_used() -> None:
    """A name that changes its mind after the check gains nothing: it is resolved once, and that answer is used."""
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.2"] if len(asked) == 1 else ["127.0.0.1"]

    with site({"/": page(b"second loopback address")}, host="127.0.0.2") as web:
        policy = Policy(allow=frozenset({("127.0.0.2", web.port)}))
        source = LiveWeb(policy, max_bytes=1000, pace=0, robots=False, resolve=resolve)
        url = check_url(f"http://pages.proofreel-check.org:{web.port}/", policy)
        hop = asyncio.run(source.hop(url))
        assert (hop.status, hop.body) == (200, b"second loopback address")
        assert asked == ["pages.proofreel-check.org"]
        assert web.seen[0][1]["host"] == f"pages.proofreel-check.org:{web.port}"
        with pytest.raises(WebError, match="its address 127.0.0.1 is a loopback address"):
            asyncio.run(source.hop(url))
        assert len(web.seen) == 1


def test_allow_is_one_address_and_port_only() -> None:
    policy = Policy(allow=frozenset({("127.0.0.1", 8123)}))
    assert check_url("http://127.0.0.1:8123/x", policy).port == 8123
    for url in (
        "http://127.0.0.1:8124/",
        "http://127.0.0.1/",
        "http://127.0.0.2:8123/",
        "http://8.8.8.8:8123/",
    ):
        with pytest.raises(WebError):
            check_url(url, policy)

    async def public(host: str, port: int) -> list[str]:
        return ["93.184.216.34"]

    async def inside(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    with pytest.raises(WebError, match="its address 127.0.0.1 is a loopback address"):
        asyncio.run(checked_addresses("x.proofreel-check.org", 80, policy, inside))
    assert asyncio.run(checked_addresses("x.proofreel-check.org", 8123, policy, inside)) == ["127.0.0.1"]
    with pytest.raises(WebError, match="port 8123"):
        asyncio.run(checked_addresses("x.proofreel-check.org", 8123, policy, public))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "2606:4700::1", "::ffff:1.1.1.1", "64:ff9b::808:808"]
)
def test_public_addresses_are_public(address: str) -> None:
    assert not_public(address) is None


def test_nothing_in_the_environment_opens_the_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    from proofreel.tools.web import WebSettings

    for name in ("WEB_ALLOW", "PROOFREEL_WEB_ALLOW", "web_allow", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1:80")
    assert WebSettings.of({}).policy().allow == frozenset()


def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with site({"/": page(b"direct")}) as web, site({}) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.root)
        monkeypatch.setenv("ALL_PROXY", proxy.root)
        hop, _ = asyncio.run(_follow(web.root + "/", Policy(allow=frozenset({("127.0.0.1", web.port)}))))
        assert hop.body == b"direct"
        assert proxy.seen == []


async def _follow(url: str, policy: Policy):
    source = LiveWeb(policy, max_bytes=100_000, pace=0, robots=False)
    return await follow(url, source, policy, BlockList(), 5)


def _mixed(resolve):
    async def answer(host: str, port: int) -> Sequence[str]:
        return [host] if host == "127.0.0.1" else await resolve(host, port)

    return answer


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(
        st.text(max_size=60),
        st.builds(
            "{}{}{}{}{}".format,
            st.sampled_from(["http://", "https://", "HTTP://", "http:/", "ftp://", ""]),
            st.sampled_from(
                ["", "a@", "[::1]", "[", "x.org", "127.0.0.1", "0x7f.1", "ｅx.org", "a.b.c", "8.8.8.8"]
            ),
            st.text("abc0123456789.:@/\\?#[]%xｘ。①\u00ad\ud800\u200b\n\t -_", max_size=20),
            st.sampled_from(["", ":80", ":443", ":0", ":8080", "/", "?q", "#f", "@x.org"]),
            st.text(max_size=10),
        ),
    )
)
def test_whatever_passes_is_public_in_one_form_and_nothing_else_is_raised(url: str) -> None:
    try:
        safe = check_url(url)
    except WebError as refused:
        assert refused.kind == "address" and "\n" not in str(refused)
        str(refused).encode()
        return
    read = httpx.URL(safe.text)
    assert (read.scheme, read.host, read.port or {"http": 80, "https": 443}[read.scheme]) == (
        safe.scheme,
        httpx.URL(f"http://[{safe.host}]/" if ":" in safe.host else f"http://{safe.host}/").host,
        safe.port,
    )
    assert not read.userinfo and safe.text.isascii()
    assert check_url(safe.text) == safe
    if ":" in safe.host or safe.host.replace(".", "").isdigit():
        assert not_public(safe.host) is None
