"""The two kinds of backends, and how a run's options choose them. What is missing is known before the first call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from proofreel.agents.agent import AgentContext
from proofreel.core import Box, Question, Window
from proofreel.core.errors import UserError
from proofreel.tools.model_call import model_name

DETECTORS = (
    "ocr (embedded reader of screen text), vlm (role detector, else the perceiver) or transformers:MODEL"
)
GROUNDERS = "vlm (role grounder, else the perceiver), index (what is said and written) or transformers:MODEL"


@dataclass(frozen=True)
class Found:
    """One object on one picture, box in 0-1 of the picture shown."""

    box: Box
    score: float
    label: str = ""


class Detector(Protocol):
    """Finds named objects on pictures without a language model."""

    name: str

    def find(self, images: Sequence[Any], label: str) -> list[list[Found]]:
        """Objects on each uint8 [H, W, 3] RGB picture, called in a thread."""
        ...


class Grounder(Protocol):
    """Finds the stretch of the video that a text is about, without a language model."""

    name: str

    def span(self, text: str, video: str, duration: float) -> Window | None:
        """Seconds, None when nothing fits; called in a thread."""
        ...


@dataclass
class Backends:
    """What a run has.

    Attributes:
        perceiver: model for pictures, None when it takes none.
        detector: local detector, ``vlm``, or None.
        grounder: local grounder, ``vlm``, or None.
        missing: tool -> why it is not offered.
    """

    perceiver: Any = None
    detector: Detector | str | None = None
    grounder: Grounder | str | None = None
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """Names, for the settings of a trajectory."""
        return {
            "detector": getattr(self.detector, "name", self.detector),
            "grounder": getattr(self.grounder, "name", self.grounder),
            "not_offered": dict(self.missing),
        }


def load_backends(ctx: AgentContext, question: Question) -> Backends:
    """The backends of a run, loaded; ``missing`` names every tool that goes without.

    Raises:
        UserError: a backend was asked for by name and cannot be had here.
        VideoError: the index of an unreadable video was asked for.
    """
    from proofreel.models.cards import model_card

    out = Backends()
    if ctx.perceiver is not None and model_card(model_name(ctx.perceiver)).images is not False:
        out.perceiver = ctx.perceiver
    out.detector = _detector(ctx.options.get("detector"), ctx, out.perceiver)
    wanted = ctx.options.get("grounder", "vlm" if "grounder" in ctx.roles else None)
    out.grounder = _grounder(wanted, ctx, out.perceiver, question)
    if out.perceiver is None:
        name = model_name(ctx.perceiver) or "none"
        out.missing |= dict.fromkeys(VISUAL_TOOLS, f"no model that takes pictures (perceiver: {name})")
    if out.detector is None:
        out.missing["object-tracking-tool"] = f"no detector: choose detector={DETECTORS}"
    if out.grounder is None:
        out.missing["temporal-grounding-tool"] = f"no grounding model: choose grounder={GROUNDERS}"
    return out


VISUAL_TOOLS = (
    "temporal-qa-tool",
    "temporal-referring-tool",
    "image-grid-select-tool",
    "image-question-answering-tool",
    "image-grid-qa-tool",
    "relevant-patch-zooming-tool",
    "image-caption-tool-llava",
)


def _detector(wanted: Any, ctx: AgentContext, perceiver: Any) -> Detector | str | None:
    kind, _, name = str(wanted or "").partition(":")
    if not kind:
        return None
    if kind == "ocr":
        from proofreel.agents._star_backends.ocr import TextDetector

        return TextDetector()
    if kind == "vlm":
        return _model("detector", ctx, perceiver)
    if kind == "transformers" and name:
        from proofreel.agents._star_backends.transformers_models import ObjectDetector

        return ObjectDetector(name)
    raise UserError(f"detector is {DETECTORS}, got {wanted!r}")


def _grounder(wanted: Any, ctx: AgentContext, perceiver: Any, question: Question) -> Grounder | str | None:
    kind, _, name = str(wanted or "").partition(":")
    if not kind:
        return None
    if kind == "vlm":
        return _model("grounder", ctx, perceiver)
    if kind == "index":
        from proofreel.agents._star_backends.lines import LineGrounder

        return LineGrounder.of(question, ctx.options.get("index"))
    if kind == "transformers" and name:
        from proofreel.agents._star_backends.transformers_models import FrameGrounder

        return FrameGrounder(name)
    raise UserError(f"grounder is {GROUNDERS}, got {wanted!r}")


def _model(role: str, ctx: AgentContext, perceiver: Any) -> str:
    if role not in ctx.roles and perceiver is None:
        raise UserError(f"{role}=vlm needs a model that takes pictures: give the role {role} or a perceiver")
    return "vlm"
