"""Tables of what the loop did: steps, malformed turns, endings, where visible tokens went; and the cost scatter."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from proofreel.benchmarks.videogaia._answers import Answers
from proofreel.benchmarks.videogaia.tables_passes import GROUP, NO_RUN
from proofreel.core import Column, Plot, StopReason, Table, Trajectory
from proofreel.core.table import Cell

TURNS = ("tool", "answer", "parse_failure")


def step_tables(runs: Sequence[Answers]) -> list[Table]:
    """Steps and endings, visible tokens of turns and summaries, accuracy against output cost."""
    return [steps(runs), visible(runs), cost(runs)]


def _trajectories(run: Answers) -> list[Trajectory]:
    """Those of the benchmark's own loop, whose steps say what kind they are."""
    found = [s.trajectory for s in run.view.scored if s.trajectory is not None]
    return [t for t in found if any(s.data.get("kind") in TURNS for s in t.steps)]


def steps(runs: Sequence[Answers]) -> Table:
    """Steps a task, malformed turns, and how tasks ended."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        done = _trajectories(run)
        if done:
            kinds = Counter(s.data["kind"] for t in done for s in t.steps if s.data.get("kind") in TURNS)
            failed = sum(not o.ok for t in done for s in t.steps for o in s.observations)
            ends = Counter(t.answer.stop for t in done)
            none = sum(t.answer.value is None for t in done)
            total = sum(kinds.values())
            rows.append(
                (
                    run.name,
                    len(done),
                    total / len(done),
                    100 * kinds["parse_failure"] / total,
                    failed / len(done),
                    100 * ends[StopReason.FORCED] / len(done),
                    100 * none / len(done),
                )
            )
    return Table(
        id="vg_steps",
        title="Steps and endings",
        columns=(
            Column(name="model"),
            Column(name="trajectories", unit="count"),
            Column(name="steps a task", unit="number", digits=2),
            Column(name="malformed steps", unit="percent"),
            Column(name="failed calls a task", unit="number", digits=2),
            Column(name="answered at the last step", unit="percent"),
            Column(name="no answer", unit="percent"),
        ),
        rows=tuple(rows),
        note="A step is a turn of the model, malformed ones too; summaries are none." if rows else "",
        missing="" if rows else NO_RUN,
        group=GROUP,
    )


def visible(runs: Sequence[Answers]) -> Table:
    """Visible output tokens a task, turns and summaries apart: the published length does not say which it counts."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        done = _trajectories(run)
        if done:
            turns, digests = (
                fmean(
                    sum(
                        s.data.get("visible_tokens", 0)
                        for s in t.steps
                        if (s.data.get("kind") in TURNS) is own
                    )
                    for t in done
                )
                for own in (True, False)
            )
            rows.append((run.name, turns, digests, turns + digests))
    names = ("turns", "summaries")
    return Table(
        id="vg_visible_tokens",
        title="Visible output tokens a task",
        columns=(
            Column(name="model"),
            *(Column(name=n, unit="tokens", digits=0) for n in (*names, "together")),
        ),
        rows=tuple(rows),
        missing="" if rows else NO_RUN,
        plot=Plot(kind="stacks", x="model", y=names) if rows else None,
        group=GROUP,
    )


def cost(runs: Sequence[Answers]) -> Table:
    """Figure 9, right: accuracy against the cost of visible output, on a logarithmic scale."""
    rows = [(r.name, r.output_cost, r.share()) for r in runs if r.output_cost and r.share() is not None]
    axis = "USD of visible output"
    return Table(
        id="vg_f9_cost",
        title="Figure 9: output cost against accuracy",
        columns=(
            Column(name="model"),
            Column(name=axis, unit="usd", digits=3),
            Column(name="pass@1", unit="percent", digits=2, better="high"),
        ),
        rows=tuple(rows),
        note="All tasks once, at the model's standard output price, visible output alone." if rows else "",
        missing="" if rows else f"No run of a model with a known price: {NO_RUN.removeprefix('No run: ')}",
        plot=Plot(kind="scatter", x=axis, y=("pass@1",), series="model", log_x=True) if rows else None,
        group=GROUP,
    )
