"""A run from its folder, with the questions it was about, ready for counting."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from proofreel.core import Item
from proofreel.core.errors import UserError
from proofreel.judges import Verdict
from proofreel.runs._files import RunError, read_json
from proofreel.runs.result import Key, RunResult
from proofreel.runs.run_folder import RunFolder
from proofreel.runs.settings import RunSettings


@dataclass
class ScoredRun:
    """Results of a run with the verdicts to count.

    Attributes:
        path: its folder, for people.
        settings: from ``run.json``.
        results: last result of each (item, epoch).
        items: questions by id; empty when the data are not there any more.
        verdicts: those that count; the results' own, or a later scoring.
        details: what the judge of those verdicts keeps beside them.
        scored_by: who gave them.
        folder: the run on disk, None for runs made in memory.
        durations: seconds of videos by question id, where known.
        notes: what a reader of the numbers must know.
    """

    path: str
    settings: RunSettings
    results: dict[Key, RunResult]
    items: dict[str, Item] = field(default_factory=dict)
    verdicts: dict[Key, Verdict] = field(default_factory=dict)
    details: dict[Key, dict[str, Any]] = field(default_factory=dict)
    scored_by: str = "first verdict"
    folder: RunFolder | None = None
    durations: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        own = {k: r.verdict for k, r in self.results.items()}
        self.verdicts = own | self.verdicts
        self.details = {k: r.details for k, r in self.results.items()} | self.details

    def video(self, item_id: str) -> str:
        """The cluster of a question: its video; the question itself where the data are gone."""
        item = self.items.get(item_id)
        return item.question.video if item else item_id

    def served(self) -> dict[str, list[str]]:
        """Names of the models that answered, by role, as the servers gave them; empty without a journal."""
        found: dict[str, list[str]] = {}
        if self.folder is None or not self.folder.journal.path.exists():
            return found
        for line in self.folder.journal.lines():
            if line.kind != "call" or line.replayed:
                continue
            seen = found.setdefault(line.role, [])
            if (name := line.served or line.model) not in seen:
                seen.append(name)
        return {role: sorted(names) for role, names in found.items()}

    def replace_verdicts(
        self,
        verdicts: dict[Key, Verdict],
        scored_by: str,
        details: dict[Key, dict[str, Any]] | None = None,
    ) -> "ScoredRun":
        """The same run under other verdicts."""
        kept = {k: v for k, v in verdicts.items() if k in self.results}
        told = {k: (details or {}).get(k, {}) for k in kept}
        return replace(self, verdicts=kept, details=told, scored_by=scored_by, notes=list(self.notes))


def load_run(path: str | Path, *, probe_videos: bool = True, scores: str | None = None) -> ScoredRun:
    """Reads a run's folder and loads its questions again.

    When the data folder is gone or has changed, the numbers that need it (slices, videos as clusters) are made from
    what is left, and the notes say so.

    Args:
        path: folder given to ``run --out``.
        probe_videos: look up the lengths of the videos, for slices by duration.
        scores: name of a later scoring (``scores/<name>.json``) whose verdicts count instead of the first ones.

    Raises:
        RunError: no run there, broken files, or no such scoring.
    """
    folder = RunFolder.open(path)
    wanted = set(folder.settings.items)
    results = {k: r for k, r in folder.latest().items() if r.item_id in wanted}
    notes = list(folder.problems)
    items: dict[str, Item] = {}
    try:
        items = _items(folder.settings, notes)
    except UserError as error:
        notes.append(
            f"questions cannot be loaded ({error}): no slices, and each question counts as its own video"
        )
    run = ScoredRun(str(path), folder.settings, results, items, folder=folder, notes=notes)
    if probe_videos and items:
        run.durations = _durations(items)
    return run if scores is None else _rescored(run, folder, scores)


def _rescored(run: ScoredRun, folder: RunFolder, name: str) -> ScoredRun:
    from proofreel.runs.rescore import Scores

    path = folder.path / "scores" / f"{name.removesuffix('.json')}.json"
    if not path.is_file():
        have = ", ".join(sorted(p.stem for p in path.parent.glob("*.json"))) or "none"
        raise RunError(f"{path}: no such scoring; there are: {have}")
    try:
        scores = Scores.model_validate(read_json(path))
    except ValidationError as error:
        raise RunError(f"{path}: {error.errors()[0]['msg']}; score the run again") from None
    verdicts = {(i.item_id, i.epoch): i.verdict for i in scores.items}
    details = {(i.item_id, i.epoch): i.details for i in scores.items}
    named = f"{scores.name} ({scores.mode}, judge {scores.judge or 'none'})"
    return run.replace_verdicts(verdicts, named, details)


def _items(settings: RunSettings, notes: list[str]) -> dict[str, Item]:
    from proofreel.benchmarks import get_benchmark
    from proofreel.runs.fingerprint import items_fingerprint

    root = None if settings.data is None else Path(settings.data)
    loaded = get_benchmark(settings.benchmark).load(root)
    chosen = {i.question.id: i for i in loaded.items if i.question.id in set(settings.items)}
    ordered = [chosen[i] for i in settings.items if i in chosen]
    if items_fingerprint(ordered, Path(loaded.root)) != settings.fingerprint:
        notes.append("the questions have changed since the run: slices are by the present ones")
    return chosen


def _durations(items: dict[str, Item]) -> dict[str, float]:
    """Lengths as probed, else as the data folder says in words, else none."""
    from proofreel.benchmarks.agentvidbench.fields import parse_duration
    from proofreel.runs.plan_files import probe_all

    facts = probe_all({i.question.video for i in items.values()})
    found = {}
    for name, item in items.items():
        fact = facts.get(item.question.video)
        told = (item.metadata.get("video") or {}).get("duration")
        probed = fact.duration if fact is not None and fact.error is None else None
        if length := probed or parse_duration(told):
            found[name] = length
    return found
