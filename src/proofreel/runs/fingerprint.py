"""What a run's numbers rest on, as hashes: questions, videos, prompts."""

import ast
import hashlib
import importlib.util
import json
from collections.abc import Iterable
from pathlib import Path

from proofreel.core import Item
from proofreel.runs.settings import VideoStamp

EDGE = 65536


def items_fingerprint(items: Iterable[Item], root: Path) -> str:
    """SHA-256 over questions, gold and metadata in their order; a moved folder keeps it."""
    digest = hashlib.sha256()
    for item in items:
        record = item.model_dump(mode="json")
        record["question"]["video"] = relative(item.question.video, root)
        if item.question.transcript:
            record["question"]["transcript"] = relative(item.question.transcript, root)
        digest.update(json.dumps(record, sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def relative(path: str, root: Path) -> str:
    """A path as seen from the data folder; as it is when it lies elsewhere.

    Links are followed only where the plain names do not do: a video that is a link in the folder keeps its name there.
    """
    for file, base in ((Path(path).absolute(), root.absolute()), (Path(path).resolve(), root.resolve())):
        try:
            return file.relative_to(base).as_posix()
        except ValueError:
            continue
    return path


def video_stamps(
    items: Iterable[Item], root: Path, known: dict[str, VideoStamp] | None = None
) -> dict[str, VideoStamp]:
    """A stamp of every video, by relative path; files that are not there are left out.

    Args:
        items: whose videos.
        root: data folder.
        known: earlier stamps: where size and time of change are the same, the file is not read again.
    """
    stamps = {}
    for path in sorted({i.question.video for i in items}):
        name = relative(path, root)
        try:
            stamps[name] = _stamp(Path(path), (known or {}).get(name))
        except OSError:
            continue
    return stamps


def _stamp(path: Path, known: VideoStamp | None) -> VideoStamp:
    stat = path.stat()
    if known is not None and (known.size, known.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
        return known
    with path.open("rb") as file:
        digest = hashlib.sha256(file.read(EDGE))
        file.seek(max(0, stat.st_size - EDGE))
        digest.update(file.read(EDGE))
    return VideoStamp(size=stat.st_size, mtime_ns=stat.st_mtime_ns, edges=digest.hexdigest())


def prompts_fingerprint(module: str, exam: str | None = None) -> tuple[str, tuple[str, ...]]:
    """SHA-256 over the source of the modules an agent takes its prompts from, and their names.

    These are the modules of its own package with ``prompt`` in their name that it imports, directly or through tools
    and helpers of this package, those tools, and the agent's own module.

    Args:
        module: of the agent.
        exam: of the benchmark's card, when it puts its questions its own way: then the modules of its package that
            hold prompts or put them together count too.
    """
    found = {module, *(_composing(exam) if exam else ())}
    queue = [module]
    seen = {module}
    while queue:
        for name in imports_of(queue.pop()):
            if name in seen or not name.startswith(("proofreel.agents", "proofreel.tools")):
                continue
            seen.add(name)
            queue.append(name)
            tool = name.startswith("proofreel.tools.") or "_tools." in name  # tools ask in their own words
            if "prompt" in name.rpartition(".")[2] or tool:
                found.add(name)
    names = tuple(sorted(found))
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name}\n{source_of(name)}\n".encode())
    return digest.hexdigest(), names


def _composing(card: str) -> set[str]:
    package = card.rpartition(".")[0] + "."
    seen, queue = {card}, [card]
    while queue:
        for name in imports_of(queue.pop()):
            if name.startswith(package) and name not in seen:
                seen.add(name)
                queue.append(name)
    prompts = {m for m in seen if "prompt" in m.rpartition(".")[2]}
    return prompts | {m for m in seen if m != card and prompts & imports_of(m)}


def source_of(module: str) -> str:
    """Text of a module, empty for what is not written in Python or not there."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return ""
    return Path(spec.origin).read_text(encoding="utf-8")


def imports_of(module: str) -> set[str]:
    """Modules a module imports anywhere in its text, names that are submodules included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source_of(module))):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names |= {f"{node.module}.{a.name}" for a in node.names if _is_module(f"{node.module}.{a.name}")}
    return names


def _is_module(name: str) -> bool:
    if not name.startswith("proofreel."):
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
