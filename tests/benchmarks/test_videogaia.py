"""VideoGAIA: the published schema, its checks, its statistics, and the judge hook over a real socket."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from proofreel.benchmarks import DataError, JudgeContext, RunView, ScoredItem, get_benchmark
from proofreel.benchmarks.videogaia.loader import load_folder
from proofreel.benchmarks.videogaia.rows import CATEGORIES, LEVEL_TASKS, TASKS, token_count
from proofreel.benchmarks.videogaia.statistics import statistics_tables
from proofreel.core import Answer, Outcome, Trajectory
from proofreel.judges.open_canaries import CANARIES
from proofreel.models import resolve_model
from proofreel.testing import OpenAIServer, Request, ServerError, Text

# The invented example of the protocol, section 1.
EXAMPLE = {
    "sample_id": "vdr_000123",
    "video": {"local_path": "videos/vdr_000123.mp4", "duration_sec": 21.4},
    "question_en": "The clip shows a tiled station hall with a green locomotive nameplate and later a bridge with four "
    "stone towers. In which year did the railway company named on the plate open its first line?",
    "answer": "1847",
    "category": "History",
    "difficulty": "L2",
}


def row(number: int, **change: Any) -> dict[str, Any]:
    name = f"vdr_{number:06d}"
    return {
        **EXAMPLE,
        "sample_id": name,
        "video": {"local_path": f"videos/{name}.mp4", "duration_sec": 10.0},
        **change,
    }


def folder(root: Path, *rows: Any, name: str = "videogaia_271.jsonl") -> Path:
    (root / "videos").mkdir(parents=True)
    text = "".join((r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) + "\n" for r in rows)
    (root / name).write_text(text, encoding="utf-8")
    for r in rows:
        if isinstance(r, dict) and isinstance(r.get("video"), dict):
            path = str(r["video"].get("local_path", ""))
            if path.startswith("videos/v") and "missing" not in path:
                (root / path).write_bytes(b"x")
    return root


def test_the_example_of_the_card_loads(tmp_path: Path) -> None:
    loaded = get_benchmark("videogaia").load(folder(tmp_path, {**EXAMPLE, "source": "ignored"}))
    (item,) = loaded.items
    assert (item.question.id, item.gold.answer, item.question.duration) == ("vdr_000123", "1847", 21.4)
    assert item.question.video == str(tmp_path / "videos/vdr_000123.mp4")
    assert (item.question.options, item.question.transcript) == ((), None)
    assert (item.metadata["category"], item.metadata["difficulty"]) == ("History", "L2")
    seen = item.question.model_dump_json()
    for hidden in ("1847", "History", "L2"):
        assert hidden not in seen


def test_no_transcript_is_picked_up(tmp_path: Path) -> None:
    root = folder(tmp_path, EXAMPLE, name="videogaia_small.jsonl")
    (root / "transcripts").mkdir()
    (root / "transcripts/vdr_000123.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nhello\n")
    (item,) = load_folder(root).items
    assert item.question.transcript is None


@pytest.mark.parametrize(
    ("change", "message", "fatal"),
    [
        (
            {"video": {"local_path": "videos/missing.mp4", "duration_sec": 3}},
            "video videos/missing.mp4 is missing",
            True,
        ),
        ({"video": {"local_path": "../secret.mp4", "duration_sec": 3}}, "leaves the data folder", True),
        ({"video": {"local_path": "/etc/passwd", "duration_sec": 3}}, "leaves the data folder", True),
        ({"video": "videos/v.mp4"}, "video: ", True),
        ({"video": {"local_path": "videos/v2.mp4", "duration_sec": -1}}, "video.duration_sec", True),
        ({"answer": ""}, "answer: ", True),
        ({"answer": None}, "answer: ", True),
        ({"answer": ["a"]}, "answer: ", True),
        ({"question_en": " "}, "question_en: ", True),
        ({"sample_id": "vdr_000001"}, "id occurs twice", True),
        ({"category": "Sports"}, "unknown category 'Sports'", False),
        ({"category": None}, "unknown category None", False),
        ({"difficulty": "L3"}, "unknown difficulty 'L3'", False),
        ({"video": {"local_path": "videos/v2.mp4"}}, "duration_sec is missing", False),
    ],
)
def test_a_bad_row_is_named_and_the_others_stay(
    tmp_path: Path, change: dict[str, Any], message: str, fatal: bool
) -> None:
    loaded = load_folder(folder(tmp_path, row(1), row(2, **change), name="videogaia_x.jsonl"))
    (problem,) = loaded.problems
    assert message in str(problem) and problem.fatal is fatal and "\n" not in str(problem)
    assert (loaded.rows, len(loaded.items)) == (2, 1 if fatal else 2)


def test_numbers_are_answers_and_broken_lines_are_told(tmp_path: Path) -> None:
    loaded = load_folder(folder(tmp_path, row(1, answer=1847), "{no json", row(3), name="videogaia_x.jsonl"))
    assert [i.gold.answer for i in loaded.items] == ["1847", "1847"]
    assert [p.where for p in loaded.problems] == ["videogaia_x.jsonl line 2"]


def test_the_published_file_is_held_against_the_published_sizes(tmp_path: Path) -> None:
    labels = [c for c in CATEGORIES for _ in range(TASKS[c])]
    levels = [level for level, n in LEVEL_TASKS.items() for _ in range(n)]
    rows = [row(n, category=c, difficulty=d) for n, (c, d) in enumerate(zip(labels, levels, strict=True))]
    whole = load_folder(folder(tmp_path / "whole", *rows))
    assert (len(whole.items), whole.problems) == (271, ())
    short = load_folder(folder(tmp_path / "short", *rows[1:]))
    assert [str(p) for p in short.problems] == [
        "videogaia_271.jsonl: tasks by category differ from the published sizes: Culture 57 instead of 58",
        "videogaia_271.jsonl: tasks by difficulty differ from the published sizes: L1 61 instead of 62",
    ]


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        load_folder(tmp_path / "none")
    with pytest.raises(DataError, match=r"holds no videogaia_271.jsonl"):
        load_folder(tmp_path)
    with pytest.raises(DataError, match="--data DIR"):
        get_benchmark("videogaia").load(None)
    root = folder(tmp_path / "a", row(1, answer=""))
    with pytest.raises(DataError, match="no usable task"):
        load_folder(root)
    for name in ("videogaia_a.jsonl", "videogaia_b.jsonl"):
        (tmp_path / name).write_text("")
    with pytest.raises(DataError, match="several question files"):
        load_folder(tmp_path)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("1847", 1),
        ("4 July 1894", 3),
        ("In which year?", 4),
        ("3.5 km", 2),
        ("O'Neil's half-timbered house", 3),
        ("大桥1957年", 4),
        ("“yes” – no!", 6),
        ("a_b", 3),
    ],
)
def test_tokens_by_the_plain_rule(text: str, count: int) -> None:
    assert token_count(text) == count


def test_statistics(tmp_path: Path) -> None:
    lengths = [5.0, 10.0, 29.9, 700.0]
    rows = [
        row(n, difficulty="L1" if n < 1 else "L2", category="Culture" if n < 2 else "Economics")
        | {
            "video": {"local_path": f"videos/v{n}.mp4", "duration_sec": s},
            "answer": "one two" if n else "one",
        }
        for n, s in enumerate(lengths)
    ]
    items = load_folder(folder(tmp_path, *rows, name="videogaia_x.jsonl")).items
    categories, sizes, histogram = statistics_tables(items)
    table = {r[0]: r[1:] for r in categories.rows}
    assert table["Culture"] == (1, 1, 2, 50.0)
    assert table["Economics"] == (0, 2, 2, 50.0)
    assert table["History"] == (0, 0, 0, 0.0)
    assert {r[0]: r[1:] for r in sizes.rows}["video, seconds"] == (4, 186.225, 19.95, 5.0, 700.0)
    assert {r[0]: r[1:] for r in sizes.rows}["answer, tokens"] == (4, 1.75, 2.0, 1.0, 2.0)
    assert dict(histogram.rows) == {
        "0-10 s": 1,
        "10-20 s": 1,
        "20-30 s": 1,
        "30-60 s": 0,
        "60-120 s": 0,
        "120-300 s": 0,
        "300-600 s": 0,
        "600 s and more": 1,
    }


def says(correct: bool) -> Text:
    return Text(json.dumps({"correct": correct, "reason": "so it is"}))


def judge_of(canary_errors: int, verdict: Any) -> Any:
    """A judge that errs on the first canaries and then gives one verdict to everything."""

    def reply(request: Request) -> Any:
        shown = request.json["messages"][-1]["content"]
        for place, (text, reference, _, prediction, correct) in enumerate(CANARIES):
            if text in shown and f"BEGINS\n{prediction}\n" in shown and f"\n{reference}\n" in shown:
                return says(correct is not (place < canary_errors))
        return verdict

    return reply


def put(tmp_path: Path, reply: Any, values: list[str | None], mode: Any = "careful", **options: Any) -> Any:
    items = load_folder(
        folder(tmp_path, *(row(n) for n in range(len(values))), name="videogaia_x.jsonl")
    ).items
    hook = get_benchmark("videogaia").judge
    assert hook is not None
    trajectories = [
        Trajectory(question_id=i.question.id, agent="a", answer=Answer(value=v))
        for i, v in zip(items, values, strict=True)
    ]
    with OpenAIServer(reply) as server, OpenAIServer(lambda r: says(True)) as other:
        ctx = JudgeContext(
            mode=mode,
            judge=resolve_model("openai-api/local/judge", base_url=server.url, max_retries=0),
            fallback=resolve_model("openai-api/local/second", base_url=other.url, max_retries=0),
            options={"judge_pause": 0.01, "judge_retries": 1, **options},
        )

        async def all_of_them() -> list[Any]:
            import anyio

            out: list[Any] = [None] * len(items)

            async def one(n: int) -> None:
                out[n] = await hook(trajectories[n], items[n], ctx)

            async with anyio.create_task_group() as group:
                for n in range(len(items)):
                    group.start_soon(one, n)
            return out

        return asyncio.run(all_of_them()), server.count, other.count, items, trajectories


def test_the_canaries_are_put_once_before_the_first_verdict(tmp_path: Path) -> None:
    done, asked, other, _, _ = put(tmp_path, judge_of(0, says(True)), ["1847", "in 1847", None])
    assert [j.verdict.outcome for j in done] == [Outcome.RIGHT, Outcome.RIGHT, Outcome.WRONG]
    assert (asked, other) == (11 + 2, 0)
    assert sum(j.tokens.calls for j in done) == 13
    assert all(
        j.details["canaries"] == {"judge": "openai-api/local/judge", "asked": 11, "missed": [], "fit": True}
        for j in done
    )
    assert json.loads(json.dumps(done[1].details))["open"]["disagrees"] is True


def test_an_unfit_judge_judges_nothing_and_officially_it_is_noted(tmp_path: Path) -> None:
    done, asked, _, _, _ = put(tmp_path / "a", judge_of(3, says(True)), ["1847"])
    assert (done[0].verdict.outcome, asked) == (Outcome.JUDGE_FAILED, 11)
    assert "not fit: openai-api/local/judge: 8 of 11 canaries" in done[0].verdict.reason
    done, _, _, _, _ = put(tmp_path / "b", judge_of(3, says(True)), ["1847"], "official")
    assert done[0].verdict.outcome is Outcome.RIGHT
    assert done[0].details["canaries"]["fit"] is False
    done, asked, _, _, _ = put(tmp_path / "c", judge_of(3, says(True)), ["1847"], judge_canaries=False)
    assert (done[0].verdict.outcome, asked) == (Outcome.RIGHT, 1)


def test_the_fallback_and_disagreements_are_listed(tmp_path: Path) -> None:
    def reply(request: Request) -> Any:
        shown = request.json["messages"][-1]["content"]
        if "BEGINS\ntrouble\n" in shown:
            return ServerError(500)
        return judge_of(0, says("1847" not in shown.partition("BEGINS")[2]))(request)

    done, _, other, items, trajectories = put(
        tmp_path, reply, ["1847", "the year of revolt", "trouble", "1847!"]
    )
    assert other == 1
    scored = tuple(
        ScoredItem(
            item=i, epoch=1, trajectory=t, verdict=j.verdict, details=json.loads(json.dumps(j.details))
        )
        for i, t, j in zip(items, trajectories, done, strict=True)
    )
    view = RunView("runs/x", "videogaia", "a", "m", "careful", "judge", scored)
    tables = {t.id: t for t in get_benchmark("videogaia").tables([view])}
    apart = tables["videogaia_disagreements"]
    assert [(r[1], r[5], r[6]) for r in apart.rows] == [
        ("vdr_000000", "wrong", "equal"),
        ("vdr_000003", "wrong", "equal"),
        ("vdr_000001", "right", "different"),
        ("vdr_000002", "right", "different"),
    ]
    (fell,) = tables["videogaia_unjudged"].rows
    assert (fell[1], fell[3], fell[4]) == ("vdr_000002", "the fallback decided", "openai-api/local/second")
    empty = {t.id: t for t in get_benchmark("videogaia").tables([])}
    assert "proofreel run videogaia" in empty["videogaia_unjudged"].missing
