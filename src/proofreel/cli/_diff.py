"""A comparison of two runs in a terminal."""

from collections.abc import Callable

from rich.console import Console

from proofreel.runs.diff_records import Paired, RunDiff
from proofreel.runs.numbers_records import FEW_VIDEOS, Span


def print_diff(found: RunDiff, show: int) -> None:
    """Prints the first difference, then the rest from settings to items; at most ``show`` items a line."""
    out = Console(highlight=False, soft_wrap=True)

    def say(text: str = "", style: str = "") -> None:
        out.print(text, style=style or None, markup=False)

    say(f"A  {found.a}")
    say(f"B  {found.b}")
    if found.same:
        say("The runs are the same: settings, frames shown, answers and endings.", "green")
    else:
        say(f"First difference: {found.first}", "bold yellow")
    if found.settings:
        say("\nSettings that differ", "bold")
        for one in found.settings:
            say(f"  {one}")
    if found.models is not None:
        say(f"\nModels that answered\n  {found.models}")
    if found.place:
        say(f"\nDiffer too, but change no number: {', '.join(p.name for p in found.place)}", "dim")
    if found.frames is not None and found.frames.pairs:
        frames = found.frames
        say("\nFrames shown", "bold")
        none = not frames.requests and frames.first is None
        say("  none in both" if none else f"  the same in {frames.same} of {frames.pairs} results")
        if frames.first is not None:
            kinds = ", ".join(f"{k} {n}" for k, n in frames.kinds.items())
            say(f"  first: {frames.first}")
            say(f"  by kind: {kinds}")
    say("\nResults", "bold")
    for name, only in (("A", found.only_in_a), ("B", found.only_in_b)):
        if only:
            say(f"  only in {name}: {_some(only, show)}")
    say(f"  {found.unchanged} ended the same way, {found.answers} have another answer")
    for change in found.changes:
        say(f"  {change.before} -> {change.after}: {len(change.items)} ({_some(change.items, show)})")
    if found.paired is not None:
        _paired(found.paired, say)
    for note in found.notes:
        say(f"note: {note}", "yellow")


def _paired(p: Paired, tell: Callable[[str, str], None]) -> None:
    tell(f"\nAccuracy on the {p.pairs} results that count in both", "bold")
    tell(f"  A {p.a:.1%}   B {p.b:.1%}   B - A {p.difference:+.1%}", "")
    by_video = (
        _span(p.by_video) if p.by_video is not None else f"none (fewer than {FEW_VIDEOS} videos: {p.videos})"
    )
    tell(f"  95 % interval of B - A: by video {by_video}, by question {_span(p.by_question)}", "")
    tell(
        f"  right only in A {p.only_a}, only in B {p.only_b}; p {p.by_video_p:.3g} (videos exchanged), "
        f"{p.mcnemar_p:.3g} (McNemar, questions as independent)",
        "",
    )


def _span(span: Span | None) -> str:
    return "none" if span is None else f"{span.low:+.1%} to {span.high:+.1%}"


def _some(names: tuple[str, ...], show: int) -> str:
    more = f", and {len(names) - show} more" if len(names) > show else ""
    return ", ".join(names[:show]) + more
