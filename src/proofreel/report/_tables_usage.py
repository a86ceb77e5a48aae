"""Shared tables about what runs used: tokens, money, frames, time, tools, passes."""

from collections.abc import Sequence

from proofreel.core import Column, Plot, Table
from proofreel.report._table_base import GROUP, kind_for, percents, rate
from proofreel.runs.numbers_records import RunNumbers


def usage_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    rows = []
    for n, name in zip(runs, names, strict=True):
        u = n.usage
        means = [None if s is None else s.mean for s in (u.tokens, u.frames, u.tool_calls, u.seconds)]
        rows.append(
            (
                name,
                *means,
                u.million_tokens,
                percents(u.efficiency),
                u.cost_per_question,
                u.paid,
                u.calls,
                u.replayed_calls,
                u.retries,
            )
        )
    return Table(
        id="runs_usage",
        title="Tokens, money, frames, time",
        columns=(
            Column(name="run"),
            Column(name="tokens a question", unit="tokens", digits=0, better="low"),
            Column(name="frames a question", unit="number"),
            Column(name="tool calls a question", unit="number"),
            Column(name="seconds a question", unit="number"),
            Column(name="million tokens a pass", unit="number", digits=3),
            Column(name="accuracy per million tokens", unit="percent", digits=2, better="high"),
            Column(name="USD a question", unit="usd", digits=4, better="low"),
            Column(name="USD paid in all", unit="usd", digits=4),
            Column(name="calls", unit="count"),
            Column(name="replayed", unit="count"),
            Column(name="retries", unit="count"),
        ),
        rows=tuple(rows),
        note="Means over finished questions. USD stays empty while a price is unknown.",
        plot=Plot(kind="bars", x="run", y=("tokens a question",)),
        group=GROUP,
    )


def cost_table(runs: Sequence[RunNumbers], names: Sequence[str], unit: str) -> Table:
    def cost(n: RunNumbers) -> float | None:
        if unit == "usd":
            return n.usage.cost_per_question
        return None if n.usage.tokens is None else n.usage.tokens.mean

    x = (
        Column(name="tokens a question", unit="tokens", digits=0)
        if unit == "tokens"
        else Column(name="USD a question", unit="usd", digits=4)
    )
    costs = [c for n in runs if (c := cost(n))]
    return Table(
        id=f"runs_accuracy_by_{unit}",
        title=f"Accuracy against {'tokens' if unit == 'tokens' else 'money'}",
        columns=(Column(name="run"), x, Column(name="accuracy", unit="percent")),
        rows=tuple((name, cost(n), percents(n.accuracy.rate)) for n, name in zip(runs, names, strict=True)),
        note="Up and to the left is better.",
        plot=Plot(
            kind="scatter",
            x=x.name,
            y=("accuracy",),
            series="run",
            log_x=len(costs) == len(runs) and max(costs) > 20 * min(costs),
        ),
        group=GROUP,
    )


def tools_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    used = list(dict.fromkeys(t.tool for n in runs for t in n.usage.tools))
    # Models may call tools by any name, also by that of a column.
    shown = [f"{t} (tool)" if t in ("run", "calls", "failed") else t for t in used]
    rows = []
    for n, name in zip(runs, names, strict=True):
        calls = {t.tool: t for t in n.usage.tools}
        total = sum(t.calls for t in calls.values())
        rows.append(
            (
                name,
                total,
                sum(t.failed for t in calls.values()),
                *(100 * (calls[t].calls if t in calls else 0) / total if total else None for t in used),
            )
        )
    return Table(
        id="runs_tools",
        title="Tool use",
        columns=(
            Column(name="run"),
            Column(name="calls", unit="count"),
            Column(name="failed", unit="count"),
            *(rate(t) for t in shown),
        ),
        rows=tuple(rows),
        note="Shares of all tool calls on all trajectories, right or not.",
        plot=Plot(kind="stacks", x="run", y=tuple(shown)),
        group=GROUP,
    )


def histogram_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    counts = [dict(n.usage.calls_histogram) for n in runs]
    most = max((k for c in counts for k in c), default=0)
    step = max(1, -(-(most + 1) // 20))
    bins = range(0, most + 1, step)
    return Table(
        id="runs_tool_calls",
        title="Tool calls a question",
        columns=(Column(name="calls"), *(Column(name=name, unit="count") for name in names)),
        rows=tuple(
            (
                str(b) if step == 1 else f"{b} to {b + step - 1}",
                *(sum(v for k, v in c.items() if b <= k < b + step) for c in counts),
            )
            for b in bins
        ),
        note="Questions by the number of tool calls they took.",
        plot=Plot(kind=kind_for(len(names), "histogram"), x="calls", y=tuple(names)),
        group=GROUP,
    )


def epochs_table(runs: Sequence[RunNumbers], names: Sequence[str]) -> Table:
    rows = [
        (
            name,
            len(e.rates),
            percents(e.mean),
            min(r) * 100 if r else None,
            max(r) * 100 if r else None,
            e.always,
            e.sometimes,
            e.never,
            percents(e.same),
            e.complete,
        )
        for n, name in zip(runs, names, strict=True)
        if (e := n.epochs) is not None and (r := [x for x in e.rates if x is not None]) is not None
    ]
    return Table(
        id="runs_epochs",
        title="Several passes",
        columns=(
            Column(name="run"),
            Column(name="passes", unit="count"),
            rate("mean"),
            rate("least"),
            rate("most"),
            Column(name="always right", unit="count"),
            Column(name="sometimes", unit="count"),
            Column(name="never", unit="count"),
            rate("same every time"),
            Column(name="questions", unit="count"),
        ),
        rows=tuple(rows),
        note="Counts over the questions that have every pass.",
        plot=Plot(kind="stacks", x="run", y=("always right", "sometimes", "never")),
        group=GROUP,
    )
