"""The one text form of a trajectory, read by judges and by people."""

import json
import re
from typing import Any

from proofreel.core.question import Question
from proofreel.core.trajectory import Step, Trajectory

MASK = "[option hidden]"
_LETTER_PHRASE = re.compile(
    r"(?i)((?:final answer|answer|option|choice)\W{0,4}(?:is\W{0,3})?)\b[A-Z]\b(?![a-z])"
)


def _clean(value: Any) -> Any:
    """Drops nulls and empty containers, so that unlike agents render alike."""
    if isinstance(value, dict):
        return {k: c for k, v in value.items() if (c := _clean(v)) not in (None, "", [], {}, ())}
    if isinstance(value, list):
        return [_clean(v) for v in value]
    return value


def _step_body(step: Step, *, mask_letter: bool) -> str:
    body = _clean(step.model_dump(mode="json", exclude={"id", "seconds", "tokens"}))
    text = json.dumps(body, indent=2, ensure_ascii=False)
    return _LETTER_PHRASE.sub(rf"\1{MASK}", text) if mask_letter and step.phase == "answer" else text


def render_trajectory(
    trajectory: Trajectory,
    question: Question | None = None,
    *,
    blind: bool = False,
    mask_letter: bool = False,
) -> str:
    """A trajectory as text: header, question, metric line, then every step as indented JSON, nothing cut.

    Args:
        trajectory: what to render.
        question: rendered with its options when given.
        blind: leave out agent and model names, so that a judge cannot favour one.
        mask_letter: hide the option letter in the answer step, since letters are scored elsewhere.

    Source: AgentVidBench protocol, section 4.3 (judge text).
    """
    head = [f"QUESTION_ID: {trajectory.question_id}"]
    if not blind:
        head = [f"AGENT: {trajectory.agent}", f"MODEL: {trajectory.model or 'none'}", *head]
    if question is not None:
        head += ["", question.rendered()]
    calls = [o for s in trajectory.steps for o in s.observations]
    failed = sum(not o.ok for o in calls)
    head += [
        "",
        f"METRICS: steps={len(trajectory.steps)} tool_calls={trajectory.tool_calls} failed_results={failed} "
        f"frames_seen={trajectory.frames_seen} tokens={trajectory.tokens.total}",
    ]
    steps = [f"[Step {s.id}]\n{_step_body(s, mask_letter=mask_letter)}" for s in trajectory.steps]
    return "\n\n".join(["\n".join(head), *steps]) + "\n"
