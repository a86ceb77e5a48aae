"""The published tables against each other; what does not fit is listed in docs/published-tables.md."""

import json
from typing import Any

import pytest
from tests.support import ROOT, need_shared_protocols

from proofreel.benchmarks.agentvidbench._tables_methods import token_efficiency

METHODS = ("STAR", "DVD", "AVP", "Video-ReAct")
DOC = (ROOT / "docs/published-tables.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def paper() -> dict[str, Any]:
    tables: dict[str, Any] = json.loads(
        (need_shared_protocols() / "paper_tables.json").read_text(encoding="utf-8")
    )
    return tables


def accuracies(paper: dict[str, Any]) -> dict[str, dict[str, float]]:
    rows = paper["agentvidbench_table_1"]["rows"]
    return {r["model"]: {m: v["acc"] for m, v in r["methods"].items()} for r in rows}


def test_token_efficiency_is_accuracy_over_million_tokens(paper: dict[str, Any]) -> None:
    for method, accuracy, million, printed in paper["agentvidbench_table_3"]["rows"]:
        ours = token_efficiency(accuracy, million)
        assert ours is not None
        assert round(ours, 2) == printed, method
        assert accuracies(paper)["Gemini 2.5 Pro"][method] == accuracy
    assert token_efficiency(0.5, None) is None and token_efficiency(None, 3.0) is None


def test_table_20_differs_from_table_1_in_six_cells(paper: dict[str, Any]) -> None:
    acc = accuracies(paper)
    unlike = {}
    excluded = 0
    for model, cells in paper["agentvidbench_table_20"]["rows"].items():
        for method, (printed, low, high) in zip(METHODS, cells, strict=True):
            difference = round(acc[model][method] - acc[model]["Single-Turn"], 2)
            if difference != printed:
                unlike[model, method] = (printed, difference)
            excluded += low > 0 or high < 0
    assert unlike == {
        ("Qwen3.5-27B", "STAR"): (-0.16, -0.13),
        ("Qwen3.5-27B", "DVD"): (0.16, 0.15),
        ("Qwen3.5-27B", "AVP"): (0.24, 0.22),
        ("Qwen3.5-27B", "Video-ReAct"): (0.28, 0.27),
        ("Gemma-4-31B", "STAR"): (-0.29, -0.30),
        ("Gemma-4-31B", "AVP"): (0.08, 0.10),
    }
    assert excluded == paper["agentvidbench_table_20"]["significant_cells"] == 8
    for printed, _ in unlike.values():
        assert f"{printed:+.2f}" in DOC


def test_printed_changes_of_traj_are_off_by_rounding_alone(paper: dict[str, Any]) -> None:
    off = {}
    for row in paper["agentvidbench_table_1"]["rows"]:
        react, single = row["methods"]["Video-ReAct"], row["methods"]["Single-Turn"]
        printed = row["printed_delta_video_react_vs_single_turn"]
        assert round(react["acc"] - single["acc"], 2) == printed["acc"]
        change = round(react["traj"] - single["traj"], 2)
        if change != printed["traj"]:
            off[row["model"]] = (printed["traj"], change)
    assert set(off) == {"Gemini 2.5 Pro", "Qwen3-VL-4B", "Qwen3-VL-4B +Think", "Qwen3-VL-8B +Think"}
    assert all(abs(a - b) < 0.011 for a, b in off.values())


def test_totals_and_repeated_cells(paper: dict[str, Any]) -> None:
    eight, nine = paper["agentvidbench_table_8"], paper["agentvidbench_table_9"]
    assert sum(n * q for n, q, _ in eight["rows"]) == sum(c for _, c, _ in nine["rows"]) == 456
    assert sum(q for _, q, _ in eight["rows"]) == 100
    for table in ("agentvidbench_table_5", "agentvidbench_table_6"):
        *rows, total = paper[table]["rows"]
        assert sum(n for _, n in rows) == total[1] == 71
    figure = paper["agentvidbench_figure_3"]
    assert sum(figure["genres"].values()) == sum(figure["durations"].values()) == 71
    assert sum(figure["skills"].values()) == 375
    acc = accuracies(paper)
    for model, one_fps, *_ in paper["agentvidbench_table_23"]["rows"]:
        assert acc[model]["Single-Turn"] == one_fps
    for model, method, now, _, _, change, _ in paper["agentvidbench_table_24"]["rows"]:
        if change is not None:
            assert round(now - acc[model][method.split(" + ")[0]], 2) == change
    told = paper["agentvidbench_judge_validation"]["annotation"]
    assert (
        told["key_corrections"] + told["replaced"] + told["wording_clarified"] == 31 > told["flagged"] == 22
    )
    text = paper["agentvidbench_table_22"]["text_values"]
    assert (text["models_in_text"], text["models_in_caption"]) == (14, 16)


def test_videogaia_cells_are_whole_tasks(paper: dict[str, Any]) -> None:
    table = paper["videogaia_table_1"]
    sizes = table["category_sizes"]
    for row in table["rows"]:
        counts = {c: round(p * sizes[c] / 100) for c, p in row["categories"].items()}
        assert all(abs(100 * n / sizes[c] - row["categories"][c]) < 0.006 for c, n in counts.items()), row[
            "model"
        ]
        assert abs(100 * sum(counts.values()) / 271 - row["overall"]) < 0.006, row["model"]


def test_videozerobench_people_are_no_count_over_fifty_questions(paper: dict[str, Any]) -> None:
    human = paper["videozerobench_table_2_quoted"]["rows"]["human (50 questions)"]
    for level in ("L3_acc", "L4_acc", "L5_acc"):
        assert human[level] % 2 != pytest.approx(0, abs=0.01)
        assert str(human[level]) in DOC
    assert paper["videozerobench_table_6"]["task_instances"] == 3 * 500 + 442 + 372
