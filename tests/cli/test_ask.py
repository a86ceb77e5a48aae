import json
from pathlib import Path

import pytest

from cli.cli import proofreel

MINI = Path(__file__).parents[2] / "src/proofreel/benchmarks/mini/data/videos/harbour.mp4"


def test_help_teaches_and_is_quick(tmp_path: Path) -> None:
    import subprocess
    import sys
    import time

    began = time.process_time()
    code = (
        "import sys; sys.argv=['proofreel','--help']\n"
        "from proofreel.cli.main import run\n"
        "try: run()\nexcept SystemExit: pass\n"
        "heavy={'av','numpy','inspect_ai','onnxruntime','PIL','pydantic'} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert time.process_time() - began < 5
    assert "HEAVY []" in done.stdout, "the help imports no decoder, no engine, no arrays"
    assert "proofreel ask VIDEO" in done.stdout
    for verb in ("ask", "prepare", "demo", "list", "parity"):
        assert "Example" in proofreel(verb, "--help", cwd=tmp_path).out


def test_an_answer_with_its_moment_and_a_page(tmp_path: Path) -> None:
    ran = proofreel(
        "ask", MINI, "At what time does the kiosk open?", "--out", "sub/p.html", cwd=tmp_path, timeout=240
    )
    assert ran.code == 0, ran.err
    assert "7.30" in ran.out
    assert "0:26." in ran.out or "0:27." in ran.out
    page = (tmp_path / "sub/p.html").read_text(encoding="utf-8")
    assert "7.30 and it closes" in page, "the sentence as it was heard"


def test_abstention_is_said(tmp_path: Path) -> None:
    ran = proofreel("ask", MINI, "What colour is the captain's coat?", cwd=tmp_path, timeout=240)
    assert ran.code == 0
    assert "Abstained" in ran.out


def test_json_is_a_whole_trajectory(tmp_path: Path) -> None:
    from proofreel.core import Trajectory

    ran = proofreel("ask", MINI, "What was found on the London ferry?", "--json", cwd=tmp_path, timeout=240)
    trajectory = Trajectory.model_validate_json(ran.out)
    assert "umbrella" in (trajectory.answer.value or "").lower()
    window = trajectory.answer.evidence[0].window
    assert window is not None
    # The sentence is spoken from 42.8 to 45.2 s in the script of the clip.
    assert abs(window.start - 42.8) < 0.6
    assert window.end < 46.5
    assert json.loads(ran.out)["format_version"] == 1


@pytest.mark.parametrize("kind", ["agents", "benchmarks", "judges", "tools", "models"])
def test_lists(tmp_path: Path, kind: str) -> None:
    ran = proofreel("list", kind, cwd=tmp_path)
    assert ran.code == 0, ran.err
    known = {
        "agents": "video_react",
        "benchmarks": "mini",
        "judges": "choice",
        "tools": "get_transcript",
        "models": "gemini",
    }
    assert known[kind] in ran.out
