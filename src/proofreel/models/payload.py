"""Does it fit? Checked before anything is decoded or sent, with a plan that would fit when it does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from proofreel.models._fit import fewer_frames, shares
from proofreel.models.card import ModelCard
from proofreel.models.estimate import (
    Detail,
    Facts,
    clip_frames,
    clip_seconds,
    estimate_tokens,
    facts_of,
    frame_count,
    output_size,
)
from proofreel.models.failure import FailureKind, ModelFailure
from proofreel.video import ClipRef, FramesRef, GridRef
from proofreel.video.sample import Rate

Ref = FramesRef | ClipRef | GridRef
Policy = Literal["refuse", "fit"]
LEAST_HEIGHT = 224
"""Fitting makes pictures no lower than this; after that it takes frames away."""
LEAST_CELL = 64
"""Fitting makes the cells of a grid no narrower than this; no frame is taken out of a grid."""


@dataclass(frozen=True)
class PayloadPlan:
    """What will be sent.

    Attributes:
        refs: the references in order, fitted ones in place of those that were too large.
        images: pictures in the whole request.
        tokens: estimated prompt tokens of the media, None when the card has no rule for one of them.
        notes: what was changed and why, and which limits could not be checked.
        changed: whether any reference differs from what was asked.
    """

    refs: tuple[Ref, ...]
    images: int
    tokens: int | None
    notes: tuple[str, ...] = ()
    changed: bool = False


class PayloadTooLarge(ModelFailure):
    """The media do not fit the model; nothing was sent. ``plan`` is one that fits, None when there is none."""

    def __init__(self, message: str, plan: PayloadPlan | None = None) -> None:
        self.plan = plan
        super().__init__(FailureKind.PAYLOAD, message)


def check_payload(
    card: ModelCard,
    refs: Sequence[Ref],
    *,
    text_tokens: int = 0,
    other_images: int = 0,
    detail: Detail = "auto",
    takes_video: bool | None = None,
    policy: Policy = "refuse",
    facts: Callable[[str], Facts] = facts_of,
) -> PayloadPlan:
    """Checks a request against a model card.

    A clip for a model that takes no video becomes frames at the clip's rate (the default rate of the card, else
    1 a second), and the plan's notes say so.

    Args:
        card: limits; unknown ones are not checked and noted.
        refs: all references of the request, those of earlier messages included.
        text_tokens: estimate for the rest of the prompt.
        other_images: pictures that are no references.
        detail: OpenAI image detail, for the token estimate.
        takes_video: whether the route can carry true video; None asks the card.
        policy: ``refuse`` raises when something is too large, ``fit`` returns a plan with fewer frames or lower
            pictures.
        facts: how to look at a file, replaceable for planning without files.

    Raises:
        PayloadTooLarge: too large and ``refuse``, or nothing fits.
        VideoError: a file is no readable video.
    """
    know = {path: facts(path) for path in {r.video for r in refs}}
    video = bool(card.video) if takes_video is None else takes_video
    notes = [] if card.known else [f"no card for {card.name}: limits not checked"]
    asked: list[Ref] = []
    for ref in refs:
        if isinstance(ref, ClipRef) and ref.pictures and not video:
            frames = clip_as_frames(ref, card)
            notes.append(
                f"{card.name} takes no video: clip {ref.id[:12]} sent as frames at {frames.sampling.key()}"
            )
            asked.append(frames)
        else:
            asked.append(ref)
    check = _Check(card, know, text_tokens, other_images, detail)
    faults = check.faults(asked)
    plan = check.plan(asked, notes, changed=tuple(asked) != tuple(refs))
    if not faults:
        return plan
    said = f"{card.name}: {'; '.join(faults)}"
    fitted = check.fit(asked)
    if fitted is None:
        raise PayloadTooLarge(f"{said}; no number of frames would fit")
    shown = _difference(asked, fitted, know)
    proposal = check.plan(fitted, [*notes, *faults, f"fitted: {shown}"], changed=True)
    if policy == "fit":
        return proposal
    raise PayloadTooLarge(
        f"{said}; nothing was sent; this would fit: {shown} (on_limit=fit does it)", proposal
    )


def smaller_cells(ref: GridRef, factor: float) -> GridRef:
    """The same grid with narrower cells, as narrow as a cell may be at most."""
    return ref.model_copy(
        update={"cell_width": max(int(ref.cell_width * factor), min(ref.cell_width, LEAST_CELL))}
    )


def clip_as_frames(ref: ClipRef, card: ModelCard) -> FramesRef:
    """The frames that stand in for a clip: its own rate, else the card's default, else 1 a second."""
    fps = ref.fps or (card.video_rule.default_fps if card.video_rule else None) or 1.0
    plan = Rate(fps, start=ref.start, end=ref.end)
    return FramesRef(video=ref.video, sha256=ref.sha256, plan=plan.to_dict(), height=ref.height)


