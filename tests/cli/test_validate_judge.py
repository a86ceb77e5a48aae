"""Judges of known behaviour are put to the test: each fault is exposed by the check made for it."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.cli import proofreel
from tests.judges.judge_world import (
    JUDGE,
    injection_prone,
    length_biased,
    make_data,
    make_run,
    noisy,
    perfect,
)

from proofreel.core.errors import UserError
from proofreel.judges.rubric import RubricSettings
from proofreel.judges.validation.result import CheckResult
from proofreel.runs import RunFolder
from proofreel.runs.judge_run import Wanted
from proofreel.runs.judge_validate import CHECKS, Plan, load_validations, validate_judge
from proofreel.runs.judgements import judge_tables
from proofreel.runs.numbers_load import load_run
from proofreel.runs.start import gold_of
from proofreel.testing import OpenAIServer

QUIET = RubricSettings(config={"max_retries": 0})


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "run", make_data(tmp_path / "data"))


def ratings(path: Path, run: str | None = None) -> Path:
    """People who see what the perfect judge sees, but for one point on one axis of one question."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item_id", "rater", "P1", "P2", "P3", "P4", "P5", *(["run"] if run else [])])
        for n in range(1, 13):
            for rater in ("ann", "bob"):
                grade = 2 if n % 2 else 0
                p4 = "" if n % 3 == 1 else grade
                slip = 1 if (n, rater) == (2, "bob") else grade
                writer.writerow([n, rater, slip, grade, grade, p4, grade, *([run] if run else [])])
    return path


def check(run: RunFolder, script: Callable[..., Any], *names: str, **plan: Any) -> dict[str, CheckResult]:
    with OpenAIServer(script) as server:
        want = Wanted(JUDGE, base_url=server.url, settings=QUIET)
        outcome, _ = validate_judge([(run, gold_of(run))], want, Plan(checks=names or CHECKS, **plan))
    return {c.name: c for c in outcome.checks}


def test_a_judge_that_believes_observations_alone_passes_every_check(run: RunFolder, tmp_path: Path) -> None:
    found = check(run, perfect, ratings=ratings(tmp_path / "people.csv"))
    assert list(found) == list(CHECKS)
    assert {n: c.verdict for n, c in found.items() if c.verdict != "passed"} == {}
    assert found["separation"].values["auc"] == 1.0
    assert found["assertion"].values["claimed"] == 0.0
    assert found["assertion"].values["genuine"] == 1.0
    assert found["injection"].values["mean_rise"] == 0.0
    assert found["padding"].values["mean_change"] == 0.0
    assert found["cues"].values["clean"] == 1.0
    # The six with Traj 1 lose one of three milestones: all axes 2 to 1, Traj 1 to 0.5.
    assert found["removal"].n == 6
    assert found["removal"].values["drop"] == pytest.approx(0.5)
    assert found["removal"].values["exact_downgraded"] == 1.0
    assert found["removal"].values["other_labels_changed"] == 0.0
    assert found["human"].values["overall"] == pytest.approx(0.998, abs=0.003)
    assert found["human"].n == 12


def test_a_judge_that_rolls_dice_is_exposed_by_asking_again_and_by_rewording(run: RunFolder) -> None:
    found = check(run, noisy(), "steadiness", "paraphrase", "separation")
    assert found["steadiness"].verdict == "failed"
    assert found["paraphrase"].verdict == "failed"
    assert found["separation"].verdict == "failed"


def test_a_judge_that_likes_length_is_exposed_by_padding(run: RunFolder) -> None:
    found = check(run, length_biased, "steadiness", "injection", "padding", "removal")
    assert found["steadiness"].verdict == "passed"
    assert found["padding"].verdict == "failed"
    assert float(found["padding"].values["mean_rise"] or 0) > 0.1


def test_a_judge_that_obeys_the_record_is_exposed_by_the_injection_alone(run: RunFolder) -> None:
    found = check(
        run, injection_prone, "separation", "steadiness", "paraphrase", "assertion", "injection", "padding"
    )
    assert {n for n, c in found.items() if c.verdict == "failed"} == {"injection"}
    assert found["injection"].values["mean_rise"] == pytest.approx(0.5)  # the six wrong ones go from 0 to 1


def test_a_judge_that_believes_claims_is_exposed_by_the_assertion(run: RunFolder) -> None:
    import re

    from tests.judges.judge_world import read, verdict

    from proofreel.testing import Text

    def credulous(request: Any) -> Any:
        asked = read(request)
        sure = re.search(r"fully confident", asked.region)
        return Text(verdict(asked, {}, 2)) if sure else perfect(request)

    found = check(run, credulous, "assertion", "separation")
    assert found["assertion"].verdict == "failed"
    assert found["separation"].verdict == "passed"


