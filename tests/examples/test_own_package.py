"""A package of somebody else, installed into a fresh environment, adds an agent and a tool; a broken one is told."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support import ROOT

EXAMPLE = ROOT / "examples" / "first-said"


def quiet_env() -> dict[str, str]:
    keep = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY") and k != "PYTHONPATH"}
    return {**keep, "COLUMNS": "160", "NO_COLOR": "1"}


def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(w) for w in words], cwd=cwd, env=quiet_env(), capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment that sees this project's packages and holds the example, installed."""
    home = tmp_path_factory.mktemp("fresh")
    made = run(sys.executable, "-m", "venv", "--without-pip", home / "env", cwd=home)
    assert made.returncode == 0, made.stderr
    python = home / "env" / "bin" / "python"
    purelib = run(python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])", cwd=home)
    # As a folder of packages, so that files that name further folders (editable installs) count too.
    borrowed = f"import site; site.addsitedir({sysconfig.get_paths()['purelib']!r})\n"
    Path(purelib.stdout.strip(), "borrowed.pth").write_text(borrowed)
    source = shutil.copytree(EXAMPLE, home / "first-said")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--disable-pip-version-check")
    installed = run(*pip, "--no-index", "--no-deps", "--no-build-isolation", source, cwd=home)
    assert installed.returncode == 0, installed.stderr
    return python


def test_the_agent_and_the_tool_are_found_and_run(python: Path, tmp_path: Path) -> None:
    agents = run(python, "-m", "proofreel", "list", "agents", cwd=tmp_path)
    assert agents.returncode == 0, agents.stderr
    assert "first_said" in agents.stdout
    assert "retrieval" in agents.stdout
    assert agents.stderr == ""
    words = ("run", "mini", "--agent", "first_said", "--ids", "4", "--set", "ocr=false", "--out", "r")
    done = run(python, "-m", "proofreel", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "done: 1/1 done" in done.stdout
    (kept,) = (json.loads(line)["trajectory"] for line in (tmp_path / "r" / "results.jsonl").open())
    assert {c["name"] for s in kept["steps"] for c in s["calls"]} == {"find_words"}
    # The voice names one captain only, between 37.8 and 42 s (the set's gold window).
    assert kept["answer"]["letter"] == "F"
    (proof,) = kept["answer"]["evidence"]
    assert proof["window"]["start"] < 42
    assert proof["window"]["end"] > 37.8
    assert "Larsen" in proof["quote"]["text"]


def test_a_broken_package_is_one_line_and_ends_nothing(python: Path, tmp_path: Path) -> None:
    purelib = Path(
        run(
            python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])", cwd=tmp_path
        ).stdout.strip()
    )
    (purelib / "rotten.py").write_text("import a_module_nobody_has\n")
    info = purelib / "rotten-9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rotten\nVersion: 9.9\n")
    groups = "".join(f"[proofreel.{g}]\nrotten = rotten\n" for g in ("agents", "tools", "benchmarks"))
    (info / "entry_points.txt").write_text(groups)
    try:
        listed = run(python, "-m", "proofreel", "list", "agents", cwd=tmp_path)
        done = run(python, "-m", "proofreel", "run", "mini", "--agent", "blind", "--out", "r", cwd=tmp_path)
        asked = run(python, "-m", "proofreel", "run", "mini", "--agent", "rotten", "--out", "q", cwd=tmp_path)
    finally:
        shutil.rmtree(info)
    said = (
        "plug-in rotten 9.9 (rotten) cannot be loaded and is left out "
        "(ModuleNotFoundError: No module named 'a_module_nobody_has'); mend or remove it"
    )
    assert listed.returncode == 0
    assert "first_said" in listed.stdout
    assert listed.stderr.splitlines() == [said]
    assert done.returncode == 0, done.stderr
    assert "done: 10/10 done" in done.stdout
    assert done.stderr.splitlines() == [said]
    assert asked.returncode == 2
    assert "plug-in rotten failed to load" in asked.stderr
    assert "Traceback" not in asked.stderr
