"""Half-written parts among our own: told in one line, and nothing else is lost."""

import logging
import sys
from pathlib import Path

import pytest

from proofreel.tools import Registry, UnknownNameError

GOOD = "from {package}._registry import PARTS\nPARTS.add('{name}', '{name} works')\n"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[str]:
    """A package as benchmarks are kept: one folder each, two of them not finished."""
    home = tmp_path / "parts_of_tests"
    home.mkdir()
    (home / "__init__.py").write_text("")
    (home / "_registry.py").write_text(
        "from proofreel.tools import Registry\nPARTS = Registry('part', 'parts_of_tests', 'parts_of_tests')\n"
    )

    for name, text in {
        "early": GOOD.format(package=home.name, name="early"),
        "half": GOOD.format(package=home.name, name="half")
        + "from parts_of_tests.half.card import nothing\n",
        "late": GOOD.format(package=home.name, name="late"),
        "quits": "raise SystemExit(7)\n",
        "torn": "def load(:\n",
    }.items():
        (home / name).mkdir()
        (home / name / "__init__.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    from parts_of_tests._registry import PARTS  # type: ignore[import-not-found]

    yield PARTS
    for name in [n for n in sys.modules if n.split(".")[0] == home.name]:
        del sys.modules[name]


def test_whole_parts_work_beside_broken_ones(
    registry: Registry[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "proofreel"):
        assert registry.all() == {"early": "early works", "late": "late works"}
        registry.all()
    lines = [r.getMessage() for r in caplog.records]
    assert [line.split(" cannot be loaded")[0] for line in lines] == [
        "parts_of_tests.half",
        "parts_of_tests.quits",
        "parts_of_tests.torn",
    ]
    assert not [line for line in lines if "\n" in line]
    assert "No module named 'parts_of_tests.half.card'" in lines[0]
    assert "SystemExit: 7" in lines[1]
    assert "SyntaxError" in lines[2]
    with pytest.raises(UnknownNameError, match=r"unknown part 'half'.*parts_of_tests\.half"):
        registry.get("half")
