"""The end of a run names why questions failed, and how to ask them again."""

import io
from pathlib import Path

from rich.console import Console

from proofreel.cli._run import tell
from runs.made import make_run, result
from runs.world import make_data


def told(folder: Path, reasons: dict[str, str]) -> str:
    run = make_run(folder / "run", make_data(folder / "data", questions=9, videos=1), {"1": "right"})
    with run.writing():
        for item, why in reasons.items():
            made = result(item, "model_failed")
            run.add(made.model_copy(update={"verdict": made.verdict.model_copy(update={"reason": why})}))
        run.set_state("done")
    out = io.StringIO()
    state = run.state
    assert state is not None
    tell(run, state, Console(file=out, width=200))
    return out.getvalue()


def test_the_most_frequent_reasons_come_first(tmp_path: Path) -> None:
    text = told(tmp_path, {"2": "b", "3": "a\n  long", "4": "a\n  long", "5": "a\n  long", "6": "a\n  long"})
    lines = [line for line in text.splitlines() if line.startswith("model failed")]
    assert lines == ["model failed: a long (question 3, 4, 5 and 1 more)", "model failed: b (question 2)"]
    assert f"once more: proofreel resume {tmp_path / 'run'} --retry-failed" in text


def test_many_reasons_are_counted(tmp_path: Path) -> None:
    text = told(tmp_path, {str(n): f"reason {n}" for n in range(2, 8)})
    assert text.count("model failed: reason") == 3
    assert "3 more reasons" in text


def test_nothing_is_said_where_nothing_failed(tmp_path: Path) -> None:
    text = told(tmp_path, {})
    assert "--retry-failed" not in text
