"""The report of runs as Markdown, and how its numbers are written."""

from collections.abc import Sequence

from proofreel.report.run_tables import ENDINGS
from proofreel.runs.numbers_compare import Pair
from proofreel.runs.numbers_records import RunNumbers, Span


def percent(value: float | None, digits: int = 1) -> str:
    """``41.0 %``; a dash when there is none."""
    return "-" if value is None else f"{value * 100:.{digits}f} %"


def ends(span: Span | None) -> str:
    """``31.9 to 50.8``; a dash when there is none."""
    return "-" if span is None else f"{span.low * 100:.1f} to {span.high * 100:.1f}"


def money(value: float | None) -> str:
    """US dollars; unknown is said."""
    return "unknown" if value is None else f"{value:,.4f}" if value < 1 else f"{value:,.2f}"


def to_markdown(runs: Sequence[RunNumbers], pairs: Sequence[Pair]) -> str:
    """The report as Markdown."""
    names = [str(i) for i in range(1, len(runs) + 1)]
    parts = [
        "# Run report",
        "",
        *(
            f"{i}. `{n.path}`: {n.name}, {n.mode} mode, scored by {n.scored_by}"
            for i, n in zip(names, runs, strict=True)
        ),
    ]
    parts += [
        "",
        "Accuracy = right / (right + wrong + unparsed + model failed); interval: Wilson, adjusted for questions that "
        "share a video.",
        "",
    ]
    head = (
        "run",
        "accuracy",
        "95 % interval",
        "bootstrap by question",
        "bootstrap by video",
        "right / asked",
        "bounds",
    )
    parts += _table(
        head,
        [
            (
                i,
                percent(n.accuracy.rate),
                ends(n.accuracy.interval),
                ends(n.accuracy.by_question),
                ends(n.accuracy.by_video),
                f"{n.accuracy.right} / {n.accuracy.asked}",
                "-" if n.bounds is None else f"{n.bounds.low * 100:.1f} to {n.bounds.high * 100:.1f}",
            )
            for i, n in zip(names, runs, strict=True)
        ],
    )
    parts += ["", "## Endings", ""]
    parts += _table(
        ("run", *(e.replace("_", " ") for e in ENDINGS), "abstained (among the above)"),
        [
            (i, *(str(n.counts.of(e)) for e in ENDINGS), str(n.counts.abstained))
            for i, n in zip(names, runs, strict=True)
        ],
    )
    parts += ["", "## Tokens, money, frames, time (means per question)", ""]
    parts += _table(
        (
            "run",
            "tokens",
            "accuracy per million tokens",
            "USD",
            "USD paid in all",
            "frames",
            "seconds",
            "tool calls",
        ),
        [(i, *_usage(n)) for i, n in zip(names, runs, strict=True)],
    )
    parts += _extras(names, runs, pairs)
    for i, n in zip(names, runs, strict=True):
        if n.slices:
            parts += ["", f"## Slices of run {i}", ""]
            parts += _table(
                ("key", "value", "right / all", "accuracy", "95 % interval"),
                [
                    (
                        s.key,
                        s.value,
                        f"{s.counts.right} / {s.counts.total}",
                        percent(s.rate),
                        ends(s.interval),
                    )
                    for s in n.slices
                ],
            )
    notes = [f"- run {i}: {note}" for i, n in zip(names, runs, strict=True) for note in _notes(n)]
    return "\n".join([*parts, *(["", "## Notes", "", *notes] if notes else []), ""])


def _notes(n: RunNumbers) -> list[str]:
    subset = [f"a named subset: {n.named_subset}"] if n.named_subset else []
    reason = [f"no interval: {n.accuracy.reason}"] if n.accuracy.reason else []
    chance = [f"blind guessing would give {percent(n.chance)}"] if n.chance is not None else []
    return [*subset, *reason, *chance, *n.notes]


def _usage(n: RunNumbers) -> list[str]:
    u = n.usage
    each = [None if s is None else s.mean for s in (u.tokens, u.frames, u.seconds, u.tool_calls)]
    tokens, frames, seconds, tools = ("-" if v is None else f"{v:,.1f}" for v in each)
    return [
        tokens,
        percent(u.efficiency, 2),
        money(u.cost_per_question),
        money(u.paid),
        frames,
        seconds,
        tools,
    ]


def _extras(names: Sequence[str], runs: Sequence[RunNumbers], pairs: Sequence[Pair]) -> list[str]:
    parts: list[str] = []
    tools = [
        (i, t.tool, str(t.calls), str(t.failed), str(t.questions), f"{t.per_question:.2f}", str(t.most))
        for i, n in zip(names, runs, strict=True)
        for t in n.usage.tools
    ]
    if tools:
        parts += [
            "",
            "## Tools",
            "",
            *_table(("run", "tool", "calls", "failed", "questions", "per question", "most"), tools),
        ]
    passes = [(i, n.epochs) for i, n in zip(names, runs, strict=True) if n.epochs is not None]
    if passes:
        epochs = [
            (
                i,
                ", ".join(percent(r) for r in e.rates),
                percent(e.mean),
                str(e.always),
                str(e.sometimes),
                str(e.never),
                percent(e.same),
            )
            for i, e in passes
        ]
        parts += [
            "",
            "## Epochs",
            "",
            *_table(("run", "each", "mean", "always right", "sometimes", "never", "same every time"), epochs),
        ]
    official = [
        (i, o.mode, f"{o.n_correct} / {o.n}", percent(o.accuracy), o.note)
        for i, n in zip(names, runs, strict=True)
        for o in n.official
    ]
    if official:
        parts += [
            "",
            "## AgentVidBench summary",
            "",
            *_table(("run", "mode", "correct", "accuracy", "rules"), official),
        ]
    if pairs:
        rows = [
            (
                f"{p.b + 1} - {p.a + 1}",
                str(p.paired.pairs),
                f"{p.paired.difference * 100:+.1f}",
                ends(p.paired.by_video),
                f"{p.paired.by_video_p:.3g}",
                f"{p.holm_p:.3g}",
            )
            for p in pairs
        ]
        parts += [
            "",
            "## Differences",
            "",
            *_table(
                ("runs", "pairs", "points", "95 % interval by video", "p (videos exchanged)", "p (Holm)"),
                rows,
            ),
        ]
    return parts


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |"

    return [line(head), "|" + "---|" * len(head), *(line(r) for r in rows)]
