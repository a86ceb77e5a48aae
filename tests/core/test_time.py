import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from proofreel.core import Window, intersect_windows, merge_windows, tiou, total_length
from proofreel.core.time import clock

PARITY = Path(__file__).parents[1] / "parity"
seconds = st.integers(0, 400).map(lambda n: n / 4)
windows = st.lists(st.tuples(seconds, seconds).map(lambda p: Window(start=min(p), end=max(p))), max_size=8)


def w(start: float, end: float) -> Window:
    return Window(start=start, end=end)


def test_merge_joins_touching_and_nested() -> None:
    assert merge_windows([w(5, 6), w(0, 2), w(2, 3), w(0.5, 1)]) == [w(0, 3), w(5, 6)]


def test_intersection_by_hand() -> None:
    assert intersect_windows([w(0, 4), w(6, 10)], [w(3, 7), w(9, 12)]) == [w(3, 4), w(6, 7), w(9, 10)]


def test_tiou_by_hand() -> None:
    # 10 s shared of 25 s covered.
    assert tiou([w(10, 20)], [w(0, 25)]) == pytest.approx(0.4)
    assert tiou([], [w(0, 1)]) == 0.0
    assert tiou([], []) == 0.0


@pytest.mark.parametrize("line", (PARITY / "vzb_tiou_multi.jsonl").read_text().splitlines())
def test_tiou_vectors(line: str) -> None:
    row = json.loads(line)
    gold, predicted = ([w(a, b) for a, b in row["input"][k]] for k in ("gt", "pred"))
    assert tiou(gold, predicted) == pytest.approx(row["expected"], abs=1e-9)


@given(windows, windows)
def test_tiou_is_symmetric_and_bounded(a: list[Window], b: list[Window]) -> None:
    value = tiou(a, b)
    assert 0.0 <= value <= 1.0
    assert value == pytest.approx(tiou(b, a))
    if total_length(a) > 0:
        assert tiou(a, a) == pytest.approx(1.0)


@given(windows)
def test_merged_windows_are_disjoint_and_cover_the_same_quarter_seconds(ws: list[Window]) -> None:
    merged = merge_windows(ws)
    assert all(x.end < y.start for x, y in pairwise(merged))
    for k in range(0, 401):
        t = k / 4
        assert any(x.contains(t) for x in ws) == any(x.contains(t) for x in merged)


@given(windows, windows)
def test_intersection_length_by_counting_quarter_cells(a: list[Window], b: list[Window]) -> None:
    def cells(ws: list[Window]) -> set[int]:
        return {k for x in ws for k in range(round(x.start * 4), round(x.end * 4))}

    assert total_length(intersect_windows(a, b)) == pytest.approx(len(cells(a) & cells(b)) / 4)


@pytest.mark.parametrize("bad", [(2, 1), (-1, 1), (0, float("nan")), (0, float("inf"))])
def test_bad_windows_are_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(ValidationError):
        w(*bad)


def test_clock_rounds_to_tenths_and_carries() -> None:
    assert [clock(t) for t in (0, 59.96, 65.04, 3599.99)] == ["0:00.0", "1:00.0", "1:05.0", "1:00:00.0"]
