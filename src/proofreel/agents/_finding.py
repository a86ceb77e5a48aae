"""Search over what was read and heard, in the words an agent outside or a person reads."""

from typing import Any

from proofreel.core import Evidence, Provenance, Quote, TimedBox


def found_lines(
    index: Any, query: str, top: int, kind: str | None, claimed_by: str, step: int | None
) -> tuple[str, tuple[Evidence, ...]]:
    """The best matching lines of a ``VideoIndex`` as text, best first, and as evidence.

    Args:
        index: what was read and heard.
        query: words or a sentence.
        top: how many lines.
        kind: ``speech`` or ``screen`` only, None for both.
        claimed_by: name of the tool.
        step: trajectory step.
    """
    scored = [
        (line, score)
        for line, score in index.search(query, top=len(index.lines))
        if kind in (None, line.kind)
    ][:top]
    rows = [
        f"{line.start:.2f}-{line.end:.2f} {line.kind} ({score:.2f}){_place(line)}: {line.text}"
        for line, score in scored
    ]
    searched = f"searched {len(index.screen)} lines of screen text and {len(index.speech)} of speech"
    notes = [f"note: {n}" for n in index.notes]
    return "\n".join([searched, *rows, *notes]), tuple(
        _evidence(line, claimed_by, step) for line, _ in scored
    )


def _place(line: Any) -> str:
    if line.kind != "screen":
        return ""
    return " box " + ",".join(f"{v:.3f}" for v in line.box.values)


def _evidence(line: Any, claimed_by: str, step: int | None) -> Evidence:
    screen = line.kind == "screen"
    return Evidence(
        window=line.window,
        boxes=(TimedBox(time=line.start, box=line.box),) if screen else (),
        quote=Quote(text=line.text, source="screen" if screen else "speech"),
        provenance=Provenance(claimed_by=claimed_by, step=step, frames=line.frames if screen else ()),
    )
