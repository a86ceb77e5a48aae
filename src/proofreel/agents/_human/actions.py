"""What a person does on the page, as it comes over the wire."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from proofreel.agents._citing import Citation


class _Action(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Open(_Action):
    """The question is on the screen; the clock starts."""

    do: Literal["open"]


class Watch(_Action):
    """A stretch was played, or a moment was looked at (start and end the same)."""

    do: Literal["watch"]
    start: float = Field(ge=0)
    end: float = Field(ge=0)
    rate: float = Field(default=1.0, gt=0, le=16)


class Search(_Action):
    """Speech and screen text are searched."""

    do: Literal["search"]
    query: str = Field(min_length=1, max_length=500)


class Mark(_Action):
    """Evidence is marked."""

    do: Literal["mark"]
    citation: Citation


class Unmark(_Action):
    """Marked evidence is taken back; ``n`` counts from 1."""

    do: Literal["unmark"]
    n: int = Field(ge=1)


class Choose(_Action):
    """The answer so far; it counts when the time runs out."""

    do: Literal["choose"]
    letter: str | None = Field(default=None, pattern="^[A-Z]$")
    text: str = Field(default="", max_length=4000)
    confidence: float | None = Field(default=None, ge=0, le=1)
    reason: str = Field(default="", max_length=4000)


class Give(_Action):
    """The answer so far is the answer; without one the question is left blank."""

    do: Literal["answer"]


Action = Annotated[Open | Watch | Search | Mark | Unmark | Choose | Give, Field(discriminator="do")]
ACTION: TypeAdapter[Open | Watch | Search | Mark | Unmark | Choose | Give] = TypeAdapter(Action)
