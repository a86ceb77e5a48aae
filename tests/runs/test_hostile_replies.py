"""Replies that no model should send, through whole runs."""

from pathlib import Path

import pytest
from tests.runs.world import make_data, run_here, wanted

from proofreel.core import StopReason
from proofreel.testing import OpenAIServer, Text


@pytest.mark.parametrize("agent", ["video_react", "video_o3"])
@pytest.mark.parametrize(
    "reply", ["cut \ud83d\nFINAL ANSWER: A", '{"thought": "cut \\ud83d", "action": "look"}']
)
def test_a_reply_cut_inside_an_emoji_is_sent_back_logged_and_kept(
    tmp_path: Path, agent: str, reply: str
) -> None:
    data = make_data(tmp_path / "data", questions=2, videos=1)
    with OpenAIServer(lambda request: Text(reply)) as server:
        run, state = run_here(wanted(data, server.url, agent, options={}), tmp_path / "run")
        assert server.count > 2
    assert (state.state, state.done) == ("done", 2)
    results = run.latest().values()
    assert all(r.trajectory.answer.stop is not StopReason.MODEL_ERROR for r in results)
    assert any("cut \ufffd" in s.text or "\\ud83d" in s.text for r in results for s in r.trajectory.steps)
