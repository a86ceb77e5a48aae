"""Tables of validations, for reports."""

from collections.abc import Mapping, Sequence

from proofreel.core import Column, Item, Table
from proofreel.judges.path_cues import KINDS, path_cues
from proofreel.judges.rubric_scores import ABBREVIATIONS
from proofreel.judges.validation._cut import words
from proofreel.judges.validation.cues import SUMMARY, cues_of, summary_rows
from proofreel.judges.validation.result import GROUP, CheckResult, Validation


def validation_table(checks: Sequence[Validation], missing: str) -> Table:
    """One row for every check of every judge: verdict, threshold, figures."""
    rows = tuple(
        (v.judge, c.name, c.verdict.replace("_", " "), c.threshold, c.n, c.said)
        for v in checks
        for c in v.checks
    )
    return Table(
        id="judge_validation",
        title="Checks of the judges",
        columns=(
            Column(name="judge"),
            Column(name="check"),
            Column(name="verdict"),
            Column(name="threshold"),
            Column(name="n", unit="count"),
            Column(name="what was found"),
        ),
        rows=rows,
        missing="" if rows else missing,
        group=GROUP,
    )


def verdict_table(checks: Sequence[CheckResult]) -> Table:
    """Verdicts of one judge's checks."""
    return Table(
        id="check_verdicts",
        title="Verdicts",
        columns=tuple(Column(name=n) for n in ("check", "verdict", "threshold", "what was found")),
        rows=tuple((c.name, c.verdict.replace("_", " "), c.threshold, c.said) for c in checks),
        missing="" if checks else "No check was run.",
        group=GROUP,
    )


def reference_table(checks: Sequence[Validation], missing: str) -> Table:
    """T10: correlation of both references, by axis and judge."""
    rows = tuple(
        (v.judge, c.n, *(c.values.get(a) for a in (*ABBREVIATIONS.values(), "mean")))
        for v in checks
        for c in v.checks
        if c.name == "reference" and c.verdict != "no_data"
    )
    return Table(
        id="avb_t10_reference",
        title="T10: milestones against explanation as reference, Pearson r",
        columns=(
            Column(name="judge"),
            Column(name="trajectories", unit="count"),
            *(Column(name=a, unit="number", digits=3) for a in (*ABBREVIATIONS.values(), "mean")),
        ),
        rows=rows,
        missing="" if rows else missing,
        group="AgentVidBench",
    )


def cue_examples(items: Mapping[str, Item], missing: str) -> Table:
    """T7: one example of each kind of cue: the piece of an explanation, and a milestone of the same question."""
    rows: list[tuple[str | None, ...]] = []
    for kind in KINDS:
        for name, item in items.items():
            seen = next((c.text for c in path_cues(item.gold.explanation) if c.kind == kind), None)
            clean = [m.description for m in item.gold.milestones if not path_cues(m.description)]
            if seen is not None and clean:
                rows.append(
                    (kind.replace("_", " "), name, seen, _nearest(item.gold.explanation, seen, clean))
                )
                break
    return Table(
        id="avb_t7_cue_types",
        title="T7: kinds of path-specific cues",
        columns=tuple(Column(name=n) for n in ("kind", "question", "in the explanation", "as a milestone")),
        rows=tuple(rows),
        note="The milestone shares the most words with the sentence around the cue." if rows else "",
        missing="" if rows else missing,
        group="AgentVidBench",
    )


def _nearest(explanation: str, piece: str, milestones: Sequence[str]) -> str:
    sentence = next((s for s in explanation.split(". ") if piece in s), explanation)
    return max(milestones, key=lambda m: len(words(m) & words(sentence)))


def cue_table(items: Mapping[str, Item], missing: str) -> Table:
    """T11: questions whose explanation or milestones name a path, by kind of cue (T7)."""
    found = {i: cues_of(item) for i, item in items.items() if item.gold.milestones}
    rows = tuple(summary_rows(found))
    return Table(
        id="avb_t11_cues",
        title="T11: path-specific cues in the references",
        columns=SUMMARY,
        rows=rows,
        note="Questions affected, by kind; a question may have several kinds." if rows else "",
        missing="" if rows else missing,
        group="AgentVidBench",
    )
