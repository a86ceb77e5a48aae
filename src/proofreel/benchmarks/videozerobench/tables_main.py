"""The main table, its intervals, re-normalised levels, both modes side by side, and guesses made without looking."""

from collections.abc import Sequence
from statistics import fmean

from proofreel.benchmarks.videozerobench.baselines import (
    SPATIAL,
    TEMPORAL,
    box_baseline,
    passes,
    window_baseline,
)
from proofreel.benchmarks.videozerobench.levels import Case
from proofreel.benchmarks.videozerobench.marks import (
    HEADINGS,
    NAMES,
    LevelRun,
    Mark,
    duration_of,
    level_runs,
    published,
)
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell

GROUP = "VideoZeroBench"
RUN = "proofreel run videozerobench --data DIR --agent levels --model MODEL"
VALUES = tuple(Column(name=HEADINGS[n], unit="percent", better="high") for n in NAMES)


def main_tables(runs: Sequence[LevelRun]) -> list[Table]:
    """T2 and what belongs beside it."""
    return [main(runs), level3(runs), intervals(runs), renormalised(runs), baselines(runs), modes(runs)]


def seen_as(run: LevelRun) -> str:
    """What the model was shown, in the words of the main table."""
    if run.view.agent != "levels":
        return "as the agent looks"
    made = (
        s.trajectory.settings
        for s in run.view.scored
        if s.trajectory and "max_frames" in s.trajectory.settings
    )
    settings = next(made, None)
    if settings is None:
        return "unknown"
    if settings["media"] != "frames":
        return "video" if settings["media"] == "video" else "nothing"
    most, rows = settings["max_frames"], f"{settings['height'] or 'all'} rows"
    rate = f"{most}f" if settings["sampling"] == "uniform_n" else f"{settings['fps']:g}fps, {most}f"
    return f"{rate}, {rows}"


