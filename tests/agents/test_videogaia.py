"""The VideoGAIA loop over loopback HTTP: from the plate to the page, evidence, adapters, options, replay."""

import asyncio
import hashlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from tests.tools.web.web_server import article, page, redirect, site

from agents.gaia_world import (
    NAME,
    URL,
    answer,
    asked,
    go,
    is_summary,
    kinds,
    pages,
    pictures,
    said,
    solver,
    system_of,
    tool,
    words_of,
    year,
)
from agents.wire import run, write_clip
from proofreel.agents import AgentContext, run_agent
from proofreel.agents._videogaia.looks import canonical
from proofreel.core import Question, StopReason
from proofreel.core.errors import UserError
from proofreel.models import resolve_model
from proofreel.testing import (
    Call,
    Reply,
    Request,
    Text,
    ToolCalls,
)
from proofreel.tools.web import WebSession, WebSettings, close_sessions
from proofreel.tools.web.search import SearchResult

__all__ = ["asked", "pages"]


def test_a_question_from_the_plate_to_the_page(asked: Question, pages: Path, tmp_path: Path) -> None:
    ran = go(asked, solver(), pages, web_record=str(tmp_path / "web"))
    close_sessions()
    told = ran.trajectory.answer
    assert (told.value, told.stop, told.reason) == (str(year(3)), StopReason.ANSWERED, "the page says so")
    assert kinds(ran) == ["tool", "summary"] * 3 + ["answer"]
    assert [c.name for s in ran.trajectory.steps for c in s.calls] == [
        "think_with_video",
        "web_search",
        "page_visit",
    ]
    # four turns and three summaries; only turns are steps, all tokens count
    assert (ran.server.count, ran.budget.turns, ran.budget.tool_calls) == (7, 4, 3)
    assert (ran.trajectory.tokens.prompt, ran.trajectory.tokens.completion) == (700, 140)
    assert ran.trajectory.frames_seen == 20 + 13
    coarse, look, *web = told.evidence
    # centres of 20 bins of 8 s at 10 fps: 0.2, 0.6, ...
    assert coarse.provenance.frames == pytest.approx([0.2 + 0.4 * i for i in range(20)])
    assert (look.window.start, look.window.end, look.note) == (0.2, 1.4, "the plate")
    assert look.provenance.frames == pytest.approx([0.2 + 0.1 * i for i in range(13)])
    (quote,) = web
    assert (quote.quote.source, quote.quote.text) == (
        "web",
        f"The {NAME} railway opened its first line in {year(3)}",
    )
    assert quote.note == f"{URL}: stands there letter for letter in the archived page"


def test_raw_output_is_never_in_a_turn_and_coarse_frames_always(asked: Question, pages: Path) -> None:
    ran = go(asked, solver(), pages)
    for request in ran.server.requests:
        if is_summary(request):
            assert pictures(request) in (0, 13)
        else:
            assert pictures(request) == 20
            assert "Green locomotives" not in words_of(request)  # stands on the page, not in the summary
    looked, searched, visited = [s.observations[0] for s in ran.trajectory.steps if s.observations]
    requests = [words_of(r) for r in ran.server.requests if is_summary(r)]
    for seen, sent in ((searched, requests[1]), (visited, requests[2])):
        raw = sent.split("WHAT THE TOOL RETURNED\n")[1]
        assert seen.data["raw_chars"] == len(raw)
        assert seen.data["raw_sha256"] == hashlib.sha256(raw.encode()).hexdigest()
        assert seen.text != raw and "material from the web" in raw
    assert looked.media and looked.data["frames"] == 13
    assert ran.trajectory.steps[0].data["visible_tokens"] == 20
    assert ran.trajectory.steps[0].data["prompt_tokens"] == 100
    assert all(s.seconds is not None for s in ran.trajectory.steps)


def test_the_prompt_names_tools_limits_and_form_and_no_label(asked: Question, pages: Path) -> None:
    ran = go(asked, said(answer("1810")), pages)
    system, first = system_of(ran.server.requests[0]), words_of(ran.server.requests[0])
    for words in (
        "web_search(query: string)",
        "page_visit(url: string, goal (optional): string)",
        "40 steps",
    ):
        assert words in system
    assert "think_with_video(start: number, end: number, goal (optional): string)" in system
    assert "20 frames of it" in first and asked.text in first and "8.00 s long" in first
    assert "vdr_" not in ran.bodies() and str(asked.video) not in ran.bodies()


