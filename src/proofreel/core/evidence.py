"""Evidence: a moment, boxes and words that support a claim, with where the claim came from."""

from typing import Literal, Self

from pydantic import Field, model_validator

from proofreel.core._base import Record
from proofreel.core.space import TimedBox
from proofreel.core.time import Window


class Quote(Record):
    """Words taken from a source, letter for letter."""

    text: str = Field(min_length=1)
    source: Literal["speech", "screen", "web", "model"]


class Provenance(Record):
    """Who claimed a piece of evidence, at which step, and from which frames.

    Attributes:
        claimed_by: agent, tool or model name.
        step: 1-based step of the trajectory, None when outside one.
        frames: true times in seconds of the frames the claim rests on; empty for sound.
    """

    claimed_by: str
    step: int | None = Field(default=None, ge=1)
    frames: tuple[float, ...] = ()


class Evidence(Record):
    """One piece of proof; at least one of window, boxes and quote is present."""

    window: Window | None = None
    boxes: tuple[TimedBox, ...] = ()
    quote: Quote | None = None
    note: str = ""
    provenance: Provenance

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.window is None and not self.boxes and self.quote is None:
            raise ValueError("evidence needs a window, a box or a quote")
        return self
