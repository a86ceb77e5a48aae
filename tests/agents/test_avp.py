"""AVP over loopback HTTP: rounds, forced answers, budgets, ablations, and replies of every hostile kind."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agents.wire import Ran, run, texts_sent
from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.agents._avp.board import read_report
from proofreel.agents._avp.parse import Plan
from proofreel.agents._avp.shots import allot, shots_of, spans_of
from proofreel.agents._avp.verdict import read_verdict
from proofreel.core import Question, StopReason
from proofreel.core.errors import UserError
from proofreel.models import resolve_model
from proofreel.testing import (
    Call,
    Empty,
    Filtered,
    Hang,
    LengthStop,
    MalformedJson,
    OpenAIServer,
    Refused,
    ServerError,
    Text,
    ToolCalls,
)
from proofreel.video import ClipRef, Ledger


def plan(
    *regions: list[float], fps: float = 1.0, rate: str = "low", mode: str = "region", **extra: Any
) -> Text:
    step = {
        "step_id": "1",
        "description": "find the animal",
        "sub_query": "q",
        "load_mode": mode if regions else "uniform",
        "fps": fps,
        "spatial_token_rate": rate,
        "regions": list(regions),
    }
    return Text(json.dumps({"reasoning": "r", "steps": [step], "completion_criteria": "c", **extra}))


def report(*rows: tuple[Any, Any, str], said: str = "a dog comes in") -> Text:
    evidence = [{"timestamp_start": s, "timestamp_end": e, "description": d} for s, e, d in rows]
    return Text(json.dumps({"detailed_response": said, "key_evidence": evidence, "reasoning": "seen"}))


def verdict(letter: str | None = "B", confidence: float = 0.9, sufficient: bool = True, **extra: Any) -> Text:
    own = {"sufficient": sufficient, "confidence": confidence, "justification": "j", "reasoning": "the dog"}
    return Text(json.dumps({**own, "selected_option": letter, "selected_option_text": None, **extra}))


DOG = report((2, 3, "a dog enters"), (5, 7, "it sits"))
UNSURE = verdict(None, 0.4, False, justification="the door was not shown")


def phases(ran: Ran) -> list[str]:
    return [s.phase for s in ran.trajectory.steps]


def test_a_sure_first_round_ends_it(question: Question) -> None:
    script = [plan([1, 5]), DOG, verdict(supporting_evidence=[1])]
    ran = run("avp", question, script)
    answer = ran.trajectory.answer
    assert (answer.letter, answer.value, answer.confidence) == ("B", "a dog", 0.9)
    assert answer.stop is StopReason.ANSWERED
    assert phases(ran) == ["plan", "tool_call", "observe", "reflect", "answer"]
    assert (ran.server.count, ran.trajectory.tokens.calls, ran.budget.turns) == (3, 3, 2)
    assert ran.trajectory.frames_seen == ran.ledger.frames_total == 4
    (evidence,) = answer.evidence
    assert (evidence.window.start, evidence.window.end) == (2, 3)
    assert evidence.provenance.frames == (2.0, 3.0)
    assert (evidence.provenance.claimed_by, evidence.provenance.step) == ("observer", 3)
    assert evidence.quote.text == "a dog enters"
    assert [f.time for f in ran.ledger.entries[0].frames] == [1.0, 2.0, 3.0, 4.0]


def test_planner_and_reflector_see_no_pictures_and_the_observer_sees_them_first(question: Question) -> None:
    ran = run("avp", question, [plan([1, 5]), DOG, verdict()])
    assert ["image_url" in texts_sent(ran.server, i) for i in range(3)] == [False, True, False]
    content = ran.server.requests[1].json["messages"][-1]["content"]
    assert content[-1]["type"] == "text"
    assert "the part of it from 1 to 5 s" in content[-1]["text"]
    assert "[1] 2 to 3 s: a dog enters" in ran.server.requests[2].json["messages"][-1]["content"]


def test_each_region_is_a_clip_of_its_own(question: Question) -> None:
    ran = run("avp", question, [plan([1, 3], [5, 99], [20, 30], fps=2), DOG, verdict()])
    plans = [e.ref.plan for e in ran.ledger.entries]
    assert [(p["start"], p["end"]) for p in plans] == [(1.0, 3.0), (5.0, 8.0)]  # clamped, empty one dropped
    assert ran.trajectory.frames_seen == 4 + 6
    assert len(ran.results[0].media) == 2


def test_three_rounds_then_a_forced_answer(question: Question) -> None:
    final = Text(
        '{"selected_option": "C", "confidence": 0.5, "reasoning": "best", "selected_option_text": "a cow"}'
    )
    script = [plan(), DOG, UNSURE, plan([0, 2]), DOG, UNSURE, plan([2, 4]), DOG, final]
    ran = run("avp", question, script)
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("C", StopReason.FORCED)
    assert ran.trajectory.answer.confidence == 0.5
    assert (ran.server.count, ran.server.overrun, ran.budget.tool_calls) == (9, 0, 3)
    replanned = texts_sent(ran.server, 3)
    assert "the door was not shown" in replanned
    assert "do not repeat" in replanned
    assert "No further look is possible" in texts_sent(ran.server, 8)
    assert ran.trajectory.frames_seen == 8 + 2 + 2


@pytest.mark.parametrize(
    ("confidence", "sufficient", "calls"), [(0.7, True, 3), (0.69, True, 6), (0.9, False, 6)]
)
def test_it_stops_iff_sure_and_sufficient(
    question: Question, confidence: float, sufficient: bool, calls: int
) -> None:
    script = [plan(), DOG, verdict("B", confidence, sufficient), plan([0, 1]), DOG, verdict()]
    ran = run("avp", question, script)
    assert (ran.server.count, ran.trajectory.answer.letter) == (calls, "B")


def test_one_allowed_look_forces_the_answer_at_once(question: Question) -> None:
    ran = run("avp", question, [plan(), DOG, verdict("A")], budget=Budget.of(tool_calls=1))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("A", StopReason.FORCED)
    assert (ran.server.count, phases(ran)[-2:]) == (3, ["thinking", "answer"])


def test_a_used_up_budget_leaves_one_forced_answer(question: Question) -> None:
    # a plan and a look cost 15 tokens each: after the look nothing is left but the forced answer
    ran = run("avp", question, [plan(), DOG, verdict("A")], budget=Budget.of(tokens=20))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("A", StopReason.FORCED)
    assert (ran.server.count, ran.trajectory.tokens.total) == (3, 45)
    # one turn: the plan spent it, so nothing is looked at
    ran = run("avp", question, [plan(), verdict("B")], budget=Budget.of(turns=1))
    assert (ran.trajectory.answer.letter, ran.server.count) == ("B", 2)
    assert (ran.trajectory.answer.stop, ran.trajectory.answer.evidence) == (StopReason.FORCED, ())


def test_the_frame_budget_thins_a_look_and_says_so(question: Question) -> None:
    ran = run("avp", question, [plan(fps=2), DOG, verdict("B")], budget=Budget.of(frames=5))
    assert ran.trajectory.frames_seen == 5
    assert ran.results[0].data["notes"][:1] == ["thinned to 5 of 16 frames"]
    assert ran.trajectory.answer.stop is StopReason.FORCED  # no frame is left for another look


def test_fixed_controls_hold_whatever_is_planned(question: Question) -> None:
    script = [plan([2, 4], fps=4, rate="medium"), DOG, verdict()]
    ran = run("avp", question, script, fps=1, spatial_token_rate="low", interval="full")
    asked = ran.trajectory.steps[1].calls[0].arguments
    assert (asked["load_mode"], asked["fps"], asked["spatial_token_rate"]) == ("uniform", 1.0, "low")
    assert ran.trajectory.frames_seen == 8
    assert ran.ledger.entries[0].ref.height == 240
    assert "Fixed for this run" in texts_sent(ran.server, 0)
    assert ran.trajectory.settings["fixed"] == {"fps": 1.0, "resolution": "low", "interval": "full"}
    for wrong in (
        {"frame_caps": "huge"},
        {"resolution": "high"},
        {"fps": 0},
        {"interval": "part"},
        {"rounds": 0},
    ):
        with pytest.raises(UserError):
            run("avp", question, [], **wrong)


def test_official_mode_offers_a_to_z_and_falls_back_to_a(question: Question) -> None:
    script = [plan(), DOG, UNSURE, plan(), DOG, UNSURE, plan(), DOG, Text("I cannot decide.")]
    ran = run("avp", question, script, mode="official")
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("A", StopReason.FORCED)
    assert "not an answer" in ran.trajectory.answer.reason
    assert "A to Z" in ran.server.requests[2].json["messages"][-1]["content"]
    ran = run("avp", question, [plan(), DOG, verdict(None)], mode="official")
    assert (ran.trajectory.answer.letter, ran.server.count) == ("A", 3)  # sufficient, but without an option


def test_careful_mode_asks_again_and_invents_nothing(question: Question) -> None:
    ran = run("avp", question, [plan(), DOG, verdict(None), verdict("B")])
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == ("B", StopReason.ANSWERED)
    script = [plan(), DOG, Text("no idea"), Text("no idea")]
    ran = run("avp", question, script, rounds=1)
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.UNPARSED)
    assert "A to C" in ran.server.requests[2].json["messages"][-1]["content"]


def test_bad_plans_become_the_coarse_look(question: Question) -> None:
    for bad in (
        Text("let me think"),
        Text('{"steps": []}'),
        Text("{broken"),
        LengthStop('{"reasoning": "r", "ste'),
    ):
        ran = run("avp", question, [bad, DOG, verdict()])
        assert ran.trajectory.answer.letter == "B"
        assert ran.trajectory.steps[0].data["unreadable"] is True
        assert ran.trajectory.frames_seen == 4  # 8 s at 0.5 fps


def test_prose_from_the_observer_gives_windows_around_its_times(question: Question) -> None:
    ran = run("avp", question, [plan(), Text("A dog enters at 2 s and leaves at 0:07."), verdict()])
    windows = [(e.window.start, e.window.end) for e in ran.trajectory.answer.evidence]
    assert windows == [(1, 3), (6, 8)]
    assert ran.trajectory.steps[2].data["unreadable"] is True


def test_a_reflection_that_cannot_be_read_means_look_again(question: Question) -> None:
    for bad in (
        Text("hm"),
        LengthStop('{"sufficient": true, "confidence": 0.9, "selected_option": "C"}'),
        Empty(),
    ):
        again = [bad] * 3 if isinstance(bad, Empty) else [bad]  # an empty reply is asked for twice more
        ran = run("avp", question, [plan(), DOG, *again, plan([0, 2]), DOG, verdict()])
        assert (ran.trajectory.answer.letter, ran.server.overrun) == ("B", 0)
        assert ran.trajectory.steps[3].data["confidence"] == 0.3


@pytest.mark.parametrize(
    ("reply", "stop"),
    [
        (ServerError(), StopReason.MODEL_ERROR),
        (Refused("I will not"), StopReason.MODEL_ERROR),
        (MalformedJson(), StopReason.MODEL_ERROR),
        (Empty(), StopReason.TOOL_FAILURES),
        (Filtered(), StopReason.TOOL_FAILURES),
    ],
    ids=lambda v: type(v).__name__,
)
def test_a_server_in_trouble_ends_without_an_answer(question: Question, reply: Any, stop: StopReason) -> None:
    ran = run("avp", question, lambda request: reply)
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, stop)
    assert ran.trajectory.answer.reason


def test_a_server_that_is_gone_ends_in_the_trajectory(question: Question) -> None:
    with OpenAIServer() as server:
        url = server.url
    model = resolve_model("openai-api/local/some-vlm", base_url=url, max_retries=0)
    ctx = AgentContext(model=model, options={"config": {"max_tokens": 64}})
    trajectory = asyncio.run(run_agent("avp", question, ctx))
    assert (trajectory.answer.letter, trajectory.answer.stop) == (None, StopReason.MODEL_ERROR)


def blind_observer(request: Any) -> Any:
    """Planner and reflector work, the observer is down."""
    text = json.dumps(request.json)
    if "You are the observer" in text:
        return ServerError(503)
    return verdict("C") if "You judge" in text else plan()


def test_without_any_report_nothing_is_answered(question: Question) -> None:
    ran = run("avp", question, blind_observer)
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.TOOL_FAILURES)
    assert ran.server.count == 6  # three plans, three looks; no reflection without evidence, no blind answer
    assert phases(ran).count("reflect") == 2
    official = run("avp", question, blind_observer, mode="official")
    assert official.trajectory.answer.letter == "C"


def test_every_way_to_give_the_forms(question: Question) -> None:
    step = json.loads(plan([1, 5]).text)
    judged = json.loads(verdict().text)
    native = [ToolCalls((Call("plan", step),)), DOG, ToolCalls((Call("reflection", judged),))]
    ran = run("avp", question, native, actions="native")
    assert ran.trajectory.answer.letter == "B"
    first = ran.server.requests[0].json
    assert (first["tools"][0]["function"]["name"], first["tool_choice"]) == ("plan", "required")
    ran = run("avp", question, [plan([1, 5]), DOG, verdict()], actions="json_schema")
    schemas = [ran.server.requests[i].json["response_format"]["json_schema"]["schema"] for i in (0, 2)]
    assert schemas[0]["properties"]["steps"]["type"] == "array"
    assert schemas[1]["properties"]["selected_option"]["enum"] == ["A", "B", "C"]
    assert "response_format" not in ran.server.requests[1].json
    with pytest.raises(UserError, match="actions is native, json or json_schema"):
        run("avp", question, [], actions="telepathy")


@pytest.mark.parametrize("provider", ["anthropic", "gemini"])
@pytest.mark.parametrize("way", ["json", "native"])
def test_every_provider_s_wire_form(question: Question, provider: str, way: str) -> None:
    forms = [("plan", plan([1, 5])), ("reflection", verdict())]
    asked = [ToolCalls((Call(n, json.loads(t.text)),)) if way == "native" else t for n, t in forms]
    ran = run("avp", question, [asked[0], DOG, asked[1]], provider, actions=way)
    assert (ran.trajectory.answer.letter, ran.server.overrun) == ("B", 0)
    assert ran.trajectory.frames_seen == 4
    assert (ran.trajectory.tokens.cost_usd or 0) > 0


def test_open_questions(clip: Path) -> None:
    asked = Question.ask("Which animal enters?", str(clip), id="open", duration=8.0)
    own = {"sufficient": True, "confidence": 0.8, "justification": "j", "reasoning": "r"}
    ran = run(
        "avp", asked, [plan(), DOG, Text(json.dumps({**own, "answer": "a dog", "supporting_evidence": [2]}))]
    )
    answer = ran.trajectory.answer
    assert (answer.value, answer.letter, answer.evidence[0].window.start) == ("a dog", None, 5)
    ran = run("avp", asked, [plan(), DOG, Text(json.dumps({**own, "answer": "Not shown."}))])
    assert (ran.trajectory.answer.value, ran.trajectory.answer.abstained) == (None, True)


def test_observers_that_take_video_get_clips(clip: Path) -> None:
    asked = Question.ask("Which?", str(clip), ("a", "b"), duration=8.0)
    ran = run("avp", asked, [plan([1, 3], [4, 8], fps=2), DOG, verdict()], "gemini")
    refs = [e.ref for e in ran.ledger.entries]
    assert [(r.start, r.end, r.fps, r.media_resolution) for r in refs] == [(1, 3, 2, "low"), (4, 8, 2, "low")]
    assert all(isinstance(r, ClipRef) for r in refs)
    assert ran.trajectory.frames_seen == 4 + 8


def test_a_perceiver_of_its_own_is_the_observer(question: Question) -> None:
    ledger = Ledger()
    with OpenAIServer([plan(), verdict()]) as main, OpenAIServer([DOG]) as looker:
        own = {"max_retries": 0, "ledger": ledger}
        ctx = AgentContext(
            model=resolve_model("openai-api/local/planner", base_url=main.url, **own),
            roles={"perceiver": resolve_model("openai-api/local/looker", base_url=looker.url, **own)},
            ledger=ledger,
        )
        trajectory = asyncio.run(run_agent("avp", question, ctx))
        assert (trajectory.answer.letter, main.count, looker.count) == ("B", 2, 1)
    assert {e.model for e in ledger.entries} == {"openai-api/local/looker"}
    assert trajectory.settings["perceiver"] == "openai-api/local/looker"


# rules of the new pieces, by hand


def test_spans_of_a_plan() -> None:
    whole = Plan("region", regions=((0.5, 99.5),))
    assert spans_of(whole, 100.0) == ()
    holes = Plan("region", regions=((0.0, 10.0), (90.0, 100.0)))
    assert spans_of(holes, 100.0) == ((0.0, 10.0), (90.0, 100.0))
    assert spans_of(holes, 100.0, "official") == ()
    assert spans_of(Plan("region", regions=((200.0, 300.0),)), 100.0) == ()
    assert allot([10, 4, 1], 9) == [4, 4, 1]
    assert allot([3, 3], 1) == [1, 1]


def test_the_frame_cap_lowers_the_rate(clip: Path) -> None:
    shots = shots_of(
        Plan(fps=5.0, rate="medium"), str(clip), 100.0, as_video=True, max_images=None, frames_left=None
    )
    assert (shots.fps, shots.frames) == (1.28, 128)
    wide = {"as_video": True, "max_images": None, "frames_left": None, "caps": "wide"}
    assert shots_of(Plan(fps=5.0, rate="medium"), str(clip), 100.0, **wide).frames == 500
    shots = shots_of(Plan(fps=5.0), str(clip), 100.0, as_video=False, max_images=50, frames_left=None)
    assert (shots.frames, shots.refs[0].plan["cap"], shots.note) == (50, 50, "thinned to 50 of 500 frames")
    shots = shots_of(
        Plan("region", 1.0, "low", ((0, 1), (2, 3), (4, 5))),
        str(clip),
        8.0,
        as_video=False,
        max_images=None,
        frames_left=2,
    )
    assert (shots.frames, shots.regions) == (2, ((0.0, 1.0), (2.0, 3.0)))


def test_times_of_a_report() -> None:
    rows = [
        (5.2, 5.4, "a"),
        (5, 6, "again"),
        ("0:03", "0:04", "clock"),
        (7, None, "moment"),
        (9, 8, "turned"),
        (50, 51, ""),
    ]
    text = report(*rows).text
    careful = [(f.start, f.end, f.description) for f in read_report(text, 8.0).findings]
    assert careful == [(5, 6, "a"), (3, 4, "clock"), (7, 8, "moment")]
    official = [(f.start, f.end) for f in read_report(text, 8.0, "official").findings]
    assert official == [(5, 6)]
    assert read_report('{"key_evidence": 3, "detailed_response": "x"}', 8.0).findings == ()


def test_options_of_a_verdict() -> None:
    options = Question.ask("?", "v.mp4", ("a cat", "a dog")).options

    def read(said: dict[str, Any], **how: Any) -> Any:
        return read_verdict(json.dumps({"sufficient": True, "confidence": 2, **said}), options, **how)

    assert [read({"selected_option": o}).letter for o in ("b", "B) a dog", "(A)", "Both", "Q", None)] == [
        "B",
        "B",
        "A",
        None,
        None,
        None,
    ]
    assert read({"selected_option": "", "selected_option_text": "A dog"}).letter == "B"
    assert read({"selected_option": "Q"}, mode="official").letter == "Q"
    assert (read({}).confidence, read({}, mode="official").confidence) == (1.0, 2.0)
    assert read_verdict("FINAL ANSWER: B", options, final=True).letter == "B"
    assert read_verdict("FINAL ANSWER: B", options, "official", final=True).letter is None
    assert read({"supporting_evidence": [1, "2", True, 3]}).cites == (1, 3)


def test_a_server_that_never_answers_is_bounded_by_the_time_budget(question: Question) -> None:
    ran = run("avp", question, lambda request: Hang(), budget=Budget.of(seconds=0.5))
    assert (ran.trajectory.answer.letter, ran.trajectory.answer.stop) == (None, StopReason.MODEL_ERROR)
    assert "no answer within" in ran.trajectory.answer.reason
    assert ran.trajectory.seconds < 20
