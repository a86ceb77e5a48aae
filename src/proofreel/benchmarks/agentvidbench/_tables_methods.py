"""Models by methods: accuracy (T1), controls (T2), tokens (T3), settings (T16), frames (T23), aligned tools (T24)."""

from collections import Counter
from collections.abc import Sequence

from proofreel.benchmarks.agentvidbench._runs import (
    BASELINE,
    CONTROLS,
    RUN_ALL,
    Scored,
    by_model,
    methods_of,
    minus,
    names_of,
    percents,
    table,
)
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell


def method_tables(runs: Sequence[Scored]) -> list[Table]:
    """In the order of the paper."""
    return [
        accuracy(runs),
        controls(runs),
        efficiency(runs),
        settings(runs),
        frames(runs),
        aligned(runs),
        tools(runs),
    ]


def accuracy(runs: Sequence[Scored]) -> Table:
    """T1, accuracy: a row a model, a column a method, with the change against Single-Turn."""
    names = methods_of(runs)
    columns = [Column(name="model")]
    for name in names:
        columns.append(Column(name=name, unit="percent", digits=1, better="high"))
        if name != BASELINE:
            columns.append(Column(name=f"{name}, change", unit="number", digits=1))
    rows: list[tuple[Cell, ...]] = []
    for model, by in by_model(runs).items():
        base = percents(by[BASELINE].accuracy) if BASELINE in by else None
        row: list[Cell] = [model]
        for name in names:
            now = percents(by[name].accuracy) if name in by else None
            row += [now] if name == BASELINE else [now, minus(now, base)]
        rows.append(tuple(row))
    return table(
        "avb_t1_accuracy",
        "T1: accuracy by model and method",
        columns,
        rows,
        f"No run: {RUN_ALL.format(agent='video_react')}",
        "Percent of questions; changes in points against Single-Turn of the same model. Questions without an answer "
        "of the model (failed judge or harness, not run) are left out. The first run of a model and method counts.",
        Plot(kind="grouped_bars", x="model", y=tuple(names)) if names else None,
    )


def controls(runs: Sequence[Scored]) -> Table:
    """T2, accuracy: frame rate, resolution or interval held fixed for every look."""
    able = [r for r in runs if r.method in ("AVP", "Video-ReAct")]
    rows: list[tuple[Cell, ...]] = []
    for run in able:
        fixed = {c: run.view.options.get(c) for c in CONTROLS if run.view.options.get(c) is not None}
        full = next((r for r in able if r.plain and (r.method, r.model) == (run.method, run.model)), None)
        told = ", ".join(f"{k} {v}" for k, v in fixed.items()) or "all adaptive"
        change = (
            None if full is None or full is run else minus(percents(run.accuracy), percents(full.accuracy))
        )
        rows.append(
            (
                f"{run.method}, {run.model}: {told}",
                run.method,
                run.model,
                told,
                percents(run.accuracy),
                change,
            )
        )
    if all(r.plain for r in able):
        rows = []
    return table(
        "avb_t2_accuracy",
        "T2: accuracy with a control held fixed",
        (
            *(Column(name=n) for n in ("run", "method", "model", "fixed")),
            Column(name="accuracy", unit="percent", better="high"),
            Column(name="change", unit="number"),
        ),
        rows,
        f"No run with a fixed control: {RUN_ALL.format(agent='video_react')} --set fps=1 "
        "(also resolution=low, resolution=medium, interval=full; also for avp)",
        "Changes in points against the same method and model with all controls adaptive.",
        Plot(kind="bars", x="run", y=("accuracy",)),
    )


def efficiency(runs: Sequence[Scored]) -> Table:
    """T3: accuracy per million tokens of one pass, in percent."""
    rows: list[tuple[Cell, ...]] = []
    for run, name in zip(runs, names_of(runs), strict=True):
        acc, million = percents(run.accuracy), run.million_tokens
        rows.append((name, acc, million, token_efficiency(run.accuracy, million)))
    return table(
        "avb_t3_efficiency",
        "T3: accuracy against tokens",
        (
            Column(name="method"),
            Column(name="accuracy", unit="percent", better="high"),
            Column(name="million tokens", unit="number", digits=2, better="low"),
            Column(name="accuracy per million tokens", unit="percent", digits=2, better="high"),
        ),
        rows,
        f"No run: {RUN_ALL.format(agent='video_react')}",
        "Tokens of one pass over all questions, prompt and completion, all models of the run. Empty: no model called.",
        Plot(kind="scatter", x="million tokens", y=("accuracy",), series="method"),
    )


def token_efficiency(accuracy: float | None, million_tokens: float | None) -> float | None:
    """Accuracy over million tokens, in percent (protocol section 5.3); None without either.

    Args:
        accuracy: in [0, 1].
        million_tokens: of one pass over all questions, > 0.
    """
    return 100 * accuracy / million_tokens if accuracy is not None and million_tokens else None


