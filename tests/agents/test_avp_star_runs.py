"""AVP and STAR as whole runs: on the embedded benchmark from the command line, and on data with planted gold."""

import json
from pathlib import Path

import pytest

from agents.test_avp import plan, report, verdict
from agents.test_star import ENOUGH, GRID, QA, Text, go, kind_of
from cli.cli import proofreel
from proofreel.runs.option_names import check_options
from proofreel.testing import OpenAIServer, Reply, Request
from runs.world import MODEL, SECRET_GOLD, make_data, run_here, wanted


def avp_world(request: Request) -> Reply:
    """AVP's three roles, each by its own words."""
    text = request.raw.decode()
    if "You are the observer" in text:
        return report((0, 1, "a thing is seen"))
    return verdict("B", supporting_evidence=[1]) if "You judge" in text else plan([0, 2], fps=2)


def star_world(request: Request) -> Reply:
    """STAR's planner goes by the number of tools used; everything else has one reply."""
    text = request.raw.decode()
    match kind_of(request):
        case "plan":
            step = next(n for n in range(1, 8) if f"This is step {n} of" in text)
            return [go(QA, "what is seen?"), go(GRID), go(QA, "and now?"), ENOUGH][step - 1]
        case "grid_select":
            return Text('{"start": 1, "end": 2}')
        case "summary":
            return Text("EVIDENCE FRAMES: 0\nFINAL ANSWER: B")
    return Text("a thing")


WORLDS = {"avp": (avp_world, 3), "star": (star_world, 12)}
QUICK = {"thinking_budget": None}


@pytest.mark.parametrize("name", ["avp", "star"])
def test_a_run_is_whole_and_sends_no_gold(tmp_path: Path, name: str) -> None:
    world, calls = WORLDS[name]
    data = make_data(tmp_path / "data", questions=2, videos=2)
    more = {"frames_per_tool": 3} if name == "star" else {}
    with OpenAIServer(world) as server:
        run, state = run_here(wanted(data, server.url, name, options=QUICK | more), tmp_path / "run")
        sent = b"\n".join(r.raw for r in server.requests)
        made = server.count
    assert (state.state, state.done) == ("done", 2)
    assert SECRET_GOLD.encode() not in sent
    results = list(run.latest().values())
    assert [r.trajectory.answer.letter for r in results] == ["B"] * 2
    assert made == 2 * calls
    assert all(r.trajectory.tokens.calls == calls for r in results)
    # question k has gold letter "ABCD"[k % 4]: B is right for question 1 alone
    assert sorted(r.verdict.outcome.value for r in results) == ["right", "wrong"]
    assert all(r.trajectory.answer.evidence for r in results)
    entries = [json.loads(line) for line in run.ledger_path.read_text().splitlines()]
    assert sum(len(e["frames"]) for e in entries) == sum(r.trajectory.frames_seen for r in results)
    kinds = {e["ref"]["kind"] for e in entries}
    assert kinds == ({"frames", "grid"} if name == "star" else {"frames"})


@pytest.mark.parametrize("name", ["avp", "star"])
def test_from_the_command_line_on_the_embedded_benchmark(tmp_path: Path, name: str) -> None:
    world, _ = WORLDS[name]
    with OpenAIServer(world) as server:
        words = ["run", "mini", "--agent", name, "--model", MODEL, "--base-url", server.url, "--limit", "2"]
        words += ["--out", "r", "--generate", "max_tokens=512", "--set", "temperature=0"]
        words += (
            ["--set", "frames_per_tool=2"] if name == "star" else ["--set", "fps=1", "--set", "interval=full"]
        )
        done = proofreel(*words, cwd=tmp_path)
        assert done.code == 0, done.err
        assert "done: 2/2 done" in done.out
        bad = proofreel(*words[:-4], "--set", "detectr=ocr", "--limit", "1", "--out", "s", cwd=tmp_path)
        assert bad.code != 0
        assert "detectr" in bad.error_lines[0]
    rows = [json.loads(line) for line in (tmp_path / "r" / "results.jsonl").read_text().splitlines()]
    assert [r["trajectory"]["agent"] for r in rows] == [name] * 2
    assert all(r["trajectory"]["answer"]["stop"] in ("answered", "forced") for r in rows)


def test_every_documented_option_is_known() -> None:
    shared = ["mode", "temperature", "thinking_budget", "thinking", "config", "perceiver_config", "actions"]
    avp = [
        "rounds",
        "confidence",
        "heights",
        "resolution",
        "spatial_token_rate",
        "interval",
        "max_frames",
        "frame_caps",
    ]
    star = ["max_iterations", "detector", "grounder", "memory", "generalist", "frames_per_tool", "parallel"]
    check_options([*shared, *avp], "avp", ["proofreel.agents.avp"])
    check_options([*shared, *star, "frame_height", "grid_analysis"], "star", ["proofreel.agents.star"])