@dataclass(frozen=True)
class _Check:
    card: ModelCard
    know: dict[str, Facts]
    text: int
    other: int
    detail: Detail

    def images(self, refs: Sequence[Ref]) -> int:
        return self.other + sum(self.count(r) for r in refs)

    def count(self, ref: Ref) -> int:
        """Pictures a reference becomes; a grid is one, a clip none."""
        if isinstance(ref, FramesRef):
            return frame_count(ref.sampling, self.know[ref.video])
        return 1 if isinstance(ref, GridRef) else 0

    def tokens(self, refs: Sequence[Ref]) -> int | None:
        each = [estimate_tokens(self.card, r, facts=self.know[r.video], detail=self.detail) for r in refs]
        known = [t for t in each if t is not None]
        return sum(known) if len(known) == len(each) else None

    def side_limit(self, images: int) -> int | None:
        many = self.card.many_images is not None and images > self.card.many_images
        return (self.card.max_image_side_many if many else None) or self.card.max_image_side

    def plan(self, refs: Sequence[Ref], notes: Sequence[str], *, changed: bool) -> PayloadPlan:
        return PayloadPlan(tuple(refs), self.images(refs), self.tokens(refs), tuple(notes), changed)

    def faults(self, refs: Sequence[Ref]) -> list[str]:
        card, found = self.card, []
        images = self.images(refs)
        if card.images is False and images:
            found.append("takes no images")
        if card.audio is False and any(isinstance(r, ClipRef) and not r.pictures for r in refs):
            found.append("takes no sound")
        if card.max_images is not None and images > card.max_images:
            found.append(f"{images} images in one request, at most {card.max_images} allowed")
        limit = self.side_limit(images)
        sides = [max(output_size(r, self.know[r.video])) for r in refs if not isinstance(r, ClipRef)]
        if limit is not None and sides and max(sides) > limit:
            found.append(f"pictures of {max(sides)} px, at most {limit} px allowed with {images} images")
        if rule := card.video_rule:
            for ref in (r for r in refs if isinstance(r, ClipRef) and r.pictures):
                seconds = clip_seconds(ref, self.know[ref.video])
                if rule.max_seconds is not None and seconds > rule.max_seconds:
                    found.append(f"a clip of {seconds:.0f} s, at most {rule.max_seconds:.0f} s allowed")
                if rule.max_fps is not None and ref.fps is not None and ref.fps > rule.max_fps:
                    found.append(f"a clip at {ref.fps:g} fps, at most {rule.max_fps:g} allowed")
        tokens = self.tokens(refs)
        if (
            card.context_tokens is not None
            and tokens is not None
            and tokens + self.text > card.context_tokens
        ):
            found.append(f"about {tokens + self.text} prompt tokens, the context holds {card.context_tokens}")
        return found

    def fit(self, refs: Sequence[Ref]) -> list[Ref] | None:
        """References that raise no fault, None when there are none."""
        now = [self._slower(r) for r in refs]
        if self.card.max_images is not None and self.images(now) > self.card.max_images:
            room = self.card.max_images - self.other
            thinner = self._thin(now, room)
            if thinner is None:
                return None
            now = thinner
        if (limit := self.side_limit(self.images(now))) is not None:
            now = [self._lower(r, limit) for r in now]
        for _ in range(24):
            if not self.faults(now):
                return now
            tokens = self.tokens(now)
            room = (self.card.context_tokens or 0) - self.text
            if tokens is None or room <= 0:
                return None
            smaller = self._smaller(now, room / tokens)
            if smaller is None or smaller == now:
                return None
            now = smaller
        return None

    def _slower(self, ref: Ref) -> Ref:
        rule = self.card.video_rule
        if isinstance(ref, ClipRef) and rule and rule.max_fps and ref.fps and ref.fps > rule.max_fps:
            return ref.model_copy(update={"fps": rule.max_fps})
        return ref

    def _thin(self, refs: Sequence[Ref], room: int) -> list[Ref] | None:
        counts = [self.count(r) for r in refs]
        parts = shares(counts, room)
        if parts is None:
            return None
        return [
            fewer_frames(r, n) if isinstance(r, FramesRef) and n < c else r
            for r, n, c in zip(refs, parts, counts, strict=True)
        ]

    def _lower(self, ref: Ref, limit: int) -> Ref:
        width, height = output_size(ref, self.know[ref.video])
        if isinstance(ref, ClipRef) or max(width, height) <= limit:
            return ref
        if isinstance(ref, GridRef):
            return smaller_cells(ref, limit / max(width, height))
        return ref.model_copy(update={"height": max(int(height * limit / max(width, height)), 2)})

    def _smaller(self, refs: Sequence[Ref], factor: float) -> list[Ref] | None:
        """Lower pictures where that saves tokens, otherwise fewer frames."""
        scale = math.sqrt(factor) * 0.98
        lower: list[Ref] = []
        for ref in refs:
            if isinstance(ref, GridRef):
                lower.append(smaller_cells(ref, scale))
                continue
            if isinstance(ref, ClipRef) and not ref.pictures:
                lower.append(ref)
                continue
            height = output_size(ref, self.know[ref.video])[1]
            wanted = max(int(height * scale), LEAST_HEIGHT)
            lower.append(ref.model_copy(update={"height": wanted}) if wanted < height else ref)
        before, after = self.tokens(refs), self.tokens(lower)
        if before is not None and after is not None and after < before * 0.97:
            return lower
        pictures = self.images(refs) - self.other
        if not pictures:
            return None
        return self._thin(refs, min(math.floor(pictures * factor), pictures - 1))


def _difference(asked: Sequence[Ref], fitted: Sequence[Ref], know: dict[str, Facts]) -> str:
    parts = []
    for old, new in zip(asked, fitted, strict=True):
        if old == new:
            continue
        if isinstance(old, FramesRef) and isinstance(new, FramesRef):
            parts.append(_frames_text(old, new, know))
        elif isinstance(old, ClipRef) and isinstance(new, ClipRef):
            frames = clip_frames(new, ModelCard(name=""), know[new.video])
            parts.append(f"a clip at {new.fps or 'its'} fps, height {new.height or 'own'} ({frames} frames)")
        elif isinstance(new, GridRef):
            parts.append(f"a grid with cells of {new.cell_width} px")
    return ", ".join(parts) or "the same references"


def _frames_text(old: FramesRef, new: FramesRef, know: dict[str, Facts]) -> str:
    before, after = frame_count(old.sampling, know[old.video]), frame_count(new.sampling, know[new.video])
    text = f"{after} of {before} frames"
    return text if old.height == new.height else f"{text} at height {new.height}"