def test_looks_are_clamped_and_aliases_are_known(asked: Question, pages: Path) -> None:
    turn = tool("watch_segment", start_time=-2, end_time="7.5s")
    ran = go(asked, said(turn, tool("think_with_video", start=7, end=99), answer("x")), pages)
    first, second = [o.data for o in ran.results]
    assert (first["start"], first["end"], first["frames"], first["clamped"]) == (0.0, 7.5, 20, True)
    assert (second["start"], second["end"], second["frames"]) == (7.0, 8.0, 10)  # 10 fps: every frame once
    call = ran.trajectory.steps[0]
    assert (call.calls[0].name, call.data["alias"]) == ("think_with_video", "watch_segment")
    assert (canonical("visit"), canonical("Google_Search"), canonical("dig")) == (
        "page_visit",
        "web_search",
        "dig",
    )


def test_native_calls_mean_the_same(asked: Question, pages: Path) -> None:
    left: list[Reply] = [
        ToolCalls((Call("think_with_video", {"start": 0, "end": 1}),), text="look at the plate"),
        ToolCalls((Call("web_search", {"query": NAME}), Call("web_search", {"query": "b"}))),
        ToolCalls((Call("page_visit", '{"url": '),)),
        ToolCalls((Call("page_visit", {"url": URL}),)),
        Text(tool("web_search", query="in text")),
        Text("<answer>1810</answer>"),
    ]

    def reply(request: Request) -> Reply:
        return Text("Nothing.") if is_summary(request) else left.pop(0)

    ran = go(asked, reply, pages, actions="native")
    assert ran.trajectory.answer.value == "1810"
    assert kinds(ran) == [
        "tool",
        "summary",
        "parse_failure",
        "tool",
        "error",
        "tool",
        "summary",
        "parse_failure",
        "answer",
    ]
    assert ran.results[1].failure_kind == "validation"
    asking = [r for r in ran.server.requests if not is_summary(r)]
    assert [t["function"]["name"] for t in asking[0].json["tools"]] == [
        "web_search",
        "page_visit",
        "think_with_video",
    ]
    assert "tools" not in ran.server.requests[1].json  # a summary has none
    for message in asking[-1].json["messages"]:
        if message["role"] == "assistant" and message.get("tool_calls"):
            ids = [c["id"] for c in message["tool_calls"]]
            assert all(any(m.get("tool_call_id") == i for m in asking[-1].json["messages"]) for i in ids)
    ran = go(asked, lambda r: Text("<answer>7</answer>"), pages, actions="native", steps=1)
    assert ran.trajectory.answer.value == "7"
    assert "tools" not in ran.server.requests[0].json  # the only step is the last one


def test_a_server_that_turns_tags_into_calls_is_read_as_text(asked: Question, pages: Path) -> None:
    left: list[Reply] = [
        ToolCalls((Call("page_visit", {"url": URL}),), text="<think>open it</think>"),
        Text("Nothing."),
        Text(answer("1810")),
    ]
    ran = go(asked, left, pages)
    assert (ran.trajectory.answer.value, kinds(ran)) == ("1810", ["tool", "summary", "answer"])
    before = ran.server.requests[2].json["messages"][-2]
    assert before["role"] == "assistant" and "<tool_call>{" in str(before["content"])
    assert "tool_calls" not in before


class Fixed:
    """A search service with one result."""

    name = "fixed"

    def __init__(self, link: str) -> None:
        self.link = link

    async def search(self, query: str, count: int, on_wait: Any = None) -> list[SearchResult]:
        return [SearchResult(title="Bridge", link=self.link, snippet="opened in 1894")]


def test_a_live_run_is_recorded_and_replayed_word_for_word(asked: Question, tmp_path: Path) -> None:
    routes = {
        "/bridge": page(article("The bridge", "It was opened in 1894.")),
        "/old": redirect("/bridge", 301),
        "/gone": page(b"gone", "text/plain", 404),
    }
    with site(routes) as web:
        turns = [tool("web_search", query="which bridge")]
        turns += [tool("page_visit", url=f"{web.root}/{name}") for name in ("old", "gone")] + [answer("1894")]
        allowed = {"web_allow": web.allow, "web_robots": False, "web_pace": 0}
        live = WebSettings.of({**allowed, "web_record": str(tmp_path / "run/web")})
        session = WebSession(live, provider=Fixed(f"{web.root}/bridge"))
        told = f'"opened in 1894" ({web.root}/bridge)'
        first = run("videogaia", asked, said(*turns, summary=told), web_session=session)
        session.close()
        seen = len(web.seen)
    again = {"web": "replay", "web_archive": str(tmp_path / "run"), **allowed}
    second = run("videogaia", asked, said(*turns, summary=told), **again)
    close_sessions()
    assert len(web.seen) == seen == 3  # old, bridge, gone
    assert [o.failure_kind for o in first.results] == [None, None, "web_http"]
    assert [r.raw for r in second.server.requests] == [r.raw for r in first.server.requests]
    assert [o.text for o in second.results] == [o.text for o in first.results]
    assert second.trajectory.answer == first.trajectory.answer
    assert first.trajectory.answer.evidence[-1].quote.source == "web"


