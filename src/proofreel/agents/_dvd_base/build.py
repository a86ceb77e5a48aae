"""Making a clip database: every clip described once by a model that sees its frames, the subjects united."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import anyio.to_thread

from proofreel.agents._dvd import CLIP_SECONDS, DECODE_FPS, clip_boundaries, clip_frames
from proofreel.agents._dvd_base.asking import Asker
from proofreel.agents._dvd_base.describe import Description, describe, unite_by_model
from proofreel.agents._dvd_base.records import Clip, ClipBase, LostClip, Subject
from proofreel.agents._dvd_base.registry import batches, unite
from proofreel.agents._dvd_base.store import BaseKey, Kept, Tell, kept_work
from proofreel.agents.budget import Budget
from proofreel.core import TokenUse
from proofreel.models.card import ModelCard
from proofreel.tools.model_call import model_name

ROWS = 360
"""Height of the frames in pixels."""
WORKERS = 4
"""Clips that are described at the same time."""
DEAD = 3
"""So many clips in a row without any reply mean that no model is there."""
LIMITS = ("tokens", "usd", "seconds")


def silent(stage: str, done: float, total: float, message: str) -> None:
    """Progress nobody looks at."""


@dataclass(frozen=True)
class Job:
    """What a database is made from.

    Attributes:
        video: the file.
        duration: seconds.
        captioner: describing model.
        merger: model that unites the subjects.
        speech: what is said, as (start, end, text) in seconds.
        budget: every call and frame is booked here; when it ends, so does the building.
        asker: how the models are asked.
        mode: ``official`` or ``careful``.
        rows: height of the frames, None for the video's own.
        most_images: most frames of a clip that are shown.
        workers: clips described at the same time.
        tell: progress, called with (stage, done, total, message): ``wait``, ``clips``, ``subjects``.
    """

    video: str
    duration: float
    captioner: Any
    merger: Any
    speech: tuple[tuple[float, float, str], ...] = ()
    budget: Budget = field(default_factory=Budget)
    asker: Asker = field(default_factory=Asker)
    mode: str = "careful"
    rows: int | None = ROWS
    most_images: int | None = None
    workers: int = WORKERS
    tell: Tell = silent

    def key(self) -> BaseKey:
        """The key of the kept work; hashes the file, so call it in a thread.

        Raises:
            VideoError: the file cannot be read.
        """
        from proofreel.video import file_hash

        return key_of(
            file_hash(self.video),
            model_name(self.captioner),
            model_name(self.merger),
            self.mode,
            self.rows,
            self.most_images,
            self.speech,
            self.asker.config,
        )

    @property
    def clips(self) -> list[tuple[int, int]]:
        """(first, last) second of every clip."""
        return clip_boundaries(total_frames(self.duration))

    def numbers(self, clip: tuple[int, int]) -> list[int]:
        """Numbers, at 2 a second, of the frames of a clip that are shown; thinned evenly to what the model takes."""
        found = list(clip_frames(clip, total_frames(self.duration), mode=self.mode))
        most = self.most_images
        if most is not None and len(found) > most:
            found = [found[i * len(found) // most] for i in range(most)]
        return found

    def said(self, clip: tuple[int, int]) -> list[str]:
        """What is said in a clip: utterances that overlap it."""
        return [t for start, end, t in self.speech if end > clip[0] and start < clip[1] + 1]


def total_frames(duration: float) -> int:
    """Frames of a video at 2 a second."""
    return max(1, math.ceil(duration * DECODE_FPS - 1e-6))


def key_of(
    sha256: str,
    captioner: str,
    merger: str,
    mode: str,
    rows: int | None,
    most_images: int | None,
    speech: tuple[tuple[float, float, str], ...],
    config: Mapping[str, Any],
) -> BaseKey:
    """The key of kept descriptions, from names and settings alone (a plan has no models).

    What a server of one's own is called does not count: only the model's name does.
    """
    captioner, merger = (re.sub("^openai-api/[^/]+/", "", name) for name in (captioner, merger))
    told = repr(sorted((k, str(v)) for k, v in config.items() if k not in ("max_retries", "timeout")))
    return BaseKey(sha256, captioner, merger, DECODE_FPS, rows, CLIP_SECONDS, most_images, mode, speech, told)


def rows_of(height: int, mode: str) -> int:
    """Height of the shown frames: 360, in careful mode never more than the video has."""
    return ROWS if mode == "official" or height <= 0 else min(ROWS, height)


def images_of(card: ModelCard) -> int | None:
    """Most frames of a clip for a model."""
    return card.max_images


async def open_base(job: Job) -> ClipBase:
    """The database of a video: what is kept, completed by as many calls as are missing and the budget allows.

    Never raises for a model: clips without a usable description are counted, and ``stopped`` says why the building
    ended early.

    Raises:
        VideoError: the video cannot be read.
    """
    key = await anyio.to_thread.run_sync(job.key)
    build = _Build(job, key)
    async with kept_work(key, job.tell, build.spent) as kept:
        if kept is None:
            build.stopped = f"the budget of {build.spent()} ended while another process described the video"
            return build.result(None, ())
        await build.describe_all(kept)
        subjects = await build.unite_all(kept)
        return build.result(kept, subjects)


class _Build:
    """One building, and what it costs."""

    def __init__(self, job: Job, key: BaseKey) -> None:
        self.job, self.key = job, key
        self.stopped: str | None = None
        self.used = TokenUse()
        self.frames = self.made = self.silent_clips = self.reserved = 0
        self.by_name = 0
        self.dead = False

    def spent(self) -> str | None:
        return self.job.budget.exhausted(*LIMITS)

    async def describe_all(self, kept: Kept) -> None:
        """Describes the clips that are missing, a few at a time, in order of time."""
        clips = self.job.clips
        missing = iter([n for n in range(len(clips)) if n not in kept.clips and n not in kept.lost])
        self._tell(kept, len(clips))

        async def worker() -> None:
            for number in missing:
                if self._must_stop(len(self.job.numbers(clips[number]))):
                    return
                await self._one(kept, number, clips)

        try:
            async with anyio.create_task_group() as group:
                for _ in range(max(1, self.job.workers)):
                    group.start_soon(worker)
        except BaseExceptionGroup as several:
            # The callers know errors by their type: the engine's limits, a broken video.
            raise _first(several) from several

    def _must_stop(self, frames: int) -> bool:
        """Whether to end before a clip with this many frames; the frames are set aside otherwise."""
        if self.stopped is None:
            limit = self.spent()
            if limit is None and not self._reserve(frames):
                limit = "frames"
            if limit is not None:
                self.stopped = f"the budget of {limit} ended before the whole video was described"
        return self.stopped is not None

    def _reserve(self, frames: int) -> bool:
        """Sets frames aside that are about to be shown; False when the budget has not so many."""
        left = self.job.budget.frames_left
        if left is not None and left - self.reserved < frames:
            return False
        self.reserved += frames
        return True

    async def _one(self, kept: Kept, number: int, clips: list[tuple[int, int]]) -> None:
        wanted = self.job.numbers(clips[number])
        aside = len(wanted)

        def again() -> bool:
            nonlocal aside
            if not self._reserve(len(wanted)):
                return False
            aside += len(wanted)
            return True

        found = await describe(self.job, self.key, number, clips[number], wanted, again)
        self.reserved -= aside
        self._book(found)
        if isinstance(found.record, Clip):
            self.made += 1
        replied = isinstance(found.record, Clip) or found.record.answered
        self.silent_clips = 0 if replied else self.silent_clips + 1
        kept.add(found.record)
        self._tell(kept, len(clips))
        if isinstance(found.record, LostClip) and self.silent_clips >= DEAD and self.stopped is None:
            self.stopped = f"no reply came for {DEAD} clips in a row ({found.record.failed})"
            self.dead = not kept.clips

    async def unite_all(self, kept: Kept) -> tuple[Subject, ...]:
        """The subjects of all clips as one list; by the model while the budget allows, else by name."""
        lists = [kept.clips[n].subjects for n in sorted(kept.clips) if kept.clips[n].subjects]
        if "all" in kept.merged:
            return kept.merged["all"]
        if self.stopped is not None:
            return unite(lists)
        if any(not c.answered for c in kept.lost.values()):
            return unite(lists)  # what is missing now may come with the next question
        level = 0
        while len(lists) > 1:
            level += 1
            groups = batches(lists)
            self.job.tell("subjects", 0, len(groups), "uniting the subjects")
            lists = [await self._group(kept, f"{level}.{n}", group) for n, group in enumerate(groups)]
            if self.stopped is not None:
                return unite(lists)
        subjects = tuple(sorted(lists[0], key=lambda s: s.first_seen)) if lists else ()
        kept.add_merged("all", subjects)
        return subjects

    async def _group(
        self, kept: Kept, step: str, group: Sequence[tuple[Subject, ...]]
    ) -> tuple[Subject, ...]:
        if len(group) == 1:
            return group[0]
        if step in kept.merged:
            return kept.merged[step]
        if self._must_stop(0):
            return unite(group)
        asked = await unite_by_model(self.job, group)
        self._spend(asked.tokens)
        if asked.value is None:
            self.by_name += 1
        found = unite(group) if asked.value is None else asked.value
        kept.add_merged(step, found)
        return found

    def _book(self, found: Description) -> None:
        self.frames += found.frames
        self.job.budget.spend(frames=found.frames)
        self._spend(found.tokens)

    def _spend(self, used: TokenUse) -> None:
        self.used = self.used + used
        self.job.budget.spend(use=used)

    def _tell(self, kept: Kept, total: int) -> None:
        done = len(kept.clips) + len(kept.lost)
        failed = f", {len(kept.lost)} failed" if kept.lost else ""
        self.job.tell("clips", done, total, f"{len(kept.clips)} of {total} clips described{failed}")

    def result(self, kept: Kept | None, subjects: tuple[Subject, ...]) -> ClipBase:
        """The database as it stands."""
        job = self.job
        clips = {} if kept is None else kept.clips
        lost = {} if kept is None else kept.lost
        base = ClipBase(
            video=job.video,
            sha256=self.key.sha256,
            duration=job.duration,
            clips=tuple(clips[n] for n in sorted(clips)),
            lost=tuple(lost[n] for n in sorted(lost)),
            left=len(job.clips) - len(clips) - len(lost),
            subjects=subjects,
            captioner=model_name(job.captioner),
            fps=DECODE_FPS,
            rows=job.rows,
            key=self.key.name,
            made=self.made,
            frames=self.frames,
            tokens=self.used,
            stopped=self.stopped,
            dead=self.dead,
        )
        return replace(base, notes=_notes(base, kept, self.by_name))


def _first(several: BaseException) -> BaseException:
    while isinstance(several, BaseExceptionGroup):
        several = several.exceptions[0]
    return several


def _notes(base: ClipBase, kept: Kept | None, by_name: int) -> tuple[str, ...]:
    notes = [f"{by_name} lists of subjects were united by name: the model's were unusable"] if by_name else []
    if base.stopped:
        notes.append(base.stopped)
    if base.lost:
        first = base.lost[0]
        notes.append(f"{len(base.lost)} clips could not be described (clip {first.number}: {first.failed})")
    if base.left:
        notes.append(f"{base.left} clips are not described")
    if kept is not None and kept.note:
        notes.append(kept.note)
    return tuple(notes)
