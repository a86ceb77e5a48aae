"""What an agent did: steps, tool calls, observations, the answer and what it cost."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from proofreel.core._base import Record
from proofreel.core.evidence import Evidence

FORMAT_VERSION = 1

Phase = Literal["thinking", "tool_call", "tool_result", "plan", "observe", "reflect", "answer"]


class StopReason(StrEnum):
    """Why an agent stopped; all but ANSWERED, ABSTAINED and FORCED mean that there is no answer."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    FORCED = "forced"
    """Answered when a budget ran out and the final step was forced."""
    UNPARSED = "unparsed"
    OVERFLOW = "overflow"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    EMPTY = "empty"
    MODEL_ERROR = "model_error"
    HARNESS_ERROR = "harness_error"
    """A fault of the agent's own code or of ours, not of the model."""
    TOOL_FAILURES = "tool_failures"
    BUDGET = "budget"


class TokenUse(Record):
    """Tokens and money of one call or of a sum of calls; ``cost_usd`` is None while a price is unknown."""

    prompt: int = Field(default=0, ge=0)
    completion: int = Field(default=0, ge=0)
    reasoning: int = Field(default=0, ge=0)
    cached: int = Field(default=0, ge=0)
    calls: int = Field(default=0, ge=0)
    retries: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)

    @property
    def total(self) -> int:
        """Prompt and completion tokens together (completion includes reasoning)."""
        return self.prompt + self.completion

    def __add__(self, other: "TokenUse") -> "TokenUse":
        """Sums counts; the cost of a sum is unknown as soon as one part with calls has no price."""
        priced = [u for u in (self, other) if u.calls or u.cost_usd is not None]
        costs = [u.cost_usd for u in priced]
        known = [c for c in costs if c is not None]
        return TokenUse(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            reasoning=self.reasoning + other.reasoning,
            cached=self.cached + other.cached,
            calls=self.calls + other.calls,
            retries=self.retries + other.retries,
            cost_usd=sum(known) if costs and len(known) == len(costs) else None,
        )


class ToolCall(Record):
    """A request of the agent to a tool. ``arguments`` are as the model sent them, before clean-up."""

    id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Observation(Record):
    """What a tool gave back.

    Attributes:
        call_id: the ``ToolCall.id`` answered.
        ok: False for every failure; then ``failure_kind`` says which.
        failure_kind: validation, retry_exhausted, empty_response, budget, unknown_tool or error.
        text: what the agent reads.
        media: ids of the references shown to a model on the way (ledger entries).
        data: tool-specific fields (cleaned arguments, coverage, counts).
    """

    call_id: str
    tool: str
    ok: bool
    text: str
    failure_kind: str | None = None
    evidence: tuple[Evidence, ...] = ()
    media: tuple[str, ...] = ()
    data: dict[str, Any] = Field(default_factory=dict)


class Answer(Record):
    """The final answer.

    Attributes:
        value: the answer text, None when there is none.
        letter: chosen option of a multiple-choice question.
        confidence: in [0, 1], None when the agent gives none.
        abstained: the agent says that the video does not show it.
        stop: why the agent stopped.
    """

    value: str | None = None
    letter: str | None = Field(default=None, pattern="^[A-Z]$")
    confidence: float | None = Field(default=None, ge=0, le=1)
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    abstained: bool = False
    stop: StopReason = StopReason.ANSWERED


class Step(Record):
    """One step of a trajectory; ``seconds`` is wall time spent in it."""

    id: int = Field(ge=1)
    phase: Phase
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    observations: tuple[Observation, ...] = ()
    tokens: TokenUse | None = None
    seconds: float | None = Field(default=None, ge=0)
    data: dict[str, Any] = Field(default_factory=dict)


class Trajectory(Record):
    """The whole record of one agent on one question; holds no gold and no verdict."""

    format_version: Literal[1] = 1
    question_id: str
    agent: str
    model: str | None = None
    steps: tuple[Step, ...] = ()
    answer: Answer = Answer(stop=StopReason.MODEL_ERROR)
    tokens: TokenUse = TokenUse()
    frames_seen: int = Field(default=0, ge=0)
    seconds: float | None = Field(default=None, ge=0)
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def tool_calls(self) -> int:
        """Number of tool calls asked for, refused ones included."""
        return sum(len(s.calls) for s in self.steps)
