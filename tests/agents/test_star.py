"""STAR over loopback HTTP: tools by turns, what they make visible, budgets, backends, and hostile replies."""

import asyncio
import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agents.wire import Ran, run, texts_sent, write_clip
from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.core import Question, StopReason
from proofreel.core.errors import UserError
from proofreel.models import resolve_model
from proofreel.testing import (
    Call,
    Empty,
    Filtered,
    Hang,
    MalformedJson,
    OpenAIServer,
    Refused,
    Reply,
    Request,
    ServerError,
    Text,
    ToolCalls,
)

KINDS = {
    "plan": "You plan how a question",
    "summary": "from what was asked of single frames",
    "direct": "Nothing could be found out",
    "watch": "Answer the question from them",
    "selector": "Choose which of the stretches",
    "qa": "Answer in a sentence or two",
    "caption": "Describe what it shows",
    "patch": "should be enlarged",
    "detector": "Find every",
    "grounder": "Find the stretch of the video",
    "grid_select": "Choose the stretch in which",
    "grid_qa": "naming the numbers of the frames",
    "temporal_qa": "Answer from them, with times",
    "referring": "You are shown the video from",
}


def kind_of(request: Request) -> str:
    text = json.dumps(request.json, ensure_ascii=False)
    return next(k for k, mark in KINDS.items() if mark in text)


def go(tool: str, given: str = "where is the dog", enough: bool = False) -> Text:
    return Text(
        json.dumps({"reasoning": "r", "tool_name": tool, "tool_input": given, "info_sufficient": enough})
    )


ENOUGH = go("", "", True)
QA, SELECT, GRID = "image-question-answering-tool", "frame-extraction-tool", "image-grid-select-tool"


@dataclass
class Brain:
    """Answers by what is asked: planner turns in order, the rest by kind; a list is used up in order."""

    plan: list[Reply]
    replies: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Reply:
        kind = kind_of(request)
        with self.lock:
            self.asked.append(kind)
            if kind == "plan":
                return self.plan.pop(0) if self.plan else Refused("no more plans")
            reply = self.replies.get(kind, DEFAULTS.get(kind, Text("a dog")))
            reply = reply.pop(0) if isinstance(reply, list) else reply
        return reply(request) if callable(reply) else reply

    def count(self, kind: str) -> int:
        return self.asked.count(kind)


DEFAULTS: dict[str, Reply] = {
    "summary": Text("The dog is there.\nEVIDENCE FRAMES: 13, 27, 80\nFINAL ANSWER: B"),
    "direct": Text("FINAL ANSWER: C"),
    "watch": Text("FINAL ANSWER: A"),
    "selector": Text('{"analysis": "the middle", "segments": [0, 3]}'),
    "patch": Text('{"patches": ["D", "A"]}'),
    "detector": Text('{"boxes": [[100, 200, 300, 400]]}'),
    "grounder": Text('{"start": 10, "end": 14.5}'),
    "grid_select": Text('{"start": 2, "end": 3}'),
}


