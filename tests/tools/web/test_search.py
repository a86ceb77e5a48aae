"""Search services on their real wire formats, against loopback servers; keys never leave their header."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.tools.web.web_server import Site, Visit, site

from proofreel.core.errors import UserError
from proofreel.tools.web import WebError, WebSession, WebSettings
from proofreel.tools.web.blocklist import BlockList
from proofreel.tools.web.search import Provider, SearchResult, provider_named
from proofreel.tools.web.search.brave import Brave
from proofreel.tools.web.search.ddgs import Ddgs
from proofreel.tools.web.search.searxng import Searxng
from proofreel.tools.web.search.serper import Serper
from proofreel.tools.web.search.tavily import Tavily

KEY = "k3y-that-must-not-show"
ROW = SearchResult(title="The Bridge & more", link="https://a.org/bridge", snippet="Opened in 1894.")


def rows(title: str, link: str, snippet: str) -> list[dict[str, Any]]:
    """The same result in a service's own keys, among rows that are none."""
    return [
        {
            title: "The <strong>Bridge</strong> &amp; more",
            link: "https://a.org/bridge",
            snippet: "Opened\n in 1894.",
        },
        {title: "again", link: "https://a.org/bridge", snippet: "the same link"},
        {title: "script", link: "javascript:alert(1)", snippet: "no link"},
        {title: "none"},
    ]


SERVICES: dict[str, tuple[Callable[[str], Provider], str, str, Any]] = {
    "serper": (Serper, "SERPER_API_KEY", "/search", {"organic": rows("title", "link", "snippet")}),
    "tavily": (Tavily, "TAVILY_API_KEY", "/search", {"results": rows("title", "url", "content")}),
    "brave": (
        Brave,
        "BRAVE_API_KEY",
        "/res/v1/web/search",
        {"web": {"results": rows("title", "url", "description")}},
    ),
    "searxng": (Searxng, "SEARXNG_URL", "/search", {"results": rows("title", "url", "content")}),
}


def answering(visit: Visit, value: Any, status: int = 200, **headers: str) -> None:
    visit.send(json.dumps(value).encode(), "application/json", status, **headers)


def made(name: str, web: Site, monkeypatch: pytest.MonkeyPatch) -> Provider:
    cls, variable, _, _ = SERVICES[name]
    monkeypatch.setenv(variable, web.root if name == "searxng" else KEY)
    return cls(web.root)


