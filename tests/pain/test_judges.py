"""Judges that fail in silence, or are never asked; findings F9 and F10 of the published code."""

import asyncio
import json
from pathlib import Path

from tests.runs.made import make_data, make_run

from proofreel.core import Gold, Outcome
from proofreel.judges import judge_vote, vote_letter
from proofreel.judges.letters_vote import extractors
from proofreel.models import resolve_model
from proofreel.runs.numbers import numbers_of
from proofreel.testing import OpenAIServer, RateLimited, ServerError, Text

GOLD = Gold(answer="B")


def test_lmms_eval_64_a_judge_that_always_fails_gives_no_number(tmp_path: Path) -> None:
    with OpenAIServer(lambda request: ServerError(500)) as server:
        judge = resolve_model("openai-api/local/judge", base_url=server.url, max_retries=0)
        vote = asyncio.run(vote_letter("FINAL ANSWER: B", judge, candidates=2))
    verdict = judge_vote(vote, GOLD, "ABC")
    assert verdict.outcome is Outcome.JUDGE_FAILED
    data = make_data(tmp_path / "data")
    make_run(tmp_path / "run", data, dict.fromkeys("123456", "judge_failed"))
    numbers = numbers_of(str(tmp_path / "run"))
    assert numbers.accuracy.rate is None
    assert all(row.rate is None for row in numbers.slices)
    assert numbers.bounds is not None
    assert (numbers.bounds.low, numbers.bounds.high) == (0.0, 1.0)


def test_vlmevalkit_1390_the_judge_that_was_named_is_the_one_asked() -> None:
    said = Text(json.dumps({"letter": "B", "reason": "so it ends"}))
    with OpenAIServer([said, said, said]) as server:
        judge = resolve_model("openai-api/local/judge", base_url=server.url)
        vote = asyncio.run(vote_letter("FINAL ANSWER: B", judge, candidates=3))
        asked = [r.json["model"] for r in server.requests if r.method == "POST"]
    assert asked
    assert set(asked) == {"judge"}
    assert vote.extractor == "openai-api/local/judge"


def test_f9_a_quota_error_of_the_extractor_is_no_wrong_answer() -> None:
    with OpenAIServer([RateLimited()]) as server:
        judge = resolve_model("openai-api/local/judge", base_url=server.url, max_retries=0)
        vote = asyncio.run(vote_letter("FINAL ANSWER: B", judge, candidates=1))
    assert judge_vote(vote, GOLD, "ABC").outcome is Outcome.JUDGE_FAILED
    assert judge_vote(vote, GOLD, "ABC", "official").outcome is Outcome.WRONG  # as published


def test_f10_a_fallback_is_asked_for_and_told_never_silent() -> None:
    said = Text(json.dumps({"letter": "B", "reason": "so it ends"}))
    with OpenAIServer([RateLimited(), said]) as first, OpenAIServer([said]) as second:
        a = resolve_model("openai-api/local/first", base_url=first.url, max_retries=0)
        b = resolve_model("openai-api/local/second", base_url=second.url, max_retries=0)
        alone = asyncio.run(vote_letter("B", a, candidates=1))
        assert not second.requests
        assert alone.failure is not None
        mixed = [asyncio.run(vote_letter("B", m, candidates=1, fallback=f)) for m, f in ((a, b), (b, None))]
    assert mixed[0].letter == "B"
    names = extractors([*mixed, alone])
    assert names == {"openai-api/local/first": 1, "openai-api/local/second": 1}


def test_videoscore2_5_a_judge_that_changes_its_mind_is_seen_by_asking_three_times(tmp_path: Path) -> None:
    from tests.judges import judge_world as world

    from proofreel.runs.judge_run import Wanted, judge_run
    from proofreel.runs.judgements import judge_tables
    from proofreel.runs.numbers_load import load_run
    from proofreel.runs.start import gold_of

    run = world.make_run(tmp_path / "run", world.make_data(tmp_path / "data"))
    with OpenAIServer(world.noisy()) as server:
        judge_run(run, gold_of(run), Wanted(world.JUDGE, base_url=server.url, repeats=3))
        assert len(server.requests) == 36  # no cache stands between the repeats
    tables = {t.id: t for t in judge_tables([load_run(run.path, probe_videos=False)])}
    steady = tables["judge_consistency"]
    assert steady.column("trajectories") == (12,)
    assert float(steady.column("axes flipped")[0] or 0) > 50
