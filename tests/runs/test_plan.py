"""Plans over small real files: what they find, what they refuse, and sums worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.cli import proofreel
from tests.media_maker import make_clip

from proofreel.core.errors import UserError
from proofreel.runs.plan import make_plan
from proofreel.runs.plan_calls import OUTPUT
from proofreel.runs.plan_files import probe_all
from proofreel.runs.plan_records import RunPlan
from proofreel.runs.setup import Wanted

CARDS = """
[models."test/pictures"]
match = ["pictures"]
source = "made for a test"
context_tokens = 100000
max_images = 8
images = true
video = false
image_tokens = { kind = "fixed", tokens = 100 }
prices = [{ input = 2.0, output = 10.0 }]

[models."test/banded"]
match = ["banded"]
source = "made for a test"
context_tokens = 100000
images = true
video = false
image_tokens = { kind = "fixed", tokens = 100 }
prices = [{ input = 2.0, output = 10.0 }, { above_prompt = 1500, input = 4.0, output = 20.0 }]

[models."test/free"]
match = ["free"]
source = "made for a test"
max_images = 8
images = true
video = false
image_tokens = { kind = "fixed", tokens = 100 }
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three clips of 10, 20 and 4 s, and a question on each."""
    root = tmp_path_factory.mktemp("plan")
    for name, count in (("a", 100), ("b", 200), ("c", 40)):
        make_clip(root / f"{name}.mp4", count=count, fps=10, gop=50)
    rows = [
        {"id": n, "video": f"{n}.mp4", "question": f"What is in {n}?", "options": ["x", "y"], "answer": "A"}
        for n in "abc"
    ]
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return root


@pytest.fixture(autouse=True)
def cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "cards.toml"
    file.write_text(CARDS)
    monkeypatch.setenv("PROOFREEL_MODELS", str(file))
    return file


def plan(
    data: Path, model: str | None = "openai-api/test/pictures", agent: str = "single_turn", **words: Any
) -> RunPlan:
    return make_plan(Wanted(benchmark="folder", data=data, agent=agent, model=model, **words))


def changed(data: Path, root: Path, *rows: dict[str, Any], drop: str | None = None) -> Path:
    """The same folder elsewhere, with other rows added or a file removed."""
    root.mkdir()
    for file in data.glob("*.mp4"):
        (root / file.name).symlink_to(file)
    text = (data / "questions.jsonl").read_text()
    (root / "questions.jsonl").write_text(text + "".join(json.dumps(r) + "\n" for r in rows))
    if drop:
        (root / drop).unlink()
    return root


ROW = {"video": "a.mp4", "question": "And now?", "options": ["x", "y"], "answer": "A"}


def test_tokens_and_money_by_hand(data: Path) -> None:
    p = plan(data, options={"max_frames": 5}, epochs=2)
    assert p.exit_code == 0
    # 5 + 5 + 4 frames, twice, at 100 tokens and 8 for the time in front of each.
    assert p.frames == dict.fromkeys(("low", "typical", "high"), 28)
    low = p.roles[0]
    assert (low.calls, low.completion) == (6, 6 * OUTPUT["analysis"][0])
    text = (low.prompt or 0) - 28 * 108
    assert 6 * 100 < text < 6 * 400  # the instruction and the question
    assert low.usd == pytest.approx(((low.prompt or 0) * 2.0 + low.completion * 10.0) / 1e6)
    assert [m.level for m in p.money] == ["low", "typical", "high"]
    assert p.money[0].usd < p.money[1].usd < p.money[2].usd  # type: ignore[operator]


def test_an_unknown_price_is_unknown_and_never_nothing(data: Path) -> None:
    p = plan(data, "openai-api/test/free", options={"max_frames": 5})
    assert [m.usd for m in p.money] == [None, None, None]
    assert p.money[0].tokens is not None
    refused = plan(data, "openai-api/test/free", max_cost=5.0)
    assert refused.exit_code == 2
    out = plan(data, "openai-api/test/never-heard-of")
    assert out.money[0].tokens is None
    assert any("no card" in f.message for f in out.findings)


def test_more_images_than_the_model_takes_is_refused_with_what_fits(data: Path) -> None:
    p = plan(data, options={"max_frames": 20})
    assert p.exit_code == 2
    (finding,) = [f for f in p.findings if f.weight == "stops"]
    assert "up to 20 images in one request, at most 8 allowed (questions a, b)" in finding.message
    assert p.proposal == "--set max_frames=8"
    assert plan(data, options={"max_frames": 8}).exit_code == 0


def test_a_context_that_is_too_small_is_refused_with_what_fits(data: Path, cards: Path) -> None:
    cards.write_text(
        CARDS.replace("context_tokens = 100000\nmax_images = 8", "context_tokens = 5400\nmax_images = 80")
    )
    p = plan(data, options={"max_frames": 20})
    # 20 x 108 media and 4096 of completion do not fit into 5400.
    assert p.exit_code == 2
    assert "the context holds 5400" in str(p.findings)
    frames = int(str(p.proposal).rpartition("=")[2])
    assert plan(data, options={"max_frames": frames}).exit_code == 0


VIDEO_CARD = """
[models."test/watcher"]
match = ["watcher"]
source = "made for a test"
context_tokens = 3000
images = true
video = true
image_tokens = { kind = "fixed", tokens = 100 }
[models."test/watcher".video_rule]
per_frame = { default = 100 }
"""


def test_a_video_that_is_too_long_is_offered_at_a_lower_rate(data: Path, cards: Path) -> None:
    cards.write_text(VIDEO_CARD.replace("3000", "5700"))
    # 20 s at 1 fps are 2000 tokens, with 4096 of completion more than 5700; at 0.5 fps they are 1000.
    p = plan(data, "openai-api/test/watcher")
    assert p.exit_code == 2
    assert p.proposal == "--set fps=0.5"
    assert plan(data, "openai-api/test/watcher", options={"fps": 0.5}).exit_code == 0
    cards.write_text(VIDEO_CARD.replace("3000", "400"))
    hopeless = plan(data, "openai-api/test/watcher")
    assert (hopeless.exit_code, hopeless.proposal) == (2, None)


def test_a_look_that_is_too_large_is_a_note_for_the_planner_can_look_at_less(data: Path, cards: Path) -> None:
    cards.write_text(CARDS + VIDEO_CARD.replace("3000", "2000"))
    p = plan(data, agent="video_react", perceiver="openai-api/test/watcher")
    assert p.exit_code == 0
    (note,) = [f for f in p.findings if f.kind == "limit"]
    assert (note.weight, note.where) == ("note", "openai-api/test/watcher")
    assert "the context holds 2000" in note.message


def test_lower_pictures_for_a_perceiver_are_offered_in_its_own_words(data: Path, cards: Path) -> None:
    # Ten pictures of 800x480 are 38,400 tokens and do not fit beside the rest; lower ones do.
    card = """
