"""Pass@K by hand: any, all, what is missing, videos as clusters."""

import math
from pathlib import Path

import pytest

from proofreel.runs.numbers_load import load_run
from proofreel.runs.scaling import scaling, scaling_table
from proofreel.runs.views import benchmark_tables
from proofreel.stats import accuracy_interval, pass_at_k
from runs.made import make_data, make_run

nan = math.nan


def test_any_and_all_by_hand() -> None:
    found = pass_at_k([[1, 1, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]])
    assert (found.k, found.items, found.complete) == (3, 4, 4)
    assert found.at_least_once.observed == 3 / 4
    assert found.every_time.observed == 1 / 4
    assert found.one == pytest.approx((1 + 1 / 3 + 0 + 2 / 3) / 4)
    # two of three answers: right ones c = 3, 1, 0, 2 of K = 3; C(3,2) = 3 choices of two
    # at least one right: 1 - C(3-c,2)/3 = 1, 1 - 1/3, 0, 1; both right: C(c,2)/3 = 1, 0, 0, 1/3
    assert found.once_by_n == pytest.approx((0.5, (1 + 2 / 3 + 0 + 1) / 4, 0.75))
    assert found.every_by_n == pytest.approx((0.5, (1 + 0 + 0 + 1 / 3) / 4, 0.25))


def test_missing_stays_missing_and_makes_bounds() -> None:
    rows = [[1, nan], [0, nan], [nan, nan], [1, 1], [0, 0]]
    found = pass_at_k(rows)
    # any: right, open, open, right, wrong -> 2 of 3 decided; 2/5 to 4/5
    assert (found.at_least_once.missing, found.at_least_once.observed) == (2, 2 / 3)
    assert (found.at_least_once.worst.rate, found.at_least_once.best.rate) == (2 / 5, 4 / 5)
    # all: open, wrong, open, right, wrong -> 1 of 3 decided; 1/5 to 3/5
    assert (found.every_time.missing, found.every_time.observed) == (2, 1 / 3)
    assert (found.every_time.worst.rate, found.every_time.best.rate) == (1 / 5, 3 / 5)
    assert found.one == pytest.approx((1 + 0 + 1 + 0) / 4)
    assert found.complete == 2 and found.once_by_n == (0.5, 0.5)
    nothing = pass_at_k([[nan, nan], [nan, nan]])
    assert nothing.one is None and nothing.at_least_once.observed is None and nothing.once_by_n == ()


def test_interval_is_by_video() -> None:
    rows, videos = [[1, 0], [1, 1], [0, 0], [0, 0], [1, 0], [0, 0]], ["a", "a", "b", "b", "c", "c"]
    found = pass_at_k(rows, videos)
    assert found.at_least_once.interval == accuracy_interval([1, 1, 0, 0, 1, 0], videos).interval
    assert found.at_least_once.interval != pass_at_k(rows).at_least_once.interval


@pytest.mark.parametrize("bad", [[], [[]], [1, 0], [[2, 0]], [[1, 0.5]]])
def test_what_is_no_table_of_answers_is_refused(bad: list) -> None:
    with pytest.raises(ValueError, match="correct"):
        pass_at_k(bad)


def test_from_a_run_on_disk(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", videos=3, each=2)
    endings = {
        ("1", 1): "right", ("1", 2): "right", ("1", 3): "right",
        ("2", 1): "wrong", ("2", 2): "right", ("2", 3): "unparsed",
        ("3", 1): "wrong", ("3", 2): "model_failed", ("3", 3): "wrong",
        ("4", 1): "right", ("4", 2): "harness_failed", ("4", 3): "right",
        ("5", 1): "judge_failed", ("5", 2): "wrong",
        ("6", 1): "excluded", ("6", 2): "right", ("6", 3): "right",
    }  # fmt: skip
    run = load_run(make_run(tmp_path / "run", data, endings, epochs=3).path, probe_videos=False)
    found = scaling(run)
    assert found is not None
    assert (found.k, found.items, found.complete) == (3, 5, 3)  # question 6 is left out
    # any: 1 1 0 1 open; all: 1 0 0 open 0
    assert (found.at_least_once.observed, found.at_least_once.missing) == (3 / 4, 1)
    assert (found.every_time.observed, found.every_time.missing) == (1 / 4, 1)
    table = scaling_table([run])
    assert table.column("any") == (75.0,) and table.column("all") == (25.0,)
    assert table.column("undecided any") == (1,) and table.column("K") == (3,)
    assert table in benchmark_tables([run])  # every report of a repeated run has it
    # one answer: 1, 1/3, 0, 1, 0
    assert table.column("one answer")[0] == pytest.approx(100 * (1 + 1 / 3 + 0 + 1 + 0) / 5)


def test_a_run_with_one_pass_has_none(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    run = load_run(make_run(tmp_path / "run", data, {"1": "right"}).path, probe_videos=False)
    assert scaling(run) is None
    assert "test_time_scaling" not in [t.id for t in benchmark_tables([run])]
    empty = scaling_table([run])
    assert empty.rows == () and "--epochs 5" in empty.missing and "temperature=0.7" in empty.missing
