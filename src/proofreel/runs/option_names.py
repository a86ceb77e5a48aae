"""Are the settings of an agent spelled right? A name that nothing reads would be believed and change nothing."""

import ast
import difflib
from collections.abc import Iterable, Mapping
from functools import lru_cache

from proofreel.core.errors import UserError
from proofreel.runs.fingerprint import imports_of, source_of

SHARED = ("proofreel.agents", "proofreel.tools")
ALWAYS = frozenset({"fps", "ocr", "speech", "asr_model", "embed_model", "index"})
"""Options of the video index, read by the runner itself."""


def check_options(
    names: Iterable[str], agent: str, modules: Iterable[str], others: Mapping[str, str] | None = None
) -> list[str]:
    """Refuses a setting whose name stands nowhere in the code that could read it.

    Every text constant of the agent's module, of the modules of this package and its own that it imports, and of the
    further modules counts as a name, so that nothing that is read can be refused.

    Args:
        names: given with ``--set``.
        agent: for the message.
        modules: where reading may begin: the agent's module, the benchmark's.
        others: modules of other agents by name. What one of them reads is no mistake of spelling: settings are shared
            over the agents of a matrix.

    Returns:
        A line for every setting that only another agent reads.

    Raises:
        UserError: no code knows the name; close names are offered.
    """
    given = [n for n in names if n not in ALWAYS]
    if not given:
        return []
    notes = []
    known: set[str] = set(ALWAYS)
    for module in modules:
        known |= _words(module)
    for name in given:
        if name in known:
            continue
        readers = [n for n, module in (others or {}).items() if n != agent and name in _words(module)]
        if readers:
            notes.append(f"--set {name} changes nothing here: {agent} does not read it, {readers[0]} does")
        else:
            close = difflib.get_close_matches(name, sorted(_looked_up(tuple(modules)) | ALWAYS), 3, 0.6)
            hint = f"; did you mean {' or '.join(close)}" if close else ""
            raise UserError(f"--set {name}: agent {agent} has no such setting{hint}")
    return notes


def reads(name: str, module: str) -> bool:
    """Whether code that a module reaches could read a setting of that name."""
    return name in _words(module)


@lru_cache(maxsize=32)
def _closure(module: str) -> tuple[str, ...]:
    """A module and all it imports from its own package, agents and tools."""
    own = module.partition(".")[0]
    seen, queue = {module}, [module]
    while queue:
        for name in imports_of(queue.pop()):
            ours = name.startswith(SHARED) or (own != "proofreel" and name.partition(".")[0] == own)
            beside = name.startswith(module.rpartition(".")[0] + ".")
            if name not in seen and (ours or beside):
                seen.add(name)
                queue.append(name)
    return tuple(sorted(seen))


@lru_cache(maxsize=32)
def _words(module: str) -> frozenset[str]:
    """Text constants and parameter names: whatever an option can be read by."""
    found: set[str] = set()
    for name in _closure(module):
        for node in ast.walk(ast.parse(source_of(name))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return frozenset(found)


@lru_cache(maxsize=32)
def _looked_up(modules: tuple[str, ...]) -> frozenset[str]:
    """Names that are certainly read: ``options.get("name")`` and ``options["name"]``."""
    found: set[str] = set()
    for module in modules:
        for name in _closure(module):
            for node in ast.walk(ast.parse(source_of(name))):
                key: ast.expr | None = None
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    key = node.args[0] if node.func.attr == "get" and node.args else None
                elif isinstance(node, ast.Subscript):
                    key = node.slice
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    found.add(key.value)
    return frozenset(found)
