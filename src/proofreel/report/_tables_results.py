"""Shared tables about how runs ended: accuracy, endings, ranks, differences, moments, slices."""

from collections.abc import Iterable, Sequence

from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell
from proofreel.report._table_base import ENDINGS, GROUP, kind_for, percents, rate, span_ends, table_id
from proofreel.runs.numbers_compare import Pair
from proofreel.runs.numbers_ranking import Leaderboard
from proofreel.runs.numbers_records import FEW_VIDEOS, RunNumbers


def accuracy_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for n, name in zip(runs, names, strict=True):
        a, b = n.accuracy, n.bounds
        rows.append(
            (
                name,
                n.benchmark,
                n.mode,
                percents(a.rate),
                *span_ends(a.interval),
                a.right,
                a.asked,
                *span_ends(a.by_question),
                *span_ends(a.by_video),
                percents(n.of_verdicts),
                None if b is None else b.low * 100,
                None if b is None else b.high * 100,
                a.videos,
                a.effective,
            )
        )
    return Table(
        id="runs_accuracy",
        title="Accuracy",
        columns=(
            Column(name="run"),
            Column(name="benchmark"),
            Column(name="mode"),
            Column(name="accuracy", unit="percent", better="high"),
            rate("low"),
            rate("high"),
            Column(name="right", unit="count"),
            Column(name="asked", unit="count"),
            rate("by question low"),
            rate("by question high"),
            rate("by video low"),
            rate("by video high"),
            rate("of verdicts"),
            rate("bound low"),
            rate("bound high"),
            Column(name="videos", unit="count"),
            Column(name="effective n", unit="number"),
        ),
        rows=tuple(rows),
        note="Right over right, wrong, abstained, unparsed and model failed. Low and high: 95 %, Wilson, adjusted for "
        "questions that share a video; by question and by video: percentile bootstrap, the latter only with "
        f"{FEW_VIDEOS} videos or more; bounds: what everything without a verdict could do.",
        plot=Plot(kind="intervals", x="run", y=("accuracy",), low="low", high="high"),
        group=GROUP,
    )


def endings_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    words = [e.replace("_", " ") for e in ENDINGS]
    return Table(
        id="runs_endings",
        title="How questions ended",
        columns=(Column(name="run"), *(Column(name=w, unit="count") for w in words)),
        rows=tuple((name, *(n.counts.of(e) for e in ENDINGS)) for n, name in zip(runs, names, strict=True)),
        note="Each (question, epoch) stands in one column; an abstention counts as wrong in the accuracy.",
        plot=Plot(kind="stacks", x="run", y=tuple(words)),
        group=GROUP,
    )


def leaderboard_table(board: Leaderboard, names: Sequence[str], several: bool) -> Table:
    tested = (
        f" Runs that share a letter do not differ: sign flips of whole videos, {_many(board.pairs, 'pair')}, Holm, 5 %."
        if board.pairs
        else ""
    )
    tau = (
        ""
        if board.tau_b is None
        else f" Mean Kendall tau-b of a resample with this order: {board.tau_b:.2f}."
    )
    return Table(
        id=table_id(f"leaderboard_{board.benchmark}") if several else "leaderboard",
        title=f"Leaderboard, {board.benchmark}",
        columns=(
            Column(name="rank", unit="count"),
            Column(name="run"),
            Column(name="accuracy", unit="percent", better="high"),
            Column(name="group"),
            Column(name="rank low", unit="number", digits=0),
            Column(name="rank high", unit="number", digits=0),
            rate("P(rank 1)"),
            rate("P(top 3)"),
        ),
        rows=tuple(
            (
                p.rank,
                names[p.run],
                p.score * 100,
                p.letters,
                p.rank_low,
                p.rank_high,
                p.p_first * 100,
                p.p_top3 * 100,
            )
            for p in board.places
        ),
        note=f"On the {board.questions} questions all runs have a verdict on, {board.videos} videos; 95 % rank "
        f"intervals from 10,000 resamples of whole videos.{tau}{tested}"
        + (
            f" Fewer than {FEW_VIDEOS} videos: the rank intervals are too sure."
            if board.videos < FEW_VIDEOS
            else ""
        ),
        plot=Plot(kind="intervals", x="run", y=("rank",), low="rank low", high="rank high"),
        group=GROUP,
    )


