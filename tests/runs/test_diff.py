"""Comparison of runs made by hand, and of what two ledgers hold."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.cli import proofreel
from tests.runs.made import make_data, make_run, result, settings

from proofreel.runs import RunFolder
from proofreel.runs.diff import diff_folders
from proofreel.testing import OpenAIServer, Text
from proofreel.video import FramesRef, Ledger, Rate
from proofreel.video.ref import EncodedFrames

ALL = dict.fromkeys("123456", "right")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return make_data(tmp_path / "data")


def shown(fps: float = 1.0, quality: int = 85, first_hash: str = "0" * 64) -> tuple[FramesRef, EncodedFrames]:
    plan = Rate(fps)
    ref = FramesRef(video="v.mp4", sha256="a" * 64, plan=plan.to_dict(), quality=quality)
    times = [n / fps for n in range(int(2 * fps))]
    hashes = [first_hash, *("0" * 64 for _ in times[1:])]
    return ref, EncodedFrames(
        [b""] * len(times), times, list(range(len(times))), [0] * len(times), 64, 48, hashes
    )


def run_with_frames(folder: Path, data: Path, order: tuple[str, ...] = ("1", "2"), **ref: Any) -> Path:
    """Two questions with one call each; the ledger has them in ``order``, as calls that go on side by side do."""
    run = RunFolder.create(folder, settings(data, items=("1", "2"), agent="single_turn"))
    ledger = Ledger(run.ledger_path)
    for item in order:
        ledger.record(
            shown()[0] if item == "1" and ref.get("only_second") else shown(**_args(ref))[0],
            f"{folder.name}-{item}",
            "m",
            "main",
            shown()[1] if item == "1" and ref.get("only_second") else shown(**_args(ref))[1],
        )
    with run.writing():
        for item in ("1", "2"):
            run.add(result(item, "right", frames=2, calls=(f"{folder.name}-{item}",)))
    return folder


def _args(ref: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in ref.items() if k != "only_second"}


def diff(tmp_path: Path):
    return diff_folders(str(tmp_path / "a"), str(tmp_path / "b"))


def test_a_run_is_the_same_as_its_repetition_in_another_order_and_place(tmp_path: Path, data: Path) -> None:
    run_with_frames(tmp_path / "a", data)
    run_with_frames(tmp_path / "b", data, order=("2", "1"))
    found = diff(tmp_path)
    assert found.same
    assert found.first is None
    assert found.frames is not None
    assert (found.frames.pairs, found.frames.same) == (2, 2)


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"fps": 2.0}, "sampling plan", "sampling rate (fps): 1.0 against 2.0"),
        ({"quality": 60}, "picture", "JPEG quality: 85 against 60"),
        ({"first_hash": "1" * 64}, "frame", "frame 0 sha256"),
    ],
)
def test_the_first_differing_thing_shown_is_named(
    tmp_path: Path, data: Path, change: dict[str, Any], kind: str, words: str
) -> None:
    run_with_frames(tmp_path / "a", data)
    run_with_frames(tmp_path / "b", data, order=("2", "1"), only_second=True, **change)
    found = diff(tmp_path)
    assert found.frames is not None
    first = found.frames.first
    assert first is not None
    assert (first.item_id, first.what) == ("2", kind)
    assert words in first.text
    assert str(first) == found.first
    assert found.frames.kinds == {kind: 1}


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ({"model": "openai/gpt-5"}, "model: none against openai/gpt-5"),
        ({"prompts": "q" * 64}, "prompt texts (hash): pppppppppppppppp... against qqqqqqqqqqqqqqqq..."),
        ({"options": {"fps": 2}, "frames": {"fps": 2}}, "frame setting fps: not set against 2"),
        ({"options": {"rule": "longest"}}, "setting of the agent rule: not set against longest"),
        ({"limits": {"usd": 1.0}}, "budget usd: not set against 1.0"),
        ({"mode": "official"}, "mode: careful against official"),
        ({"engine": "1"}, "version of the engine: 0 against 1"),
        ({"items": ("1", "2")}, "items: 6 entries (only here: 3, 4, 5, ...) against 2 entries"),
        # The weightier one comes first.
        ({"model": "m", "prompts": "q" * 64, "engine": "1"}, "model: none against m"),
    ],
)
def test_the_first_differing_setting_is_named(
    tmp_path: Path, data: Path, change: dict[str, Any], first: str
) -> None:
    make_run(tmp_path / "a", data, ALL)
    make_run(tmp_path / "b", data, {k: v for k, v in ALL.items() if k in change.get("items", ALL)}, **change)
    assert diff(tmp_path).first == first


def test_speed_and_place_make_no_difference(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "a", data, ALL)
    make_run(
        tmp_path / "b", data, ALL, concurrency=2, name="other", run_id="r2", created="2027", max_cost=5.0
    )
    found = diff(tmp_path)
    assert found.same
    assert {p.name for p in found.place} == {"concurrency", "name", "run_id", "created", "max_cost"}


def test_another_video_under_the_same_name(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "a", data, ALL)
    (data / "videos/video1.mp4").write_bytes(b"other bytes!")
    make_run(tmp_path / "b", data, ALL)
    first = diff(tmp_path).first
    assert first is not None
    assert first.startswith("videos videos/video1.mp4")


def test_items_that_changed_and_the_paired_tests(tmp_path: Path, data: Path) -> None:
    # a: 5 right, b: 2 right; three items only a has, none only b has.
    make_run(tmp_path / "a", data, {**ALL, "6": "wrong"})
    make_run(
        tmp_path / "b",
        data,
        {"1": "right", "2": "right", "3": "wrong", "4": "wrong", "5": "unparsed", "6": "wrong"},
    )
    found = diff(tmp_path)
    assert [(c.before, c.after, c.items) for c in found.changes] == [
        ("right", "wrong", ("3", "4")),
        ("right", "unparsed", ("5",)),
    ]
    p = found.paired
    assert p is not None
    assert (p.pairs, p.only_a, p.only_b) == (6, 3, 0)
    assert p.difference == pytest.approx(2 / 6 - 5 / 6)
    assert p.mcnemar_p == pytest.approx(0.25)  # 2 * (1/2)^3
    # Videos: {1,2} 0, {3,4} -2, {5,6} -1: of 4 sign patterns 2 reach 3 in absolute value.
    assert p.by_video_p == pytest.approx(0.5)
    assert p.videos == 3 and p.by_video is None, "three videos are too few to resample"
    assert found.unchanged == 3


def test_results_in_one_run_only(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "a", data, ALL)
    make_run(tmp_path / "b", data, dict.fromkeys("12345", "right"))
    found = diff(tmp_path)
    assert found.only_in_a == ("question 6 (epoch 1)",)
    assert not found.same


def test_a_failed_judge_is_no_pair(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "a", data, ALL)
    make_run(tmp_path / "b", data, {**ALL, "1": "judge_failed"})
    p = diff(tmp_path).paired
    assert p is not None
    assert (p.pairs, p.difference) == (5, 0.0)


def test_the_command(tmp_path: Path, data: Path) -> None:
    make_run(tmp_path / "a", data, ALL)
    make_run(tmp_path / "b", data, {**ALL, "3": "wrong"})
    same = proofreel("diff", "a", "a", cwd=tmp_path)
    assert same.code == 0
    assert "The runs are the same" in same.out
    other = proofreel("diff", "a", "b", cwd=tmp_path)
    assert other.code == 1
    assert "First difference: question 3, epoch 1: another answer" in other.out
    assert "right -> wrong: 1 (3)" in other.out
    assert "by video none (fewer than 20 videos: 3)" in other.out
    none = proofreel("diff", "a", "none", cwd=tmp_path)
    assert none.code == 4
    assert "no run here" in none.err


class Dated(OpenAIServer):
    """A server that gives its model a dated name, as hosted ones do."""

    snapshot = "seer-2026-01-01"

    def render(self, reply: Any, request: Any) -> Any:
        request.json["model"] = self.snapshot
        return super().render(reply, request)


def test_another_snapshot_behind_the_same_name_is_named(tmp_path: Path) -> None:
    """Real runs: the server's own name of its model is the only difference."""
    data = make_data(tmp_path / "data", videos=1)
    for name, snapshot in (("a", "seer-2026-01-01"), ("b", "seer-2026-02-02")):
        with Dated(lambda request: Text("FINAL ANSWER: B")) as server:
            server.snapshot = snapshot
            words = ("--agent", "blind", "--model", "openai-api/local/seer", "--base-url", server.url)
            done = proofreel("run", "agentvidbench", "--data", data, "--out", name, *words, cwd=tmp_path)
            assert done.code == 0, done.err
            settings = tmp_path / name / "run.json"  # each scripted server has a port of its own
            settings.write_text(settings.read_text().replace(server.url, "http://127.0.0.1/v1"))
    found = diff(tmp_path)
    assert found.settings == ()
    assert found.first == "model snapshot in role main: seer-2026-01-01 against seer-2026-02-02"
