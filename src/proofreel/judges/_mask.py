"""A trajectory without the option letters it commits to: the reasoning stays, the letter is scored elsewhere."""

import re
from typing import Any

from proofreel.core import Step, Trajectory
from proofreel.core.render import MASK

_KEYS = frozenset(
    {"answer", "letter", "choice", "option", "final_answer", "suggested_answer", "extracted_letter"}
)
# A key or phrase, then at most a few signs (quotes may be escaped), then one capital that stands alone.
_PHRASE = re.compile(
    r"(?i:(\b(?:final[_ ]?answer|suggested_answer|answer|option|choice|letter|choose|pick|select)\b"
    r"[\"'\\*_`]{0,4}\s{0,2}(?:is\b|:|=|-|\u2192)?[\s\"'\\*_`(\[:]{0,6}(?:option\s+)?[\"'\\*_`(\[]{0,3}))"
    r"[A-Z](?![A-Za-z0-9])"
)
_ALONE = re.compile(r"(?m)^(\s*[(\[*_`\"']*)[A-Z]([)\].*_`\"']*)\s*$")
_LINE_START = re.compile(r"(?m)^(\s*)[A-Z](?=[).:]\s)")


def without_letters(trajectory: Trajectory) -> Trajectory:
    """The same trajectory with every letter that is named as an answer replaced by a mark.

    Letters inside tool results are left, for they are evidence and not a commitment.
    """
    return trajectory.model_copy(update={"steps": tuple(_step(s) for s in trajectory.steps)})


def mask_text(text: str) -> str:
    """A text without committed letters."""
    return _LINE_START.sub(
        rf"\g<1>{MASK}", _ALONE.sub(rf"\g<1>{MASK}\g<2>", _PHRASE.sub(rf"\g<1>{MASK}", text))
    )


def _step(step: Step) -> Step:
    return step.model_copy(update={"text": mask_text(step.text), "data": _data(step.data)})


def _data(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _data(v, str(k).lower()) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_data(v, key) for v in value]
    if isinstance(value, str):
        return MASK if key in _KEYS and re.fullmatch(r"\s*[A-Z]\s*", value) else mask_text(value)
    return value
