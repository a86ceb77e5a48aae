"""Questions, what an agent may see of them, and the gold it may not."""

import string
from typing import Any, Self

from pydantic import Field, model_validator

from proofreel.core._base import Record
from proofreel.core.space import TimedBox
from proofreel.core.time import Window


class Option(Record):
    """One choice of a multiple-choice question."""

    letter: str = Field(pattern="^[A-Z]$")
    text: str


class Milestone(Record):
    """A fact an honest investigation must establish (AgentVidBench: ids M1..Mn)."""

    id: str = Field(pattern=r"^M[1-9]\d*$")
    type: str
    description: str = Field(min_length=1)


class Question(Record):
    """Everything an agent may see: no gold, no taxonomy, no explanation.

    Attributes:
        id: unique inside its benchmark.
        text: the question without options and without answer-format instructions.
        options: empty for open answers; letters run from A without gaps.
        video: path of the video file.
        duration: seconds, None when unknown (never invented).
        transcript: path of an SRT or VTT file, None when there is none.
    """

    id: str
    text: str = Field(min_length=1)
    options: tuple[Option, ...] = ()
    video: str
    duration: float | None = Field(default=None, ge=0)
    transcript: str | None = None

    @model_validator(mode="after")
    def _letters_run(self) -> Self:
        letters = "".join(o.letter for o in self.options)
        if letters != string.ascii_uppercase[: len(letters)]:
            raise ValueError(f"question {self.id}: option letters must run A, B, C, ..., got {letters}")
        return self

    @classmethod
    def ask(cls, text: str, video: str, options: tuple[str, ...] = (), **extra: Any) -> "Question":
        """A question from plain option texts; the position gives the letter.

        Raises:
            ValueError: more than 26 options, or an empty question.
        """
        if len(options) > 26:
            raise ValueError(f"at most 26 options (A to Z), got {len(options)}")
        lettered = tuple(
            Option(letter=a, text=o) for a, o in zip(string.ascii_uppercase, options, strict=False)
        )
        return cls(id=extra.pop("id", "ask"), text=text, video=video, options=lettered, **extra)

    def option_text(self, letter: str) -> str | None:
        """Text of an option, None when there is no such letter."""
        return next((o.text for o in self.options if o.letter == letter), None)

    def rendered(self) -> str:
        """Question, blank line, ``Options:`` and lines ``A) text`` (AgentVidBench section 3)."""
        lines = [f"Question: {self.text}"]
        if self.options:
            lines += ["", "Options:", *(f"{o.letter}) {o.text}" for o in self.options)]
        return "\n".join(lines)


class Gold(Record):
    """The reference: seen by scorers, never by agents.

    Attributes:
        answer: letter for multiple choice, text for open answers, None when the video does not show it.
        aliases: other accepted texts of an open answer.
        windows: seconds in which the proof lies.
        boxes: where it lies, at moments.
    """

    answer: str | None
    aliases: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    boxes: tuple[TimedBox, ...] = ()
    milestones: tuple[Milestone, ...] = ()
    explanation: str = ""


class Item(Record):
    """One row of a benchmark: the question, its gold, and free metadata for slicing."""

    question: Question
    gold: Gold
    metadata: dict[str, Any] = Field(default_factory=dict)
