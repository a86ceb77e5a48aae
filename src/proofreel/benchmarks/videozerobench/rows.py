"""One question of the table, typed; evidence stays as written, because the published scorer reads it so."""

import json
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

DOMAINS = frozenset(
    "Instructional|Gaming|Sports|Film&TV|Music|Daily Vlogs|Driving|News&Entertainment|Travel|Animals|Humor|"
    "Fashion&Beauty|Animation".split("|")
)
ABILITY_GROUPS = {
    "Detailed Perception": (
        "counting",
        "small-object perception",
        "OCR",
        "action recognition",
        "event perception",
    ),
    "Spatial & Temporal Reasoning": (
        "spatial orientation discrimination",
        "object tracking",
        "scene transition understanding",
        "multi-segment dependency",
    ),
    "Semantic & Cross-Modal": ("world knowledge reasoning", "audio perception"),
}
ABILITIES = frozenset(a for group in ABILITY_GROUPS.values() for a in group)
SPANS = frozenset(("single-frame", "short-term", "long-range"))


def _labels(value: object) -> object:
    """A list, its JSON text, or words parted by commas."""
    if not isinstance(value, str):
        return [] if value is None else value
    try:
        given = json.loads(value)
    except (ValueError, RecursionError):
        given = [part.strip() for part in re.split("[,;、，]", value) if part.strip()]
    return given if isinstance(given, list) else []


def _text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _none_if_blank(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


Text = Annotated[str, BeforeValidator(_text)]
Optional = Annotated[str | None, BeforeValidator(_none_if_blank)]


class Row(BaseModel):
    """A question with its reference; unknown columns are left out.

    Attributes:
        question_id: the column of that name, or ``index``.
        duration: seconds as the table says, None when it does not.
        evidence_windows: as written: a list of ``{"start", "end"}`` in seconds, or its JSON text.
        evidence_boxes: as written: a list of ``{"time", "box"}``, or its JSON text.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    question_id: int = Field(ge=0)
    video: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answer: Text = Field(min_length=1, pattern=r"\S")
    duration: Annotated[
        Annotated[float, Field(gt=0, allow_inf_nan=False)] | None, BeforeValidator(_none_if_blank)
    ] = None
    language: Optional = None
    category: Optional = None
    evidence_span: Optional = None
    annotation_capabilities: Annotated[list[str], BeforeValidator(_labels)] = []
    evidence_windows: Any = None
    evidence_boxes: Any = None

    @model_validator(mode="before")
    @classmethod
    def _index_is_an_id(cls, row: Any) -> Any:
        if isinstance(row, dict) and row.get("question_id") in (None, "") and "index" in row:
            return row | {"question_id": row["index"]}
        return row

    def scored(self, prediction: object) -> dict[str, Any]:
        """The row in the form ``evaluate_run`` reads, with a prediction."""
        return self.model_dump() | {"prediction": prediction}
