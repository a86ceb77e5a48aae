"""What a STAR tool is: one text in, one text out, and what it may change on the way."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from proofreel.agents._avp.parse import parse_json
from proofreel.agents._role_calls import RoleCalls
from proofreel.agents._star_backends import Backends
from proofreel.agents._star_scene import Scene, Seen, thinned
from proofreel.agents.agent import AgentContext
from proofreel.agents.answers import after_thinking
from proofreel.core import Evidence, Provenance, Question, Quote, Window
from proofreel.core.space import TimedBox
from proofreel.tools.model_call import Reply, model_name, takes_video


class ToolFault(Exception):  # noqa: N818  goes back to the planner as an observation
    """The call gave nothing; ``kind`` as in ``Observation.failure_kind``."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


@dataclass
class Bench:
    """What tools work with: the scene, models, backends; and what the running call leaves behind.

    Attributes:
        question: what is asked.
        ctx: models, budget, ledger.
        calls: asks models.
        scene: visible frames.
        backends: detector and grounder.
        frames_per_tool: most frames a spatial tool asks in one call, None for no limit.
        parallel: model calls at a time.
        step: trajectory step of the running call.
        media: ids of the references shown by the running call.
        replies: of the running call.
        evidence: of the running call.
        reports: what temporal tools said of the video in words, for the summary.
    """

    question: Question
    ctx: AgentContext
    calls: RoleCalls
    scene: Scene
    backends: Backends
    frames_per_tool: int | None = None
    parallel: int = 4
    step: int | None = None
    media: list[str] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)

    def begin(self, step: int) -> None:
        """A new call starts."""
        self.step, self.media, self.replies, self.evidence = step, [], [], []

    def model(self, role: str) -> Any:
        """The model of a role, else the perceiver; None for the planner's own model."""
        return self.ctx.roles.get(role) or (None if role == "selector" else self.ctx.perceiver)

    def most_images(self, role: str) -> int | None:
        """Pictures one request to a role may hold, by its card and by the frame budget."""
        from proofreel.models.cards import model_card

        bounds = [model_card(model_name(self.model(role))).max_images, self.ctx.budget.frames_left]
        known = [b for b in bounds if b is not None]
        return min(known) if known else None

    async def look(
        self,
        prompt: str,
        refs: Sequence[Any] = (),
        frames: int = 0,
        *,
        role: str = "perceiver",
        schema: dict[str, Any] | None = None,
    ) -> Reply:
        """A usable reply of a role.

        Raises:
            ToolFault: the frames left do not suffice, or nothing usable came back.
        """
        left = self.ctx.budget.frames_left
        if left is not None and frames > left:
            raise ToolFault("budget", f"this needs {frames} frames, {left} are left")
        reply = await self.calls.ask(
            prompt, model=self.model(role), role=role, refs=refs, frames=frames, schema=schema, form="finding"
        )
        self.replies.append(reply)
        self.media += [r.id for r in refs]
        if reply.failure is not None and not (reply.failure.kind == "truncated" and reply.text.strip()):
            empty = reply.failure.kind in ("empty", "filtered")
            raise ToolFault("empty_response" if empty else "retry_exhausted", str(reply.failure))
        return reply

    async def form(
        self,
        prompt: str,
        schema: dict[str, Any],
        refs: Sequence[Any] = (),
        frames: int = 0,
        *,
        role: str = "perceiver",
    ) -> dict[str, Any]:
        """A reply in a fixed form.

        Raises:
            ToolFault: as ``look``, or it is no JSON object.
        """
        reply = await self.look(prompt, refs, frames, role=role, schema=schema)
        found = parse_json(after_thinking(reply.text))
        if not isinstance(found, dict):
            raise ToolFault("validation", f"the {role} gave no JSON object: {reply.text.strip()[:200]}")
        return found

    def stretch(self, start: float, end: float, role: str, most: int = 96) -> tuple[list[Any], int]:
        """References that show a stretch at 1 fps or less: true video where the role takes it, else pictures."""
        from proofreel.video import ClipRef, FramesRef, Rate

        video, sha256 = self.scene.video, self.scene.sha256
        length = end - start
        if takes_video(self.model(role)):
            left = self.ctx.budget.frames_left
            cap = most if left is None else max(1, min(most, left))
            rate = min(1.0, cap / length)
            return [
                ClipRef(video=video, sha256=sha256, start=start, end=end, fps=rate, media_resolution="low")
            ], max(1, round(length * rate))
        cap = min([most, *([b] if (b := self.most_images(role)) is not None else [])])
        if cap < 1:
            raise ToolFault("budget", "no frames are left")
        plan = Rate(1.0, start=start, end=end, cap=cap)
        count = min(cap, max(1, -int(-length // 1)))
        return [FramesRef(video=video, sha256=sha256, plan=plan.to_dict(), height=self.scene.height)], count

    def gridded(self) -> list[Seen]:
        """The visible frames that a grid shows: at most 16, evenly spread.

        Raises:
            ToolFault: none are visible.
        """
        frames = thinned(self.scene.visible, 16)
        if not frames:
            raise ToolFault("validation", "no frame is visible")
        return frames

    def claim(
        self,
        window: Window,
        text: str,
        claimed_by: str,
        frames: Sequence[float] = (),
        boxes: Sequence[TimedBox] = (),
    ) -> None:
        """Adds evidence of the running call."""
        quote = Quote(text=text[:500], source="model") if text.strip() else None
        origin = Provenance(claimed_by=claimed_by, step=self.step, frames=tuple(frames))
        self.evidence.append(Evidence(window=window, quote=quote, boxes=tuple(boxes), provenance=origin))


Run = Callable[[str, Bench], Awaitable[str]]


@dataclass(frozen=True)
class StarTool:
    """A tool as the planner sees it.

    Attributes:
        name: what the planner writes.
        type: whose turn it takes.
        description: told to the planner.
        run: from the planner's input to the text it reads.
    """

    name: str
    type: Literal["temporal", "spatial"]
    description: str
    run: Run


def whole_number(value: Any) -> int | None:
    """A whole number in a reply, None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def shape(**properties: Any) -> dict[str, Any]:
    """JSON schema of an object with these properties, all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
WHOLE: dict[str, Any] = {"type": "integer"}
