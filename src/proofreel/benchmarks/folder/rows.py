"""One line of a folder's ``questions.jsonl``."""

import difflib
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from proofreel.benchmarks.agentvidbench.rows import BoxRow
from proofreel.core import Milestone


class Row(BaseModel):
    """A question; only ``video``, ``question`` and ``answer`` are needed.

    Attributes:
        id: text or number, unique in the file; the line number when absent.
        video: path relative to the folder.
        question: the question, without options and without answer-format instructions.
        options: 2 to 26 texts; absent for an open answer.
        answer: the letter or the exact text of an option; for an open answer its text, or null when the video
            does not show it.
        aliases: other accepted texts of an open answer.
        windows: ``[start, end]`` in seconds, where the proof lies.
        boxes: ``{"time": seconds, "box": [x0, y0, x1, y1]}`` with coordinates in 0-1.
        milestones: ``{"id": "M1", "type": ..., "description": ...}``, or plain texts.
        transcript: SRT or VTT file, relative to the folder.
        explanation: for people; no agent and no judge sees it.
        metadata: anything to slice results by. Keys that are not named here land in it too.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str | int | None = None
    video: str = Field(min_length=1)
    question: str = Field(min_length=1)
    options: list[str] = Field(default=[], max_length=26)
    answer: str | int | float | None
    aliases: list[str] = []
    windows: list[tuple[float, float]] = []
    boxes: list[BoxRow] = []
    milestones: list[Milestone] = []
    transcript: str | None = None
    explanation: str = ""
    metadata: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _spare_keys(cls, row: Any) -> Any:
        """Unknown keys become metadata, unless they look like a misspelt key of ours."""
        if not isinstance(row, dict):
            return row
        known = set(cls.model_fields)
        spare = {k: v for k, v in row.items() if k not in known}
        for key in spare:
            if close := difflib.get_close_matches(key, known, 1, 0.8):
                raise ValueError(
                    f"unknown key {key!r}, did you mean {close[0]!r}? (extra keys go to metadata)"
                )
        kept = {k: v for k, v in row.items() if k in known}
        return kept | {"metadata": spare | (row.get("metadata") or {})} if spare else kept

    @field_validator("milestones", mode="before")
    @classmethod
    def _plain_milestones(cls, given: Any) -> Any:
        """Plain texts get the ids M1, M2, ... and the type ``verification``."""
        if not isinstance(given, list):
            return given
        return [
            {"id": f"M{n}", "type": "verification", "description": m} if isinstance(m, str) else m
            for n, m in enumerate(given, 1)
        ]

    @model_validator(mode="after")
    def _answerable(self) -> Self:
        if len(self.options) == 1:
            raise ValueError(
                "one option leaves nothing to choose; give two or more, or none for an open answer"
            )
        if self.options and self.letter is None:
            raise ValueError(f"answer {self.answer!r} is neither the letter nor the text of one option")
        if self.options and self.aliases:
            raise ValueError("aliases are for open answers; this question has options")
        if not self.options and isinstance(self.answer, str) and not self.answer.strip():
            raise ValueError("the answer is empty; write null when the video does not show it")
        return self

    @property
    def letter(self) -> str | None:
        """Gold letter; None for open answers and when it cannot be told.

        An option's text goes before a letter: options ``B``, ``A`` with answer ``A`` mean the second one.
        """
        text = str(self.answer)
        if self.options.count(text) == 1:
            return chr(65 + self.options.index(text))
        letters = [chr(65 + i) for i in range(len(self.options))]
        return text if text in letters and text not in self.options else None
