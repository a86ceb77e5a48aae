"""The guide's example runs and prints what it says; every setting it names exists, and every setting is named."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from proofreel.tools.web import WebSettings

DOCS = Path(__file__).parents[3] / "docs" / "web.md"


def test_the_example_prints_what_it_says(tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    code, counts = re.findall(r"```python\n(.*?)```", text, re.S)
    checked = counts.replace('web_counts("', 'assert {} == web_counts("', 1)
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{checked}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (said,) = re.findall(r"^prints `(.*)`\.$", text, re.M)
    assert done.stdout.strip() == said


def test_settings_are_named_in_the_guide() -> None:
    text = DOCS.read_text(encoding="utf-8")
    named = set(re.findall(r"web_[a-z_]+", text)) - {"web_search", "web_miss", "web_counts"}
    assert named <= set(WebSettings.model_fields)
    assert set(WebSettings.model_fields) - {"web", "web_results"} <= named
