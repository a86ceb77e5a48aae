"""Every search and page is kept; a replay needs no network and says what it lacks; nothing is lost by a kill."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.tools.web.web_server import Site, article, page, redirect, site
from warcio.archiveiterator import ArchiveIterator

from proofreel.core import Question, ToolCall
from proofreel.core.errors import UserError
from proofreel.tools import ToolContext, run_tool
from proofreel.tools.web import Archive, WebError, WebSession, WebSettings, web_counts
from proofreel.tools.web.archive import INDEX
from proofreel.tools.web.errors import WebError as Error
from proofreel.tools.web.hop import Hop
from proofreel.tools.web.search import SearchResult

ROUTES = {
    "/bridge": page(article("The bridge", "It was opened in 1894.", "Four towers carry it.")),
    "/old": redirect("/bridge", 301),
    "/gone": page(b"gone", "text/plain", 404),
    "/hang": lambda visit: visit.wait(30),
    "/slow-end": redirect("/hang"),
}
PATHS = ["/bridge", "/old", "/gone", "/hang", "/slow-end"]


class Scripted:
    name = "scripted"

    def __init__(self, root: str) -> None:
        self.root, self.asked = root, []

    async def search(self, query: str, count: int, on_wait: Any = None) -> list[SearchResult]:
        self.asked.append(query)
        if query == "broken":
            raise Error("search", "search by scripted failed: status 500")
        return [
            SearchResult(title="Bridge", link=f"{self.root}/bridge", snippet="opened in 1894"),
            SearchResult(
                title="Rows", link="https://huggingface.co/datasets/a/b", snippet="question and answer"
            ),
        ]


async def said(session: WebSession, url: str) -> Any:
    try:
        got = await session.visit(url)
    except WebError as error:
        return error.kind, str(error)
    return got.title, got.text, got.final_url, got.redirects, got.sha256, got.charset


async def everything(session: WebSession, root: str) -> list[Any]:
    out: list[Any] = [await said(session, root + path) for path in PATHS]
    found = await session.search("which  bridge")
    out.append((found.results, found.blocked))
    try:
        await session.search("broken")
    except WebError as error:
        out.append((error.kind, str(error)))
    session.close()
    return out


def live(web: Site, folder: Path, **more: Any) -> WebSession:
    options = {"web_allow": web.allow, "web_pace": 0, "web_seconds": 0.7, "web_record": str(folder)}
    return WebSession(WebSettings.of(options | more), provider=Scripted(web.root))


def replay(folder: Path, **more: Any) -> WebSession:
    return WebSession(WebSettings.of({"web": "replay", "web_archive": str(folder), **more}))


def test_a_replay_gives_the_same_without_network(tmp_path: Path) -> None:
    with site(ROUTES) as web:
        first = asyncio.run(everything(live(web, tmp_path / "run" / "web"), web.root))
        allow = web.allow
    assert [row[0] for row in first[:5]] == ["The bridge", "The bridge", "http", "timeout", "timeout"]
    assert first[1][3] == (f"{web.root}/old",)
    assert first[5][1] == 1  # the data set's own page is left out
    assert first[6] == ("search", "search by scripted failed: status 500")
    again = asyncio.run(everything(replay(tmp_path / "run", web_allow=allow), web.root))  # the server is gone
    assert again == first


def test_a_miss_is_told_counted_and_never_made_good(tmp_path: Path) -> None:
    with site({**ROUTES, "/new": page(article("New", "Fresh words."))}) as web:
        asyncio.run(everything(live(web, tmp_path / "a" / "web"), web.root))
        web.seen.clear()
        again = tmp_path / "b" / "web"
        session = replay(tmp_path / "a", web_allow=web.allow, web_record=str(again))

        async def ask() -> list[Any]:
            ctx = ToolContext(Question.ask("?", "v.mp4"), options={"web_session": session})
            calls = [
                ("page_visit", {"url": web.root + "/new"}),
                ("web_search", {"query": "never asked"}),
                ("page_visit", {"url": web.root + "/bridge"}),
            ]
            out = []
            for name, arguments in calls:
                call = ToolCall(id="1", name=name, arguments=arguments)
                out.append((await run_tool(call, ctx, (name,)))[0])
            session.close()
            return out

        missed, unasked, known = asyncio.run(ask())
        assert web.seen == []
    assert (missed.ok, missed.failure_kind) == (False, "web_miss")
    assert (
        f"the page {web.root}/new is not in the archive" in missed.text
        and "nothing was fetched" in missed.text
    )
    assert (unasked.ok, unasked.failure_kind) == (False, "web_miss")
    assert "'never asked'" in unasked.text
    assert known.ok
    assert session.counts["misses"] == 2
    assert web_counts(again) == {"misses": 2}


def test_what_a_run_has_is_not_fetched_twice_and_failures_are(tmp_path: Path) -> None:
    answers = iter([503, 200])

    def moody(visit: Any) -> None:
        visit.send(article("Moody", "Words."), status=next(answers))

    with site({**ROUTES, "/moody": moody}) as web:

        async def twice() -> list[str]:
            out = []
            for _ in range(2):  # the second session is the same run, resumed
                session = live(web, tmp_path / "web", web_robots=False)
                async with anyio.create_task_group() as group:
                    for _ in range(5):
                        group.start_soon(session.visit, web.root + "/bridge")
                out.append(str((await said(session, web.root + "/moody"))[0]))
                await session.search("which bridge")
                session.close()
            return out

        assert asyncio.run(twice()) == ["http", "Moody"]
        assert web.paths() == ["/bridge", "/moody", "/moody"]
    assert len([e for e in Archive(tmp_path / "web").entries if e.kind == "search"]) == 1


def test_records_are_whole_gzip_members_that_any_warc_tool_reads(tmp_path: Path) -> None:
    with site(ROUTES) as web:
        asyncio.run(everything(live(web, tmp_path, web_robots=False), web.root))
    (file,) = tmp_path.glob("*.warc.gz")
    with file.open("rb") as stream:
        records = [
            (r.rec_type, r.rec_headers.get_header("WARC-Target-URI"), r.content_stream().read())
            for r in ArchiveIterator(stream, check_digests="raise")
        ]
    kinds = [kind for kind, _, _ in records]
    assert kinds.count("response") == 4  # /bridge, /old, /gone, /slow-end
    assert kinds.count("metadata") == 3  # /hang, by itself and behind /slow-end, and the failed search
    assert kinds.count("resource") == 1
    body = next(body for kind, uri, body in records if uri == f"{web.root}/bridge")
    assert body == article("The bridge", "It was opened in 1894.", "Four towers carry it.")
    data = file.read_bytes()
    for line in (tmp_path / INDEX).read_text().splitlines():
        entry = json.loads(line)
        assert data[entry["offset"] : entry["offset"] + 2] == b"\x1f\x8b"


def test_the_index_can_be_lost_and_a_torn_tail_is_left_out(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    for n in range(3):
        archive.add_page(
            Hop(f"http://a.org/{n}", 200, "OK", (("content-type", "text/html"),), b"body %d" % n * 99)
        )
    archive.add_json("search", 'wer? "木曽" 50%', {"query": "q", "provider": "p", "results": []})
    before = archive.entries
    with (tmp_path / INDEX).open("ab") as index:
        index.write(b'{"id": "half a li')
    assert Archive(tmp_path).entries == before
    (tmp_path / INDEX).unlink()
    assert Archive(tmp_path).entries == before
    (file,) = tmp_path.glob("*.warc.gz")
    os.truncate(file, before[-1].offset + before[-1].length // 2)
    again = Archive.open(tmp_path)
    assert again.entries == before[:-1]
    entry = again.find("http://a.org/1", "page")
    assert entry is not None and again.page(entry).body == b"body 1" * 99
    os.truncate(file, before[0].offset + 40)
    with pytest.raises(UserError, match="record at 0"):
        again.page(before[0])


KILLED = """
import sys, threading
from proofreel.tools.web.archive import Archive
from proofreel.tools.web.hop import Hop
archive = Archive(sys.argv[1])
def write(name):
    for n in range(100_000):
        archive.add_page(Hop(f"http://a.org/{name}/{n}", 200, "OK", (), f"{name} {n} ".encode() * 400))
threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_a_kill_while_four_threads_write_loses_nothing_that_is_indexed(tmp_path: Path) -> None:
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)])
        index, before = tmp_path / INDEX, len(list(_lines(tmp_path / INDEX)))
        end = time.monotonic() + 30
        while time.monotonic() < end and len(list(_lines(index))) < before + 40:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    archive = Archive(tmp_path)
    assert len({e.file for e in archive.entries}) == 2
    assert len(archive.entries) >= 80
    for entry in archive.entries[::7]:
        name, number = entry.key.split("/")[-2:]
        assert archive.page(entry).body == f"{name} {number} ".encode() * 400
    known = {e.id for e in archive.entries}
    (tmp_path / INDEX).unlink()
    assert known <= {e.id for e in Archive(tmp_path).entries}


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1] if path.is_file() else []


def test_an_archive_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no web archive here"):
        replay(tmp_path)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"web": "replay"}, "web_archive=RUN"),
        ({"web": "corpus"}, "web_corpus=DIR"),
        ({"web": "offline"}, "--set web: Input should be 'live', 'replay' or 'corpus'"),
        ({"web_chairs": 5}, "did you mean web_chars"),
        ({"web_ports": "80,https"}, "web_ports=80,https"),
        ({"web_allow": "localhost"}, "address:port"),
        ({"web_bytes": 1}, "--set web_bytes"),
        ({"web_provider": "altavista"}, "--set web_provider"),
    ],
)
def test_settings_that_cannot_be_are_one_line(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError) as refused:
        WebSettings.of(options)
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_numbers_on_the_command_line_are_fine() -> None:
    assert WebSettings.of({"web_ports": 8080, "fps": 2}).policy().ports == {8080}
