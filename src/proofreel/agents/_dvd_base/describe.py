"""The model calls of a clip database: one clip described, some registries united."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proofreel.agents._dvd import DECODE_FPS
from proofreel.agents._dvd_base.asking import Asked, Unusable
from proofreel.agents._dvd_base.prompts import caption_prompt, merge_prompt, with_speech
from proofreel.agents._dvd_base.records import Clip, LostClip, Shown, Subject, registry_form
from proofreel.agents._dvd_base.replies import read_caption, read_merged
from proofreel.core import TokenUse

if TYPE_CHECKING:
    from proofreel.agents._dvd_base.build import Job
    from proofreel.agents._dvd_base.store import BaseKey
    from proofreel.video import FramesRef


@dataclass(frozen=True)
class Description:
    """A clip described or lost, and what it cost."""

    record: Clip | LostClip
    tokens: TokenUse
    frames: int


def clip_ref(video: str, sha256: str, numbers: Sequence[int], rows: int | None) -> FramesRef:
    """Frames as a reference, by their numbers at 2 a second."""
    from proofreel.video import At, FramesRef

    plan = At([n / DECODE_FPS for n in numbers])
    return FramesRef(video=video, sha256=sha256, plan=plan.to_dict(), height=rows)


async def describe(
    job: Job,
    key: BaseKey,
    number: int,
    clip: tuple[int, int],
    wanted: Sequence[int],
    again: Callable[[], bool],
) -> Description:
    """Has one clip described; ``again`` says whether its frames may be shown once more."""
    from proofreel.models import media_message

    start, end = clip
    speech = job.said(clip)
    ref = clip_ref(job.video, key.sha256, wanted, job.rows)
    message = media_message(caption_prompt(start, end, speech), [ref])
    asked = await job.asker.ask(
        job.captioner, message, "captioner", lambda text: read_caption(text, start, end), again
    )
    frames = len(wanted) * asked.replied
    if asked.value is None:
        lost = LostClip(number=number, failed=asked.why[:300], answered=asked.answered)
        return Description(lost, asked.tokens, frames)
    said, subjects = asked.value
    shown, width, height = _shown(job.asker.ledger, ref.id)
    record = Clip(
        number=number,
        start=start,
        end=end,
        caption=with_speech(said, speech),
        subjects=subjects,
        numbers=tuple(wanted),
        frames=shown,
        width=width,
        height=height,
        tries=asked.tries,
    )
    return Description(record, asked.tokens, frames)


async def unite_by_model(job: Job, group: Sequence[tuple[Subject, ...]]) -> Asked[tuple[Subject, ...]]:
    """Registries as one, by the model."""
    from inspect_ai.model import ChatMessageUser

    def read(text: str) -> tuple[Subject, ...]:
        found = read_merged(text, int(job.duration))
        if found is None:
            raise Unusable("the reply holds no registry")
        return found

    message = ChatMessageUser(content=merge_prompt([registry_form(r) for r in group]))
    return await job.asker.ask(job.merger, message, "merger", read)


def _shown(ledger: Any, ref_id: str) -> tuple[tuple[Shown, ...], int | None, int | None]:
    """The frames of a reference as the ledger has them, and the size of the pictures."""
    entries = () if ledger is None else ledger.entries
    entry = next((e for e in reversed(entries) if e.ref_id == ref_id and e.frames), None)
    if entry is None:
        return (), None, None
    frames = tuple(Shown(time=f.time, index=f.index, sha256=f.sha256, flags=f.flags) for f in entry.frames)
    return frames, entry.width, entry.height
