"""The trajectory judge: a model scores an investigation on five axes and labels its milestones.

It works for every benchmark whose gold has milestones. The request is built from the question, the milestones and the
trajectory; the gold answer and the explanation never reach it.

Source: AgentVidBench protocol, sections 5.2 and 5.3.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from proofreel.core import Item, Milestone, TokenUse, Trajectory
from proofreel.core._base import Record
from proofreel.judges._ask import ATTEMPTS, Asked, ask_checked, judge_name
from proofreel.judges._rubric_parse import Scores, read_careful, read_official
from proofreel.judges._rubric_prompt import Prompt, Sweep, built_in, reply_schema, user_text
from proofreel.judges.grounded import cited_frames
from proofreel.judges.rubric_scores import Mode

Status = Literal["judged", "judge_failed", "not_judged"]


class MilestoneLabel(Record):
    """The label of one reference milestone, and the words of the trajectory that decided it."""

    id: str
    type: str = ""
    status: str
    evidence: str = ""


class Judgement(Record):
    """One trajectory judged once.

    Attributes:
        status: ``judged``; ``judge_failed`` when no usable reply came; ``not_judged`` when nobody was asked.
        reason: why there are no scores.
        judge: model whose reply counts; empty when nobody was asked.
        served: its name as the server gave it, often a dated snapshot.
        fell_back: the fallback judged, because the judge failed.
        scores: P1 to P5, each 0, 1, 2, or None where the axis does not apply.
        traj: trajectory score in [0, 1]; None without scores.
        mc_rate: milestone coverage in [0, 1]; None without milestones.
        milestones: labels in the order of the reference.
        failure_tags: from the closed list.
        rationales: a text for each axis.
        summary: the judge's own.
        sweep: whether the whole video had to be searched.
        prompt: version or file name of the rubric.
        prompt_sha256: hash of what is the same for all items.
        raw: every reply of every model asked, letter for letter.
        notes: what was mended or tried.
        windows_shown: moments whose frames the judge was shown, as start and end in seconds.
        calls: ids of the calls, as in the ledger.
        tokens: of all calls.
        seconds: wall time.
    """

    status: Status
    reason: str = ""
    judge: str = ""
    served: str | None = None
    fell_back: bool = False
    scores: dict[str, float | None] = Field(default_factory=dict)
    traj: float | None = None
    mc_rate: float | None = None
    milestones: tuple[MilestoneLabel, ...] = ()
    failure_tags: tuple[str, ...] = ()
    rationales: dict[str, str] = Field(default_factory=dict)
    summary: str = ""
    sweep: Sweep = "unknown"
    prompt: str = ""
    prompt_sha256: str = ""
    raw: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    windows_shown: tuple[tuple[float, float], ...] = ()
    calls: tuple[str, ...] = ()
    tokens: TokenUse = TokenUse()
    seconds: float = Field(default=0.0, ge=0)


class RubricSettings(Record):
    """What decides a judgement beside judge and trajectory.

    Attributes:
        mode: careful or official.
        blind: keep the names of agent and model from the judge; None: in careful mode.
        mask_letter: hide option letters that the trajectory commits to.
        grounded: show the judge frames from the moments the trajectory cites.
        reference: milestones, or the person's explanation (for one check of the judge, never for scores).
        attempts: requests for one usable reply; the official mode asks once.
        structured: hold the judge to a JSON schema; None: where its card says that it can be.
        config: generation settings over the judge's defaults.
    """

    mode: Mode = "careful"
    blind: bool | None = None
    mask_letter: bool = False
    grounded: bool = False
    reference: Literal["milestones", "explanation"] = "milestones"
    attempts: int = Field(default=ATTEMPTS, ge=1)
    structured: bool | None = None
    config: dict[str, Any] = Field(default_factory=dict)

    @property
    def hides_names(self) -> bool:
        """Whether agent and model are kept from the judge."""
        return self.mode == "careful" if self.blind is None else self.blind


def sweep_of(item: Item) -> Sweep:
    """Whether the question needs the whole video searched, as its benchmark says; unknown when it does not."""
    said = item.metadata.get("sweep_required")
    return "yes" if said in ("yes", True) else "no" if said in ("no", False) else "unknown"


async def judge_rubric(
    trajectory: Trajectory,
    item: Item,
    model: Any,
    *,
    settings: RubricSettings | None = None,
    prompt: Prompt | None = None,
    fallback: Any = None,
    ledger: Any = None,
    deadline: float | None = None,
) -> Judgement:
    """Has a model judge one trajectory; never raises for a failure of the model.

    Args:
        trajectory: of any agent.
        item: its question, and the milestones of its gold.
        model: engine model.
        settings: mode and options.
        prompt: another rubric; None takes ours.
        fallback: engine model asked only when ``model`` fails; the judgement names who judged.
        ledger: records the frames of a grounded judgement.
        deadline: seconds a call may take.
    """
    how = settings or RubricSettings()
    told = prompt or built_in(reference=how.reference, frames=how.grounded)
    sweep = sweep_of(item)
    common: dict[str, Any] = {"sweep": sweep, "prompt": told.name, "prompt_sha256": told.sha256}
    # The only fields of gold that are read here.
    reference: tuple[Milestone, ...] | str = item.gold.milestones
    if how.reference == "explanation":
        reference = item.gold.explanation
    if why := _nothing_to_judge(trajectory, reference):
        return Judgement(status="not_judged", reason=why, **common)
    text = user_text(
        trajectory, item.question, reference, sweep, blind=how.hides_names, mask_letter=how.mask_letter
    )
    shown = await cited_frames(trajectory, item.question.video) if how.grounded else None
    listed = reference if isinstance(reference, tuple) else ()
    asked = await ask_checked(
        model,
        _messages(told, text, shown),
        lambda reply: _read(reply, listed, sweep, how.mode),
        fallback=fallback,
        attempts=1 if how.mode == "official" else how.attempts,
        schema=("trajectory_verdict", reply_schema()),
        structured=how.structured,
        config=how.config,
        ledger=ledger,
        deadline=deadline,
    )
    windows = () if shown is None else tuple((w.start, w.end) for w in shown.windows)
    notes = () if shown is None else shown.notes
    return _judgement(asked, listed, common | {"windows_shown": windows}, notes)


def request_text(trajectory: Trajectory, item: Item, settings: RubricSettings | None = None) -> str:
    """The user message that a judge would get, for looking at it."""
    how = settings or RubricSettings()
    return user_text(
        trajectory,
        item.question,
        item.gold.milestones,
        sweep_of(item),
        blind=how.hides_names,
        mask_letter=how.mask_letter,
    )


def _nothing_to_judge(trajectory: Trajectory, reference: Sequence[Milestone] | str) -> str:
    if not reference:
        return "no reference: the question has no milestones to judge by"
    if not any(s.text.strip() or s.calls or s.observations for s in trajectory.steps):
        return f"no trajectory: the agent left nothing to judge ({trajectory.answer.stop.value})"
    return ""


def _messages(prompt: Prompt, text: str, shown: Any) -> list[Any]:
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    if shown is None or shown.ref is None:
        return [ChatMessageSystem(content=prompt.system), ChatMessageUser(content=text)]
    from proofreel.models import media_message

    return [ChatMessageSystem(content=prompt.system), media_message(text, [shown.ref])]


def _read(reply: str, milestones: Sequence[Milestone], sweep: Sweep, mode: Mode) -> Scores:
    if mode == "official":
        return read_official(reply)
    return read_careful(reply, [m.id for m in milestones], sweep)


def _judgement(
    asked: Asked[Scores], milestones: Sequence[Milestone], common: dict[str, Any], notes: tuple[str, ...]
) -> Judgement:
    common |= {
        "judge": asked.judge,
        "served": asked.served,
        "fell_back": asked.fell_back,
        "raw": asked.raw,
        "calls": asked.calls,
        "tokens": asked.tokens,
        "seconds": asked.seconds,
    }
    found = asked.value
    if found is None:
        said = asked.failure or "no reply"
        return Judgement(status="judge_failed", reason=said, notes=(*notes, *asked.notes), **common)
    types = {m.id: m.type for m in milestones}
    labels = tuple(
        MilestoneLabel(id=i, type=types.get(i, ""), status=status, evidence=evidence)
        for i, status, evidence in found.labels
    )
    return Judgement(
        status="judged",
        scores=found.scores,
        traj=found.traj,
        mc_rate=found.mc_rate,
        milestones=labels,
        failure_tags=found.failure_tags,
        rationales=found.rationales,
        summary=found.summary,
        notes=(*notes, *asked.notes, *found.notes),
        **common,
    )


__all__ = [
    "Judgement",
    "MilestoneLabel",
    "Prompt",
    "RubricSettings",
    "judge_name",
    "judge_rubric",
    "request_text",
    "sweep_of",
]
