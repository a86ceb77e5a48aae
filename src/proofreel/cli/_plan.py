"""A plan in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from proofreel.cli._grid import print_grid
from proofreel.runs.plan_records import LEVELS, Finding, RunPlan

_MARK = {"stops": ("✗", "red"), "fault": ("!", "yellow"), "note": ("·", "dim")}
Say = Callable[[str, str], None]


@contextmanager
def looking() -> Iterator[Callable[[int, int], None]]:
    """A bar on the error stream while files are looked at; gone afterwards."""
    columns = (TextColumn("looking at files"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def print_plan(plan: RunPlan, show: int) -> None:
    """Prints a plan; at most ``show`` findings of each kind."""
    console = Console(highlight=False, soft_wrap=True)
    console.width = max(console.width, 110)  # the table of tokens has no use for a narrower one

    def say(text: str, style: str = "") -> None:
        console.print(text, style=style or None, markup=False)

    with_models = [n for n in (plan.model, plan.perceiver) if n]
    say(" · ".join([plan.benchmark, plan.agent, *dict.fromkeys(with_models)]), "bold")
    say("\nData", "bold")
    say(
        f"  {plan.usable} of {plan.rows} questions usable; {plan.questions} to run, {plan.epochs} time(s) each",
        "",
    )
    lengths = "" if plan.shortest is None else f" ({clock(plan.shortest)} to {clock(plan.longest or 0.0)})"
    say(
        f"  {plan.readable} of {plan.videos} videos readable, {clock(plan.video_seconds)} in all{lengths}, "
        f"{size(plan.video_bytes)}; looked at in {plan.probe_seconds:.1f} s"
    )
    _findings([f for f in plan.findings if f.kind in ("data", "file", "window")], show, say)
    say("\nLimits", "bold")
    limits = [f for f in plan.findings if f.kind == "limit"]
    if plan.largest:
        say(f"  {'fitted, ' if plan.proposal else ''}{plan.largest}")
    if not limits:
        say("  every request fits" if plan.roles else "  no request is made to a model")
    _findings(limits, show, say)
    if plan.proposal:
        say(f"  this would fit: {plan.proposal}", "green")
    _usage(plan, console, say)
    if plan.index is not None:
        i = plan.index
        say("\nReading and hearing (processor time on this machine, no money)", "bold")
        say(f"  {i.videos - i.cached} of {i.videos} videos still to do, {clock(i.video_seconds)} of video")
        say(f"  about {clock(i.low)} / {clock(i.typical)} / {clock(i.high)} (low / typical / high); {i.rate}")
    if plan.disk is not None:
        d = plan.disk
        say("\nDisk", "bold")
        say(f"  run folder about {size(d.run)} ({size(d.run_free)} free)")
        say(f"  cache up to {size(d.cache)} ({size(d.cache_free)} free, kept under {size(d.cache_limit)})")
    _findings([f for f in plan.findings if f.kind in ("money", "disk", "key")], show, say)
    if plan.assumptions:
        say("\nAssumed", "bold")
        for line in plan.assumptions:
            say(f"  {line}", "dim")
    _verdict(plan, say)


def _usage(plan: RunPlan, console: Console, say: Say) -> None:
    say("\nTokens and money (low / typical / high)", "bold")
    if not plan.roles:
        unknown = plan.money and plan.money[0].tokens is None
        say(f"  unknown: agent {plan.agent} says nothing about its calls" if unknown else "  none", "")
        return
    heads = ("  ", "model", "level", "calls", "prompt tokens", "completion", "USD")
    rows = []
    for r in plan.roles:
        prompt = "unknown" if r.prompt is None else f"{r.prompt:,}"
        rows.append(
            (f"  {r.role}", r.model, r.level, f"{r.calls:,}", prompt, f"{r.completion:,}", usd(r.usd))
        )
    print_grid(console, heads, rows, text=(0, 1, 2))
    tokens = " / ".join("unknown" if m.tokens is None else f"{m.tokens / 1e6:.2f} M" for m in plan.money)
    say(f"  tokens {tokens}", "")
    say(f"  money  {' / '.join(usd(m.usd) for m in plan.money)} USD", "bold")
    shown = [plan.frames[level] for level in LEVELS]
    if any(shown):
        say(f"  frames {' / '.join('unknown' if n is None else f'{n:,}' for n in shown)}", "")
    for p in plan.payers:
        key = "no key needed" if p.variable is None else f"{p.variable} ({'set' if p.present else 'not set'})"
        say(f"  paid by {p.account}, {key}: {p.model} as {', '.join(p.roles)}; price: {p.prices}", "")


def _findings(findings: list[Finding], show: int, say: Say) -> None:
    order = ("stops", "fault", "note")
    for weight in order:
        mine = [f for f in findings if f.weight == weight]
        mark, style = _MARK[weight]
        for finding in mine[:show]:
            say(f"  {mark} {finding}", style)
        if len(mine) > show:
            say(f"  {mark} and {len(mine) - show} more (--show {len(mine)})", style)


def _verdict(plan: RunPlan, say: Say) -> None:
    faults = sum(f.weight == "fault" for f in plan.findings)
    if not plan.ready:
        why = next(f for f in plan.findings if f.weight == "stops")
        say(f"\nNot as asked: {why}", "bold red")
        if plan.proposal:
            say(f"Add {plan.proposal}", "bold")
    elif faults:
        say(
            f"\nCan run on {plan.questions} of {plan.rows} questions; {faults} marked ! above",
            "bold yellow",
        )
    else:
        say("\nReady to run.", "bold green")


def usd(value: float | None) -> str:
    """Money; unknown is said, never shown as 0."""
    return "unknown" if value is None else f"{value:,.2f}"


def clock(seconds: float) -> str:
    """``45 s``, ``3 min``, ``2 h 05 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def size(count: float) -> str:
    """Bytes in a unit that people read."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count:.0f} bytes"
