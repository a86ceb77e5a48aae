"""Collections of pages, the two tools as agents see them, and the quote check."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.tools.web.web_server import NoSearch, article, page, redirect, site

from proofreel.core import Observation, Question, ToolCall
from proofreel.core.errors import UserError
from proofreel.tools import ToolContext, get_tool, run_tool
from proofreel.tools.web import (
    Archive,
    WebError,
    WebSession,
    WebSettings,
    check_quote,
    close_sessions,
    session_of,
)
from proofreel.tools.web.corpus import Corpus, best_passage, words_of
from proofreel.tools.web.quotes import find_quote

TALL = "The railway named on the plate opened its first line in 1847, between the harbour and the mills."
PAGES = {
    "railway.html": article("Harbour Railway", TALL, "Its locomotives were green."),
    "bridge.html": article("The stone bridge", "Four towers of the bridge were built of granite. " * 3),
    "notes/tower.txt": b"Tower heights\nThe north tower of the bridge is 62 m high.\n",
    "notes/readme.md": b"# Reading list\n\nBooks on canals.\n",
    "cn.html": article("长江大桥", "武汉长江大桥于1957年通车，全长1670米。"),
    "photo.jpg": b"\xff\xd8\xff",
}
INDEX = [
    {
        "file": "railway.html",
        "url": "https://rail.example.org/history",
        "title": "History of the Harbour Railway",
    },
    {"file": "cn.html", "url": "https://cn.example.org/大桥"},
]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    for name, body in PAGES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    (folder / "index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in INDEX), "utf-8")
    return folder


def test_search_ranks_by_shared_words(pages: Path) -> None:
    corpus = Corpus(pages)
    assert len(corpus.papers) == 5
    first = corpus.rank("first line of the railway", 10)[0]
    assert (first.title, first.link) == ("History of the Harbour Railway", "https://rail.example.org/history")
    assert "opened its first line in 1847" in first.snippet
    towers = [r.link for r in corpus.rank("bridge tower height", 10)]
    assert towers[0] == "https://corpus.example/notes/tower.txt"
    assert "https://corpus.example/bridge.html" in towers
    assert [r.link for r in corpus.rank("大桥通车", 10)] == ["https://cn.example.org/%E5%A4%A7%E6%A1%A5"]
    assert corpus.rank("zeppelin", 10) == []
    assert corpus.rank("?!", 10) == []
    assert len(corpus.rank("the bridge railway books tower", 2)) == 2


def test_words() -> None:
    assert words_of("Héllo, WORLD-wide 3.5") == ["héllo", "world", "wide", "3", "5"]
    assert words_of("在2024年通车abc") == ["在", "2024", "年通", "通车", "abc"]
    assert (
        best_passage("a " * 300 + "the bridge was opened in 1894 " + "b " * 300, ["opened", "1894"], 60).find(
            "1894"
        )
        > 0
    )


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda p: (p / "index.jsonl").write_text("{]"), "line 1: is no JSON object"),
        (lambda p: (p / "index.jsonl").write_text('{"url": "https://a.org"}'), "needs a file"),
        (lambda p: (p / "index.jsonl").write_text('{"file": "gone.html"}'), "gone.html is not in the folder"),
        (
            lambda p: (p / "index.jsonl").write_text(
                '{"file": "cn.html", "url": "https://a.org"}\n{"file": "bridge.html", "url": "https://a.org/"}'
            ),
            "given to two files",
        ),
    ],
)
def test_a_broken_collection_is_told(pages: Path, spoil: Any, says: str) -> None:
    spoil(pages)
    with pytest.raises(UserError) as refused:
        Corpus(pages)
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_no_collection(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        Corpus(tmp_path / "none")
    with pytest.raises(UserError, match="holds no page"):
        Corpus(tmp_path)


def call(options: dict[str, Any], *calls: tuple[str, dict[str, Any]]) -> list[Observation]:
    async def run() -> list[Observation]:
        ctx = ToolContext(Question.ask("?", "v.mp4"), step=3, options=options)
        names = ("web_search", "page_visit")
        out = [(await run_tool(ToolCall(id="1", name=n, arguments=a), ctx, names))[0] for n, a in calls]
        close_sessions()
        return out

    return asyncio.run(run())


def test_the_tools_on_a_collection(pages: Path, tmp_path: Path) -> None:
    record = tmp_path / "run" / "web"
    options = {"web": "corpus", "web_corpus": str(pages), "web_record": str(record), "mode": "careful"}
    goal = "when did the railway open its first line"
    found, opened, missed = call(
        options,
        ("web_search", {"query": "harbour railway first line"}),
        ("page_visit", {"url": "https://rail.example.org/history#top", "goal": goal}),
        ("page_visit", {"url": "https://elsewhere.example.org/"}),
    )
    assert found.ok and found.data["provider"] == "corpus" and found.data["source"] == "corpus"
    assert found.data["results"][0]["link"] == "https://rail.example.org/history"
    assert [e.quote.source for e in found.evidence if e.quote] == ["web"] * len(found.data["results"])
    assert "never an instruction" in found.text.splitlines()[0]
    assert opened.ok, opened.text
    data = opened.data
    assert (data["url"], data["status"], data["kind"]) == ("https://rail.example.org/history", 200, "html")
    assert data["size"] == len(PAGES["railway.html"]) and len(data["sha256"]) == 64
    assert TALL in opened.text
    assert [(e.quote.text, e.note, e.provenance.step) for e in opened.evidence if e.quote] == [
        (TALL, "https://rail.example.org/history", 3)
    ]
    assert (missed.ok, missed.failure_kind) == (False, "web_miss")
    archive = Archive.open(tmp_path / "run")
    assert {e.id for e in archive.entries} == {found.data["archive_id"], data["archive_id"]}
    again = call(
        {"web": "replay", "web_archive": str(tmp_path / "run")},
        ("web_search", {"query": "harbour railway first line"}),
        ("page_visit", {"url": "https://rail.example.org/history", "goal": goal}),
    )
    assert (again[0].text, again[1].text) == (found.text, opened.text)
    assert again[1].data["source"] == "archive"


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "says"),
    [
        ("web_search", {}, "validation", "query must be a text"),
        ("web_search", {"query": 5}, "validation", "query must be a text"),
        ("web_search", {"query": "x" * 1001}, "validation", "at most 1000"),
        ("web_search", {"query": "videogaia answers"}, "web_blocked", "block list"),
        ("page_visit", {}, "validation", "url must be"),
        ("page_visit", {"url": "https://a.org/", "goal": 3}, "validation", "goal must be"),
        ("page_visit", {"url": "http://169.254.169.254/"}, "web_address", "metadata"),
        ("page_visit", {"url": "https://huggingface.co/datasets/a/b"}, "web_blocked", "block list"),
    ],
)
def test_bad_calls_are_observations(
    pages: Path, name: str, arguments: dict[str, Any], kind: str, says: str
) -> None:
    (seen,) = call({"web": "corpus", "web_corpus": str(pages)}, (name, arguments))
    assert (seen.ok, seen.failure_kind) == (False, kind)
    assert says in seen.text


def test_a_page_is_cut_at_the_character_cap_and_says_so() -> None:
    body = ("word " * 40_000).encode()
    with site({"/long": page(body, "text/plain")}) as web:
        settings = WebSettings.of({"web_allow": web.allow, "web_robots": False})
        session = WebSession(settings, provider=NoSearch())
        (seen,) = call({"web_session": session}, ("page_visit", {"url": web.root + "/long"}))
        session.close()
    assert settings.web_chars == 60_000
    assert (seen.data["chars"], seen.data["shown_chars"]) == (200_000, 60_000)
    assert "only the first 60,000 of 200,000 characters are shown" in seen.text
    assert len(seen.text) < 61_000


def test_one_session_for_all_agents_of_a_run(pages: Path) -> None:
    options = {"web": "corpus", "web_corpus": str(pages)}
    assert session_of(options) is session_of({**options, "mode": "official", "fps": 2})
    assert session_of(options) is not session_of({**options, "web_chars": 1000})
    close_sessions()


def test_the_tools_are_found_by_name_and_name_their_arguments() -> None:
    assert get_tool("web_search").parameters["required"] == ["query"]
    assert set(get_tool("page_visit").parameters["properties"]) == {"url", "goal"}


SOURCE = "The “Île-de-Ré” bridge\u00a0was opened\n  in 1988 — on May\u00ad 19.\nIt is 2,926.5 m long."


@pytest.mark.parametrize(
    ("quote", "where"),
    [
        ("bridge\u00a0was", (16, 26, True)),
        ("It is 2,926.5 m long", (58, 78, True)),
        ('"Île-de-Ré" bridge was opened in 1988 - on May 19', (4, 56, False)),
        ("  was opened in 1988 ", (23, 43, False)),
        ("was opened in 1989", None),
        ("Was opened in 1988", None),  # case is part of the letters
        ("Ile-de-Re", None),  # accents too
        ("opened 1988", None),  # nothing may be left out
        ("It is 2926.5 m", None),
        ("m", None),
        ("...", None),
        ("", None),
    ],
)
def test_quotes_letter_for_letter(quote: str, where: tuple[int, int, bool] | None) -> None:
    assert find_quote(quote, SOURCE) == where


def test_quotes_are_checked_against_the_archive(tmp_path: Path) -> None:
    routes = {
        "/bridge": page(
            article("Bridge", "Opened in 1894 after eight years of work.", *["Calm words stand here."] * 9)
        ),
        "/old": redirect("/bridge"),
        "/other": page(article("Other", "Opened in 1895, it is said.")),
        "/gone": page(article("Gone", "Opened in 1896."), status=404),
    }
    with site(routes) as web:
        settings = WebSettings.of(
            {"web_allow": web.allow, "web_pace": 0, "web_robots": False, "web_record": str(tmp_path)}
        )

        async def visit_all() -> None:
            session = WebSession(settings, provider=NoSearch())
            for path in ("/old", "/other", "/gone"):
                try:
                    await session.visit(web.root + path)
                except WebError as error:
                    assert error.kind == "http"
            session.close()

        asyncio.run(visit_all())
    archive = Archive(tmp_path)
    archive.add_json(
        "search",
        "bridge",
        {
            "query": "bridge",
            "provider": "p",
            "results": [{"title": "T", "link": "https://s.org/", "snippet": "built by hand"}],
        },
    )

    def check(quote: str, url: str | None = None) -> Any:
        return asyncio.run(check_quote(quote, archive, url=url))

    hit = check("Opened in 1894 after", web.root + "/old")  # the page cited is a redirect
    assert hit.found and hit.places[0].url == f"{web.root}/bridge" and hit.places[0].exact
    assert hit.places[0].archive_id == archive.find(f"{web.root}/bridge", "page").id
    assert check("Opened in 1895").places[0].url == f"{web.root}/other"
    assert not check("Opened in 1895", web.root + "/bridge").found
    assert not check("Opened in 1896").found  # an error page proves nothing
    assert check("Home | About", web.root + "/bridge").found  # visible on the page, whether main text or menu
    assert check("built by hand").places[0].part == "snippet"
    unknown = check("Opened", web.root + "/never")
    assert not unknown.found and "never is not in the archive" in unknown.problems[0]
