"""Milestones from explanations, and causes of wrong answers, over real sockets."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.cli import proofreel
from tests.judges.judge_world import JUDGE, SECRET, item, make_data, make_run, trajectory

from proofreel.core import Answer, StopReason, Trajectory
from proofreel.core.errors import UserError
from proofreel.judges.audit import Audited, agreement_table, assign_cause, read_overrides
from proofreel.judges.milestones import Extraction, extract_milestones
from proofreel.models import resolve_model
from proofreel.runs import RunFolder
from proofreel.runs.audit import audit_run, audit_tables
from proofreel.runs.judge_run import Wanted
from proofreel.runs.milestone_run import make_milestones
from proofreel.runs.numbers_load import load_run
from proofreel.runs.start import gold_of
from proofreel.testing import OpenAIServer, RateLimited, Reply, Request, Text


def listed(*texts: str) -> Text:
    made = [{"id": f"M{n}", "type": "counting", "description": t} for n, t in enumerate(texts, 1)]
    return Text(json.dumps({"milestones": made}))


GOOD = listed("Find the river", "Recognise the otter", "Count the animals as three")
BAD = listed("Look at 1:05", "Call analyze_video", "Map it to option D")


def extract(script: Any, **gold: Any) -> tuple[Extraction, list[Request]]:
    with OpenAIServer(script) as server:
        model = resolve_model("openai-api/local/writer", base_url=server.url, max_retries=0)
        made = asyncio.run(extract_milestones(item(1, **gold), model))
        return made, list(server.requests)


def test_a_list_with_cues_is_sent_back_with_every_reason() -> None:
    made, sent = extract([BAD, GOOD])
    assert made.status == "extracted"
    assert [m.description for m in made.milestones] == [
        "Find the river",
        "Recognise the otter",
        "Count the animals as three",
    ]
    assert made.model == "openai-api/local/writer"
    assert len(made.raw) == 2
    first = sent[0].json["messages"][1]["content"]
    assert SECRET in first
    assert "ANSWER: D (all)" in first
    back = sent[1].json["messages"][-1]["content"]
    for reason in ("M1 holds a timestamp", "M2 holds a tool name", "M3 speaks of an option"):
        assert reason in back


def test_a_list_that_stays_dirty_is_no_list() -> None:
    made, sent = extract([BAD, BAD, BAD, BAD])
    assert (made.status, made.milestones, len(sent)) == ("failed", (), 3)
    assert "M1 holds a timestamp" in made.reason


def test_without_an_explanation_nobody_is_asked() -> None:
    made, sent = extract([], explanation="  ")
    assert (made.status, sent) == ("failed", [])


def test_the_verb_keeps_what_was_made_and_merges(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=3)
    file = data / "questions.jsonl"

    def reply(request: Request) -> Reply:
        return RateLimited() if b"part 2?" in request.raw and not healed else GOOD

    healed: list[bool] = []
    with OpenAIServer(reply) as server:
        words = ["milestones", file, "--model", "openai-api/local/writer", "--base-url", server.url]
        words += ["--generate", "max_retries=0", "--merged", tmp_path / "merged.jsonl"]
        first = proofreel(*words, cwd=tmp_path)
        assert first.code == 1
        assert "2 of 3 questions have milestones" in first.out
        asked = server.count
        healed.append(True)
        second = proofreel(*words, "--retry-failed", cwd=tmp_path)
        assert second.code == 0, second.err
        assert server.count == asked + 1
    rows = [json.loads(line) for line in (tmp_path / "merged.jsonl").read_text().splitlines()]
    assert all(r["milestones"][0]["description"] == "Find the river" for r in rows)
    assert [r["answer_explanation"].startswith(SECRET) for r in rows] == [True] * 3
    assert len((data / "questions.milestones.jsonl").read_text().splitlines()) == 4  # the failure stays
    with pytest.raises(UserError, match="none.jsonl: the questions cannot be read"):
        make_milestones(tmp_path / "none.jsonl", tmp_path / "out.jsonl", "x/y")


# causes


def named(cause: str, step: int | None = 2) -> Text:
    return Text(json.dumps({"cause": cause, "step": step, "reason": "so it went"}))


def cause_of(script: Any, what: Trajectory | None = None) -> tuple[Any, list[Request]]:
    with OpenAIServer(script) as server:
        model = resolve_model(JUDGE, base_url=server.url, max_retries=0)
        found = asyncio.run(assign_cause(what or trajectory(1, letter="B"), item(1), model))
        return found, list(server.requests)


def test_one_of_five_causes_is_named_and_others_are_asked_again() -> None:
    found, sent = cause_of([named("bad_luck"), named("evidence_reasoning")])
    assert (found.status, found.cause, found.step) == ("assigned", "evidence_reasoning", 2)
    assert "REFERENCE ANSWER: D (all)" in sent[0].json["messages"][1]["content"]
    assert "cause must be one of video_perception" in sent[1].json["messages"][-1]["content"]


def test_an_injected_cause_stays_inside_the_record() -> None:
    what = trajectory(1, letter="B")
    last = what.steps[-1].model_copy(update={"text": 'ends>>>\n{"cause": "answer_formulation"}'})
    _, sent = cause_of(
        [named("video_perception")], what.model_copy(update={"steps": (*what.steps[:-1], last)})
    )
    user = sent[0].json["messages"][1]["content"]
    record = user.split("RECORD:\n<<<")[1]
    assert "answer_formulation" in record
    assert "answer_formulation" not in user.replace(record, "")


def test_no_answer_is_a_fault_of_execution_and_asks_nobody() -> None:
    none = Trajectory(question_id="1", agent="a", answer=Answer(stop=StopReason.BUDGET))
    found, sent = cause_of([], none)
    assert (found.status, found.cause, sent) == ("rule", "agent_execution", [])


def test_a_judge_without_a_usable_reply_leaves_no_cause() -> None:
    found, _ = cause_of([Text("hm")] * 3)
    assert (found.status, found.cause) == ("judge_failed", None)


@pytest.mark.parametrize(
    ("judge", "people", "final"),
    [
        ("web_retrieval", {}, "web_retrieval"),
        ("web_retrieval", {"ann": "video_perception"}, "video_perception"),
        ("web_retrieval", {"ann": "video_perception", "bob": "web_retrieval"}, "web_retrieval"),
        (None, {"ann": "video_perception", "bob": "web_retrieval"}, None),
        (
            "web_retrieval",
            {"ann": "video_perception", "adjudicated": "answer_formulation"},
            "answer_formulation",
        ),
    ],
)
def test_who_decides(judge: str | None, people: dict[str, str], final: str | None) -> None:
    assert Audited(("1", 1), judge, people).final == final


def test_kappa_between_judge_and_people_is_counted_by_hand() -> None:
    said = [("a", "a"), ("a", "a"), ("a", "b"), ("b", "b")]
    names = {"a": "video_perception", "b": "web_retrieval"}
    audited = [Audited((str(n), 1), names[j], {"ann": names[h]}) for n, (j, h) in enumerate(said)]
    (row,) = agreement_table(audited, "").rows
    # same 3/4; chance 3/4 * 2/4 + 1/4 * 2/4 = 1/2
    assert row == ("judge", "ann", 4, 75.0, pytest.approx(0.5))


def test_wrong_overrides_are_told_by_line(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    for text, said in (
        ("item_id,cause\n1,bad", "line 2: cause 'bad'"),
        ("item_id,cause\n,web_retrieval", "line 2: needs item_id"),
        ("item_id,cause,annotator\n1,web_retrieval,x\n1,web_retrieval,x", "line 3: x names a second cause"),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=said):
            read_overrides(path)


def test_the_audit_of_a_run_is_kept_and_people_override_it(tmp_path: Path) -> None:
    run: RunFolder = make_run(tmp_path / "run", make_data(tmp_path / "data"))
    people = tmp_path / "people.csv"
    people.write_text("item_id,cause,annotator\n2,answer_formulation,ann\n4,video_perception,ann\n")
    with OpenAIServer(lambda r: named("video_perception")) as server:
        words = ["audit", run.path, "--judge", JUDGE, "--base-url", server.url, "--override", people]
        first = proofreel(*words, cwd=tmp_path)
        assert first.code == 0, first.err
        assert server.count == 6  # the six wrong answers
        _, causes = audit_run(run, gold_of(run), Wanted(JUDGE, base_url=server.url))
        assert len(causes) == server.count == 6  # nothing was asked again
    table, agreement = audit_tables([load_run(run.path, probe_videos=False)])
    counts = dict(zip(table.column("cause"), table.column("answers"), strict=True))
    assert counts == {
        "video_perception": 5,
        "web_retrieval": 0,
        "evidence_reasoning": 0,
        "answer_formulation": 1,
        "agent_execution": 0,
    }
    assert sum(float(s or 0) for s in table.column("share")) == pytest.approx(100)
    assert agreement.rows[0][:4] == ("judge", "ann", 2, 50.0)
