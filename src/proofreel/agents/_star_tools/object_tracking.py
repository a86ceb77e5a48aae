"""``object-tracking-tool``: where a named object is on the visible frames."""

from collections.abc import Sequence
from typing import Any

import anyio.to_thread

from proofreel.agents._star_backends import Detector, Found
from proofreel.agents._star_scene import Seen, thinned
from proofreel.agents._star_tools.per_frame import each_frame
from proofreel.agents._star_tools.tool import NUMBER, Bench, StarTool, ToolFault, shape
from proofreel.agents._star_tools.tracks import linked
from proofreel.core import Box, Window
from proofreel.core.space import BoxScale, TimedBox

_PROMPT = """\
This is one frame of a video. Find every "{wanted}" in it. Reply with this JSON object and nothing else, coordinates \
in thousandths of width and height from the top left, an empty list when there is none:
{{"boxes": [[x0, y0, x1, y1], ...]}}"""
_SCHEMA = shape(boxes={"type": "array", "items": {"type": "array", "items": NUMBER}})


async def run(wanted: str, bench: Bench) -> str:
    """Boxes go into the descriptions of the frames and, a track each, into the evidence: 0-1 of the whole frame."""
    if not wanted.strip():
        raise ToolFault("validation", "name the object")
    wanted, frames = wanted.strip(), bench.scene.visible
    backend = bench.backends.detector
    if backend is None or isinstance(backend, str):
        found, note = await _asked(wanted, frames, bench)
        by = "detector"
    else:
        left = bench.ctx.budget.frames_left
        chosen = thinned(frames, left)
        found = await anyio.to_thread.run_sync(_detected, backend, wanted, chosen, bench)
        bench.ctx.budget.spend(frames=len(chosen))
        note, by = "", backend.name
    frames = [f for f in frames if f.index in found]  # those that were looked at
    places = [[_on_frame(item.box, f) for item in found[f.index]] for f in frames]
    ids = linked(places)
    several = len({t for row in ids for t in row}) > 1
    lines: list[str] = []
    tracks: dict[int, list[TimedBox]] = {}
    for frame, boxes, row in zip(frames, places, ids, strict=True):
        for item, place, track in zip(found[frame.index], boxes, row, strict=True):
            name = f"{item.label or wanted}{f' #{track}' if several else ''}"
            said = f"{name} at ({', '.join(f'{v:.2f}' for v in place.values)})"
            frame.notes.append(said)
            lines.append(f"{frame.name}: {said}")
            tracks.setdefault(track, []).append(TimedBox(time=frame.time, box=place))
    for track, timed in tracks.items():
        window = Window(start=timed[0].time, end=timed[-1].time)
        bench.claim(window, f"{wanted} #{track}" if several else wanted, by, [b.time for b in timed], timed)
    said = "\n".join(lines) or f"No {wanted} was found on {len(frames)} frames."
    return said + (f"\n[{note}]" if note else "")


async def _asked(wanted: str, frames: Sequence[Seen], bench: Bench) -> tuple[dict[int, list[Found]], str]:
    found: dict[int, list[Found]] = {}

    async def ask(frame: Seen) -> None:
        prompt = _PROMPT.format(wanted=wanted)
        reply = await bench.form(prompt, _SCHEMA, bench.scene.refs([frame]), 1, role="detector")
        rows = reply.get("boxes")
        found[frame.index] = [f for r in (rows if isinstance(rows, list) else []) if (f := _read(r))]

    return found, await each_frame(frames, bench, ask)


def _read(row: Any) -> Found | None:
    try:
        box = Box.from_scale([float(v) for v in row], BoxScale.THOUSAND)
    except (TypeError, ValueError):
        return None
    return Found(box, 1.0) if box.area > 0 else None


def _detected(backend: Detector, wanted: str, frames: Sequence[Seen], bench: Bench) -> dict[int, list[Found]]:
    """Runs a local detector; what it was shown is in the ledger like a model call."""
    import io

    import numpy as np
    from PIL import Image

    from proofreel.video import expand_frames

    found: dict[int, list[Found]] = {}
    refs = bench.scene.refs(frames)
    at = 0
    for number, ref in enumerate(refs):
        encoded = expand_frames(ref)
        images = [np.asarray(Image.open(io.BytesIO(j)).convert("RGB")) for j in encoded.jpegs]
        if bench.ctx.ledger is not None:
            bench.ctx.ledger.record(ref, f"detect_{bench.step}_{number}", backend.name, "detector", encoded)
        bench.media.append(ref.id)
        for items in backend.find(images, wanted):
            found[frames[at].index] = items
            at += 1
    return found


def _on_frame(box: Box, frame: Seen) -> Box:
    """A box on what was shown as a box on the whole frame."""
    if frame.crop is None:
        return box
    left, top, right, bottom = frame.crop
    wide, tall = right - left, bottom - top
    return Box(
        x0=left + box.x0 * wide, y0=top + box.y0 * tall, x1=left + box.x1 * wide, y1=top + box.y1 * tall
    )


TOOL = StarTool(
    "object-tracking-tool",
    "spatial",
    "Says where a named object is on each visible frame, several told apart by number. Input: the object in words.",
    run,
)