@pytest.mark.parametrize("provider", ["anthropic", "gemini"])
def test_other_wire_forms(asked: Question, pages: Path, provider: str) -> None:
    script = [
        Text(tool("page_visit", url=URL)),
        Text(f'"opened its first line in 1810" ({URL})'),
        Text(answer("1810")),
    ]
    ran = go(asked, script, pages, provider=provider)
    assert (ran.trajectory.answer.value, ran.server.overrun) == ("1810", 0)
    assert ran.trajectory.answer.evidence[-1].quote.source == "web"


def test_settings_are_checked_before_the_first_call(asked: Question, pages: Path) -> None:
    for wrong in (
        {"steps": 0},
        {"actions": "json"},
        {"frames": -1},
        {"tools": "web_search,telephone"},
        {"web": "replay"},
        {"web_corpus": "/nowhere"},
        {"summary_tokens": 3},
    ):
        with pytest.raises(UserError):
            go(asked, [], pages, **wrong)
    ran = go(
        asked, said(tool("web_search", query="x"), answer("1")), pages, tools="think_with_video", frames=0
    )
    assert ran.results[0].failure_kind == "unknown_tool"
    assert pictures(ran.server.requests[0]) == 0 and "web_search" not in system_of(ran.server.requests[0])


def talking_clip(path: Path) -> Path:
    with av.open(str(path), "w") as out:
        picture, sound = out.add_stream("libx264", rate=5), out.add_stream("aac", rate=16000, layout="mono")
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        for _ in range(10):
            out.mux(
                picture.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24"))
            )
        tone = np.sin(np.arange(32000) / 9).astype(np.float32)
        for n in range(0, 32000, 1000):
            frame = av.AudioFrame.from_ndarray(tone[None, n : n + 1000], format="fltp", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = 16000, n, Fraction(1, 16000)
            out.mux(sound.encode(frame))
        out.mux(picture.encode(None))
        out.mux(sound.encode(None))
    return path


def test_sound_goes_along_only_when_asked(asked: Question, pages: Path, tmp_path: Path) -> None:
    silent = go(asked, said(answer("1")), pages, audio=True)
    assert "input_audio" not in silent.bodies() and "audio" not in silent.trajectory.settings
    loud = asked.model_copy(update={"video": str(talking_clip(tmp_path / "loud.mp4")), "duration": 2.0})
    turns = (tool("think_with_video", start=0, end=1), answer("1"))
    assert "input_audio" not in go(loud, said(*turns), pages).bodies()
    ran = go(loud, said(*turns), pages, audio=True)
    assert [r.raw.count(b'"input_audio"') > 0 for r in ran.server.requests] == [True, True, True]
    assert ran.trajectory.settings["audio"] is True
    deaf = resolve_model("openai/gpt-5")
    ctx = AgentContext(model=deaf, options={"audio": True, "web": "corpus", "web_corpus": str(pages)})
    with pytest.raises(UserError, match="takes no sound"):
        asyncio.run(run_agent("videogaia", loud, ctx))


def test_frames_are_few_where_the_video_has_few_and_never_wider_than_768(
    asked: Question, pages: Path, tmp_path: Path
) -> None:
    wide = write_clip(tmp_path / "wide.mp4", seconds=1, fps=6, size=(1600, 900))
    ran = go(asked.model_copy(update={"video": str(wide), "duration": 1.0}), said(answer("1")), pages)
    (entry,) = ran.ledger.entries
    assert (entry.width, entry.height, [f.index for f in entry.frames]) == (768, 432, [0, 1, 2, 3, 4, 5])
    tall = write_clip(tmp_path / "tall.mp4", seconds=1, fps=2, size=(540, 960))
    ran = go(asked.model_copy(update={"video": str(tall), "duration": 1.0}), said(answer("1")), pages)
    assert (ran.ledger.entries[0].width, ran.ledger.entries[0].height) == (432, 768)