[models."test/eye"]
match = ["eye"]
source = "made for a test"
images = true
video = false
image_tokens = { kind = "area", pixels_per_token = 100 }
"""
    cards.write_text(CARDS + card + "context_tokens = 40000\n")
    p = plan(data, agent="video_react", perceiver="openai-api/test/eye", ids="a")
    assert p.exit_code == 0
    assert p.proposal is not None
    assert p.proposal.startswith('--set \'heights={"medium": ')
    height = int(p.proposal.rpartition(" ")[2].rstrip("}'"))
    assert 224 <= height < 480
    again = plan(
        data,
        agent="video_react",
        perceiver="openai-api/test/eye",
        ids="a",
        options={"heights": {"medium": height}},
    )
    assert not [f for f in again.findings if f.kind == "limit"]


def test_the_band_is_that_of_each_single_call(data: Path) -> None:
    # 10 s at 1 fps: 1080 media tokens, the low band; 20 s: 2160, the high band.
    both = plan(data, "openai-api/test/banded", options={"max_frames": 50}, ids="a,b")
    a = plan(data, "openai-api/test/banded", options={"max_frames": 50}, ids="a").roles[0]
    b = plan(data, "openai-api/test/banded", options={"max_frames": 50}, ids="b").roles[0]
    assert a.usd == pytest.approx(((a.prompt or 0) * 2 + a.completion * 10) / 1e6)
    assert b.usd == pytest.approx(((b.prompt or 0) * 4 + b.completion * 20) / 1e6)
    assert both.roles[0].usd == pytest.approx((a.usd or 0) + (b.usd or 0))


def test_missing_broken_and_twin_files(data: Path, tmp_path: Path) -> None:
    (data / "broken.mp4").write_bytes(b"no video at all" * 100)
    rows = [{**ROW, "id": "broken", "video": "broken.mp4"}, {**ROW, "id": "gone", "video": "gone.mp4"}]
    root = changed(data, tmp_path / "d", *rows, drop="c.mp4")
    (root / "c2.mp4").write_bytes((data / "a.mp4").read_bytes())
    with (root / "questions.jsonl").open("a") as file:
        file.write(json.dumps({**ROW, "id": "twin", "video": "c2.mp4"}) + "\n")
    p = plan(root, options={"max_frames": 5})
    said = [str(f) for f in p.findings]
    assert p.exit_code == 1
    assert (p.rows, p.usable, p.questions, p.videos, p.readable) == (6, 4, 3, 6, 3)
    assert "question c: video c.mp4 is missing; the question is left out" in said
    assert "question gone: video gone.mp4 is missing; the question is left out" in said
    assert any(s.startswith("broken.mp4: ") and "question broken cannot be answered" in s for s in said)
    assert any("the same bytes as c2.mp4" in s for s in said)
    (data / "broken.mp4").unlink()


def test_times_past_the_end(data: Path, tmp_path: Path) -> None:
    rows = [
        {**ROW, "id": "w", "windows": [[2, 9], [8, 12]]},
        {**ROW, "id": "box", "boxes": [{"time": 11, "box": [0, 0, 1, 1]}]},
        {**ROW, "id": "far", "windows": [[30, 40]]},
        {**ROW, "id": "fine", "windows": [[0, 10.03]]},
    ]
    p = plan(changed(data, tmp_path / "d", *rows), options={"max_frames": 5})
    said = {f.where: f.message for f in p.findings if f.kind == "window"}
    assert said == {
        "question w": "window 8 to 12 s ends beyond the video (10.00 s)",
        "question box": "box at 11 s lies beyond the video (10.00 s)",
        "question far": "window 30 to 40 s lies wholly beyond the video (10.00 s)",
    }
    assert p.exit_code == 1


def test_a_transcript_of_another_video(data: Path, tmp_path: Path) -> None:
    root = changed(data, tmp_path / "d", {**ROW, "id": "t", "transcript": "t.srt"})
    (root / "t.srt").write_text("1\n00:01:00,000 --> 00:01:02,000\nHello\n")
    p = plan(root, options={"max_frames": 5})
    assert any("speech at 60.0 s, the video ends at 10.0 s" in f.message for f in p.findings)


def test_max_cost(data: Path) -> None:
    free = plan(data, options={"max_frames": 5})
    low, high = free.money[0].usd, free.money[2].usd
    assert low is not None
    assert high is not None
    assert plan(data, options={"max_frames": 5}, max_cost=high * 2).exit_code == 0
    tight = plan(data, options={"max_frames": 5}, max_cost=low / 2)
    assert tight.exit_code == 2
    assert "it would stop after about 1 of 3 answers" in str(tight.findings)


def test_the_planner_pays_for_its_history_and_the_perceiver_for_its_looks(data: Path) -> None:
    p = plan(data, agent="video_react", perceiver="openai-api/test/banded", ids="a", limits={"tool_calls": 3})
    calls = {(r.role, r.level): r.calls for r in p.roles}
    assert calls == {
        ("main", "low"): 2,
        ("perceiver", "low"): 1,
        ("main", "typical"): 4,
        ("perceiver", "typical"): 3,
        ("main", "high"): 4,
        ("perceiver", "high"): 3,
    }
    prompts = {(r.role, r.level): r.prompt or 0 for r in p.roles}
    # Four turns carry 0, 1, 2 and 3 turns and reports before them, two turns 0 and 1; the rest is the same each time.
    (turn, _, long_turn), (report, _, long_report) = OUTPUT["turn"], OUTPUT["report"]
    grown = 6 * (long_turn + long_report) - 2 * (turn + report)
    assert prompts["main", "high"] - 2 * prompts["main", "low"] == grown
    assert p.frames["low"] == 10
    assert p.frames["high"] == 30
    assert {x.model: x.roles for x in p.payers} == {
        "openai-api/test/pictures": ("main",),
        "openai-api/test/banded": ("perceiver",),
    }


def test_who_pays(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", "secret-value")
    p = plan(data, options={"max_frames": 5})
    (payer,) = p.payers
    assert (payer.variable, payer.present) == ("TEST_API_KEY", True)
    assert "secret-value" not in p.model_dump_json()
    monkeypatch.delenv("TEST_API_KEY")
    assert "TEST_API_KEY is not set" in str(plan(data, options={"max_frames": 5}).findings)
    own = make_plan(
        Wanted("folder", data, "single_turn", "Qwen/Qwen3-VL-8B", base_url="http://127.0.0.1:1/v1")
    )
    assert own.payers[0].account == "server of your own"


def test_an_agent_without_a_model_costs_time_and_no_money(data: Path) -> None:
    p = plan(data, None, "retrieval")
    assert p.roles == ()
    assert [m.usd for m in p.money] == [0.0, 0.0, 0.0]
    assert p.index is not None
    assert p.index.video_seconds == pytest.approx(34.0)
    assert p.index.low == pytest.approx(34 * 0.05)  # no sound, so no hearing
    assert p.exit_code == 0


def test_the_rate_of_reading_can_be_measured_here(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is replaced by sleep in proportion to the piece, with a fixed cost as for loading a model."""
    import time

    import proofreel.perception
    from proofreel.video import probe

    pieces = []

    def read(piece: Path, *, cache: bool) -> None:
        assert not cache
        pieces.append(probe(piece).duration)
        time.sleep(0.3 + 0.05 * pieces[-1])

    monkeypatch.setattr(proofreel.perception, "prepare", read)
    p = make_plan(Wanted("folder", data, "retrieval"), measure=True)
    assert p.index is not None
    assert pieces == [pytest.approx(2.0, abs=0.2), pytest.approx(12.0, abs=0.2)]
    assert p.index.typical == pytest.approx(34 * 0.05, rel=0.2)
    assert (p.index.low, p.index.high) == (p.index.typical / 2, p.index.typical * 2)
    assert "b.mp4" in p.index.rate


