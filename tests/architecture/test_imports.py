"""The arrows of ARCHITECTURE.md, read from the imports themselves."""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "proofreel"

# A package may import itself and what is listed here, nothing else of ours.
ALLOWED: dict[str, set[str]] = {
    "core": set(),
    "video": {"core"},
    "perception": {"core", "video"},
    "stats": {"core"},
    "models": {"core", "video"},
    "tools": {"core", "video", "perception", "models"},
    "agents": {"core", "video", "perception", "models", "tools"},
    "judges": {"core", "video", "stats", "models"},
    "benchmarks": {"core", "video", "perception", "stats", "models", "tools", "agents", "judges"},
    "runs": {"core", "video", "perception", "stats", "models", "tools", "agents", "judges", "benchmarks"},
    "report": {"core", "video", "stats", "runs"},
    "parity": {"core", "video", "stats", "models", "tools", "agents", "judges", "benchmarks"},
    "cli": {"*"},
    "testing": {"core"},
    "inspect_registry": {"models", "agents", "benchmarks", "judges"},
    "_lazy": set(),
    "__init__": set(),
    "__main__": {"cli"},
}
ENGINE_FREE = {"core", "video", "perception", "stats", "report"}
CORE_MAY_USE = {"pydantic", "pydantic_core", "annotated_types"}


def imports_of(path: Path) -> set[str]:
    """Full dotted names imported anywhere in a file, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = (
                ".".join(("proofreel", *path.relative_to(SRC).parts[: -node.level])) + "."
                if node.level
                else ""
            )
            found |= {f"{base}{node.module or ''}.{alias.name}" for alias in node.names}
    return found


FILES = sorted(SRC.rglob("*.py"))


def package_of(path: Path) -> str:
    part = path.relative_to(SRC).parts[0]
    return part.removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_arrows_point_one_way(path: Path) -> None:
    package = package_of(path)
    assert package in ALLOWED, f"{package}: a new package needs its arrows here and in ARCHITECTURE.md"
    names = imports_of(path)
    ours = {n.split(".")[1] for n in names if n.startswith("proofreel.")} - {"_lazy"}
    bad = set() if "*" in ALLOWED[package] else ours - ALLOWED[package] - {package}
    assert not bad, f"{path.relative_to(SRC)} must not import {sorted(bad)}"
    if package in ENGINE_FREE:
        assert not [n for n in names if n.split(".")[0] == "inspect_ai"], "the engine has no business here"
    private = [
        n for n in names if n.startswith("inspect_ai.") and any(p.startswith("_") for p in n.split("."))
    ]
    assert not private or path.name == "compat.py", f"private engine imports belong in compat.py: {private}"


def test_core_is_pure() -> None:
    import sys

    for path in (SRC / "core").glob("*.py"):
        top = {n.split(".")[0] for n in imports_of(path)} - {"proofreel"}
        foreign = top - set(sys.stdlib_module_names) - CORE_MAY_USE
        assert not foreign, f"core/{path.name} imports {foreign}"
        assert not top & {"os", "pathlib", "io", "subprocess", "socket"}, f"core/{path.name} does I/O"


def test_no_file_is_over_400_lines() -> None:
    long = {str(p.relative_to(SRC)): n for p in FILES if (n := len(p.read_text().splitlines())) > 400}
    assert not long
