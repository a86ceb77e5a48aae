"""What the tools for agents outside take; the schemas that go over the wire are made from these."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from proofreel.agents._citing import Citation

MOST_ROWS = 1080


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    video: str | None = Field(
        default=None, description="Name of the video; may be left out when there is one."
    )


class ProbeArguments(_Arguments):
    """Arguments of ``probe``."""


class WatchArguments(_Arguments):
    """Arguments of ``watch``."""

    start: float = Field(default=0.0, ge=0, description="Start of the window in seconds.")
    end: float | None = Field(
        default=None, ge=0, description="End in seconds; the end of the video if left out."
    )
    frames: int = Field(default=8, ge=1, description="How many frames, spread evenly over the window.")
    height: int = Field(default=360, ge=16, le=MOST_ROWS, description="Rows of each picture in pixels.")


class AnalyzeArguments(_Arguments):
    """Arguments of ``analyze``."""

    focus: str = Field(default="", max_length=2000, description="What to look for.")
    start_time: float | None = Field(default=None, ge=0, description="Seconds.")
    end_time: float | None = Field(default=None, ge=0, description="Seconds.")
    fps: float = Field(default=1.0, gt=0, le=20, description="Frames looked at per second, 1 to 20.")
    resolution: Literal["low", "medium", "high"] = "medium"


class TranscriptArguments(_Arguments):
    """Arguments of ``transcript``."""

    start: float | None = Field(default=None, ge=0, description="Seconds; the beginning if left out.")
    end: float | None = Field(default=None, ge=0, description="Seconds; the end if left out.")


class SearchArguments(_Arguments):
    """Arguments of ``search``."""

    query: str = Field(min_length=1, max_length=1000, description="Words or a sentence.")
    kind: Literal["speech", "screen"] | None = Field(default=None, description="Only speech, or screen text.")
    top: int = Field(default=8, ge=1, le=50)


class CropArguments(_Arguments):
    """Arguments of ``crop``."""

    time: float = Field(ge=0, description="Seconds.")
    box: tuple[float, float, float, float] = Field(
        description="x0, y0, x1, y1 as fractions of the picture, 0-1."
    )
    height: int = Field(default=480, ge=16, le=MOST_ROWS, description="Rows of the cut-out in pixels.")


class CiteArguments(_Arguments):
    """Arguments of ``cite``."""

    evidence: list[Citation] = Field(default=[], max_length=50, description="Moments, boxes, quotes.")
    answer: str | None = Field(
        default=None, max_length=4000, description="The final answer, when there is one."
    )
    letter: str | None = Field(default=None, pattern="^[A-Z]$", description="The chosen option.")
    abstained: bool = Field(default=False, description="The video does not show the answer.")
    confidence: float | None = Field(default=None, ge=0, le=1)
    reason: str = Field(default="", max_length=4000)
