"""A small VideoGAIA world: questions, generated clips, a folder of pages, and a model that solves them step by step.

What the model does depends on the request alone, so that runs can be compared word by word.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agents.wire import Ran, run, write_clip
from proofreel.core import Question
from proofreel.testing import Reply, Request, Text, Usage
from proofreel.tools.web import close_sessions

CATEGORIES = ("Culture", "Geography", "Daily Life", "History", "Technology", "Economics")
NAMES = [
    a + b
    for a in ("Alder", "Birch", "Cedar", "Hazel", "Maple", "Rowan")
    for b in ("by", "dale", "ford", "ham", "ton")
]


def year(n: int) -> int:
    return 1801 + 3 * n


def page(n: int) -> str:
    fact = f"The {NAMES[n]} railway opened its first line in {year(n)}, between the harbour and the mills."
    other = f"Green locomotives of the {NAMES[n]} works pulled its trains until the war."
    return (
        f"<html><head><title>{NAMES[n]} railway</title></head><body><article><h1>{NAMES[n]} railway</h1>"
        f"<p>{fact}</p><p>{other}</p></article></body></html>"
    )


def write_pages(folder: Path, count: int = 30) -> Path:
    folder.mkdir(parents=True)
    rows = []
    for n in range(count):
        (folder / f"p{n}.html").write_text(page(n), "utf-8")
        rows.append({"file": f"p{n}.html", "url": f"https://rail.example.org/{NAMES[n].lower()}"})
    (folder / "index.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return folder


def write_data(root: Path, count: int = 30, clips: int = 5) -> Path:
    (root / "videos").mkdir(parents=True)
    for v in range(clips):
        write_clip(root / "videos" / f"v{v}.mp4", seconds=2 + v % 2, fps=12)
    rows = [
        {
            "sample_id": f"vdr_{n:06d}",
            "video": {"local_path": f"videos/v{n % clips}.mp4", "duration_sec": 2.0 + (n % clips) % 2},
            "question_en": f"The clip shows a nameplate of the {NAMES[n]} railway. In which year did it open its first "
            "line?",
            "answer": str(year(n)),
            "category": CATEGORIES[n % 6],
            "difficulty": "L1" if n % 4 == 0 else "L2",
        }
        for n in range(count)
    ]
    (root / "videogaia_synthetic.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return root


def tool(name: str, think: str = "one step on", **arguments: Any) -> str:
    call = json.dumps({"name": name, "arguments": arguments})
    return f"<think>{think}</think>\n<tool_call>{call}</tool_call>"


def answer(text: str, think: str = "the page says so") -> str:
    return f"<think>{think}</think>\n<answer>{text}</answer>"


def system_of(request: Request) -> str:
    return str(request.json["messages"][0]["content"])


def is_summary(request: Request) -> bool:
    return system_of(request).startswith("You condense")


def words_of(request: Request) -> str:
    """All text of a request behind its system prompt."""
    parts = []
    for message in request.json["messages"][1:]:
        content = message["content"] or ""
        parts += [content] if isinstance(content, str) else [c.get("text", "") for c in content]
    return "\n".join(parts)


def pictures(request: Request) -> int:
    return request.raw.count(b"data:image/jpeg;base64")


def summary(request: Request) -> str:
    """What a careful reader would say of the material in the request."""
    said = words_of(request)
    if pictures(request):
        return 'At 0.50 s a green plate reads "FIRST LINE". Nothing else can be made out.'
    name = re.search(r"of the (\w+) railway", said)[1]  # type: ignore[index]
    fact = re.search(rf"The {name} railway opened its first line in \d+", said)
    url = f"https://rail.example.org/{name.lower()}"
    if url not in said:
        return "Nothing relevant was found."
    return f'The page is {url}. "{fact[0]}" ({url})' if fact else f"A result is {url}."


def solver(*, wrong: int = 10**9, usage: Usage = Usage(prompt=100, completion=20)) -> Any:
    """Looks, searches, opens the page, answers with the year; every ``wrong``-th name gets a wrong year."""

    def reply(request: Request) -> Reply:
        if is_summary(request):
            return Text(summary(request), usage)
        said = words_of(request)
        name = re.search(r"of the (\w+) railway", said)[1]  # type: ignore[index]
        done = said.count("<tool_response>")
        if done == 0:
            return Text(tool("think_with_video", start=0.2, end=1.4, goal="the plate"), usage)
        if done == 1:
            return Text(tool("web_search", query=f"{name} railway first line opened"), usage)
        if done == 2:
            return Text(
                tool("page_visit", url=f"https://rail.example.org/{name.lower()}", goal="first line"), usage
            )
        found = re.search(rf"{name} railway opened its first line in (\d+)", said)
        told = found[1] if found else "unknown"
        return Text(answer("1700" if NAMES.index(name) % wrong == wrong - 1 else told), usage)

    return reply


NAME = NAMES[3]
URL = f"https://rail.example.org/{NAME.lower()}"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Any:
    yield write_pages(tmp_path_factory.mktemp("gaia") / "pages", 6)
    close_sessions()


@pytest.fixture
def asked(clip: Path) -> Question:
    text = f"The clip shows a nameplate of the {NAME} railway. In which year did it open its first line?"
    return Question.ask(text, str(clip), (), id="vdr_000003", duration=8.0)


def go(asked: Question, script: Any, pages: Path, **more: Any) -> Ran:
    return run("videogaia", asked, script, **{"web": "corpus", "web_corpus": str(pages)} | more)


def said(*turns: str, summary: str = "Nothing relevant was found.") -> Any:
    """A model that says these turns in order, and one thing about everything a tool returns."""
    left = list(turns)

    def reply(request: Request) -> Reply:
        return Text(summary) if is_summary(request) else Text(left.pop(0))

    return reply


def kinds(ran: Ran) -> list[str]:
    return [s.data["kind"] for s in ran.trajectory.steps[:-1]]
