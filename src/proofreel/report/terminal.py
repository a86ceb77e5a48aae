"""The answer in a terminal."""

import unicodedata

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proofreel.core import Question, Trajectory
from proofreel.report._items import Item, shown
from proofreel.report._searched import searched
from proofreel.report._words import cost, count, seconds, shorten, verdict

_TONES = {"good": "green", "care": "yellow", "bad": "red"}
_COLOURS = {"speech": "magenta", "screen": "cyan", "frame": "yellow", "web": "blue"}
_MAX = 12


def plain(words: str) -> str:
    """``words`` without what could steer a terminal: control and text-direction characters become a mark.

    A question, a subtitle or a model's answer is shown, never obeyed. Tabs and line breaks stay.
    """
    steering = {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}
    return "".join(
        "\ufffd" if c in steering or (unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n") else c
        for c in words
    )


def print_answer(trajectory: Trajectory, question: Question, console: Console) -> None:
    """Prints the question, the answer with its confidence, the evidence, and what it cost.

    An abstention or a failure is printed as such, with what was searched. Nothing from the trajectory is read as
    markup.
    """
    told = verdict(trajectory, question)
    tone = _TONES[told.state]
    console.print()
    console.print(Text(plain(question.text), style="bold"))
    for option in question.options:
        chosen = option.letter == told.letter
        mark = "●" if chosen else " "
        console.print(
            Text(plain(f"  {mark} {option.letter}) {option.text}"), style=f"bold {tone}" if chosen else "dim")
        )
    console.print()
    head = Text(f"{told.status}: ", style=tone)
    head.append(plain(f"{told.letter}) {told.value}" if told.letter else told.value), style=f"bold {tone}")
    if trajectory.answer.confidence is not None:
        head.append(f"   confidence {trajectory.answer.confidence:.2f}", style="dim")
    console.print(head)
    for line in (trajectory.answer.reason, told.sentence):
        if line:
            console.print(Padding(Text(plain(line), style="dim"), (0, 0, 0, 2)))
    _print_evidence(trajectory, console)
    if not told.answered:
        _print_searched(trajectory, console)
    console.print()
    console.print(Text(_totals(trajectory), style="dim"))


def _print_evidence(trajectory: Trajectory, console: Console) -> None:
    found = shown(trajectory, _MAX)
    if not found.items:
        return
    console.print()
    console.print(Text("Evidence" if found.cited else "Looked at (not cited by the answer)", style="bold"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("n", "time", "source"):
        table.add_column(column, no_wrap=True)
    table.add_column("words", overflow="fold")
    for item in found.items:
        style = _COLOURS[item.source]
        table.add_row(
            Text(f"  {item.n}", style=style), item.span, Text(item.label, style=style), _words(item)
        )
    console.print(table)
    if found.left_out:
        console.print(Text(f"  and {found.left_out} more", style="dim"))


def _words(item: Item) -> Text:
    e = item.evidence
    text = Text(plain(f'"{shorten(e.quote.text, 240)}"' if e.quote else shorten(item.words, 240)))
    if e.quote and e.note:
        text.append(plain(f"  {shorten(e.note, 160)}"), style="dim")
    if e.boxes:
        place = ", ".join(f"{v:.2f}" for v in e.boxes[0].box.values)
        text.append(f"  box {place}", style="dim")
    return text


def _print_searched(trajectory: Trajectory, console: Console) -> None:
    looked = searched(trajectory)
    if not looked:
        return
    console.print()
    console.print("[bold]What was searched[/bold]")
    for line in looked:
        colour = "red" if line.failed else "dim"
        query = f" {escape(plain(line.query))}" if line.query else ""
        console.print(
            f"  {escape(plain(line.tool))}{query}  [{colour}]{escape(plain(line.result))}[/{colour}]",
            highlight=False,
        )


def _totals(trajectory: Trajectory) -> str:
    parts = [
        f"{trajectory.agent} with {trajectory.model}"
        if trajectory.model
        else f"{trajectory.agent}, no model",
        count(len(trajectory.steps), "step"),
    ]
    if trajectory.frames_seen or trajectory.model:
        parts.append(count(trajectory.frames_seen, "frame") + " seen")
    if trajectory.tokens.calls or trajectory.tokens.total:
        parts.append(count(trajectory.tokens.total, "token"))
        parts.append(cost(trajectory.tokens) or "price not known")
    if trajectory.seconds is not None:
        parts.append(seconds(trajectory.seconds))
    return " · ".join(parts)
