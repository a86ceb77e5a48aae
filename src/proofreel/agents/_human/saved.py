"""The state of an unfinished question on disk."""

import hashlib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError

from proofreel.core import Evidence, Question, Step
from proofreel.core._base import Record
from proofreel.core.errors import UserError


class Saved(Record):
    """What was done about a question so far; ``elapsed`` is the time it was open, in seconds."""

    format_version: Literal[1] = 1
    question: Question
    steps: tuple[Step, ...] = ()
    marks: tuple[Evidence, ...] = ()
    draft: dict[str, Any] = Field(default_factory=dict)
    elapsed: float = Field(default=0.0, ge=0)

    @classmethod
    def load(cls, file: Path, question: Question) -> Self:
        """The state of this question; a fresh one when there is none.

        Raises:
            UserError: the file is not whole or is about another question.
        """
        if not file.exists():
            return cls(question=question)
        try:
            found = cls.model_validate_json(file.read_bytes())
        except (OSError, ValidationError) as error:
            said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.strerror
            raise UserError(
                f"{file}: cannot be taken up ({said}); move it away to start this question over"
            ) from None
        if found.question != question:
            raise UserError(f"{file}: is about another question; move it away")
        return found

    def write(self, file: Path) -> None:
        """Replaces the file in one step."""
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".tmp")
        part.write_text(self.model_dump_json(), encoding="utf-8")
        part.replace(file)


def place_of(question: Question, root: Path) -> Path:
    """The file of a question below a folder, the same for the same question."""
    digest = hashlib.sha256(question.model_dump_json().encode()).hexdigest()[:20]
    return root / f"{digest}.json"
