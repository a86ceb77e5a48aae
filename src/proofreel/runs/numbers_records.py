"""The typed tables of a run: what ``numbers`` fills and ``report`` writes."""

from pydantic import Field

from proofreel.core._base import Record

COUNTED = (
    "right",
    "wrong",
    "abstained",
    "unparsed",
    "model_failed",
    "judge_failed",
    "harness_failed",
    "excluded",
)
WITHOUT = ("judge_failed", "harness_failed", "not_run")
"""Endings that say nothing about the model: they are missing from the accuracy, and bounds show what they can do."""
FEW_VIDEOS = 20
"""Below this many videos a bootstrap over videos claims to know more than it does: no such interval is given."""


class Counts(Record):
    """How (item, epoch) pairs ended: each is in one field.

    An abstention counts as a wrong answer in the accuracy and is counted apart from the wrong ones everywhere.
    """

    right: int = 0
    wrong: int = 0
    abstained: int = 0
    unparsed: int = 0
    model_failed: int = 0
    judge_failed: int = 0
    harness_failed: int = 0
    excluded: int = 0
    not_run: int = 0

    @property
    def total(self) -> int:
        """All pairs."""
        return sum(self.of(n) for n in COUNTED) + self.not_run

    def of(self, ending: str) -> int:
        """Count of an ending by its name."""
        return int(getattr(self, ending))

    @property
    def missing(self) -> int:
        """Pairs that say nothing about the model."""
        return sum(self.of(n) for n in WITHOUT)

    @property
    def asked(self) -> int:
        """The denominator of the accuracy: right, wrong, abstained, unparsed and model_failed."""
        return self.total - self.missing - self.excluded


class Span(Record):
    """A 95 % interval, ends in [0, 1] for rates."""

    low: float
    high: float


class Estimate(Record):
    """An accuracy.

    Attributes:
        rate: right / asked, in [0, 1]; None when nothing was asked.
        right: numerator.
        asked: denominator: right, wrong, abstained, unparsed and model_failed.
        interval: headline, cluster-adjusted Wilson by video; None when it cannot be had, and ``reason`` says why.
        by_question: percentile bootstrap over questions (10,000 resamples).
        by_video: percentile bootstrap over videos; None with fewer than ``FEW_VIDEOS``.
        videos: clusters.
        effective: effective number of independent questions.
        icc: correlation of two answers on one video.
    """

    rate: float | None
    right: int
    asked: int
    interval: Span | None = None
    by_question: Span | None = None
    by_video: Span | None = None
    videos: int = 0
    effective: float | None = None
    icc: float | None = None
    reason: str | None = None


class Bounds(Record):
    """Accuracy over all items that are not excluded, whatever those without a verdict would have been.

    ``low`` takes each of them as wrong, ``high`` as right; ``interval`` goes from the low end of the one to the high
    end of the other.
    """

    items: int
    without_verdict: int
    low: float
    high: float
    interval: Span | None = None


class SliceRow(Record):
    """One value of one key; questions with several labels count in each of them."""

    key: str
    value: str
    counts: Counts
    videos: int
    rate: float | None
    interval: Span | None = None
    reason: str | None = None


class ToolRow(Record):
    """Use of one tool over all trajectories."""

    tool: str
    calls: int
    failed: int
    questions: int
    per_question: float
    most: int


class Spread(Record):
    """A quantity over (item, epoch) pairs; ``of`` pairs had it."""

    of: int
    mean: float
    median: float
    p90: float
    most: float
    total: float


class Usage(Record):
    """Tokens, money, frames and time.

    Attributes:
        tokens: per question; replayed answers count as when they were first given.
        prompt: mean prompt tokens per question.
        completion: mean completion tokens per question.
        million_tokens: tokens of one pass over all questions, in millions.
        efficiency: accuracy / ``million_tokens`` (AgentVidBench section 5.3), None without tokens.
        cost_per_question: USD per finished question, None while any price is unknown.
        paid: USD over all attempts of the run, killed ones included; None while any price is unknown.
        paid_tokens: tokens over all attempts.
        replayed_calls: calls answered by the run's own cache, not paid again.
        retries: retried requests.
        unfinished: attempts that left no result.
    """

    tokens: Spread | None = None
    prompt: float = 0.0
    completion: float = 0.0
    million_tokens: float = 0.0
    efficiency: float | None = None
    cost_per_question: float | None = None
    paid: float | None = None
    paid_tokens: int = 0
    calls: int = 0
    replayed_calls: int = 0
    retries: int = 0
    unfinished: int = 0
    frames: Spread | None = None
    seconds: Spread | None = None
    tool_calls: Spread | None = None
    tools: tuple[ToolRow, ...] = ()
    calls_histogram: tuple[tuple[int, int], ...] = ()
    stops: dict[str, int] = Field(default_factory=dict)


class Epochs(Record):
    """Several passes over the same questions.

    Attributes:
        rates: accuracy of each pass.
        mean: their mean.
        always: questions right in every pass.
        sometimes: right in some.
        never: right in none.
        same: share of questions that ended the same way in every pass.
        complete: questions that have all passes; the four above are about these.
    """

    rates: tuple[float | None, ...]
    mean: float | None
    always: int
    sometimes: int
    never: int
    same: float | None
    complete: int


class Official(Record):
    """A published summary beside ours; ``mode`` says whose rules made it."""

    mode: str
    n: int
    n_correct: int
    accuracy: float | None
    note: str = ""


class RunNumbers(Record):
    """Everything a report says about one run.

    Attributes:
        tiou: mean over all questions with reference windows that were run; one that cites nothing has 0.
        tiou_of: how many these are.
        tiou_curve: share of them at or above each threshold 0.1, 0.2, ..., 1.0.
    """

    format_version: int = 1
    path: str
    name: str
    benchmark: str
    agent: str
    model: str | None
    perceiver: str | None
    judge: str | None
    mode: str
    scored_by: str
    questions: int
    epochs_asked: int
    named_subset: str | None
    counts: Counts
    accuracy: Estimate
    of_verdicts: float | None
    bounds: Bounds | None
    tiou: float | None
    tiou_of: int
    tiou_curve: tuple[tuple[float, float], ...] = ()
    slices: tuple[SliceRow, ...]
    usage: Usage
    epochs: Epochs | None
    official: tuple[Official, ...] = ()
    chance: float | None = None
    served: dict[str, list[str]] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
