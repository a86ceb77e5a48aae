"""Do the media of every call fit its model? Faults grouped by kind, with a setting that would fit."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proofreel.models.card import ModelCard
from proofreel.models.estimate import Facts, frame_count, output_size
from proofreel.models.payload import PayloadPlan, PayloadTooLarge, check_payload
from proofreel.runs.plan_calls import Call, takes_video
from proofreel.runs.plan_checks import some
from proofreel.runs.plan_records import Finding
from proofreel.video import ClipRef, FramesRef

BYTES_PER_PIXEL = 0.2
"""JPEG bytes a pixel at quality 85, from camera footage; screens and noise differ by a factor of two."""
BASE64 = 4 / 3
RATES = (0.5, 0.25, 0.2, 0.1, 0.05, 0.02)
"""Shares of the asked rate that are tried for a clip that is too long."""


@dataclass
class Fit:
    """What was found so far over all calls.

    A call of the main model that is too large stops the run. A look by the perceiver that is too large is refused when
    it comes to it, and the agent then looks at less: that is only noted.
    """

    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    stopping: set[tuple[str, str]] = field(default_factory=set)
    worst: dict[tuple[str, str], int] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)
    no_way: bool = False
    most_images: int = 0
    most_tokens: int = 0
    heavy: dict[str, float] = field(default_factory=dict)

    def check(
        self, item: str, call: Call, card: ModelCard, name: str, facts: Mapping[str, Facts]
    ) -> PayloadPlan | None:
        """Checks one call; returns what would be sent, the fitting plan when it is too large, None when none fits."""
        if not call.refs:
            return None
        video = takes_video(card, name)
        try:
            plan = check_payload(
                card,
                call.refs,
                text_tokens=call.text + call.completion,
                takes_video=video,
                facts=facts.__getitem__,
            )
        except PayloadTooLarge as large:
            said = large.message.split("; nothing was sent")[0].split("; no number of frames")[0]
            kind, number = _kind(said.removeprefix(f"{card.name}: "))
            self.faults.setdefault((name, kind), []).append(item)
            self.worst[name, kind] = max(self.worst.get((name, kind), 0), number)
            if call.role != "perceiver":
                self.stopping.add((name, kind))
            fitted = self._slower(call, card, facts) if video else large.plan
            if fitted is None:
                self.no_way = True
                return None
            plan = fitted
            self._propose(call, plan, facts)
        # Notes of single references would be as many as there are videos.
        self.notes |= {n for n in plan.notes if n.startswith("no card")}
        self.most_images = max(self.most_images, plan.images)
        self.most_tokens = max(self.most_tokens, plan.tokens or 0)
        weight = sum(_bytes(r, facts) for r in plan.refs) * BASE64
        if card.max_request_bytes and weight > card.max_request_bytes:
            self.heavy[name] = max(self.heavy.get(name, 0.0), weight)
        return plan

    def _slower(self, call: Call, card: ModelCard, facts: Mapping[str, Facts]) -> PayloadPlan | None:
        """A clip at the highest of a few lower rates that fits; nothing else of a clip can be set from outside."""
        text = call.text + call.completion
        for share in RATES:
            refs = tuple(
                r.model_copy(update={"fps": (r.fps or 1.0) * share}) if isinstance(r, ClipRef) else r
                for r in call.refs
            )
            try:
                return check_payload(card, refs, text_tokens=text, takes_video=True, facts=facts.__getitem__)
            except PayloadTooLarge:
                continue
        return None

    def _propose(self, call: Call, plan: PayloadPlan, facts: Mapping[str, Facts]) -> None:
        for old, new in zip(call.refs, plan.refs, strict=True):
            if isinstance(new, FramesRef):
                frames = frame_count(new.sampling, facts[new.video])
                before = frame_count(old.sampling, facts[old.video]) if isinstance(old, FramesRef) else None
                if before is None or frames < before:
                    self._least("max_frames", frames)
                if isinstance(old, FramesRef) and new.height != old.height and new.height:
                    self._lower(call.role, new.height)
            elif isinstance(old, ClipRef) and isinstance(new, ClipRef) and new.fps != old.fps and new.fps:
                if call.role == "perceiver":
                    self.no_way = True  # the planner chooses the rate of its looks
                self._least("fps", new.fps)

    def _lower(self, role: str, height: int) -> None:
        if role != "perceiver":
            self._least("height", height)
            return
        known = self.settings.get("heights", {}).get("medium", height)
        self.settings["heights"] = {"medium": min(known, height)}

    def _least(self, name: str, value: float) -> None:
        self.settings[name] = min(self.settings.get(name, value), value)

    def findings(self) -> list[Finding]:
        """What was found, grouped."""
        found = []
        for (name, kind), items in self.faults.items():
            unique = list(dict.fromkeys(items))
            found.append(
                Finding(
                    kind="limit",
                    where=name,
                    message=f"{kind.format(self.worst[name, kind])} ({some('question', unique)})",
                    weight="stops" if (name, kind) in self.stopping else "note",
                )
            )
        for name, weight in self.heavy.items():
            found.append(
                Finding(
                    kind="limit",
                    where=name,
                    message=f"a request may weigh about {weight / 1e6:.0f} MB, more than the model takes; "
                    "lower --set height=N or max_frames",
                    weight="note",
                )
            )
        found += [
            Finding(kind="limit", where=n.split(":")[0], message=n, weight="note") for n in sorted(self.notes)
        ]
        return found


def _kind(said: str) -> tuple[str, int]:
    """A fault without the number that differs from video to video, and that number."""
    number = re.match(r"(?:about )?(\d+) (?=images|prompt tokens)", said)
    return (said, 0) if number is None else (f"up to {{}} {said[number.end() :]}", int(number[1]))


def _bytes(ref: Any, facts: Mapping[str, Facts]) -> float:
    if not isinstance(ref, FramesRef):
        return 0.0
    width, height = output_size(ref, facts[ref.video])
    return frame_count(ref.sampling, facts[ref.video]) * width * height * BYTES_PER_PIXEL


def frames_of(plan: PayloadPlan | None, call: Call, facts: Mapping[str, Facts]) -> tuple[int, float]:
    """(frames, bytes as JPEG) of a call as it would be sent; frames inside clips are the provider's."""
    refs = call.refs if plan is None else plan.refs
    frames = sum(frame_count(r.sampling, facts[r.video]) for r in refs if isinstance(r, FramesRef))
    return frames, sum(_bytes(r, facts) for r in refs)


def as_words(settings: Mapping[str, Any]) -> str:
    """Settings of the agent as words of the command line."""
    return " ".join(
        f"--set '{k}={json.dumps(v)}'" if isinstance(v, dict) else f"--set {k}={v:g}"
        for k, v in sorted(settings.items())
    )
