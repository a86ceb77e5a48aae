"""Money that surprises, and numbers nobody can reach again."""

from pathlib import Path

import pytest
from tests.agents.wire import run as run_agent_on
from tests.media_maker import make_clip
from tests.models.wire import ask
from tests.pain.test_data_and_limits import rows
from tests.runs.made import make_data, make_run

from proofreel.core import Question
from proofreel.models import CallUsage, model_card, price, resolve_model
from proofreel.models.estimate import Facts
from proofreel.runs.diff import diff_folders
from proofreel.runs.plan import make_plan
from proofreel.runs.plan_calls import Call
from proofreel.runs.plan_money import Tally
from proofreel.runs.setup import Wanted
from proofreel.testing import OpenAIServer, Text, Usage

BANDED = """
[models."test/banded"]
match = ["banded"]
source = "made for a test"
context_tokens = 1000000
prices = [{ input = 1.0, output = 10.0 }, { above_prompt = 200000, input = 2.0, output = 20.0 }]
"""


@pytest.mark.parametrize(("prompt", "dollars"), [(199_000, 0.199 + 0.01), (201_000, 0.402 + 0.02)])
def test_inspect_ai_4816_long_prompts_cost_more_and_the_plan_says_what_is_billed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prompt: int, dollars: float
) -> None:
    (tmp_path / "cards.toml").write_text(BANDED)
    monkeypatch.setenv("PROOFREEL_MODELS", str(tmp_path / "cards.toml"))
    with OpenAIServer([Text("ok", Usage(prompt=prompt, completion=1000))]) as server:
        billed = ask(resolve_model("openai-api/local/banded", base_url=server.url), "hello")
    assert billed.tokens.cost_usd == pytest.approx(dollars)
    planned = Tally("main", "banded", model_card("banded"), "typical")
    planned.add(Call("main", prompt, 1000), {"": Facts(1, 1, 1)}, 1)
    assert planned.usd == pytest.approx(dollars)


def test_inspect_ai_4816_calls_are_priced_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cards.toml").write_text(BANDED)
    monkeypatch.setenv("PROOFREEL_MODELS", str(tmp_path / "cards.toml"))
    card = model_card("banded")
    three = Tally("main", "banded", card, "typical")
    three.add(Call("main", 100_000, 0), {}, 3)
    assert three.usd == pytest.approx(0.3)
    assert price(card, CallUsage(prompt=300_000)) == pytest.approx(0.6)  # what a sum would wrongly cost


SETTINGS = {
    "model": ("model", {"model": "openai/gpt-5"}),
    "prompt": ("prompt texts (hash)", {"prompts": "q" * 64}),
    "sampling rate": ("frame setting fps", {"options": {"fps": 2}, "frames": {"fps": 2}}),
    "picture height": ("frame setting height", {"options": {"height": 360}, "frames": {"height": 360}}),
    "temperature": ("generation setting temperature", {"generate": {"temperature": 1.0}}),
    "budget": ("budget tool_calls", {"limits": {"tool_calls": 3}}),
    "mode": ("mode", {"mode": "official"}),
    "engine": ("version of the engine", {"engine": "other"}),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_qwen3_vl_1029_and_lmms_eval_603_the_first_differing_setting_is_named(
    tmp_path: Path, what: str
) -> None:
    data = make_data(tmp_path / "data", videos=1)
    name, change = SETTINGS[what]
    make_run(tmp_path / "a", data, {"1": "right", "2": "right"})
    make_run(tmp_path / "b", data, {"1": "right", "2": "wrong"}, **change)
    found = diff_folders(str(tmp_path / "a"), str(tmp_path / "b"))
    assert str(found.first).startswith(f"{name}: ")
    assert [s.name for s in found.settings] == [name]


# Of the same kind, not among the starred ones.


def test_helix_1854_low_typical_and_high_before_the_run(tmp_path: Path) -> None:
    make_clip(tmp_path / "a.mp4", count=50, fps=10)
    plan = make_plan(Wanted("folder", rows(tmp_path, {}), "video_react", "openai/gpt-4o"))
    low, typical, high = (m.usd for m in plan.money)
    assert 0 < low < typical < high  # type: ignore[operator]
    assert any("low: one look" in a for a in plan.assumptions)


def test_deepvideodiscovery_11_a_cold_index_has_a_price_and_a_warm_one_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proofreel.video import file_hash

    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path / "cache"))
    clip = make_clip(tmp_path / "a.mp4", count=50, fps=10)
    wanted = Wanted("folder", rows(tmp_path, {}), "retrieval")
    cold = make_plan(wanted).index
    assert cold is not None
    assert (cold.videos, cold.cached, cold.typical) == (1, 0, pytest.approx(5 * 0.20))
    kept = tmp_path / "cache/index" / file_hash(clip)
    kept.mkdir(parents=True)
    (kept / "index-made-up.json").write_text("{}")
    warm = make_plan(wanted).index
    assert warm is not None
    assert (warm.cached, warm.high) == (1, 0.0)


def test_flexselect_9_and_qwen3_vl_1772_the_size_that_reached_the_model_is_on_record(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", count=30, fps=10, size=(160, 96))
    question = Question.ask("Which?", str(clip), ("x", "y"), id="q", duration=3.0)
    ran = run_agent_on("single_turn", question, [Text("FINAL ANSWER: A")], height=48)
    (entry,) = ran.ledger.entries
    assert (entry.width, entry.height) == (80, 48)
    assert [f.time for f in entry.frames] == [0.0, 1.0, 2.0]