@pytest.mark.parametrize("name", SERVICES)
def test_wire_format(name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    _, _, path, body = SERVICES[name]
    sent: list[Any] = []

    def route(visit: Visit) -> None:
        sent.append((visit.command, visit.path, json.loads(getattr(visit, "body", b"") or b"null")))
        answering(visit, body)

    caplog.set_level(logging.DEBUG)
    with site({path: route}) as web:
        got = asyncio.run(made(name, web, monkeypatch).search("old bridge", 10))
        headers = web.seen[0][1]
    assert got == [ROW]
    expected = {
        "serper": ("POST", "/search", {"q": "old bridge", "num": 10}),
        "tavily": ("POST", "/search", {"query": "old bridge", "max_results": 10}),
        "brave": ("GET", "/res/v1/web/search?q=old+bridge&count=10", None),
        "searxng": ("GET", "/search?q=old+bridge&format=json", None),
    }
    assert sent == [expected[name]]
    keys = {"serper": ("x-api-key", KEY), "tavily": ("authorization", f"Bearer {KEY}")}
    keys["brave"] = ("x-subscription-token", KEY)
    if name in keys:
        assert headers[keys[name][0]] == keys[name][1]
    assert KEY not in caplog.text


@pytest.mark.parametrize("name", SERVICES)
def test_trouble_is_one_line_without_the_key(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    path = SERVICES[name][2]
    cases = [
        (
            lambda v: answering(v, {"message": "bad key " + ("" if name == "searxng" else KEY)}, 401),
            "status 401, the key is refused",
        ),
        (lambda v: answering(v, {"detail": "no"}, 403), "status 403"),
        (lambda v: answering(v, [1, 2]), "no JSON object"),
        (lambda v: v.send(b"<html>", "text/html"), "no JSON object"),
    ]
    for route, says in cases:
        with site({path: route}) as web:
            with pytest.raises(WebError) as failed:
                asyncio.run(made(name, web, monkeypatch).search("x", 10))
            assert len(web.seen) == 1  # nothing that would fail again is repeated
        assert failed.value.kind == "search"
        assert says in str(failed.value) and name in str(failed.value)
        assert KEY not in str(failed.value) + caplog.text


def test_busy_services_are_asked_again_and_waits_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([429, 503, 200])

    def moody(visit: Visit) -> None:
        answering(visit, SERVICES["serper"][3], next(answers), retry_after="0.05")

    waits: list[tuple[int, str, float]] = []
    with site({"/search": moody}) as web:
        service = made("serper", web, monkeypatch)
        got = asyncio.run(service.search("x", 10, lambda *wait: waits.append(wait)))
    assert got == [ROW]
    assert [(n, pause) for n, _, pause in waits] == [(1, 0.05), (2, 0.05)]
    assert "too many requests" in waits[0][1]


def test_a_service_that_stays_busy_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with site({"/search": lambda v: answering(v, {}, 500, retry_after="0.01")}) as web:
        with pytest.raises(WebError, match="search by tavily failed: status 500"):
            asyncio.run(made("tavily", web, monkeypatch).search("x", 10))
        assert len(web.seen) == 3


@pytest.mark.parametrize(("name", "variable"), [(n, SERVICES[n][1]) for n in SERVICES])
def test_a_missing_key_is_told_by_its_variable(
    name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in (variable, "BRAVE_SEARCH_API_KEY"):
        monkeypatch.delenv(each, raising=False)
    with pytest.raises(UserError, match=variable):
        provider_named(name)


def test_ddgs_rows_no_results_and_limits() -> None:
    from ddgs.exceptions import DDGSException, RatelimitException

    assert asyncio.run(Ddgs(lambda q, n: rows("title", "href", "body")).search("x", 10)) == [ROW]
    many = [{"title": str(n), "href": f"https://a.org/{n}", "body": ""} for n in range(30)]
    assert len(asyncio.run(Ddgs(lambda q, n: many).search("x", 10))) == 10

    def nothing(query: str, count: int) -> list[dict[str, Any]]:
        raise DDGSException("No results found.")

    assert asyncio.run(Ddgs(nothing).search("x", 10)) == []
    tried: list[int] = []

    def limited(query: str, count: int) -> list[dict[str, Any]]:
        tried.append(1)
        if len(tried) < 2:
            raise RatelimitException("202 Ratelimit")
        return rows("title", "href", "body")

    waits: list[Any] = []
    assert asyncio.run(Ddgs(limited).search("x", 10, lambda *w: waits.append(w))) == [ROW]
    assert waits == [(1, "ddgs: 202 Ratelimit", 1.0)]


def test_the_installed_ddgs_fails_in_one_line_without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package itself, behind a proxy on this machine that refuses every connection."""
    from proofreel.tools.web.search import ddgs

    monkeypatch.setattr(ddgs, "ATTEMPTS", 1)
    with site({}) as proxy, pytest.raises(WebError, match="search by ddgs failed"):
        asyncio.run(Ddgs(proxy=proxy.root).search("bridge", 10))


def test_no_key_reaches_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    monkeypatch.setenv("SERPER_API_KEY", KEY)
    routes = {"/search": lambda v: answering(v, SERVICES["serper"][3])}
    with site(routes) as web:
        session = WebSession(WebSettings.of({"web_record": str(tmp_path)}), provider=Serper(web.root))
        found = asyncio.run(session.search("bridge"))
    assert (found.results, found.provider, found.source) == ((ROW,), "serper", "live")
    for path in tmp_path.iterdir():
        data = path.read_bytes()
        assert KEY.encode() not in (gzip.decompress(data) if path.suffix == ".gz" else data)


BLOCKED = {
    "https://huggingface.co/datasets/x/y": "huggingface.co/datasets",
    "https://HuggingFace.co/datasets": "huggingface.co/datasets",
    "https://huggingface.co//datasets/x": "huggingface.co/datasets",
    "https://huggingface.co/%64atasets/x": "huggingface.co/datasets",
    "https://www.huggingface.co/datasets/x": "huggingface.co/datasets",
    "https://huggingface.co/x/../datasets/y": "huggingface.co/datasets",
    "https://web.archive.org/web/2026/https://huggingface.co/datasets/x": "huggingface.co/datasets",
    "https://reader.example.org/?u=https%3A%2F%2Fhuggingface.co%2Fdatasets%2Fx": "huggingface.co/datasets",
    "https://huggingface-co.translate.goog/datasets/x?_x_tr_sl=en": "huggingface.co/datasets",
    "https://web.archive.org/web/2026/https://huggingface.co/docs": None,
    "http://[broken/VideoGAIA": "~videogaia",
    "http://[broken/": None,
    "https://huggingface.co/docs/datasets": None,
    "https://huggingface.co/datasetsx": None,
    "https://github.com/someone/VideoGAIA": "~videogaia",
    "https://someone.github.io/video-gaia/": "~videogaia",
    "https://arxiv.org/abs/1234": None,
    "https://sub.answers.example/x": "answers.example",
    "https://notanswers.example/x": None,
    "https://a.org/rows/1": "a.org/rows",
    "https://a.org/other": None,
}


@pytest.mark.parametrize("url", BLOCKED)
def test_block_list(url: str) -> None:
    assert BlockList.of("answers.example, a.org/rows").blocks(url) == BLOCKED[url]


@pytest.mark.parametrize(
    ("query", "pattern"),
    [
        ("VideoGAIA question 17 answer", "~videogaia"),
        ("video gaia benchmark", "~videogaia"),
        ("site:huggingface.co/datasets station hall", "huggingface.co/datasets"),
        ("Gaia spacecraft video", None),
        ("green locomotive nameplate", None),
    ],
)
def test_queries_for_the_benchmark_are_refused(query: str, pattern: str | None) -> None:
    assert BlockList().refuses(query) == pattern


def test_the_block_list_is_logged_counted_and_can_be_changed(caplog: pytest.LogCaptureFixture) -> None:
    class Fixed:
        name = "fixed"

        async def search(self, query: str, count: int, on_wait: Any = None) -> list[SearchResult]:
            return [ROW, SearchResult(title="", link="https://rows.example/1", snippet="")]

    session = WebSession(WebSettings.of({"web_block": "rows.example"}), provider=Fixed())
    found = asyncio.run(session.search("bridge"))
    assert (found.results, found.blocked) == ((ROW,), 1)
    assert "https://rows.example/1 is on the block list (rows.example)" in caplog.text
    with pytest.raises(WebError, match="block list") as refused:
        asyncio.run(session.visit("https://rows.example/2"))
    assert refused.value.kind == "blocked"
    with pytest.raises(WebError, match="not searched"):
        asyncio.run(session.search("rows of VideoGAIA"))
    assert session.counts["blocked"] == 3
    free = WebSession(WebSettings.of({"web_block_defaults": False}), provider=Fixed())
    assert asyncio.run(free.search("VideoGAIA")).blocked == 0