def pairs_table(names: Sequence[str], pairs: Sequence[Pair]) -> Table:
    few = any(p.paired.by_video is None for p in pairs)
    rows = [
        (
            f"{names[p.b]} minus {names[p.a]}",
            p.paired.pairs,
            p.paired.difference * 100,
            *span_ends(p.paired.by_video),
            *span_ends(p.paired.by_question),
            p.paired.only_b,
            p.paired.only_a,
            p.paired.by_video_p,
            p.holm_p,
            p.paired.mcnemar_p,
        )
        for p in pairs
    ]
    ends = ("by question low", "by question high") if few else ("by video low", "by video high")
    return Table(
        id="runs_differences",
        title="Differences",
        columns=(
            Column(name="runs"),
            Column(name="pairs", unit="count"),
            Column(name="points", unit="number"),
            rate("by video low"),
            rate("by video high"),
            rate("by question low"),
            rate("by question high"),
            Column(name="only second right", unit="count"),
            Column(name="only first right", unit="count"),
            Column(name="p (videos exchanged)", unit="number", digits=4),
            Column(name="p (Holm)", unit="number", digits=4),
            Column(name="p (McNemar)", unit="number", digits=4),
        ),
        rows=tuple(rows),
        note="95 % intervals of the difference in points: paired bootstrap of whole videos"
        + (f" (left out with fewer than {FEW_VIDEOS} videos)" if few else "")
        + " and of questions. The p over exchanged videos holds its level however few videos there are.",
        plot=Plot(kind="intervals", x="runs", y=("points",), low=ends[0], high=ends[1]),
        group=GROUP,
    )


def tiou_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    return Table(
        id="runs_tiou",
        title="Cited moments against the known ones",
        columns=(
            Column(name="run"),
            Column(name="mean tIoU", unit="number", digits=3, better="high"),
            Column(name="questions", unit="count"),
        ),
        rows=tuple((name, n.tiou, n.tiou_of) for n, name in zip(runs, names, strict=True)),
        note="Mean over all questions with known moments that were run; one that cites none has 0.",
        plot=Plot(kind="bars", x="run", y=("mean tIoU",)),
        group=GROUP,
    )


def curve_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    """Questions whose cited moments reach a tIoU, by threshold."""
    thresholds = sorted({t for n in runs for t, _ in n.tiou_curve})
    shares = [dict(n.tiou_curve) for n in runs]
    return Table(
        id="runs_tiou_curve",
        title="Cited moments by threshold",
        columns=(Column(name="tIoU at least", unit="number"), *(rate(name) for name in names)),
        rows=tuple((t, *(percents(s.get(t)) for s in shares)) for t in thresholds),
        note="Share of the questions with known moments; one that cites none reaches no threshold.",
        plot=Plot(kind=kind_for(len(names), "lines"), x="tIoU at least", y=tuple(names)),
        group=GROUP,
    )


def official_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    return Table(
        id="agentvidbench_summary",
        title="AgentVidBench summary, published and careful rules",
        columns=(
            Column(name="run"),
            Column(name="rules"),
            Column(name="right", unit="count"),
            Column(name="of", unit="count"),
            rate("accuracy"),
            Column(name="what they are"),
        ),
        rows=tuple(
            (name, o.mode, o.n_correct, o.n, percents(o.accuracy), o.note)
            for n, name in zip(runs, names, strict=True)
            for o in n.official
        ),
        group=GROUP,
    )


def slices_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Iterable[Table]:
    cells = {(i, s.key, s.value): s for i, n in enumerate(runs) for s in n.slices}
    keys: dict[str, dict[str, None]] = {}
    for _, key, value in cells:
        keys.setdefault(key, {})[value] = None
    for key, values in keys.items():
        rows: list[tuple[Cell, ...]] = []
        for value in values:
            row: list[Cell] = [value]
            for i in range(len(runs)):
                s = cells.get((i, key, value))
                row += [None if s is None else percents(s.rate), None if s is None else s.counts.asked]
            rows.append(tuple(row))
        columns = [Column(name=key)]
        for name in names:
            columns += [Column(name=name, unit="percent"), Column(name=f"{name}, n", unit="count")]
        yield Table(
            id=table_id(f"by_{key}"),
            title=f"Accuracy by {key.removeprefix('video.').replace('_', ' ')}",
            columns=tuple(columns),
            rows=tuple(rows),
            note="Questions with several labels count in each of them; n is the number asked.",
            plot=Plot(
                kind=kind_for(len(names), "radar" if len(rows) > 3 and len(runs) > 1 else "grouped_bars"),
                x=key,
                y=tuple(names),
            ),
            group="Slices",
        )


def _many(count: int, thing: str) -> str:
    return f"1 {thing}" if count == 1 else f"all {count} {thing}s"
