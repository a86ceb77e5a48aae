"""What each model call was shown, frame by frame: an append-only record that two runs can be compared by."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from proofreel.core import Window
from proofreel.core._base import Record

from ._reference import ClipRef, FramesRef, GridRef, MediaRef
from .errors import VideoError
from .grid import EncodedGrid
from .ref import EncodedFrames


class ShownFrame(Record):
    """One picture that a model was sent.

    Attributes:
        time: true time of the frame, seconds on the container timeline.
        index: display-order frame number.
        sha256: hash of the JPEG that was sent; the frames of a grid share the hash of their one picture.
        flags: `FrameFlag` as a number, 0 when the frame is exactly the one asked for.
    """

    time: float
    index: int
    sha256: str
    flags: int = 0


class LedgerEntry(Record):
    """One reference in one model call.

    Attributes:
        call_id: the model call; a call with several references has several entries.
        model: name of the model.
        role: what the model was doing, e.g. ``perceiver``.
        ref_id: ``id`` of the reference.
        ref: the reference with all its settings.
        frames: for frames and grids, what was sent; empty when the call failed before anything was.
        width: of the pictures, pixels; None for clips.
        height: of the pictures, pixels; None for clips.
        clip_bytes: length of the clip that was sent, None for frames.
        clip_sha256: its hash, None for frames.
    """

    format_version: Literal[1] = 1
    call_id: str
    model: str
    role: str
    ref_id: str
    ref: MediaRef
    frames: tuple[ShownFrame, ...] = ()
    width: int | None = None
    height: int | None = None
    clip_bytes: int | None = Field(default=None, ge=0)
    clip_sha256: str | None = None


class Ledger:
    """An append-only list of entries, in memory and, given a path, as one JSON line for each in a file.

    A line is written and flushed in one step, so a killed run loses at most the line it was writing. Such a half
    line is left where it is, skipped on reading and told in ``problems``. Safe to use from several threads.

    Args:
        path: file to append to, made with its folder when absent; entries already there are read first.

    Raises:
        VideoError: the file cannot be read or written.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.problems: list[str] = []
        self._entries: list[LedgerEntry] = []
        self._lock = threading.Lock()
        self._torn = False
        if self.path is not None and self.path.exists():
            self._read(self.path)

    @classmethod
    def load(cls, path: str | Path) -> Ledger:
        """The ledger in a file that must exist.

        Raises:
            VideoError: there is no such file, or it cannot be read.
        """
        if not Path(path).is_file():
            raise VideoError(path, "no ledger here; name the ledger file of a run")
        return cls(path)

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """All entries, in the order they were recorded."""
        with self._lock:
            return tuple(self._entries)

    @property
    def frames_total(self) -> int:
        """Frames sent, counted once for each time they were sent, in a grid each for itself; clips are not counted."""
        return sum(len(entry.frames) for entry in self.entries)

    def record(
        self,
        ref: FramesRef | ClipRef | GridRef,
        call_id: str,
        model: str,
        role: str,
        encoded: EncodedFrames | EncodedGrid | bytes | None = None,
    ) -> LedgerEntry:
        """Write down that a call was shown a reference.

        Args:
            ref: the reference.
            call_id: identifies the model call.
            model: name of the model.
            role: what the model was doing.
            encoded: what was sent: the frames, the grid, or the bytes of the clip; None when nothing was.

        Raises:
            VideoError: the file cannot be written.
        """
        entry = LedgerEntry(
            call_id=call_id, model=model, role=role, ref_id=ref.id, ref=ref, **_what_was_sent(encoded)
        )
        with self._lock:
            self._append(entry)
            self._entries.append(entry)
        return entry

    def seen(self, window: Window, call_id: str | None = None) -> list[float]:
        """Times of the frames shown inside a window, both ends included: ascending, each once, in seconds.

        Frames inside clips are chosen by the provider and not known; `clips_over` tells which clips touch a window.

        Args:
            window: seconds.
            call_id: only what this call was shown.
        """
        chosen = (e for e in self.entries if call_id is None or e.call_id == call_id)
        return sorted({f.time for e in chosen for f in e.frames if window.contains(f.time)})

    def clips_over(self, window: Window, call_id: str | None = None) -> list[Window]:
        """The stretches of the clips sent that share time with a window, in the order they were sent."""
        chosen = (e for e in self.entries if e.clip_sha256 and (call_id is None or e.call_id == call_id))
        clips = (Window(start=e.ref.start, end=e.ref.end) for e in chosen if isinstance(e.ref, ClipRef))
        return [clip for clip in clips if clip.start <= window.end and window.start <= clip.end]

    def _append(self, entry: LedgerEntry) -> None:
        if self.path is None:
            return
        line = (entry.model_dump_json() + "\n").encode()
        if self._torn:
            line = b"\n" + line
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                self._torn = True  # until the whole line is there
                while line:
                    line = line[os.write(handle, line) :]
                self._torn = False
            finally:
                os.close(handle)
        except OSError as error:
            raise VideoError(self.path, f"cannot write the ledger ({error.strerror})") from error

    def _read(self, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise VideoError(path, f"cannot read the ledger ({error.strerror})") from error
        self._torn = bool(data) and not data.endswith(b"\n")
        lines = data.split(b"\n")
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                self._entries.append(LedgerEntry.model_validate_json(line))
            except ValidationError:
                what = "half-written, ignored" if number == len(lines) else "not a ledger entry, ignored"
                self.problems.append(f"{path}: line {number} is {what}")


def first_difference(a: Ledger, b: Ledger) -> str | None:
    """The first setting or frame in which two ledgers differ, on one line, or None.

    Entries are paired by call when both hold the same calls, else by their order. Where a file lies does not count.
    """
    first, second = _paired(a, b)
    for number, (x, y) in enumerate(zip(first, second, strict=False), 1):
        for what, left, right in _differences(x, y):
            return f"entry {number} (call {x.call_id}): {what}: {left} against {right}"
    if len(first) != len(second):
        return f"{len(first)} entries against {len(second)}; the first {min(len(first), len(second))} are the same"
    return None


def _paired(a: Ledger, b: Ledger) -> tuple[list[LedgerEntry], list[LedgerEntry]]:
    first, second = list(a.entries), list(b.entries)
    order = {call: i for i, call in enumerate(dict.fromkeys(e.call_id for e in first))}
    if order.keys() == {e.call_id for e in second}:
        first.sort(key=lambda e: order[e.call_id])
        second.sort(key=lambda e: order[e.call_id])
    return first, second


def _differences(x: LedgerEntry, y: LedgerEntry) -> Iterator[tuple[str, object, object]]:
    a, b = x.model_dump(mode="json"), y.model_dump(mode="json")
    for name in ("model", "role"):
        if a[name] != b[name]:
            yield name, a[name], b[name]
    ref_a, ref_b = a["ref"], b["ref"]
    for name in sorted(
        (ref_a.keys() | ref_b.keys()) - {"video"}, key=lambda n: (n != "kind", n != "sha256", n)
    ):
        yield from _unlike(name, ref_a.get(name, "absent"), ref_b.get(name, "absent"))
    for name in ("width", "height"):
        if a[name] != b[name]:
            yield f"picture {name}", a[name], b[name]
    for number, (left, right) in enumerate(zip(a["frames"], b["frames"], strict=False)):
        for name in ("index", "time", "flags", "sha256"):
            if left[name] != right[name]:
                yield f"frame {number} {name}", left[name], right[name]
    if len(a["frames"]) != len(b["frames"]):
        yield "frames", len(a["frames"]), len(b["frames"])
    for name in ("clip_bytes", "clip_sha256"):
        if a[name] != b[name]:
            yield name, a[name], b[name]


def _unlike(name: str, left: Any, right: Any) -> Iterator[tuple[str, object, object]]:
    """Where two settings differ, down to the one key or place inside a plan."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            yield from _unlike(f"{name}.{key}", left.get(key, "absent"), right.get(key, "absent"))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for place, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _unlike(f"{name}[{place}]", one, other)
    elif left != right:
        many = isinstance(left, list) and isinstance(right, list)
        yield (
            (f"{name} (how many)", len(left), len(right))
            if many
            else (name, json.dumps(left), json.dumps(right))
        )


def _what_was_sent(encoded: EncodedFrames | EncodedGrid | bytes | None) -> dict[str, Any]:
    if encoded is None:
        return {}
    if isinstance(encoded, bytes):
        return {"clip_bytes": len(encoded), "clip_sha256": hashlib.sha256(encoded).hexdigest()}
    hashes = [encoded.sha256] * len(encoded) if isinstance(encoded, EncodedGrid) else encoded.hashes
    rows = zip(encoded.times, encoded.indices, hashes, encoded.flags, strict=True)
    frames = tuple(ShownFrame(time=t, index=i, sha256=h, flags=f) for t, i, h, f in rows)
    return {"frames": frames, "width": encoded.width, "height": encoded.height}
