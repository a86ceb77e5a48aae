"""Runs as the table builders read them: verdicts of each pass, tokens a reader of the answer sees, tool calls."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from proofreel.benchmarks.hooks import RunView
from proofreel.core import Item, Outcome

TOOLS = ("web_search", "page_visit", "think_with_video")
CATEGORIES = ("Culture", "Geography", "Daily Life", "History", "Technology", "Economics")
LEVELS = ("L1", "L2")
_COUNTED = {
    Outcome.RIGHT: 1.0,
    Outcome.WRONG: 0.0,
    Outcome.UNPARSED: 0.0,
    Outcome.MODEL_FAILED: 0.0,
    Outcome.JUDGE_FAILED: 0.0,
}
"""Unjudged tasks count incorrect and are listed (protocol section 3); a fault of the harness says nothing."""


@dataclass
class Answers:
    """One run, which may ask every task several times.

    Attributes:
        passes: by epoch, 1 or 0 by task.
        unjudged: (task, epoch) pairs no judge decided.
        missing: pairs not run, or lost to a fault of the harness.
        visible: mean visible output tokens of a task over all turns (completion without reasoning), None without any.
        calls: tool calls by name over all trajectories.
        done: finished (task, epoch) pairs.
    """

    view: RunView
    name: str
    items: Mapping[str, Item]
    passes: dict[int, dict[str, float]] = field(default_factory=dict)
    unjudged: int = 0
    missing: int = 0
    visible: float | None = None
    calls: Counter[str] = field(default_factory=Counter)
    done: int = 0

    def share(self, tasks: Sequence[str] | None = None) -> float | None:
        """pass@1 in percent: the mean over passes of the share right; over all tasks, or those named."""
        each = [v for v in (self.of_pass(e, tasks) for e in self.passes) if v is not None]
        return fmean(each) if each else None

    def of_pass(self, epoch: int, tasks: Sequence[str] | None = None) -> float | None:
        """The share right in one pass, in percent."""
        values = self.passes[epoch]
        kept = [values[t] for t in (values if tasks is None else tasks) if t in values]
        return 100 * fmean(kept) if kept else None

    @property
    def spread(self) -> float | None:
        """Standard deviation over passes in points, None with one."""
        each = [v for e in self.passes if (v := self.of_pass(e)) is not None]
        return stdev(each) if len(each) > 1 else None

    @property
    def output_cost(self) -> float | None:
        """US dollars of the visible output over all tasks of one pass, None while the price is unknown."""
        price = output_price(self.view.model)
        return None if self.visible is None or price is None else self.visible * len(self.items) * price / 1e6


def answers(runs: Sequence[RunView]) -> list[Answers]:
    """All runs, best first is left to the tables; names are unique."""
    names = [(r.model or r.agent).split("/")[-1] for r in runs]
    names = [f"{n} ({r.agent})" if names.count(n) > 1 else n for n, r in zip(names, runs, strict=True)]
    names = [f"{n} #{k}" if names.count(n) > 1 else n for k, n in enumerate(names, 1)]
    return [_answers(r, n) for r, n in zip(runs, names, strict=True)]


def _answers(view: RunView, name: str) -> Answers:
    found = Answers(view, name, {s.item.question.id: s.item for s in view.scored})
    seen: list[int] = []
    for one in view.scored:
        outcome = None if one.verdict is None else one.verdict.outcome
        if outcome is None or outcome not in _COUNTED:
            found.missing += outcome is not Outcome.EXCLUDED
        else:
            found.passes.setdefault(one.epoch, {})[one.item.question.id] = _COUNTED[outcome]
            found.unjudged += outcome is Outcome.JUDGE_FAILED
        if one.trajectory is None:
            continue
        found.done += 1
        use = one.trajectory.tokens
        if use.calls:
            seen.append(use.completion - use.reasoning)
        found.calls.update(c.name for s in one.trajectory.steps for c in s.calls)
    found.visible = fmean(seen) if seen else None
    return found


def output_price(model: str | None) -> float | None:
    """US dollars per million output tokens by the model's card, the band without a long context; None when unknown."""
    if model is None:
        return None
    from proofreel.models import model_card

    band = model_card(model).band(0)
    return None if band is None else band.output


def label(item: Item, key: str) -> str | None:
    """Category or difficulty of a task, None when the data do not tell."""
    value: Any = item.metadata.get(key)
    return str(value) if value else None


def tasks_with(items: Mapping[str, Item], key: str, value: str) -> list[str]:
    """Tasks of one category or level."""
    return [name for name, item in items.items() if label(item, key) == value]


def values_of(items: Mapping[str, Item], key: str, known: Sequence[str]) -> list[str]:
    """The labels that occur, the published ones first and in their order."""
    found = {v for i in items.values() if (v := label(i, key)) is not None}
    return [v for v in known if v in found] + sorted(found - set(known))