def main(runs: Sequence[LevelRun]) -> Table:
    """T2."""
    columns = (
        Column(name="run"),
        Column(name="kind"),
        Column(name="shown"),
        Column(name="mode"),
        Column(name="questions", unit="count"),
        *VALUES,
        Column(name="failed", unit="count"),
        Column(name="missing", unit="count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        means = [run.stat(n).value for n in NAMES]
        how = "level by level" if run.form == "separate" else "asked once"
        kind = run.form if run.view.agent == "levels" else f"agent, {how}"
        head = (run.label, kind, seen_as(run), run.mode, len(run.marks))
        rows.append((*head, *means, run.failures, run.missing))
    human = published()["human"]
    if runs:
        row = (human["label"], "published", "video", "published", human["questions"])
        rows.append((*row, *(human.get(n) for n in NAMES), None, None))
    return Table(
        id="vzb_t2_main",
        title="VideoZeroBench: five levels",
        columns=columns,
        rows=tuple(rows),
        note=(
            "Levels 1-3, 4 and 5 in percent of all questions that count; tIoU and vIoU over annotated ones. A level "
            "counts with the answer of level 3 and overlaps above 0.3. Failed model calls count as wrong; missing "
            "questions (not run, or a fault of harness or judge) are left out. The human row is published."
        ),
        missing="" if runs else f"no run; {RUN}",
        plot=Plot(kind="grouped_bars", x="run", y=tuple(HEADINGS[n] for n in NAMES)) if runs else None,
        group=GROUP,
    )


def level3(runs: Sequence[LevelRun]) -> Table:
    """Level 3 of all runs with intervals, best first: the leaderboard."""
    stats = [(run.label, run.stat("acc3")) for run in runs]
    found = sorted(((n, s) for n, s in stats if s.value is not None), key=lambda p: -(p[1].value or 0))
    rows: list[tuple[Cell, ...]] = [(name, s.value, s.low, s.high, s.n) for name, s in found]
    return Table(
        id="vzb_level3",
        title="VideoZeroBench: level 3",
        columns=(
            Column(name="run"),
            Column(name="L3 Acc", unit="percent", better="high"),
            Column(name="low", unit="percent"),
            Column(name="high", unit="percent"),
            Column(name="questions", unit="count"),
        ),
        rows=tuple(rows),
        note="95 % intervals by video.",
        missing="" if rows else f"no run with level 3; {RUN}",
        plot=Plot(kind="intervals", x="run", y=("L3 Acc",), low="low", high="high") if rows else None,
        group=GROUP,
    )


def intervals(runs: Sequence[LevelRun]) -> Table:
    """Every value with its interval, videos as clusters."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        videos = len({m.item.question.video for m in run.marks})
        for name in NAMES:
            s = run.stat(name)
            if s.value is not None:
                rows.append((run.label, HEADINGS[name], s.value, s.low, s.high, s.n, videos))
    return Table(
        id="vzb_t2_intervals",
        title="VideoZeroBench: 95 % intervals",
        columns=(
            Column(name="run"),
            Column(name="measure"),
            Column(name="value", unit="percent", better="high"),
            Column(name="low", unit="percent"),
            Column(name="high", unit="percent"),
            Column(name="values", unit="count"),
            Column(name="videos", unit="count"),
        ),
        rows=tuple(rows),
        note="Clustered by video: Wilson on the effective sample size for successes, cluster-robust t for overlaps.",
        missing="" if rows else f"no run with values; {RUN}",
        plot=Plot(kind="intervals", x="measure", y=("value",), low="low", high="high")
        if rows and len(runs) == 1
        else None,
        group=GROUP,
    )


def renormalised(runs: Sequence[LevelRun]) -> Table:
    """Levels 4 and 5 over the questions on which success is possible."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        for name in ("l4", "l5"):
            known = [m for m in run.marks if m.value(name) is not None]
            reach = [m for m in known if m.reachable(name)]
            hits = sum(int(m.value(name) or 0) for m in reach)
            of = len(reach)
            if known:
                share, bound = (100 * hits / of if of else None), 100 * of / len(known)
                rows.append((run.label, HEADINGS[name], hits, of, share, 100 * hits / len(known), bound))
    return Table(
        id="vzb_t2_renormalised",
        title="VideoZeroBench: levels 4 and 5 over the annotated questions",
        columns=(
            Column(name="run"),
            Column(name="level"),
            Column(name="successes", unit="count"),
            Column(name="annotated", unit="count"),
            Column(name="of annotated", unit="percent", better="high"),
            Column(name="of all", unit="percent", better="high"),
            Column(name="bound", unit="percent"),
        ),
        rows=tuple(rows),
        note=(
            "Not every question has windows and boxes, so the published percentage cannot reach 100: the bound is its "
            "highest possible value (88.4 and 64.0 on the full set)."
        ),
        missing="" if rows else f"no run with levels 3 and 4; {RUN}",
        group=GROUP,
    )


def baselines(runs: Sequence[LevelRun]) -> Table:
    """What grounding scores must beat: guesses made without looking, on the questions of each run."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        own4, own5 = run.stat("tiou"), run.stat("viou")
        rows.append(
            (run.label, "the run itself", own4.value, _passing(run, "tiou"), run.stat("l4").value, own5.value)
        )
        for name in TEMPORAL:
            values = [(m, _window(run, m, name)) for m in run.marks]
            known = [v for _, v in values if v is not None]
            if known:
                share = 100 * fmean(passes(v) for v in known)
                right = [
                    (m.value("acc3") or 0) > 0 and passes(v) for m, v in values if m.value("acc3") is not None
                ]
                level = 100 * fmean(right) if right else None
                rows.append((run.label, name, 100 * fmean(known), share, level, None))
        for name in SPATIAL:
            given = (box_baseline(Case.of_item(m.item).evidence_boxes, name) for m in run.marks)
            placed = [v for v in given if v is not None]
            if placed:
                rows.append((run.label, name, None, None, None, 100 * fmean(placed)))
    return Table(
        id="vzb_baselines",
        title="VideoZeroBench: grounding without looking",
        columns=(
            Column(name="run"),
            Column(name="windows and boxes"),
            Column(name="tIoU", unit="percent", better="high"),
            Column(name="tIoU above 0.3", unit="percent", better="high"),
            Column(name="L4 with the run's answers", unit="percent", better="high"),
            Column(name="vIoU", unit="percent", better="high"),
        ),
        rows=tuple(rows),
        note=(
            "Wide guesses do well on short clips: a run whose grounding does not beat these rows has shown none. "
            "Blind runs (--set media=none) stand in the main table when there are some."
        ),
        missing="" if rows else f"no run; {RUN}",
        group=GROUP,
    )


def _window(run: LevelRun, mark: Mark, name: str) -> float | None:
    return window_baseline(Case.of_item(mark.item).evidence_windows, duration_of([run.view], mark.item), name)


def _passing(run: LevelRun, name: str) -> float | None:
    values = [v for m in run.marks if (v := m.value(name)) is not None]
    return 100 * fmean(passes(v) for v in values) if values else None


def modes(runs: Sequence[LevelRun]) -> Table:
    """The same replies read in both modes: what the faults of the published scorer are worth."""
    rows: list[tuple[Cell, ...]] = []
    views = [r.view for r in runs]
    for mode in ("careful", "official"):
        for run in level_runs(views, mode):
            means = [run.stat(n).value for n in NAMES]
            if any(v is not None for v in means):
                rows.append((run.label, mode, *means))
    rows.sort(key=lambda row: [r.label for r in runs].index(str(row[0])))
    return Table(
        id="vzb_modes",
        title="VideoZeroBench: careful and official reading of the same replies",
        columns=(Column(name="run"), Column(name="mode"), *VALUES),
        rows=tuple(rows),
        note="Prompts were those of the run's own mode; only the reading differs. See docs/videozerobench.md.",
        missing="" if rows else f"no run; {RUN}",
        group=GROUP,
    )
