"""VideoGAIA through the command line: a synthetic set of thirty, a replay without network, a real small model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.gaia_world import solver, system_of, write_data, write_pages, year
from cli.cli import proofreel
from proofreel.core import StopReason
from proofreel.runs.run_folder import RunFolder
from proofreel.runs.setup import Wanted
from proofreel.testing import OpenAIServer, Request
from proofreel.tools.web import Archive, close_sessions
from runs.world import QUICK, run_here
from small_llm import MODEL as SMALL
from small_llm import small_llm

MODEL = "openai-api/local/some-vlm"
TASKS = 30


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    root = tmp_path_factory.mktemp("gaia")
    yield write_data(root / "data", TASKS), write_pages(root / "pages", TASKS)
    close_sessions()


def go(data: Path, out: Path, url: str, *more: Any) -> Any:
    words = ["run", "videogaia", "--data", data, "--agent", "videogaia", "--model", MODEL, "--base-url", url]
    words += ["--out", out, "--set", "thinking_budget=null", *more]
    return proofreel(*words, cwd=out.parent)


def told(run: RunFolder) -> dict[str, str]:
    """Every trajectory as text, without times, record ids and where pages came from."""
    return {
        item: json.dumps(_timeless(result.trajectory.model_dump(mode="json")), sort_keys=True)
        for (item, _), result in run.latest().items()
    }


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            k: _timeless(v) for k, v in value.items() if k not in ("seconds", "archive_id", "source", "web")
        }
    return [_timeless(v) for v in value] if isinstance(value, list) else value


def bodies(requests: list[Request]) -> list[bytes]:
    return sorted(r.raw for r in requests)


def test_thirty_questions_and_their_replay_without_network(world: tuple[Path, Path], tmp_path: Path) -> None:
    data, pages = world
    out, again = tmp_path / "run", tmp_path / "again"
    with OpenAIServer(solver(wrong=5)) as server:
        first = go(
            data,
            out,
            server.url,
            "--set",
            "web=corpus",
            "--set",
            f"web_corpus={pages}",
            "--set",
            f"web_record={out}/web",
        )
        assert first.code == 0, first.err
        asked = list(server.requests)
    assert "30/30 done" in first.out
    run = RunFolder.open(out)
    results = run.latest()
    right = [k for k, r in results.items() if r.verdict.outcome == "right"]
    assert (len(results), len(right)) == (TASKS, TASKS - TASKS // 5)
    assert len(asked) == TASKS * 7  # four turns and three summaries each
    assert not any(f"vdr_{n:06d}".encode() in r.raw for r in asked for n in range(TASKS))
    assert not any(c in system_of(r) for r in asked for c in ("History", "Economics", "L1"))
    for n in range(TASKS):
        trajectory = results[f"vdr_{n:06d}", 1].trajectory
        assert [c.name for s in trajectory.steps for c in s.calls] == [
            "think_with_video",
            "web_search",
            "page_visit",
        ]
        assert trajectory.answer.value == ("1700" if n % 5 == 4 else str(year(n)))
        look, quote = trajectory.answer.evidence[1:3]
        assert look.window is not None and look.provenance.frames
        assert (
            quote.quote is not None
            and quote.quote.source == "web"
            and f"first line in {year(n)}" in quote.quote.text
        )
        assert quote.note.endswith("stands there letter for letter in the archived page")
    assert len({e.key for e in Archive.open(out).entries if e.kind == "page"}) == TASKS

    pages.rename(pages.with_name("gone"))  # nothing but the archive is left
    try:
        with OpenAIServer(solver(wrong=5)) as server:
            second = go(data, again, server.url, "--set", "web=replay", "--set", f"web_archive={out}")
            assert second.code == 0, second.err
            assert bodies(server.requests) == bodies(asked)  # byte for byte what the model was sent
    finally:
        pages.with_name("gone").rename(pages)
    assert told(RunFolder.open(again)) == told(run)
    assert {k: r.verdict.outcome for k, r in RunFolder.open(again).latest().items()} == {
        k: r.verdict.outcome for k, r in results.items()
    }
    page = proofreel("report", out, again, "--out", "site", cwd=tmp_path)
    assert page.code == 0, page.err
    shown = (tmp_path / "site").rglob("vg_f6_tools.csv")
    assert "33.3" in next(shown).read_text()


def test_a_replay_that_asks_for_something_else_is_told_so(world: tuple[Path, Path], tmp_path: Path) -> None:
    data, pages = world
    known, other = tmp_path / "run", tmp_path / "other"
    with OpenAIServer(solver()) as server:

        def want(ids: str, **options: Any) -> Wanted:
            return Wanted(
                "videogaia",
                data,
                "videogaia",
                MODEL,
                ids=ids,
                base_url=server.url,
                options={**QUICK, **options},
            )

        corpus = {"web": "corpus", "web_corpus": str(pages), "web_record": str(known / "web")}
        assert run_here(want("vdr_000001", **corpus), known)[1].state == "done"
        run_here(want("vdr_000002", web="replay", web_archive=str(known)), other)
    (result,) = RunFolder.open(other).latest().values()
    failures = [o.failure_kind for s in result.trajectory.steps for o in s.observations if not o.ok]
    assert failures == ["web_miss", "web_miss"]
    assert result.trajectory.answer.value == "unknown" and result.verdict.outcome == "wrong"


@pytest.mark.timeout(600)
def test_a_real_small_model_holds_the_protocol(world: tuple[Path, Path], tmp_path: Path) -> None:
    data, pages = world
    options = {"web": "corpus", "web_corpus": str(pages), "frames": 0, "steps": 2, "summary_tokens": 40}
    with small_llm() as url:
        want = Wanted(
            "videogaia",
            data,
            "videogaia",
            SMALL,
            ids="vdr_000000,vdr_000001",
            base_url=url,
            concurrency=1,
            options={**QUICK, **options},
            generate={"max_tokens": 60, "seed": 7, "attempt_timeout": 500, "max_retries": 0},
        )
        assert run_here(want, tmp_path / "run")[1].state == "done"
    results = RunFolder.open(tmp_path / "run").latest()
    assert len(results) == 2
    for result in results.values():
        t = result.trajectory
        turns = [s for s in t.steps if s.data.get("kind") in ("tool", "answer", "parse_failure")]
        assert 1 <= len(turns) <= 2
        assert [s.data["step"] for s in turns] == list(range(1, len(turns) + 1))
        assert t.tokens.prompt > 500 * len(turns)  # a real tokenizer counted the instructions
        answered = t.answer.stop in (StopReason.ANSWERED, StopReason.FORCED)
        assert answered == (t.answer.value is not None)
        assert answered or t.answer.stop in (StopReason.UNPARSED, StopReason.BUDGET)
        assert result.verdict.outcome in ("right", "wrong", "unparsed")
