"""The main table (T2), level 3 as a leaderboard, and the intervals of every value."""

from collections.abc import Sequence

from proofreel.benchmarks.videozerobench.marks import (
    HEADINGS,
    NAMES,
    LevelRun,
    published,
)
from proofreel.benchmarks.videozerobench.modes import group_of
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell

GROUP = "VideoZeroBench"
RUN = "proofreel run videozerobench --data DIR --agent levels --model MODEL"
VALUES = tuple(Column(name=HEADINGS[n], unit="percent", better="high") for n in NAMES)


def main_tables(runs: Sequence[LevelRun]) -> list[Table]:
    """T2 and its intervals."""
    return [main(runs), level3(runs), intervals(runs)]


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
        Column(name="group"),
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
        head = (run.label, group_of(run.view.model), kind, seen_as(run), run.mode, len(run.marks))
        rows.append((*head, *means, run.failures, run.missing))
    human = published()["human"]
    if runs:
        row = (human["label"], "human", "published", "video", "published", human["questions"])
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
