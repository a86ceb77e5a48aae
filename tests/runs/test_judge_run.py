"""Judging a run: the file it leaves, going on after a kill, failures, repeats, panels, tables."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.cli import proofreel
from tests.judges.judge_world import JUDGE, length_biased, make_data, make_run, noisy, perfect, trajectory

from proofreel.core.errors import UserError
from proofreel.judges.judged import summary_of
from proofreel.judges.rubric import RubricSettings
from proofreel.runs import RunError, RunFolder
from proofreel.runs.judge_run import Wanted, judge_run
from proofreel.runs.judgements import judge_tables, judged_runs, load_judgements, read_judgements
from proofreel.runs.numbers_load import load_run
from proofreel.runs.start import gold_of
from proofreel.testing import OpenAIServer, RateLimited, Reply, Request, Text, Usage

QUIET = RubricSettings(config={"max_retries": 0})


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "run", make_data(tmp_path / "data"))


def wanted(url: str, **more: Any) -> Wanted:
    return Wanted(JUDGE, base_url=url, settings=more.pop("settings", QUIET), **more)


def test_every_trajectory_gets_a_line_under_a_head_that_says_how(run: RunFolder) -> None:
    with OpenAIServer(perfect) as server:
        done = judge_run(run, gold_of(run), wanted(server.url))
    lines = [json.loads(x) for x in done.file.path.read_text().splitlines()]
    assert done.file.path == run.path / "judgements" / "openai_api_local_judge.jsonl".replace(
        "openai_api", "openai_api"
    )
    assert lines[0]["kind"] == "settings"
    assert lines[0]["judge"] == JUDGE
    assert "GT_MILESTONES" in lines[0]["system"]
    assert {line["item_id"] for line in lines[1:]} == {str(n) for n in range(1, 13)}
    assert len(lines) == 13
    assert all(line["judgement"]["raw"] for line in lines[1:])


def test_scores_are_the_ones_counted_by_hand(run: RunFolder) -> None:
    with OpenAIServer(perfect) as server:
        judge_run(run, gold_of(run), wanted(server.url))
    (judged,) = judged_runs(load_run(run.path, probe_videos=False))
    s = summary_of(judged)
    # Odd questions: 3 of 3 milestones, all axes 2: Traj 1. Even ones: 1 of 3, all axes 0: Traj 0.
    assert (s.judged, s.failed, s.absent) == (12, 0, 0)
    assert s.traj.value == pytest.approx(0.5)
    assert s.mc_rate.value == pytest.approx((6 * 1 + 6 / 3) / 12)
    assert s.axes["P1"].value == pytest.approx(1.0)
    # P4: sweep is "no" for n % 3 == 1 (1, 4, 7, 10): 8 questions are left, 4 of them odd.
    assert (s.axes["P4"].n, s.axes["P4"].value) == (8, pytest.approx(1.0))
    assert s.tags["missed_required_segment"] == pytest.approx(50.0)
    # The first milestone of a question is always shown, the others only for odd ones.
    assert s.types["visual_recognition"].value == 1.0
    assert s.types["counting"].value == pytest.approx(0.5)
    assert s.traj.low is not None
    assert s.bounds == (pytest.approx(0.5), pytest.approx(0.5))
    assert judged.accuracy == pytest.approx(0.5)


def test_failed_judgements_are_kept_counted_and_bounded_and_asked_again_on_demand(run: RunFolder) -> None:
    def half(request: Request) -> Reply:
        return RateLimited() if b"in part 2?" in request.raw else perfect(request)

    with OpenAIServer(half) as server:
        want = wanted(server.url)
        done = judge_run(run, gold_of(run), want)
        assert sum(j.status == "judge_failed" for j in done.file.latest.values()) == 1
        (judged,) = judged_runs(load_run(run.path, probe_videos=False))
        s = summary_of(judged)
        assert (s.judged, s.failed) == (11, 1)
        assert s.traj.value == pytest.approx(6 / 11)
        assert s.bounds == (pytest.approx(6 / 12), pytest.approx(7 / 12))
        before = server.count
        assert judge_run(run, gold_of(run), want).made == 0
        assert server.count == before  # a plain second time asks nobody
        again = judge_run(
            run, gold_of(run), Wanted(JUDGE, base_url=server.url, settings=QUIET, retry_failed=True)
        )
    assert again.made == 1
    assert again.file.path == done.file.path
    assert again.file.failed_lines == 2  # both failures stay in the file


def test_other_settings_never_write_over_a_file(run: RunFolder) -> None:
    items = gold_of(run)
    with OpenAIServer(perfect) as server:
        a = judge_run(run, items, wanted(server.url))
        bytes_before = a.file.path.read_bytes()
        masked = RubricSettings(mask_letter=True, config={"max_retries": 0})
        b = judge_run(run, items, wanted(server.url, settings=masked))
        c = judge_run(run, items, wanted(server.url, again=True))
    assert [d.file.path.stem for d in (a, b, c)] == [a.file.name, f"{a.file.name}-2", f"{a.file.name}-3"]
    assert a.file.path.read_bytes() == bytes_before
    assert len(load_judgements(run.path)) == 3


def test_a_half_written_line_is_made_again(run: RunFolder) -> None:
    items = gold_of(run)
    with OpenAIServer(perfect) as server:
        path = judge_run(run, items, wanted(server.url)).file.path
        whole = path.read_bytes()
        path.write_bytes(whole[:-40])
        assert read_judgements(path).problems
        done = judge_run(run, items, wanted(server.url))
    assert done.made == 1
    assert len(done.file.latest) == 12
    path.write_bytes(whole.replace(b'"kind":"judgement"', b'"kind":"nonsense"', 1))
    with pytest.raises(RunError, match=r"line 2: "):
        read_judgements(path)


def test_a_killed_judge_run_goes_on_and_asks_nothing_twice(run: RunFolder) -> None:
    asked: list[bytes] = []

    def slow(request: Request) -> Reply:
        reply = perfect(request)
        assert isinstance(reply, Text)
        asked.append(request.raw)
        return Text(reply.text, delay=0.15)

    with OpenAIServer(slow) as server:
        words = ["judge", str(run.path), "--judge", JUDGE, "--base-url", server.url, "--concurrency", "1"]
        env = {**os.environ, "COLUMNS": "100"}
        child = subprocess.Popen(
            [sys.executable, "-m", "proofreel", *words],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        file = run.path / "judgements" / "openai_api_local_judge.jsonl"
        until = time.monotonic() + 60
        while time.monotonic() < until and (not file.exists() or file.read_bytes().count(b"\n") < 4):
            time.sleep(0.02)
        os.kill(child.pid, signal.SIGKILL)
        child.wait(10)
        kept = file.read_bytes()
        had = len(read_judgements(file).lines)
        assert 3 <= had < 12
        ran = proofreel(*words, cwd=run.path.parent)
    assert ran.code == 0, ran.err
    assert file.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    done = read_judgements(file)
    assert [len(done.lines), len(done.latest)] == [12, 12]
    assert len(asked) <= 13  # at most the one in flight was asked twice
    assert f"12/12 judged · {12 - had} now" in ran.out


def test_an_item_that_was_run_again_is_judged_again(run: RunFolder) -> None:
    items = gold_of(run)
    with OpenAIServer(perfect) as server:
        judge_run(run, items, wanted(server.url))
        better = run.latest()["2", 1].model_copy(update={"trajectory": trajectory(2)})
        with run.writing():
            run.add(better)
        (stale,) = judged_runs(load_run(run.path, probe_videos=False))
        assert summary_of(stale).absent == 1  # what was said of the old trajectory is not said of this one
        done = judge_run(run, items, wanted(server.url))
    assert done.made == 1
    (fresh,) = judged_runs(load_run(run.path, probe_videos=False))
    assert fresh.judgements["2", 1, 1].traj == 1.0
    assert len(done.file.lines) == 13


def test_a_second_writer_is_refused(run: RunFolder) -> None:
    from filelock import FileLock

    with OpenAIServer(perfect) as server:
        (run.path / "judgements").mkdir()
        lock = FileLock(run.path / "judgements" / ".openai_api_local_judge.lock")
        with lock, pytest.raises(RunError, match="another process"):
            judge_run(run, gold_of(run), wanted(server.url))


def test_a_run_without_milestones_is_refused_before_any_call(tmp_path: Path) -> None:
    from tests.runs.made import make_data as plain_data
    from tests.runs.made import make_run as plain_run

    run = plain_run(tmp_path / "plain", plain_data(tmp_path / "d2"), {"1": "right"})
    with OpenAIServer([]) as server:
        with pytest.raises(UserError, match="no question has milestones"):
            judge_run(run, gold_of(run), wanted(server.url))
        assert server.count == 0
    assert judge_tables([load_run(run.path, probe_videos=False)]) == ()


def test_a_grounded_run_lists_the_frames_it_showed(tmp_path: Path) -> None:
    from tests.agents.wire import write_clip

    from proofreel.core import Window
    from proofreel.video import Ledger

    data = make_data(tmp_path / "data", questions=2, videos=1)
    write_clip(data / "videos/v0.mp4", seconds=4)
    run = make_run(tmp_path / "run", data)
    settings = RubricSettings(grounded=True, config={"max_retries": 0})
    with OpenAIServer(perfect) as server:
        done = judge_run(run, gold_of(run), wanted(server.url, settings=settings))
        assert all("image_url" in r.raw.decode() for r in server.requests)
    assert {j.status for j in done.file.latest.values()} == {"judged"}
    ledger = Ledger.load(run.path / "judgements" / "ledger" / done.file.path.name)
    (call,) = done.file.latest["1", 1, 1].calls
    # Question 1 cites three windows; frames lie in them and nowhere else.
    assert len(ledger.seen(Window(start=1, end=1.5), call)) == 4
    assert ledger.seen(Window(start=1.6, end=1.9), call) == []
    assert len(load_judgements(run.path)) == 1  # the ledger is no file of judgements
    (judged,) = judged_runs(load_run(run.path, probe_videos=False))
    assert judged.settings.grounded


def test_a_money_limit_needs_a_price_and_stops_in_time(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = gold_of(run)
    with OpenAIServer(perfect) as server, pytest.raises(UserError, match="price"):
        judge_run(run, items, wanted(server.url, max_cost=1.0))

    def priced(request: Request) -> Reply:
        reply = perfect(request)
        assert isinstance(reply, Text)
        return Text(reply.text, Usage(prompt=1000, completion=1000))

    cards = tmp_path / "cards.toml"
    cards.write_text(
        '[models."openai-api/local/dear-judge"]\nmatch = ["dear-judge"]\nsource = "made up"\ndate = 2026-01-01\n'
        "verified = true\nprices = [{ input = 500.0, output = 500.0 }]\n"
    )
    from proofreel.models.cards import add_card_file

    add_card_file(cards)
    with OpenAIServer(priced) as server:  # a judgement costs 1 USD
        dear = Wanted("openai-api/local/dear-judge", base_url=server.url, settings=QUIET, max_cost=3.5)
        done = judge_run(run, items, dear)
    assert len(done.file.latest) == 3
    assert done.stopped is not None
    assert "money" in done.stopped


def test_repeats_and_a_second_judge_make_a_panel(run: RunFolder) -> None:
    items = gold_of(run)
    with OpenAIServer(perfect) as good, OpenAIServer(noisy()) as bad:
        judge_run(run, items, wanted(good.url, repeats=2))
        other = Wanted("openai-api/local/dice", base_url=bad.url, settings=QUIET, repeats=2)
        judge_run(run, items, other)
    tables = {t.id: t for t in judge_tables([load_run(run.path, probe_videos=False)])}
    steady = dict(
        zip(tables["judge_consistency"].column("judge"), tables["judge_consistency"].rows, strict=True)
    )
    assert steady["openai_api_local_judge"][1:3] == (12, 0.0)
    assert float(steady["openai_api_local_dice"][2] or 0) > 0.1
    assert tables["judge_pairs"].column("trajectories") == (12,)
    alpha = dict(zip(tables["judge_agreement"].column("rating"), tables["judge_agreement"].rows, strict=True))
    assert float(alpha["Traj"][3] or 0) < 0.7
    assert tables["judge_ensemble"].column("trajectories") == (12,)


NEEDED = {
    "judge_scores",
    "judge_axes",
    "judge_walkthrough",
    "judge_pairs",
    "judge_agreement",
    "judge_consistency",
    "judge_ensemble",
    "judge_validation",
    "avb_t1_traj",
    "avb_t2_controls",
    "avb_t7_cue_types",
    "avb_t10_reference",
    "avb_t11_cues",
    "avb_t17_coverage",
    "avb_t18_tags",
    "avb_t19_types",
    "avb_t23_frames",
    "avb_t24_settings",
    "avb_judged_summary",
}


def test_an_unjudged_run_has_every_table_and_each_says_what_fills_it(run: RunFolder) -> None:
    tables = {t.id: t for t in judge_tables([load_run(run.path, probe_videos=False)])}
    assert set(tables) == NEEDED
    references = {"avb_t7_cue_types", "avb_t11_cues"}  # read off the questions, no judge needed
    for table in tables.values():
        if table.id in references:
            assert table.rows
            continue
        assert not table.rows
        assert "proofreel " in table.missing
    # Every explanation says "at 1:05 and 1:20".
    assert tables["avb_t7_cue_types"].column("in the explanation") == ("1:05 and 1:20",)


def test_methods_stand_beside_each_other_and_changes_are_against_single_turn(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    base = make_run(tmp_path / "a", data, lambda n: 1, agent="single_turn", model="m1")
    loop = make_run(tmp_path / "b", data, agent="video_react", model="m1")
    fixed = make_run(tmp_path / "c", data, lambda n: 3, agent="video_react", model="m1", options={"fps": 1})
    with OpenAIServer(perfect) as server:
        for r in (base, loop, fixed):
            judge_run(r, gold_of(r), wanted(server.url))
    runs = [load_run(r.path, probe_videos=False) for r in (base, loop, fixed)]
    tables = {t.id: t for t in judge_tables(runs)}
    t1 = tables["avb_t1_traj"]
    assert [c.name for c in t1.columns] == [
        "model",
        "single_turn acc",
        "single_turn Traj",
        "video_react acc",
        "video_react acc change",
        "video_react Traj",
        "video_react Traj change",
    ]
    assert t1.rows == (("m1", 0.0, 0.0, 0.5, 0.5, 0.5, 0.5),)
    assert tables["avb_t17_coverage"].rows[0][1:] == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    t2 = tables["avb_t2_controls"]
    assert t2.column("setting") == ("all adaptive", "fps 1")
    assert t2.column("Traj") == (0.5, 1.0)
    heat = tables["avb_t18_tags"]
    assert heat.plot is not None
    assert heat.plot.kind == "heat"
    rows = {r[0]: r[1:] for r in heat.rows}
    assert rows["missed_required_segment"] == (100.0, 50.0)
    assert rows["ocr_error"] == (0.0, 0.0)
    radar = tables["judge_axes"]
    assert radar.plot is not None
    assert radar.plot.kind == "radar"
    assert len(radar.rows) == 15


def test_the_published_summary_has_process_means_by_slice(run: RunFolder) -> None:
    with OpenAIServer(perfect) as server:
        judge_run(run, gold_of(run), wanted(server.url))
    tables = {t.id: t for t in judge_tables([load_run(run.path, probe_videos=False)])}
    table = tables["avb_judged_summary"]
    rows = {(r[2], r[3]): r[4:] for r in table.rows}
    # All: 12 questions, half right, Traj 1 or 0, MC-Rate (6 + 6/3) / 12.
    assert rows["all", "all"] == (12, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.667)
    # Questions 2, 6, 10 are hard: all wrong, 1 of 3 milestones; 10 needs no sweep.
    assert rows["difficulty", "hard"] == (3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.333)


def test_an_axis_that_applied_to_nothing_is_missing_and_not_zero(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=1)  # question 1 needs no sweep
    run = make_run(tmp_path / "run", data)
    with OpenAIServer(perfect) as server:
        judge_run(run, gold_of(run), wanted(server.url))
    tables = {t.id: t for t in judge_tables([load_run(run.path, probe_videos=False)])}
    scores = dict(zip(tables["judge_axes"].column("axis"), tables["judge_axes"].column("score"), strict=True))
    assert scores["ECom"] is None
    assert scores["TU"] == 2.0


def test_a_key_among_the_settings_is_refused_before_anything_is_written(run: RunFolder) -> None:
    items = gold_of(run)
    keyed = RubricSettings(config={"api_key": "sk-planted"})
    with OpenAIServer(perfect) as server:
        for want in (
            wanted(server.url, settings=keyed),
            wanted(server.url.replace("http://", "http://me:sk-planted@")),
        ):
            with pytest.raises(UserError) as told:
                judge_run(run, items, want)
            assert "sk-planted" not in str(told.value)
    assert not (run.path / "judgements").exists()


@pytest.mark.parametrize(
    ("config", "said"),
    [({"foo": 1}, "foo: the engine has no such setting"), ({"max_tokens": "abc"}, "max_tokens:")],
)
def test_a_wrong_setting_is_one_line(run: RunFolder, config: dict[str, Any], said: str) -> None:
    with OpenAIServer(perfect) as server, pytest.raises(UserError, match=f"--generate {said}"):
        judge_run(run, gold_of(run), wanted(server.url, settings=RubricSettings(config=config)))


def test_a_mixture_of_judges_is_told(run: RunFolder) -> None:
    def sometimes(request: Request) -> Reply:
        if request.json["model"] == "judge" and b"in part 3?" in request.raw:
            return RateLimited()
        return perfect(request) if request.json["model"] == "judge" else length_biased(request)

    with OpenAIServer(sometimes) as server:
        words = ["judge", run.path, "--judge", JUDGE, "--fallback-judge", "openai-api/local/other"]
        ran = proofreel(*words, "--base-url", server.url, "--generate", "max_retries=0", cwd=run.path.parent)
    assert ran.code == 0, ran.err
    assert "several models judged" in ran.out
    tables = {t.id: t for t in judge_tables([load_run(run.path, probe_videos=False)])}
    assert tables["judge_scores"].column("judged by") == (
        "openai-api/local/judge (11), openai-api/local/other (1)",
    )


def test_the_verb_ends_with_3_when_no_judgement_came(run: RunFolder) -> None:
    with OpenAIServer(lambda r: RateLimited()) as server:
        words = ["judge", run.path, "--judge", JUDGE, "--base-url", server.url, "--generate", "max_retries=0"]
        ran = proofreel(*words, cwd=run.path.parent)
    assert ran.code == 3
    assert "12 judge failed" in ran.out