@pytest.fixture(scope="module")
def long_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 s at 5 fps: 200 frames, of which 16 are visible at first: i * 199 / 15, rounded."""
    return write_clip(tmp_path_factory.mktemp("star") / "long.mp4", seconds=40, fps=5)


@pytest.fixture
def asked(long_clip: Path) -> Question:
    return Question.ask("Which animal enters?", str(long_clip), ("a cat", "a dog", "a cow"), id="s1")


FIRST = [0, 13, 27, 40, 53, 66, 80, 93, 106, 119, 133, 146, 159, 172, 186, 199]


def visible(ran: Ran, call: int = -1) -> list[int]:
    return list(ran.results[call].data["visible"])


def tools_offered(ran: Ran, plan: int) -> list[str]:
    requests = [r for r in ran.server.requests if kind_of(r) == "plan"]
    text = requests[plan].json["messages"][-1]["content"]
    listed = text.split("Tools you can choose from:")[1].split("Choose the one tool")[0]
    return [line[2:].split(" (")[0] for line in listed.splitlines() if line.startswith("- ") and "(" in line]


def test_kinds_take_turns_and_the_answer_rests_on_frames(asked: Question) -> None:
    brain = Brain([go(SELECT), go(QA), ENOUGH])
    ran = run("star", asked, brain)
    answer = ran.trajectory.answer
    assert (answer.letter, answer.value, answer.stop) == ("B", "a dog", StopReason.ANSWERED)
    # segments 0 and 3 are frames 1-12 and 41-52: every 5th frame (one a second) of each is added
    assert visible(ran) == sorted({*FIRST, 1, 6, 11, 41, 46, 51})
    assert (brain.count("plan"), brain.count("selector"), brain.count("qa"), brain.count("summary")) == (
        3,
        1,
        22,
        1,
    )
    assert ran.trajectory.frames_seen == ran.ledger.frames_total == 22
    assert ran.trajectory.tokens.calls == ran.server.count == 27
    assert ran.budget.turns == 4
    temporal, spatial = tools_offered(ran, 1), tools_offered(ran, 2)
    assert QA in temporal
    assert SELECT not in temporal  # after a temporal tool it is the turn of the spatial ones
    assert SELECT in spatial
    assert QA not in spatial
    windows = [(e.window.start, e.window.end) for e in answer.evidence]
    # frames 13 and 27 have no known frame between them, 80 stands alone; five frames a second
    assert windows == [(2.6, 5.4), (16.0, 16.0)]
    assert answer.evidence[0].provenance.frames == (2.6, 5.4)


def test_first_view_and_memory(asked: Question) -> None:
    ran = run("star", asked, Brain([go(QA, "what animal?"), ENOUGH]))
    first = ran.server.requests[0].json["messages"][-1]["content"]
    assert "16: 0, 13, 27" in first
    assert "200 frames, 40.0 s, 5.00 fps" in first
    assert "This is step 1 of 6" in first
    second = next(r for r in ran.server.requests[1:] if kind_of(r) == "plan").json["messages"][-1]["content"]
    assert "frame 13 (2.60 s): what animal? -> a dog" in second
    assert "1. image-question-answering-tool (spatial), input: 'what animal?'" in second
    assert "image_url" not in first


def test_sufficient_right_after_a_temporal_tool_does_not_count(asked: Question) -> None:
    plans = [go(SELECT), go(QA, enough=True), ENOUGH]
    ran = run("star", asked, Brain(plans))
    assert [o.tool for o in ran.results] == [SELECT, QA]
    # nor before anything was looked at; officially it does
    careful = run("star", asked, Brain([go(QA, enough=True), ENOUGH]))
    assert [o.tool for o in careful.results] == [QA]
    brain = Brain([go(QA, enough=True)])
    official = run("star", asked, brain, mode="official")
    assert (official.results, official.trajectory.answer.letter) == ([], "C")
    assert brain.asked == ["plan", "direct"]


def test_six_tools_then_a_forced_answer(asked: Question) -> None:
    few = {"frames_per_tool": 2}
    turns = [go(QA, f"q{i}") if i % 2 else go("temporal-qa-tool", f"q{i}") for i in range(9)]
    brain = Brain(list(turns))
    ran = run("star", asked, brain, **few)
    assert (len(ran.results), ran.trajectory.answer.stop, brain.count("plan")) == (6, StopReason.FORCED, 6)
    official = Brain(list(turns))
    ran = run("star", asked, official, mode="official", **few)
    assert (len(ran.results), official.count("plan")) == (6, 7)  # once more, its choice thrown away
    assert ran.trajectory.answer.letter == "B"
    assert ran.trajectory.answer.evidence == ()


def test_unknown_tools_become_the_first_one_on_turn(asked: Question) -> None:
    ran = run("star", asked, Brain([go("fly-a-drone"), go(SELECT, "again"), ENOUGH]))
    assert [o.tool for o in ran.results] == [SELECT, QA]  # the second choice was temporal after temporal
    assert [s.data.get("unknown_tool") for s in ran.trajectory.steps if s.calls] == ["fly-a-drone", SELECT]


def test_a_grid_picks_the_stretch_and_replaces_the_frames(asked: Question) -> None:
    ran = run("star", asked, Brain([go(GRID), go(QA), ENOUGH]))
    # cells 2 to 3 are frames 13 and 27: fifteen frames there, widened to sixteen (12 or 13 to 28)
    assert visible(ran, 0) == list(range(13, 29))
    (entry,) = [e for e in ran.ledger.entries if e.ref.kind == "grid"]
    assert [f.index for f in entry.frames] == FIRST
    assert (entry.width, entry.height) == (800, 600)  # 4 cells of 200 px, 64x48 gives 150 rows
    assert ran.results[0].evidence[0].window.start == pytest.approx(2.6)
    assert ran.trajectory.frames_seen == 16 + 16


def test_zoomed_frames_are_shown_enlarged(asked: Question) -> None:
    brain = Brain(
        [
            go("relevant-patch-zooming-tool", "the dog"),
            go("temporal-qa-tool"),
            go("image-grid-qa-tool"),
            ENOUGH,
        ]
    )
    brain.replies["patch"] = lambda request: (
        Text('{"patches": []}') if brain.count("patch") == 1 else DEFAULTS["patch"]
    )
    ran = run("star", asked, brain, parallel=1)
    # the first frame stays whole, the others become the bottom right patch: from 0.5 less a margin of 0.05
    later = [e.ref for e in ran.ledger.entries if e.role == "temporal"]
    assert [(r.crop, len(r.plan["indices"])) for r in later] == [(None, 1), ((0.45, 0.45, 1.0, 1.0), 15)]
    (grid,) = [e.ref for e in ran.ledger.entries if e.ref.kind == "grid"]
    assert grid.crops == (None, *[(0.45, 0.45, 1.0, 1.0)] * 15)
    assert "Enlarged: frame 13 (2.60 s): D" in ran.results[0].text


def test_what_was_asked_before_a_zoom_may_be_asked_again(asked: Question) -> None:
    plans = [
        go(QA, "colour?"),
        go("temporal-qa-tool"),
        go("relevant-patch-zooming-tool", "x"),
        go("temporal-qa-tool"),
    ]
    for mode, asked_frames in (("careful", 32), ("official", 16)):
        brain = Brain([*plans, go(QA, "colour?"), go("temporal-qa-tool"), ENOUGH])
        run("star", asked, brain, mode=mode)
        assert brain.count("qa") == asked_frames


def test_captions_and_the_caption_memory(asked: Question) -> None:
    brain = Brain(
        [go("image-caption-tool-llava", ""), go("temporal-qa-tool"), ENOUGH], {"caption": Text("a brown dog")}
    )
    ran = run("star", asked, brain, memory="caption")
    assert ran.results[0].text == "16 frames were described."
    last = texts_sent(ran.server, -1)
    assert "frame 27 (5.40 s): a brown dog" in last
    with pytest.raises(UserError, match="memory is qa or caption"):
        run("star", asked, Brain([]), memory="elephant")


def test_a_stretch_is_described_by_its_seconds(asked: Question) -> None:
    brain = Brain(
        [go("temporal-referring-tool", "10-14 s: the dog"), go(QA), ENOUGH], {"referring": Text("it runs")}
    )
    ran = run("star", asked, brain)
    (entry,) = [e for e in ran.ledger.entries if e.role == "temporal"]
    assert [f.time for f in entry.frames] == [10.0, 11.0, 12.0, 13.0]
    assert (ran.results[0].evidence[0].window.start, ran.results[0].evidence[0].window.end) == (10, 14)
    assert "it runs" in texts_sent(
        ran.server, -1
    )  # careful mode tells the summariser what temporal tools said
    for bad in ("the dog", "50-60 s"):
        ran = run("star", asked, Brain([go("temporal-referring-tool", bad), go(QA), ENOUGH]))
        assert ran.results[0].failure_kind == "validation"


# backends


def test_missing_backends_are_named_before_the_first_call(asked: Question) -> None:
    ran = run("star", asked, Brain([go(QA), ENOUGH]))
    missing = ran.trajectory.settings["not_offered"]
    assert set(missing) == {"object-tracking-tool", "temporal-grounding-tool"}
    assert "detector=ocr" in missing["object-tracking-tool"]
    assert "object-tracking-tool" not in texts_sent(ran.server, 0)
    assert set(ran.trajectory.settings["tools"]) == set(tools_offered(ran, 0))
    assert ran.states[0].settings["not_offered"] == missing
    for option, said in (
        ({"detector": "eagle"}, "detector is ocr"),
        ({"grounder": "compass"}, "grounder is vlm"),
        ({"detector": "transformers:some/model"}, "needs the package transformers"),
    ):
        brain = Brain([])
        with pytest.raises(UserError, match=said):
            run("star", asked, brain, **option)
        assert brain.asked == []


def test_a_grounder_and_a_detector_by_model(asked: Question) -> None:
    brain = Brain(
        [go("temporal-grounding-tool", "the dog enters"), go("object-tracking-tool", "dog"), ENOUGH]
    )
    ran = run("star", asked, brain, grounder="vlm", detector="vlm", max_frames=None)
    ground, track = ran.results
    assert ground.evidence[0].window.start == 10
    assert {50, 55, 60, 65, 70} <= set(track.data["visible"])  # 10, 11, ... 14 s at 5 fps
    boxes = track.evidence[0].boxes
    assert len(boxes) == len(track.data["visible"]) == 21
    assert boxes[0].box.values == (0.1, 0.2, 0.3, 0.4)
    brain = Brain(
        [go("temporal-grounding-tool", "x"), go(QA), ENOUGH], {"grounder": Text('{"start": -1, "end": -1}')}
    )
    ran = run("star", asked, brain, grounder="vlm")
    assert visible(ran, 0) == FIRST


def test_a_grounder_that_takes_video_is_sent_video(asked: Question) -> None:
    brain = Brain([go("temporal-grounding-tool", "x"), go(QA), ENOUGH])
    ran = run("star", asked, brain, "gemini", grounder="vlm", frames_per_tool=1)
    clip = ran.ledger.entries[0].ref
    assert (clip.kind, clip.start, clip.end, clip.fps) == ("clip", 0.0, 40.0, 1.0)
    assert ran.trajectory.frames_seen == 40 + 1
    assert ran.results[0].evidence[0].provenance.frames == ()  # the provider chose them


def test_text_only_perceivers_are_refused_at_the_start(
    asked: Question, tmp_path: Path, monkeypatch: Any
) -> None:
    cards = tmp_path / "cards.toml"
    cards.write_text('[models."openai-api/local/some-llm"]\nimages = false\nvideo = false\n', "utf-8")
    monkeypatch.setenv("PROOFREEL_MODELS", str(cards))
    brain = Brain([])
    with pytest.raises(UserError, match="star cannot look into frames: no model that takes pictures"):
        run("star", asked, brain, name="openai-api/local/some-llm")
    assert brain.asked == []


# budgets


def test_the_frame_budget_holds(asked: Question) -> None:
    brain = Brain([go(QA), go(SELECT), ENOUGH])
    ran = run("star", asked, brain, budget=Budget.of(frames=5))
    assert brain.count("qa") == 5
    assert "11 frames were not asked" in ran.results[0].text
    assert ran.trajectory.frames_seen == 5
    assert (brain.count("plan"), ran.trajectory.answer.stop) == (1, StopReason.FORCED)


def test_at_most_so_many_frames_a_call(asked: Question) -> None:
    brain = Brain([go(QA), ENOUGH])
    ran = run("star", asked, brain, frames_per_tool=4)
    assert (brain.count("qa"), ran.trajectory.frames_seen) == (4, 4)


def test_tool_calls_turns_and_tokens_are_bounded(asked: Question) -> None:
    brain = Brain([go(QA), go(SELECT), ENOUGH])
    ran = run("star", asked, brain, budget=Budget.of(tool_calls=1))
    assert (len(ran.results), brain.count("plan"), ran.trajectory.answer.letter) == (1, 1, "B")
    ran = run("star", asked, Brain([go(QA), go(SELECT), ENOUGH]), budget=Budget.of(tokens=100))
    assert ran.trajectory.answer.stop is StopReason.FORCED
    assert ran.trajectory.tokens.total <= 100 + 15 * 5  # four calls may be under way, and the forced answer
    brain = Brain([go(QA), ENOUGH])
    ran = run("star", asked, brain, budget=Budget.of(turns=1))
    assert (brain.count("plan"), ran.trajectory.answer.stop) == (1, StopReason.FORCED)


# hostile replies


def quick(asked: Question, brain: Brain, **options: Any) -> Ran:
    """Three frames a tool are enough to see what goes wrong."""
    return run("star", asked, brain, frames_per_tool=3, **options)


@pytest.mark.parametrize("bad", [Text("{broken"), Text("I will not."), Text("[1, 2]"), Empty(), Filtered()])
def test_a_planner_that_gives_no_choice_ends_the_tools(asked: Question, bad: Reply) -> None:
    brain = Brain([go(QA), *[bad] * 8])
    ran = quick(asked, brain)
    assert (len(ran.results), ran.trajectory.answer.letter) == (1, "B")
    assert ran.trajectory.answer.stop is StopReason.FORCED
    brain = Brain([bad] * 8)
    ran = quick(asked, brain)  # nothing is known, so the visible frames are shown instead of guessing
    assert (ran.trajectory.answer.letter, brain.count("watch")) == ("A", 1)


@pytest.mark.parametrize(
    "bad", [Text("no JSON"), Text('{"start": 0, "end": 99}'), Text('{"start": "x"}'), Empty()]
)
def test_a_bad_grid_choice_is_an_error_the_planner_reads(asked: Question, bad: Reply) -> None:
    ran = quick(asked, Brain([go(GRID), go(QA), ENOUGH], {"grid_select": bad}))
    assert ran.results[0].failure_kind in ("validation", "empty_response")
    assert visible(ran, 0) == FIRST
    assert (
        "[ERROR]"
        in next(r for r in ran.server.requests[1:] if kind_of(r) == "plan").json["messages"][-1]["content"]
    )
    assert ran.trajectory.answer.letter == "B"


def test_a_wrong_segment_is_told(asked: Question) -> None:
    for bad in ('{"segments": [99]}', '{"segments": "all"}', '{"analysis": 3}'):
        ran = quick(asked, Brain([go(SELECT), go(QA), ENOUGH], {"selector": Text(bad)}))
        assert visible(ran, 0) == FIRST
        assert ran.trajectory.answer.letter == "B"


def flaky(request: Request) -> Reply:
    """Every frame but the first and the last is refused."""
    text = json.dumps(request.json)
    return Text("a dog") if "[t=0.00 s]" in text or "[t=39.80 s]" in text else ServerError(503)


def test_single_frames_may_fail(asked: Question) -> None:
    ran = run("star", asked, Brain([go(QA), ENOUGH], {"qa": flaky}))
    assert ran.results[0].ok
    assert "14 frames gave nothing" in ran.results[0].text
    assert ran.trajectory.frames_seen == 2


@pytest.mark.parametrize("reply", [ServerError(), Refused(), MalformedJson()], ids=lambda r: type(r).__name__)
def test_a_perceiver_that_is_down_gives_no_answer(asked: Question, reply: Reply) -> None:
    kinds = ("qa", "watch", "temporal_qa", "grid_select", "caption")
    brain = Brain([go(QA), go(GRID), go("image-caption-tool-llava"), ENOUGH], dict.fromkeys(kinds, reply))
    ran = quick(asked, brain)
    assert [o.failure_kind for o in ran.results] == ["retry_exhausted"] * 3
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.MODEL_ERROR)


def test_a_server_that_is_gone(asked: Question) -> None:
    with OpenAIServer() as server:
        url = server.url
    model = resolve_model("openai-api/local/some-vlm", base_url=url, max_retries=0)
    ctx = AgentContext(model=model, options={"config": {"max_tokens": 64}})
    trajectory = asyncio.run(run_agent("star", asked, ctx))
    assert (trajectory.answer.letter, trajectory.answer.stop) == (None, StopReason.MODEL_ERROR)


def test_summaries_without_an_answer_are_asked_for_again_once(asked: Question) -> None:
    good = Text("FINAL ANSWER: A")
    for first in (Text("it may be a dog or a cat"), Text("FINAL ANSWER: Q"), Empty()):
        again = [first] * 3 if isinstance(first, Empty) else [first]
        ran = quick(asked, Brain([go(QA), ENOUGH], {"summary": [*again, good]}))
        assert ran.trajectory.answer.letter == "A"
    ran = quick(asked, Brain([go(QA), ENOUGH], {"summary": Text("no idea")}))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.UNPARSED)
    # without named frames the evidence is all that was asked
    ran = quick(asked, Brain([go(QA), ENOUGH], {"summary": good}))
    (evidence,) = ran.trajectory.answer.evidence
    assert (evidence.window.start, evidence.window.end, evidence.note) == (
        0.0,
        39.8,
        "all frames that were asked",
    )


def test_native_and_schema_planners(asked: Question) -> None:
    native = [ToolCalls((Call("choice", json.loads(t.text)),)) for t in (go(SELECT), go(QA), ENOUGH)]
    ran = quick(asked, Brain(native), actions="native")
    assert (ran.trajectory.answer.letter, len(ran.results)) == ("B", 2)
    first = ran.server.requests[0].json
    assert first["tools"][0]["function"]["name"] == "choice"
    assert "tools" not in ran.server.requests[1].json  # the tools' own models write JSON
    ran = quick(asked, Brain([go(GRID), go(QA), ENOUGH]), actions="json_schema")
    plans = [r.json for r in ran.server.requests if kind_of(r) == "plan"]
    names = [p["response_format"]["json_schema"]["schema"]["properties"]["tool_name"]["enum"] for p in plans]
    assert GRID in names[0]
    assert GRID not in names[1]
    weak = {"name": "Qwen/Qwen3-VL-8B-Instruct", "model": {"video": False}}
    ran = run("star", asked, Brain([go(GRID), go(QA), ENOUGH]), frames_per_tool=2, **weak)
    assert (ran.trajectory.answer.letter, ran.trajectory.settings["actions"]) == ("B", "json")  # by its card
    assert all("tools" not in r.json for r in ran.server.requests)
    broken = [ToolCalls((Call("choice", "{broken"),)), go(QA), ENOUGH]
    ran = quick(asked, Brain(broken), actions="native")
    assert ran.trajectory.answer.letter == "B"


@pytest.mark.parametrize("provider", ["anthropic", "gemini"])
def test_every_provider_s_wire_form(asked: Question, provider: str) -> None:
    plans = [ToolCalls((Call("choice", json.loads(t.text)),)) for t in (go(GRID), go(QA), ENOUGH)]
    brain = Brain(plans)
    ran = run("star", asked, brain, provider, frames_per_tool=2)
    assert (ran.trajectory.answer.letter, ran.trajectory.settings["actions"]) == ("B", "native")
    assert brain.asked == ["plan", "grid_select", "plan", "qa", "qa", "plan", "summary"]
    assert ran.trajectory.frames_seen == ran.ledger.frames_total == 18
    assert (ran.trajectory.tokens.cost_usd or 0) > 0


def test_open_questions_and_the_other_generalist(asked: Question) -> None:
    free = asked.model_copy(update={"options": ()})
    ran = quick(free, Brain([go(QA), ENOUGH], {"summary": Text("FINAL ANSWER: a brown dog")}))
    assert (ran.trajectory.answer.value, ran.trajectory.answer.letter) == ("a brown dog", None)
    brain = Brain([go(QA), ENOUGH], {"watch": Text("FINAL ANSWER: not shown")})
    ran = quick(free, brain, generalist="video-qa")
    assert (ran.trajectory.answer.abstained, brain.count("watch"), brain.count("summary")) == (True, 1, 0)


def test_every_step_is_given_away(asked: Question) -> None:
    ran = quick(asked, Brain([go(QA), ENOUGH]))
    assert [s.phase for s in ran.trajectory.steps] == [
        "plan",
        "tool_call",
        "tool_result",
        "plan",
        "thinking",
        "answer",
    ]
    assert ran.states[-1].answer == ran.trajectory.answer
    assert sum(s.tokens.calls for s in ran.trajectory.steps if s.tokens) == ran.trajectory.tokens.calls


def test_a_server_that_never_answers_is_bounded_by_the_time_budget(asked: Question) -> None:
    ran = run("star", asked, lambda request: Hang(), budget=Budget.of(seconds=0.5))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.MODEL_ERROR)
    assert "no answer within" in ran.trajectory.answer.reason
    assert ran.trajectory.seconds < 20


def test_no_tool_allowed_means_no_tool_run(asked: Question) -> None:
    brain = Brain([go(QA), ENOUGH])
    ran = run("star", asked, brain, budget=Budget.of(tool_calls=0))
    assert (ran.results, brain.asked) == ([], ["watch"])
