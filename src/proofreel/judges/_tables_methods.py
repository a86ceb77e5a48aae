"""Tables of models by methods, as the AgentVidBench paper has them: T1, T2, T17, T18, T19, T23, T24."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell
from proofreel.judges.judged import JudgedRun, RubricSummary, summary_of
from proofreel.judges.rubric_scores import TAG_LIST

GROUP = "AgentVidBench"
BASELINE = "single_turn"
TWENTY = "Means over the models with judged runs; the paper's are over 20."
CONTROLS = ("fps", "resolution", "interval")


def main_judge(runs: Sequence[JudgedRun]) -> list[JudgedRun]:
    """Every run once: under the judge that judged most of the runs, careful and unaided before other ways.

    Scores of different judges never stand in one column of a table of methods.
    """

    def plain(run: JudgedRun) -> bool:
        s = run.settings
        return s.mode == "careful" and not s.grounded and not s.mask_letter

    votes = Counter((r.judge, plain(r)) for r in runs)
    order = sorted(votes, key=lambda v: (-votes[v], not v[1], v[0]))
    return [r for r in runs if order and (r.judge, plain(r)) == order[0]]


def accuracy_and_traj(runs: Sequence[JudgedRun], missing: str) -> Table:
    """T1: accuracy and Traj of every model under every method, with the change against Single-Turn."""
    names = _methods(runs)
    columns = [Column(name="model")]
    for name in names:
        for what in ("acc", "Traj"):
            columns.append(Column(name=f"{name} {what}", unit="number", digits=2, better="high"))
            if name != BASELINE:
                columns.append(Column(name=f"{name} {what} change", unit="number", digits=2))
    rows = []
    for model, by in _by_model(runs).items():
        row: list[Cell] = [model]
        base = by.get(BASELINE)
        for name in names:
            for value in (_accuracy, _traj):
                now = value(by.get(name))
                row.append(now)
                if name != BASELINE:
                    row.append(_minus(now, value(base)))
        rows.append(tuple(row))
    return _table(
        "avb_t1_traj", "T1: accuracy and trajectory score", columns, rows, missing, _judge_note(runs)
    )


def coverage(runs: Sequence[JudgedRun], missing: str) -> Table:
    """T17: milestone coverage of every model under every method."""
    names = _methods(runs)
    columns = [
        Column(name="model"),
        *(Column(name=n, unit="number", digits=2, better="high") for n in names),
    ]
    rows = [(model, *(_mc(by.get(n)) for n in names)) for model, by in _by_model(runs).items()]
    return _table(
        "avb_t17_coverage", "T17: milestone coverage rate", columns, rows, missing, _judge_note(runs)
    )


def tags(runs: Sequence[JudgedRun], missing: str) -> Table:
    """T18: failure tags per 100 questions by method; the heat map's rows."""
    means = _method_means(runs, lambda s: s.tags)
    used = [t for t in TAG_LIST if any(t in m for m in means.values())]
    used += sorted({t for m in means.values() for t in m} - set(TAG_LIST))
    return _matrix(
        "avb_t18_tags", "T18: failure tags per 100 questions", "tag", used, means, missing, runs, digits=1
    )


def types(runs: Sequence[JudgedRun], missing: str) -> Table:
    """T19: coverage by milestone type and method, labels pooled within a run."""
    means = _method_means(runs, lambda s: {k: v.value for k, v in s.types.items() if v.value is not None})
    used = sorted({t for m in means.values() for t in m})
    title = "T19: coverage by milestone type"
    return _matrix("avb_t19_types", title, "type", used, means, missing, runs, digits=2)


def controls(runs: Sequence[JudgedRun], example: str) -> Table:
    """T2: accuracy and Traj of AVP and Video-ReAct with frame rate, resolution or interval held fixed."""
    rows = []
    for run in [r for r in runs if r.agent in ("avp", "video_react")]:
        fixed = [name for name in CONTROLS if run.options.get(name) is not None]
        setting = ", ".join(f"{name} {run.options[name]}" for name in fixed) or "all adaptive"
        acts = [f"{'fixed' if name in fixed else 'adaptive'}" for name in CONTROLS]
        rows.append(
            (run.agent, run.model or "none", setting, *acts, run.accuracy, summary_of(run).traj.value)
        )
    if not any(row[2] != "all adaptive" for row in rows):
        rows = []
    need = (
        "No judged run with a fixed control: proofreel run agentvidbench --data DIR --agent video_react --model M "
        f"--set fps=1 (and resolution=low, resolution=medium, interval=full), then proofreel judge {example} --judge J"
    )
    columns = [
        *(Column(name=n) for n in ("method", "model", "setting", *CONTROLS)),
        Column(name="acc", unit="number", digits=2, better="high"),
        Column(name="Traj", unit="number", digits=2, better="high"),
    ]
    return _table("avb_t2_controls", "T2: adaptive controls", columns, rows, need, _judge_note(runs))


