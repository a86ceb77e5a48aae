"""Verdict on an open answer by a model: a primary judge, and a fallback only when that one cannot be had.

Source: VideoGAIA protocol, section 3. A fallback is no second opinion: it is asked when the primary stays unavailable
or gives no verdict after several retries, and the record says who decided.
"""

import time
from typing import Any, Literal

import anyio

from proofreel.core import Gold, Outcome, Question, TokenUse, Trajectory
from proofreel.core._base import Record
from proofreel.judges._ask import judge_name
from proofreel.judges._open_exact_words import same_words
from proofreel.judges._open_prompt import VERSION, open_prompt, read_verdict
from proofreel.judges.choice import MODEL_STOPS, Verdict
from proofreel.judges.open_exact import judge_open

RETRIES = 5
PAUSE = 0.5
"""Seconds before the first retry of a judge that cannot be had; doubled each time."""
MAX_TOKENS = 8000
_PASSING = ("timeout", "unreachable", "rate_limited", "bad_response", "empty", "truncated", "filtered")
"""Failures that may pass; others (refused, too long) go to the fallback at once, a missing key to nobody."""


class OpenVerdict(Record):
    """One judgement.

    Attributes:
        correct: None when no judge gave a verdict.
        reason: the judge's sentence.
        decided_by: model that decided; ``rule`` for an empty prediction; None when nobody did.
        served: that model's name as its server gave it.
        fell_back: the fallback decided, because the primary could not.
        exact: the plain rule beside it: equal to the reference or an alias after clean-up.
        failures: why requests came to nothing, in order, each with its judge.
        raw: every reply, letter for letter.
        failure: why there is no verdict, None when there is one.
        prompt: version of the instruction.
    """

    correct: bool | None
    reason: str = ""
    decided_by: str | None = None
    served: str | None = None
    fell_back: bool = False
    exact: bool = False
    failures: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    failure: str | None = None
    prompt: str = VERSION
    tokens: TokenUse = TokenUse()
    seconds: float = 0.0

    @property
    def disagrees(self) -> bool:
        """The judge and the plain rule differ: worth a look by a person when the rule says equal."""
        return self.correct is not None and self.correct is not self.exact


async def ask_open_judge(
    question: Question,
    gold: Gold,
    prediction: str,
    judge: Any,
    *,
    fallback: Any = None,
    retries: int = RETRIES,
    pause: float = PAUSE,
    deadline: float | None = None,
) -> OpenVerdict:
    """Has a model decide whether a prediction states the reference's fact.

    Args:
        question: its text is shown; nothing else of the item is but the reference.
        gold: reference and aliases.
        prediction: the agent's answer; an empty one is incorrect and nobody is asked.
        judge: engine model.
        fallback: engine model asked only when ``judge`` stays unavailable or without a verdict.
        retries: requests to each model after its first.
        pause: seconds before the first retry of a model that cannot be had, doubled each time.
        deadline: seconds a call may take.
    """
    reference = gold.answer or ""
    exact = same_words(prediction, reference, gold.aliases)
    if not prediction.strip():
        return OpenVerdict(correct=False, reason="the prediction is empty", decided_by="rule")
    began = time.monotonic()
    prompt = open_prompt(question.text, reference, gold.aliases, prediction)
    tries = _Tries()
    models = [m for m in (judge, fallback) if m is not None]
    for model in models:
        found = await _one(model, prompt, tries, retries, pause, deadline)
        if found is not None or tries.final:
            break
    common: dict[str, Any] = {
        "exact": exact,
        "failures": tuple(tries.failures),
        "raw": tuple(tries.raw),
        "tokens": tries.tokens,
        "seconds": time.monotonic() - began,
    }
    if found is None:
        last = tries.failures[-1] if tries.failures else "no judge was asked"
        return OpenVerdict(correct=None, failure=f"no verdict: {last}", **common)
    return OpenVerdict(
        correct=found[0],
        reason=found[1],
        decided_by=judge_name(model),
        served=tries.served,
        fell_back=model is not models[0],
        **common,
    )