def settings(runs: Sequence[Scored]) -> Table:
    """T16: models and settings of every run."""
    rows = [
        (
            name, r.view.model, r.view.judge, r.view.mode, r.view.epochs,
            ", ".join(f"{k}={v}" for k, v in sorted(r.view.options.items())) or "as published",
        )
        for r, name in zip(runs, names_of(runs), strict=True)
    ]  # fmt: skip
    columns = [
        *(Column(name=n) for n in ("run", "model", "judge", "mode")),
        Column(name="passes", unit="count"),
        Column(name="settings of the agent"),
    ]
    return table("avb_t16_settings", "T16: models and settings", columns, rows, "No run.")


def frames(runs: Sequence[Scored]) -> Table:
    """T23, accuracy: Single-Turn of one model with different frames."""
    single = [r for r in runs if r.method == BASELINE]
    several = {m for m, n in Counter(r.model for r in single).items() if n > 1}
    rows: list[tuple[Cell, ...]] = []
    for run in (r for r in single if r.model in several):
        cap = run.view.options.get("max_frames")
        told = f"{run.view.options.get('fps', 1)} fps" + ("" if cap is None else f", at most {cap} frames")
        seen = [s.trajectory.frames_seen for s in run.view.scored if s.trajectory is not None]
        mean = sum(seen) / len(seen) if seen else None
        rows.append((f"{run.model}, {told}", run.model, told, mean, percents(run.accuracy)))
    return table(
        "avb_t23_accuracy",
        "T23: Single-Turn by number of frames",
        (
            *(Column(name=n) for n in ("run", "model", "frames")),
            Column(name="frames shown", unit="number"),
            Column(name="accuracy", unit="percent", better="high"),
        ),
        rows,
        f"No model with two Single-Turn settings: {RUN_ALL.format(agent='single_turn')} --set max_frames=50 "
        "(and without)",
        "Frames shown: mean over questions, as recorded.",
        Plot(kind="bars", x="run", y=("accuracy",)),
    )


def aligned(runs: Sequence[Scored]) -> Table:
    """T24, accuracy and tokens: methods whose tools were given the same model, against those as published."""
    groups = {m: by for m, by in _settings_by_method(runs).items() if len(by) > 1}
    rows: list[tuple[Cell, ...]] = []
    for (model, method), by in groups.items():
        first = by[0]
        for run in by:
            told = ", ".join(f"{k} {v}" for k, v in sorted(run.view.options.items())) or "as published"
            change = None if run is first else minus(percents(run.accuracy), percents(first.accuracy))
            rows.append((model, method, told, percents(run.accuracy), change, run.tokens))
    return table(
        "avb_t24_accuracy",
        "T24: methods with other tools",
        (
            *(Column(name=n) for n in ("model", "method", "settings")),
            Column(name="accuracy", unit="percent", better="high"),
            Column(name="change", unit="number"),
            Column(name="tokens a question", unit="tokens", digits=0, better="low"),
        ),
        rows,
        f"No method with two settings: {RUN_ALL.format(agent='dvd')} --perceiver MODEL (and with its own tools)",
        "Changes in points against the first run of the same method and model.",
    )


def _settings_by_method(runs: Sequence[Scored]) -> dict[tuple[str, str], list[Scored]]:
    found: dict[tuple[str, str], list[Scored]] = {}
    for run in runs:
        found.setdefault((run.model, run.method), []).append(run)
    return found


def tools(runs: Sequence[Scored]) -> Table:
    """Calls of every tool by run, as shares, with calls and frames a question."""
    counts = []
    for run in runs:
        done = [s.trajectory for s in run.view.scored if s.trajectory is not None]
        calls = Counter(c.name for t in done for s in t.steps for c in s.calls)
        counts.append((calls, len(done), sum(t.frames_seen for t in done)))
    used = sorted(
        {name for calls, _, _ in counts for name in calls}, key=lambda n: -sum(c[n] for c, _, _ in counts)
    )
    rows: list[tuple[Cell, ...]] = []
    for name, (calls, finished, seen) in zip(names_of(runs), counts, strict=True):
        total = sum(calls.values())
        shares = [100 * calls[t] / total if total else None for t in used]
        rows.append(
            (name, total / finished if finished else None, seen / finished if finished else None, *shares)
        )
    return table(
        "avb_tools",
        "Tool use by method",
        (
            Column(name="run"),
            Column(name="calls a question", unit="number"),
            Column(name="frames a question", unit="number"),
            *(Column(name=f"{t}, share", unit="percent") for t in used),
        ),
        rows if used else [],
        f"No run with tool calls: {RUN_ALL.format(agent='video_react')}",
        "Shares of all tool calls on all trajectories, right or not.",
        Plot(kind="stacks", x="run", y=tuple(f"{t}, share" for t in used)) if used else None,
    )