def frames(runs: Sequence[JudgedRun], example: str) -> Table:
    """T23: Single-Turn with different numbers of frames (1 fps against 50 frames)."""
    rows = []
    for run in [r for r in runs if r.agent == BASELINE]:
        rate, cap = run.options.get("fps", 1), run.options.get("max_frames")
        shown = f"{rate} fps" + (f", at most {cap} frames" if cap is not None else "")
        rows.append((run.model or "none", shown, run.accuracy, summary_of(run).traj.value))
    several = {m for m, n in Counter(r[0] for r in rows).items() if n > 1}
    rows = [r for r in rows if r[0] in several]
    need = (
        "No model with two judged Single-Turn settings: proofreel run agentvidbench --data DIR --agent single_turn "
        f"--model M --set max_frames=50 (and without), then proofreel judge {example} --judge J"
    )
    columns = [
        Column(name="model"),
        Column(name="frames"),
        Column(name="acc", unit="number", digits=2, better="high"),
        Column(name="Traj", unit="number", digits=2, better="high"),
    ]
    return _table(
        "avb_t23_frames", "T23: Single-Turn by number of frames", columns, rows, need, _judge_note(runs)
    )


def aligned(runs: Sequence[JudgedRun], missing: str) -> Table:
    """T24: every run with its options: accuracy, Traj, tokens, for comparing methods with aligned tools."""
    rows = []
    for run in runs:
        told = ", ".join(f"{k} {v}" for k, v in sorted(run.options.items())) or "as published"
        rows.append(
            (run.model or "none", run.agent, told, run.accuracy, summary_of(run).traj.value, run.tokens_each)
        )
    columns = [
        *(Column(name=n) for n in ("model", "method", "settings")),
        Column(name="acc", unit="number", digits=2, better="high"),
        Column(name="Traj", unit="number", digits=2, better="high"),
        Column(name="tokens per question", unit="tokens", digits=0, better="low"),
    ]
    return _table("avb_t24_settings", "T24: methods by settings", columns, rows, missing, _judge_note(runs))


def _methods(runs: Sequence[JudgedRun]) -> list[str]:
    found = list(dict.fromkeys(r.agent for r in runs))
    return sorted(found, key=lambda n: (n != BASELINE, found.index(n)))


def _by_model(runs: Sequence[JudgedRun]) -> dict[str, dict[str, JudgedRun]]:
    """The first run of each model and method, by model."""
    found: dict[str, dict[str, JudgedRun]] = {}
    for run in runs:
        found.setdefault(run.model or "none", {}).setdefault(run.agent, run)
    return found


def _accuracy(run: JudgedRun | None) -> float | None:
    return None if run is None else run.accuracy


def _traj(run: JudgedRun | None) -> float | None:
    return None if run is None else summary_of(run).traj.value


def _mc(run: JudgedRun | None) -> float | None:
    return None if run is None else summary_of(run).mc_rate.value


def _minus(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else now - before


def _method_means(
    runs: Sequence[JudgedRun], values: Callable[[RubricSummary], Mapping[str, float]]
) -> dict[str, dict[str, float]]:
    """Mean over models of named values, by method; a model without a value does not count for it."""
    gathered: dict[str, dict[str, list[float]]] = {name: {} for name in _methods(runs)}
    for by in _by_model(runs).values():
        for name, run in by.items():
            for key, value in values(summary_of(run)).items():
                gathered[name].setdefault(key, []).append(value)
    return {name: {k: fmean(v) for k, v in found.items()} for name, found in gathered.items()}


def _matrix(
    id: str,
    title: str,
    head: str,
    keys: Sequence[str],
    means: Mapping[str, Mapping[str, float]],
    missing: str,
    runs: Sequence[JudgedRun],
    *,
    digits: int,
) -> Table:
    names = list(means)
    columns = [Column(name=head), *(Column(name=n, unit="number", digits=digits) for n in names)]
    rows = [(key, *(means[n].get(key) for n in names)) for key in keys]
    plot = Plot(kind="heat", x=head, y=tuple(names)) if rows else None
    return _table(id, title, columns, rows, missing, f"{_judge_note(runs)} {TWENTY}", plot)


def _judge_note(runs: Sequence[JudgedRun]) -> str:
    names = sorted({r.judge for r in runs})
    modes = sorted({r.settings.mode for r in runs})
    return f"Judge: {', '.join(names)}, {', '.join(modes)} mode." if names else ""


def _table(
    id: str,
    title: str,
    columns: Sequence[Column],
    rows: Sequence[tuple[Cell, ...]],
    missing: str,
    note: str,
    plot: Plot | None = None,
) -> Table:
    return Table(
        id=id,
        title=title,
        columns=tuple(columns),
        rows=tuple(rows),
        note=note if rows else "",
        missing="" if rows else missing,
        plot=plot,
        group=GROUP,
    )