def open_verdict(
    trajectory: Trajectory, judged: OpenVerdict, mode: Literal["official", "careful"] = "careful"
) -> Verdict:
    """The outcome of a judgement; officially a task without a verdict counts as incorrect, carefully it has none."""
    abstained = trajectory.answer.abstained
    if judged.correct is None:
        outcome = Outcome.WRONG if mode == "official" else Outcome.JUDGE_FAILED
        said = "unjudged, counted incorrect: " if mode == "official" else ""
        return Verdict(outcome=outcome, abstained=abstained, reason=f"{said}{judged.failure}")
    outcome = Outcome.RIGHT if judged.correct else Outcome.WRONG
    who = f" (judged by {judged.decided_by}{', the fallback' if judged.fell_back else ''})"
    return Verdict(outcome=outcome, abstained=abstained, reason=f"{judged.reason}{who}".strip())


async def judge_open_answer(
    trajectory: Trajectory,
    question: Question,
    gold: Gold,
    judge: Any = None,
    *,
    fallback: Any = None,
    mode: Literal["official", "careful"] = "careful",
    **settings: Any,
) -> tuple[Verdict, OpenVerdict | None]:
    """Verdict and record of a trajectory's open answer.

    Carefully an answer that a failing model or harness left has no verdict, as with every judge. Officially whatever
    is no answer is an empty prediction; only a fault of the harness is not the model's. Without a judge the plain
    exact rule decides and says so; questions that have no answer are left to ``judge_open``.

    Args:
        trajectory: what the agent did; the judge sees its answer alone.
        question: the question.
        gold: the reference.
        judge: engine model, None for none.
        fallback: see ``ask_open_judge``.
        mode: careful or official.
        settings: further arguments of ``ask_open_judge``.
    """
    local = judge_open(trajectory, gold)
    if local.outcome is Outcome.HARNESS_FAILED or gold.answer is None:
        return local, None
    failed = trajectory.answer.stop in MODEL_STOPS
    if failed and mode == "careful":
        return local, None
    prediction = "" if trajectory.answer.abstained else trajectory.answer.value or ""
    if judge is None and prediction.strip():
        same = same_words(prediction, gold.answer or "", gold.aliases)
        said = "equals the reference" if same else "differs from the reference"
        outcome = Outcome.RIGHT if same else Outcome.WRONG
        return Verdict(outcome=outcome, reason=f"{said} after clean-up; no judge was given (--judge)"), None
    judged = await ask_open_judge(question, gold, prediction, judge, fallback=fallback, **settings)
    return open_verdict(trajectory, judged, mode), judged


class _Tries:
    """What all requests of one judgement came to; ``final`` means that no other judge may be asked."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.raw: list[str] = []
        self.tokens = TokenUse()
        self.served: str | None = None
        self.final = False


async def _one(
    model: Any, prompt: str, tries: _Tries, retries: int, pause: float, deadline: float | None
) -> tuple[bool, str] | None:
    """A verdict of one model, None when it gives none in all its requests."""
    from inspect_ai.model import GenerateConfig

    from proofreel.models import ModelFailure, call_model, model_card

    name = judge_name(model)
    warm = model_card(name).temperature is False
    config = GenerateConfig(temperature=None if warm else 0.0, max_tokens=MAX_TOKENS)
    for attempt in range(retries + 1):
        # A first request may come from the run's cache; asking again for the same would give the same.
        fresh: dict[str, Any] = {"cache": False} if attempt else {}
        try:
            record = await call_model(model, prompt, config=config, deadline=deadline, role="judge", **fresh)
        except ModelFailure as failure:
            free = failure.status is not None
            tries.tokens = tries.tokens + TokenUse(calls=1, cost_usd=0.0 if free else None)
            tries.failures.append(f"{name}: {failure}")
            tries.final = failure.kind.value == "auth"
            if failure.kind.value not in _PASSING:
                return None
            if attempt < retries:
                await anyio.sleep(pause * 2**attempt)
            continue
        tries.tokens = tries.tokens + record.tokens
        tries.raw.append(record.text)
        if record.failure is not None:
            tries.failures.append(f"{name}: {record.failure}")
            if record.failure.kind.value not in _PASSING:
                return None
            continue
        found = read_verdict(record.text)
        if found is not None:
            tries.served = record.output.model or None
            return found
        tries.failures.append(f"{name}: the reply holds no verdict ({record.text.strip()[:80]!r})")
    return None
