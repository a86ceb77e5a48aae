"""The money limit is hard, what was spent stays known, and nothing is paid twice."""

import json
from pathlib import Path

import pytest

from proofreel.core.errors import UserError
from proofreel.runs.matrix import Cell, run_combinations, spent
from proofreel.runs.money import Purse
from proofreel.runs.setup import prepare_run
from proofreel.testing import OpenAIServer
from runs.world import answering, make_data, resume_here, run_here, wanted

PRICED = "openai-api/local/priced-vlm"
CALL = 0.11
"""100 prompt and 10 completion tokens at 1000 USD a million."""


@pytest.fixture
def priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card = tmp_path / "prices.toml"
    card.write_text(f'[models."{PRICED}"]\nprices = [{{input = 1000.0, output = 1000.0}}]\n')
    monkeypatch.setenv("PROOFREEL_MODELS", str(card))


@pytest.mark.usefixtures("priced")
def test_no_item_starts_that_could_pass_the_limit_and_a_resume_pays_the_rest(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=8, videos=1)
    with OpenAIServer(answering()) as server:
        want = wanted(data, server.url, "blind", model=PRICED, max_cost=0.5, concurrency=4)
        run, state = run_here(want, tmp_path / "run")
        # 4 calls make 0.44; a fifth would make 0.55.
        assert server.count == 4
        assert (state.state, state.done, state.total) == ("stopped", 4, 8)
        assert state.reason is not None
        assert state.reason.startswith("money: 0.4400 of 0.5000 USD spent")
        assert run.totals().paid.cost_usd == pytest.approx(4 * CALL)
        run, state = resume_here(tmp_path / "run", max_cost=0.89)
        assert (state.state, state.done) == ("done", 8)
        assert server.count == 8
        assert run.totals().paid.cost_usd == pytest.approx(8 * CALL)
        assert sum(r.cost or 0 for r in run.results()) == pytest.approx(8 * CALL)


@pytest.mark.usefixtures("priced")
def test_an_item_is_cut_off_before_the_call_that_would_pass_the_limit_and_its_answers_are_replayed(
    tmp_path: Path,
) -> None:
    data = make_data(tmp_path / "data", questions=2, videos=1)
    with OpenAIServer(answering()) as server:
        want = wanted(data, server.url, "video_react", model=PRICED, max_cost=0.25, concurrency=2)
        run, state = run_here(want, tmp_path / "run")
        assert server.count == 2, "the third call would make 0.33"
        assert (state.state, state.done) == ("stopped", 0)
        assert run.totals().paid.cost_usd == pytest.approx(2 * CALL)
        run, state = resume_here(tmp_path / "run", max_cost=2.0)
        assert state.state == "done"
        totals = run.totals()
        assert server.count == 6
        assert (totals.paid.calls, totals.replayed.calls) == (6, 2)
        assert totals.paid.cost_usd == pytest.approx(6 * CALL)
        first = run.latest()["1", 1]
        assert (first.tokens.calls, first.replayed.calls, first.attempt) == (1, 2, 2)
        assert first.trajectory.tokens.total == 330, "the agent's own use counts replayed answers too"


def test_a_limit_that_cannot_be_kept_is_refused_before_the_first_call(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=1, videos=1)
    with pytest.raises(
        UserError, match="--max-cost cannot be kept: no price is known for openai-api/local/some-vlm"
    ):
        prepare_run(wanted(data, "http://127.0.0.1:9/v1", max_cost=1.0))


def test_the_purse_waits_for_running_items_before_it_says_no() -> None:
    purse = Purse(limit=1.0)
    assert purse.may_start() == "yes"
    purse.start(("a", 1))
    assert purse.may_start() == "wait", "nothing is known of the price of an item yet"
    purse.worst = 0.4
    assert purse.may_start() == "yes"
    purse.start(("b", 1))
    assert purse.may_start() == "wait", "0.4 + 0.4 + 0.4 is too much, but the running ones may be cheap"
    purse.end(("a", 1), True)
    purse.end(("b", 1), True)
    purse.spent = 0.7
    assert purse.may_start() == "no"


def test_no_key_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_data(tmp_path / "data", questions=1, videos=1)
    monkeypatch.setenv("LOCAL_API_KEY", "sk-planted-key")
    with OpenAIServer(answering(), key="sk-planted-key") as server:
        run, state = run_here(wanted(data, server.url, "single_turn"), tmp_path / "run")
    assert state.state == "done"
    assert run.latest()["1", 1].verdict.outcome.scored, "the key was used"
    for path in (tmp_path / "run").rglob("*"):
        assert not path.is_file() or b"sk-planted-key" not in path.read_bytes(), path
    for words in ({"options": {"api_key": "x"}}, {"base_url": "http://me:word@127.0.0.1/v1"}):
        with pytest.raises(UserError, match="environment"):
            prepare_run(wanted(data, "http://127.0.0.1:9/v1", **words))
    assert "sk-" not in json.dumps(run.settings.model_dump(mode="json"))


@pytest.mark.usefixtures("priced")
def test_a_matrix_has_one_limit_for_all_its_runs(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", questions=3, videos=1)
    with OpenAIServer(answering()) as server:
        cells = [
            Cell(f"run{n}", wanted(data, server.url, "blind", model=PRICED, concurrency=1)) for n in (1, 2, 3)
        ]
        rows = run_combinations(cells, tmp_path / "out", total_cost=0.48)
        # Three calls make 0.33 and one more 0.44; a fifth would make 0.55.
        assert [r.state for r in rows] == ["done", "stopped", "not started"]
        assert server.count == 4
        assert sum(spent(tmp_path / "out" / c.name) for c in cells) == pytest.approx(4 * CALL)
        rows = run_combinations(cells, tmp_path / "out", total_cost=1.0)
        assert [r.state for r in rows] == ["done"] * 3
        assert server.count == 9, "nothing is paid twice"
