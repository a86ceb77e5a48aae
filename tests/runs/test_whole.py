"""The shape of a whole benchmark, small: every agent killed and resumed ends like the unkilled run."""

from pathlib import Path

import pytest
from benchmarks_perf.whole_run import whole


def test_twelve_questions_under_three_agents_survive_kills(tmp_path: Path) -> None:
    outcomes = whole(tmp_path, 12, 8, 1, ("blind", "single_turn", "video_react"))
    assert [(o.questions, o.lost, o.doubled, o.same) for o in outcomes] == [(12, 0, 0, True)] * 3
    assert sum(o.kills for o in outcomes) >= 2
    for outcome in outcomes:
        assert outcome.unkilled_calls <= outcome.paid <= outcome.sent
        assert outcome.log_kb < 20


def test_retrieval_survives_kills_too(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="needs the extra 'local'")
    (outcome,) = whole(tmp_path, 6, 3, 1, ("retrieval",))
    assert (outcome.lost, outcome.doubled, outcome.same) == (0, 0, True)
    assert outcome.right > 0
    assert outcome.sent == 0