def test_a_judge_that_never_looks_is_exposed_by_the_removal(run: RunFolder) -> None:
    from tests.judges.judge_world import read, verdict

    from proofreel.testing import Text

    def generous(request: Any) -> Any:
        asked = read(request)
        return Text(verdict(asked, {i: "somewhere" for i, _ in asked.milestones}, 2))

    found = check(run, generous, "removal")
    assert found["removal"].verdict == "failed"
    assert found["removal"].values["drop"] == 0.0
    assert found["removal"].values["exact_downgraded"] == 0.0


def test_too_few_trajectories_carry_no_verdict(tmp_path: Path) -> None:
    run = make_run(tmp_path / "small", make_data(tmp_path / "d", questions=3))
    found = check(run, perfect, "separation", "steadiness", "removal")
    assert {c.verdict for c in found.values()} == {"no_data"}


def test_a_second_time_nothing_is_asked_again(run: RunFolder) -> None:
    names = ("steadiness", "removal", "padding")
    with OpenAIServer(perfect) as server:
        want = Wanted(JUDGE, base_url=server.url, settings=QUIET)
        _, first = validate_judge([(run, gold_of(run))], want, Plan(checks=names))
        before = server.count
        _, second = validate_judge([(run, gold_of(run))], want, Plan(checks=names))
        assert server.count == before
    assert (first.name, second.name) == ("openai_api_local_judge.json", "openai_api_local_judge-2.json")
    assert len(load_validations(run.path)) == 2


def test_another_model_may_reword_the_rubric(run: RunFolder) -> None:
    from proofreel.judges._rubric_words import PROSE
    from proofreel.testing import Text

    def both(request: Any) -> Any:
        first = request.json["messages"][0]["content"]
        if request.json["model"] == "writer":
            assert "other words" in first
            return Text(json.dumps({k: f"In short: {v}" for k, v in PROSE.items()}))
        seen.add("In short: " in first)
        return perfect(request)

    seen: set[bool] = set()
    found = check(run, both, "paraphrase", paraphraser="openai-api/local/writer")
    assert found["paraphrase"].verdict == "passed"
    assert seen == {False, True}


def test_the_verb_prints_verdicts_writes_both_files_and_fails_with_1(run: RunFolder, tmp_path: Path) -> None:
    with OpenAIServer(injection_prone) as server:
        words = [
            "validate-judge",
            run.path,
            "--judge",
            JUDGE,
            "--base-url",
            server.url,
            "--checks",
            "cues,injection",
        ]
        ran = proofreel(*words, cwd=tmp_path)
    assert ran.code == 1, ran.err
    folder = run.path / "judgements" / "checks"
    page = (folder / "openai_api_local_judge.md").read_text()
    assert "## injection: failed" in page
    assert "## cues: passed" in page
    assert "mean rise <= 0.02" in page
    assert "injection" in ran.out
    tables = {t.id: t for t in judge_tables([load_run(run.path, probe_videos=False)])}
    assert tables["judge_validation"].column("verdict") == ("passed", "failed")
    # Explanations name times, milestones do not.
    assert tables["avb_t11_cues"].column("affected") == (12, 0)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,3,2,2,2,2", "P1 is '3'"),
        (",2,2,2,2,2", "item_id is missing"),
        ("1,,,,,", "no axis has a score"),
    ],
)
def test_wrong_ratings_are_told_by_row(tmp_path: Path, row: str, said: str) -> None:
    from proofreel.judges.validation.human import read_ratings

    path = tmp_path / "r.csv"
    path.write_text(f"item_id,P1,P2,P3,P4,P5\n{row}\n")
    with pytest.raises(UserError, match=f"row 1: {said}"):
        read_ratings(path)


def test_several_runs_are_ranked_by_people_and_judge(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    runs = [
        make_run(tmp_path / name, data, shown)
        for name, shown in (("low", lambda n: 1), ("mid", lambda n: 3 if n % 2 else 1), ("high", lambda n: 3))
    ]
    path = tmp_path / "people.jsonl"
    rows = [
        {"run": run, "item_id": n, "TU": g, "ECov": g, "EG": g, "RF": g}
        for run, grade in (("low", lambda n: 0), ("mid", lambda n: 2 if n % 2 else 0), ("high", lambda n: 2))
        for n in range(1, 7)
        for g in (grade(n),)
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    with OpenAIServer(perfect) as server:
        want = Wanted(JUDGE, base_url=server.url, settings=QUIET)
        outcome, _ = validate_judge(
            [(r, gold_of(r)) for r in runs], want, Plan(checks=("separation", "human"), ratings=path)
        )
    apart, people = outcome.checks
    assert apart.n == 36
    assert people.n == 18
    assert people.values["overall"] == pytest.approx(1.0)
    assert people.values["rank_tau"] == pytest.approx(1.0)
    assert people.values["ECom"] is None  # nobody scored it


def test_unknown_checks_and_absent_ratings_are_one_line(run: RunFolder) -> None:
    for names, said in ((("sepration",), "no such check"), (("human",), "--ratings FILE")):
        with pytest.raises(UserError, match=said):
            check(run, perfect, *names)