def test_an_agent_nobody_knows_costs_an_unknown_sum(data: Path) -> None:
    from proofreel.agents.agent import AGENTS, agent

    @agent("stranger_for_plan", needs_model=False, summary="of another package")
    async def stranger(question: Any, ctx: Any) -> Any: ...

    try:
        p = plan(data, agent="stranger_for_plan")
    finally:
        AGENTS._parts.pop("stranger_for_plan")
    assert [m.usd for m in p.money] == [None] * 3
    assert p.frames == dict.fromkeys(("low", "typical", "high"))


def test_bad_words_are_errors(data: Path) -> None:
    with pytest.raises(UserError, match="needs a model"):
        plan(data, None)
    with pytest.raises(UserError, match="cannot be run"):
        plan(data, ids="z")


def test_probe_all_reports_progress_and_never_raises(data: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    (tmp_path / "empty.mp4").touch()
    names = [str(data / "a.mp4"), str(tmp_path / "empty.mp4"), str(tmp_path / "none.mp4"), str(tmp_path)]
    facts = probe_all(names, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert facts[names[0]].duration == pytest.approx(10.0)
    assert facts[names[0]].error is None
    assert all(facts[n].error for n in names[1:])
    assert facts[names[2]].missing


def test_the_command(data: Path, cards: Path) -> None:
    words = (
        "plan",
        "folder",
        "--data",
        data,
        "--agent",
        "single_turn",
        "--model",
        "openai-api/test/pictures",
    )
    env = {"PROOFREEL_MODELS": str(cards)}
    refused = proofreel(*words, "--set", "max_frames=20", cwd=cards.parent, **env)
    assert refused.code == 2
    assert "this would fit: --set max_frames=8" in refused.out
    good = proofreel(*words, "--set", "max_frames=8", "--json", cwd=cards.parent, **env)
    assert good.code == 0
    assert RunPlan.model_validate_json(good.out).ready


def test_a_judge_of_open_answers_is_priced_with_its_trial_questions_once(tmp_path: Path) -> None:
    root = tmp_path / "gaia"
    (root / "videos").mkdir(parents=True)
    make_clip(root / "videos" / "a.mp4", count=40, fps=10, size=(64, 48))
    row = {"video": {"local_path": "videos/a.mp4", "duration_sec": 4.0}, "answer": "x", "category": "History"}
    asked = [
        {"sample_id": f"s{n}", "question_en": f"what {n}?", "difficulty": "L1", **row} for n in (1, 2, 3)
    ]
    (root / "videogaia_271.jsonl").write_text("".join(json.dumps(r) + "\n" for r in asked))
    plan = make_plan(
        Wanted(benchmark="videogaia", data=root, agent="blind", model="test/pictures", judge="test/pictures")
    )
    calls = {(r.role, r.level): r.calls for r in plan.roles}
    # Three verdicts and eleven trial questions, whatever the level.
    assert [calls["judge", level] for level in ("low", "typical", "high")] == [14, 14, 14]
