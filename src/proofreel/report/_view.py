"""What the template of a proof page reads: plain values, made once, in the words people see."""

import base64
from dataclasses import dataclass
from typing import Any

from proofreel.core import Observation, Step, Trajectory
from proofreel.core.time import clock
from proofreel.report._items import Item
from proofreel.report._media import Media, Still
from proofreel.report._searched import arguments_text, value_text
from proofreel.report._words import PHASES, count, seconds, shorten

TEXT_LIMIT = 6000


@dataclass(frozen=True)
class Card:
    """One evidence card."""

    item: Item
    still: Still | None
    uri: str
    at: str
    alt: str
    origin: str
    seekable: bool


def card(item: Item, media: Media) -> Card:
    """The card of an item with what could be embedded of it."""
    still = media.stills.get(item.n)
    embedded = still is not None and still.same_as is None
    uri = f"data:image/jpeg;base64,{base64.b64encode(still.jpeg).decode()}" if still and embedded else ""
    boxes = " with the box drawn in" if item.evidence.boxes else ""
    alt = f"Frame at {clock(still.time)}{boxes}: {shorten(item.words, 120)}" if still else ""
    p = item.evidence.provenance
    origin = f"Claimed by {p.claimed_by}"
    if p.frames:
        origin += f" from {count(len(p.frames), 'frame')}"
    return Card(item, still, uri, clock(still.time) if still else "", alt, origin, item.moment is not None)


def _text(text: str, limit: int) -> tuple[str, str]:
    """The text as far as it is shown, and a line about the rest."""
    if len(text) <= limit:
        return text, ""
    return text[:limit], f"{len(text) - limit:,} more characters stand in the trajectory itself."


def _result(o: Observation, limit: int) -> dict[str, Any]:
    text, rest = _text(o.text, limit)
    about = [count(len(o.evidence), "finding")] if o.evidence else []
    if o.media:
        about.append(count(len(o.media), "media reference"))
    return {
        "tool": o.tool,
        "ok": o.ok,
        "failure": (o.failure_kind or "error").replace("_", " "),
        "about": ", ".join(about),
        "text": text,
        "rest": rest,
    }


def step_view(step: Step, limit: int = TEXT_LIMIT) -> dict[str, Any]:
    """One step: title, tools, cost, first words, and the details behind them; texts up to ``limit`` characters."""
    tools = [c.name for c in step.calls] or [o.tool for o in step.observations]
    spent = [f"{step.tokens.total:,} tok"] if step.tokens and step.tokens.total else []
    if step.seconds is not None:
        spent.append(seconds(step.seconds))
    results = [_result(o, limit) for o in step.observations]
    text, rest = _text(step.text, limit)
    asked = "; ".join(arguments_text(c) for c in step.calls)
    gist = step.text or asked or next((o.text for o in step.observations), "")
    return {
        "id": step.id,
        "phase": PHASES[step.phase],
        "tools": list(dict.fromkeys(tools)),
        "cost": " · ".join(spent),
        "gist": shorten(gist, 140),
        "failed": any(not o.ok for o in step.observations),
        "text": text,
        "rest": rest,
        "calls": [
            {
                "name": c.name,
                "arguments": [(k, _text(value_text(v), limit)[0]) for k, v in c.arguments.items()],
            }
            for c in step.calls
        ],
        "results": results,
    }


def totals(trajectory: Trajectory) -> list[str]:
    """The short facts above the steps."""
    facts = [count(len(trajectory.steps), "step")]
    if trajectory.tool_calls:
        facts.append(count(trajectory.tool_calls, "tool call"))
    if trajectory.seconds is not None:
        facts.append(seconds(trajectory.seconds))
    return facts
