"""The two files of the data folder as typed rows; unknown keys are kept out of the way, wrong ones refused."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from proofreel.core import Milestone
from proofreel.judges.milestones import TYPES

MILESTONE_TYPES = frozenset(TYPES)


def normal_label(value: object) -> object:
    """Labels differ in case, spaces, ``_`` and ``/`` between releases; they are compared in one form."""
    return (
        "_".join(value.lower().replace("/", " ").replace("_", " ").split())
        if isinstance(value, str)
        else value
    )


Label = Annotated[str, BeforeValidator(normal_label)]


class BoxRow(BaseModel):
    """Our optional addition: a box of the proof at a moment, x0, y0, x1, y1 in 0-1."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    time: float = Field(ge=0)
    box: tuple[float, float, float, float]


class QuestionRow(BaseModel):
    """One line of ``questions.jsonl``; optional fields may be absent (protocol section 1)."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    question_id: int = Field(ge=1)
    video_path: str = Field(min_length=1)
    transcript_path: str | None = None
    title: str | None = None
    question_text: str = Field(min_length=1)
    options: list[str] = Field(min_length=2, max_length=26)
    answer: str = Field(pattern="^[A-Z]$")
    answer_explanation: str = ""
    milestones: list[Milestone] = []
    ecom_required: bool | None = None
    difficulty: Literal["easy", "medium", "hard", "very hard"] | None = None
    skills: list[Label] = []
    categories: list[Label] = []
    windows: list[tuple[float, float]] = []
    boxes: list[BoxRow] = []


class VideoRow(BaseModel):
    """One line of ``videos.jsonl``: cosmetic, used for slices only."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    file_name: str
    title: str | None = None
    duration: str | float | None = None
    genre: str | None = None
    length_category: str | None = None
    license: str | None = None
    source: str | None = None
    production_style: list[str] = []
    audio_type: list[str] = []
