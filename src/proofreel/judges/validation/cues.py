"""Is the reference free of cues that reward one way of watching? No model is asked."""

from collections.abc import Iterable, Mapping, Sequence

from proofreel.core import Column, Item
from proofreel.judges.path_cues import KINDS, Cue, path_cues
from proofreel.judges.validation.result import CheckResult, count, decided, plain_table, text

NAME = "cues"
CLEAN = 0.95


def cues_of(item: Item) -> tuple[list[Cue], list[Cue]]:
    """Cues of the explanation and of the milestones of one question."""
    mine = [c for m in item.gold.milestones for c in path_cues(m.description)]
    return path_cues(item.gold.explanation), mine


def cues(items: Iterable[Item]) -> CheckResult:
    """Share of questions whose milestones have no cue. Published: 99 % against 15 % for explanations."""
    every = [i for i in items if i.gold.milestones]
    found = {i.question.id: cues_of(i) for i in every}
    clean = sum(not mine for _, mine in found.values())
    share = clean / len(every) if every else None
    said = (
        f"the milestones of {clean} of {len(every)} questions are free of path cues "
        f"(at least {CLEAN:.0%} are asked for)"
    )
    rows = [(q, c.kind, c.text) for q, (_, mine) in found.items() for c in mine]
    return decided(
        NAME,
        None if share is None else share >= CLEAN,
        said,
        f">= {CLEAN:.0%} of the milestone lists without a cue",
        n=len(every),
        values={"clean": share},
        tables=[
            plain_table(f"{NAME}_summary", "Path cues by reference (T11)", SUMMARY, summary_rows(found)),
            plain_table(
                NAME, "Path cues found", [text("question"), text("kind"), text("piece")], rows, "None."
            ),
        ],
    )


SUMMARY = (
    text("reference"),
    count("questions"),
    count("affected"),
    Column(name="tool-agnostic", unit="percent", better="high"),
    *(count(kind.replace("_", " ")) for kind in KINDS),
)


def summary_rows(
    found: Mapping[str, tuple[Sequence[Cue], Sequence[Cue]]],
) -> list[tuple[str | int | float | None, ...]]:
    """One row for explanations, one for milestones: questions affected, by kind of cue."""
    rows: list[tuple[str | int | float | None, ...]] = []
    for name, place in (("human answer explanation", 0), ("evidence milestones", 1)):
        each = [pair[place] for pair in found.values()]
        if not each:
            continue
        affected = sum(bool(c) for c in each)
        kinds = [sum(any(c.kind == kind for c in cs) for cs in each) for kind in KINDS]
        rows.append((name, len(each), affected, 100 * (len(each) - affected) / len(each), *kinds))
    return rows
