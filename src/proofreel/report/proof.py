"""The proof page: one HTML file that shows why an answer holds."""

import base64
import contextlib
import os
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from proofreel.core import Question, Trajectory
from proofreel.report._items import Item, Shown, shown
from proofreel.report._link import video_link
from proofreel.report._media import Media, collect
from proofreel.report._moments import item_record
from proofreel.report._page import render
from proofreel.report._searched import searched
from proofreel.report._sound import loudness
from proofreel.report._view import card, step_view, totals
from proofreel.report._words import SOURCE_NAMES, cost, count, verdict
from proofreel.report.errors import ReportError
from proofreel.video import VideoError, VideoInfo, probe

MAX_TICKS = 2000
MAX_WAVE = 400


def write_proof(
    trajectory: Trajectory,
    question: Question,
    video_path: str | PathLike[str],
    out: str | PathLike[str],
    *,
    embed_clips: bool = True,
    max_evidence: int = 12,
    frames_seen: Sequence[float] = (),
    waveform: Sequence[float] | None = None,
) -> Path:
    """Writes one self-contained HTML page that shows question, answer, evidence and the way to it.

    The page opens from disk and fetches nothing but the linked video. Stills and short clips of the evidence are
    inside, so that it still proves its answer when the video has moved. A video that cannot be read now gives a
    page that says so.

    Args:
        trajectory: what the agent did; its answer's evidence is the proof. When the answer cites nothing, the
            findings of the tools are shown instead, labelled as such.
        question: what was asked.
        video_path: the video; linked relatively when it lies beside or below the page.
        out: the page to write; missing folders are made, an old page is replaced in one move.
        embed_clips: also embed a 3 to 8 second mp4 per moment (pictures and clips together stay below 3.5 MB).
        max_evidence: pieces of evidence shown; the ones the agent named first are kept.
        frames_seen: true times in seconds of the frames that were looked at (from the ledger), drawn as ticks.
        waveform: loudness over the whole video in equal steps, each in [0, 1]; None listens to the video when it
            lasts 20 minutes or less, an empty sequence leaves the line out.

    Returns:
        The path of the page.

    Raises:
        ReportError: the page cannot be written.
        ValueError: ``max_evidence`` is negative.
    """
    if max_evidence < 0:
        raise ValueError(f"max_evidence must not be negative, got {max_evidence}")
    page = Path(out)
    found = shown(trajectory, max_evidence)
    info, notes = _probe(video_path)
    duration, known = _duration(info, question, found.items, frames_seen)
    media = Media()
    if info is not None:
        waveform = loudness(video_path, info) if waveform is None else waveform
        media = collect(video_path, info, found.items, duration, clips=embed_clips, lead=found.lead)
    told = verdict(trajectory, question)
    html = render(
        "proof.html.j2",
        style_extra=_aspect(info),
        data=_data(found, media, duration, known, frames_seen, waveform),
        question=question,
        trajectory=trajectory,
        verdict=told,
        shown=found,
        cards=[card(item, media) for item in found.items],
        searched=[] if told.answered else searched(trajectory),
        steps=[step_view(s) for s in trajectory.steps],
        totals=totals(trajectory),
        cost=cost(trajectory.tokens),
        frames=len(frames_seen) or trajectory.frames_seen,
        video={
            "src": video_link(video_path, page),
            "name": Path(fspath(video_path)).name,
            "facts": _facts(info),
            "clips": len(media.clips),
            "stills": len(media.stills),
        },
        notes=[*notes, *media.notes],
        count=count,
    )
    _write(page, html)
    return page


def _probe(video_path: str | PathLike[str]) -> tuple[VideoInfo | None, list[str]]:
    try:
        return probe(video_path), []
    except VideoError as error:
        return None, [f"The video could not be read when this page was written: {error.reason}"]


def _duration(
    info: VideoInfo | None, question: Question, items: Sequence[Item], seen: Sequence[float]
) -> tuple[float, bool]:
    """Length of the timeline and whether it is that of the video; else the last moment there is evidence for."""
    known = info.duration if info is not None and info.duration else question.duration
    if known:
        return float(known), True
    ends = [e.window.end for i in items if (e := i.evidence).window is not None]
    ends += [b.time for i in items for b in i.evidence.boxes]
    return max([*ends, *seen, 1.0]), False


def _aspect(info: VideoInfo | None) -> str:
    width, height = (info.width, info.height) if info is not None and info.width and info.height else (16, 9)
    return f"#stage{{aspect-ratio:{int(width)}/{int(height)}}}"


def _facts(info: VideoInfo | None) -> list[str]:
    if info is None or not info.has_video:
        return []
    return [f"{info.width}×{info.height}", *([f"{info.fps:.3g} fps"] if info.fps else [])]


def _data(
    found: Shown,
    media: Media,
    duration: float,
    known: bool,
    seen: Sequence[float],
    wave: Sequence[float] | None,
) -> dict[str, Any]:
    return {
        "duration": round(duration, 3),
        "known": known,
        "items": [{**item_record(item), "clip": media.clip_of.get(item.n)} for item in found.items],
        "lead": found.lead,
        "seen": _ticks(seen, duration),
        "wave": _peaks(wave or ()),
        "sources": SOURCE_NAMES,
        "clips": {
            name: {"start": start, "end": end, "data": base64.b64encode(data).decode()}
            for name, (start, end, data) in media.clips.items()
        },
    }


def _ticks(seen: Sequence[float], duration: float) -> list[float]:
    """Distinct times; beyond what a screen can show apart, one per slot."""
    step = max(duration / MAX_TICKS, 0.01)
    return [round(t, 3) for t in {round(t / step): t for t in sorted(seen)}.values()]


def _peaks(wave: Sequence[float]) -> list[float]:
    """The wave in at most ``MAX_WAVE`` steps, each the loudest of its part."""
    n = len(wave)
    bins = min(n, MAX_WAVE)
    return [round(float(max(wave[i * n // bins : (i + 1) * n // bins])), 3) for i in range(bins)]


def _write(page: Path, html: str) -> None:
    part = page.with_name(f".{page.name}.{os.getpid()}.tmp")
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        # Unpaired surrogates (odd file names) have no UTF-8 form and become question marks.
        part.write_bytes(html.encode("utf-8", "replace"))
        part.replace(page)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        reason = error.strerror or str(error)
        raise ReportError(
            f"{page}: the proof page cannot be written ({reason}); choose another path"
        ) from error
