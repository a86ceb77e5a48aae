"""The published prediction file: out of a run, in again, scored to the same numbers; and what a lost mode does."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.vzb_runs import means, run_levels
from benchmarks.vzb_table import judged, make_table
from benchmarks.vzb_world import looker, make_data
from proofreel.benchmarks import DataError, RunView, get_benchmark
from proofreel.benchmarks.videozerobench.aggregate import CoordinateModeMissingError
from proofreel.benchmarks.videozerobench.files import (
    prediction_rows,
    read_predictions,
    score_file,
    write_predictions,
)


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> RunView:
    root = make_table(tmp_path_factory.mktemp("vzb") / "data")
    return judged(list(get_benchmark("videozerobench").load(root).items))


@pytest.mark.parametrize("ending", ["tsv", "json"])
def test_out_and_in_again_gives_the_run_s_numbers(view: RunView, tmp_path: Path, ending: str) -> None:
    path = write_predictions(prediction_rows(view), tmp_path / f"model.{ending}")
    told, target = score_file(path, mode="careful")
    own = means(view)
    assert told["Level-4_score"] == pytest.approx(14.2) and told["Level-5_score"] == pytest.approx(1.8)
    assert told["Level-4_mean_tIoU"] == pytest.approx(own["tiou"])
    assert told["Level-5_mean_vIoU"] == pytest.approx(own["viou"])
    assert target.name == "model_scored.json"
    stored = json.loads(target.read_text())
    assert stored["metrics"] == told and len(stored["results"]) == 500
    assert stored["results"][0]["eval_results"] == {"acc1": 1, "acc2": 1, "acc3": 1, "tiou": 1, "viou": 1}
    # Question 442 has no windows: stored as 0, as published.
    assert stored["results"][442]["eval_results"]["tiou"] == 0


def test_the_official_scorer_needs_to_be_told_the_mode(view: RunView, tmp_path: Path) -> None:
    path = write_predictions(prediction_rows(view), tmp_path / "model.json")
    lost, _ = score_file(path, None, "official")
    kept, _ = score_file(path, "normalized 0-1000", "official")
    assert (lost["Level-5_mean_vIoU"], lost["Level-5_score"]) == (0, 0)
    assert kept["Level-5_score"] == pytest.approx(1.8)
    assert lost["Level-4_score"] == kept["Level-4_score"]


def test_carefully_boxes_of_unknown_mode_are_not_scored(view: RunView, tmp_path: Path) -> None:
    rows = prediction_rows(view)
    for row in rows:
        levels = json.loads(row["prediction"])
        levels["level-5"].pop("box_mode")
        row["prediction"] = json.dumps(levels)
    path = write_predictions(rows, tmp_path / "model.json")
    with pytest.raises(CoordinateModeMissingError, match="question 0"):
        score_file(path)
    assert score_file(path, "normalized 0-1000")[0]["Level-5_score"] == pytest.approx(1.8)


def test_bad_files_are_told(view: RunView, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no rows"):
        write_predictions([], tmp_path / "a.json")
    with pytest.raises(DataError, match=r"as \.tsv or \.json"):
        write_predictions(prediction_rows(view)[:1], tmp_path / "a.xlsx")
    bare = tmp_path / "bare.tsv"
    bare.write_text("video\tquestion\tanswer\nv\tq\ta\n")
    with pytest.raises(DataError, match="no column prediction"):
        read_predictions(bare)


def test_the_verb_writes_and_scores(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", videos=1)
    run_levels(data, tmp_path / "run", looker(), options={"box_mode": "absolute", "levels": "3,4,5"})
    verb = [sys.executable, "-m", "proofreel", "predictions"]
    out = tmp_path / "model.tsv"
    done = subprocess.run(
        [*verb, str(tmp_path / "run"), "--out", str(out)], capture_output=True, text=True, check=True
    )
    assert "4 questions" in done.stdout
    done = subprocess.run([*verb, str(out)], capture_output=True, text=True, check=True)
    scored = json.loads((tmp_path / "model_scored.json").read_text())["metrics"]
    assert (scored["Level-3_acc"], scored["Level-4_score"], scored["Level-5_score"]) == (100, 100, 100)
    lost = subprocess.run([*verb, str(out), "--mode", "official"], capture_output=True, text=True, check=True)
    assert "no box counts" in lost.stdout
    assert json.loads((tmp_path / "model_scored.json").read_text())["metrics"]["Level-5_mean_vIoU"] == 0
    bad = subprocess.run([*verb, str(tmp_path / "run")], capture_output=True, text=True, check=False)
    assert bad.returncode == 2 and "--out" in bad.stderr
