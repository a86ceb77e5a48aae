"""Where descriptions are kept: a journal for each video and setting, appended clip by clip, one process at a time."""

import hashlib
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import anyio
from pydantic import ValidationError

from proofreel.agents._dvd_base.prompts import VERSION
from proofreel.agents._dvd_base.records import Clip, LostClip, Subject
from proofreel.perception._journal import Journal, read_records

Tell = Callable[[str, float, float, str], None]
LOOK_AGAIN = 0.2
"""Seconds between two looks at a lock that another process holds."""


@dataclass(frozen=True)
class BaseKey:
    """Everything a description depends on; the same values mean the same kept work.

    Attributes:
        sha256: hash of the video file.
        captioner: name of the describing model.
        merger: name of the model that unites the subjects.
        fps: frames shown a second.
        rows: height of the pictures in pixels, None for the video's own.
        clip_seconds: length of a clip.
        most_images: most frames of a clip that are shown, None for all.
        mode: official clips leave the frame at their last half second out.
        speech: what is said, as (start, end, text).
        config: further generation settings.
    """

    sha256: str
    captioner: str
    merger: str
    fps: float
    rows: int | None
    clip_seconds: int
    most_images: int | None
    mode: str
    speech: tuple[tuple[float, float, str], ...] = ()
    config: str = ""

    @property
    def name(self) -> str:
        """24 hex digits; the version of the prompts is among what they stand for."""
        text = json.dumps({"prompts": VERSION, **asdict(self)}, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def folder(self) -> Path:
        """The folder of the video's descriptions; it is named, not made."""
        from proofreel.video import cache_dir

        return cache_dir() / "clips" / self.sha256


class Kept:
    """The kept work on one video, read from its journal and added to."""

    def __init__(self, journal: Journal, folder: Path) -> None:
        self._journal = journal
        self.folder = folder
        self.clips, self.lost, self.merged = read_kept(journal.records)
        self.note: str | None = None

    def add(self, record: Clip | LostClip) -> None:
        """Keeps a finished clip at once."""
        if isinstance(record, Clip):
            self.clips[record.number] = record
            self.lost.pop(record.number, None)
        else:
            self.lost[record.number] = record
        self._write(record.model_dump(mode="json"))

    def add_merged(self, step: str, subjects: tuple[Subject, ...]) -> None:
        """Keeps one step of the uniting."""
        self.merged[step] = subjects
        self._write({"merged": step, "subjects": [s.model_dump(mode="json") for s in subjects]})

    def _write(self, record: dict[str, Any]) -> None:
        if self.note is not None:
            return
        try:
            self._journal.append(record)
        except OSError as error:
            # A full disk must not end a build that has been paid for; what it costs is told.
            self.note = f"descriptions are not kept any more ({error.strerror}); the next question pays again"


def read_kept(
    records: Sequence[dict[str, Any]],
) -> tuple[dict[int, Clip], dict[int, LostClip], dict[str, tuple[Subject, ...]]]:
    """Clips, clips beyond description, and steps of the uniting; records of another form are left out."""
    clips: dict[int, Clip] = {}
    lost: dict[int, LostClip] = {}
    merged: dict[str, tuple[Subject, ...]] = {}
    for record in records:
        try:
            if "merged" in record:
                merged[record["merged"]] = tuple(Subject.model_validate(s) for s in record["subjects"])
            elif "failed" in record:
                entry = LostClip.model_validate(record)
                lost[entry.number] = entry
            else:
                clip = Clip.model_validate(record)
                clips[clip.number] = clip
                lost.pop(clip.number, None)
        except (ValidationError, KeyError, TypeError):
            continue
    # A clip that no reply came for is not beyond description: it is tried again.
    return clips, {n: c for n, c in lost.items() if c.answered}, merged


def peek(key: BaseKey) -> tuple[set[int], bool]:
    """Numbers of the clips that need no call any more, and whether the subjects are united; for plans."""
    records, _ = read_records(key.folder / f"{key.name}.jsonl")
    clips, lost, merged = read_kept(records)
    return set(clips) | set(lost), "all" in merged


@asynccontextmanager
async def kept_work(key: BaseKey, tell: Tell, spent: Callable[[], str | None]) -> AsyncIterator[Kept | None]:
    """The kept work, for this process alone; a killed process holds no lock.

    Gives None when the budget ended while another process was at work. A cache folder that cannot be used is
    replaced by one that is thrown away, which ``Kept.note`` says.
    """
    from filelock import FileLock, Timeout

    with ExitStack() as stack:
        folder, note = key.folder, None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / f"{key.name}.lock")
            waited = 0.0
            while True:
                try:
                    stack.enter_context(lock.acquire(timeout=0))
                    break
                except Timeout:
                    if spent() is not None:
                        yield None
                        return
                    await anyio.sleep(LOOK_AGAIN)
                    waited += LOOK_AGAIN
                    tell("wait", waited, 0.0, "another process describes this video")
        except OSError as error:
            note = (
                f"descriptions are not kept: {folder} cannot be used ({error.strerror}); set PROOFREEL_CACHE"
            )
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="proofreel-")))
        journal = stack.enter_context(Journal(folder / f"{key.name}.jsonl"))
        kept = Kept(journal, folder)
        kept.note = note
        yield kept
