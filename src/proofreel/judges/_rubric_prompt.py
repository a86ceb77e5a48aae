"""The request to the trajectory judge. It is built without gold: nothing here ever sees an answer or explanation.

The explanation has one way in, on purpose: as the reference of the check that compares both kinds of reference.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from proofreel.core import Milestone, Question, Trajectory, render_trajectory
from proofreel.core.errors import UserError
from proofreel.judges._mask import without_letters
from proofreel.judges._rubric_words import PROSE, VERSION, system_text
from proofreel.judges.rubric_scores import AXES

Sweep = Literal["yes", "no", "unknown"]
MARK_DIGITS = 32


@dataclass(frozen=True)
class Prompt:
    """What the judge is told before it sees a trajectory.

    Attributes:
        system: the whole system message.
        name: version of ours, or the name of a file.
        frames: whether it speaks of attached frames.
    """

    system: str
    name: str = VERSION
    frames: bool = False

    @property
    def sha256(self) -> str:
        """Hash of everything that is the same for all items: system message and form of the request."""
        text = f"{self.system}\0{FORM}\0{REMINDER}"
        return hashlib.sha256(text.encode()).hexdigest()


FORM = "QUESTION_ID FRAMEWORK SWEEP_REQUIRED QUESTION OPTIONS GT_MILESTONES PREDICTED_TRAJECTORY REMINDER"
"""Fields of the request in their order; part of the prompt's hash."""
REMINDER = (
    "REMINDER: milestone_coverage has exactly {n} entries, in this order: {ids}. Reply with the JSON alone."
)
REMINDER_NONE = "REMINDER: milestone_coverage is an empty list. Reply with the JSON alone."


def built_in(
    *, reference: str = "milestones", frames: bool = False, prose: dict[str, str] | None = None
) -> Prompt:
    """Our own rubric, optionally with its explanatory passages in other words."""
    name = VERSION if prose is None else f"{VERSION}-reworded"
    return Prompt(system_text(prose or PROSE, reference=reference, frames=frames), name, frames)


def prompt_from_file(path: Path) -> Prompt:
    """A rubric of the user's own: the whole file is the system message.

    Raises:
        UserError: no such file, or it does not name the five axes the reply is read by.
    """
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: the prompt cannot be read ({error}); give a UTF-8 text file") from None
    if absent := [name for name in AXES.values() if name not in text]:
        raise UserError(
            f"{path}: the prompt never says {absent[0]!r}; replies are read by the names {', '.join(AXES.values())}"
        )
    return Prompt(text, path.name)


def mark_of(text: str) -> str:
    """The mark of the two lines around a text: a hash over it, so that no text can contain its own.

    It is the same for the same text (requests can be repeated to the byte), and who writes the text cannot know it.
    """
    return hashlib.sha256(b"proofreel trajectory\0" + text.encode()).hexdigest()[:MARK_DIGITS]


def fenced(text: str) -> str:
    """A text between two lines with its mark."""
    mark = mark_of(text)
    return f"<<<{mark} begins>>>\n{text.rstrip()}\n<<<{mark} ends>>>"


def user_text(
    trajectory: Trajectory,
    question: Question,
    reference: Sequence[Milestone] | str,
    sweep: Sweep,
    *,
    blind: bool,
    mask_letter: bool,
) -> str:
    """The user message: the fields of ``FORM``.

    Args:
        trajectory: rendered whole, in the one form all agents share.
        question: text and options.
        reference: milestones, or an explanation in their place.
        sweep: whether the whole video must be searched.
        blind: keep the names of agent and model from the judge.
        mask_letter: hide option letters that the trajectory commits to.
    """
    shown = render_trajectory(without_letters(trajectory) if mask_letter else trajectory, blind=blind)
    options = [f"  {o.letter}. {o.text}" for o in question.options]
    if isinstance(reference, str):
        gold, reminder = ["GT_EXPLANATION:", f"  {reference}"], REMINDER_NONE
    else:
        gold = ["GT_MILESTONES:", *(f"  {m.id} [{m.type}] {m.description}" for m in reference)]
        reminder = REMINDER.format(n=len(reference), ids=", ".join(m.id for m in reference))
    return "\n".join(
        [
            f"QUESTION_ID: {question.id}",
            f"FRAMEWORK: {'withheld' if blind else trajectory.agent}",
            f"SWEEP_REQUIRED: {sweep}",
            f"QUESTION: {question.text}",
            *(["OPTIONS:", *options] if options else ["OPTIONS: none, the answer is free text"]),
            *gold,
            "PREDICTED_TRAJECTORY:",
            fenced(shown),
            reminder,
        ]
    )


def reply_schema() -> dict[str, Any]:
    """JSON schema of the reply, with only the keywords that all providers take; ranges are checked by us."""
    text, score = {"type": "string"}, {"type": "integer"}
    return {
        "type": "object",
        "properties": {
            "process_scores": _object(
                {
                    name: {"anyOf": [score, {"type": "null"}]} if axis == "P4" else score
                    for axis, name in AXES.items()
                }
            ),
            "axis_rationales": _object(dict.fromkeys(AXES, text)),
            "milestone_coverage": {
                "type": "array",
                "items": _object({"milestone_id": text, "status": text, "evidence_in_prediction": text}),
            },
            "failure_tags": {"type": "array", "items": text},
            "summary": text,
        },
        "required": [
            "process_scores",
            "axis_rationales",
            "milestone_coverage",
            "failure_tags",
            "summary",
        ],
        "additionalProperties": False,
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
