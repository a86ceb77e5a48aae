"""The calls of a run, worked through without making one: sums by role and level, what fits, what is kept on disk."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from proofreel.benchmarks import get_benchmark
from proofreel.core import Item
from proofreel.models.card import ModelCard
from proofreel.models.cards import model_card
from proofreel.models.estimate import Facts
from proofreel.runs import plan_calls
from proofreel.runs.plan_files import FileFact
from proofreel.runs.plan_fit import Fit, frames_of
from proofreel.runs.plan_money import Tally
from proofreel.runs.plan_records import LEVELS, Level
from proofreel.runs.setup import Wanted


class Work:
    """Calls of all questions, summed up by role and level."""

    def __init__(self, wanted: Wanted, facts: Mapping[str, FileFact]) -> None:
        self.wanted = wanted
        names = {"main": wanted.model, "perceiver": wanted.perceiver or wanted.model, "judge": wanted.judge}
        names = {**wanted.roles, **names}
        self.names: dict[str, str] = {r: n.removeprefix("proofreel/") for r, n in names.items() if n}
        self.cards: dict[str, ModelCard] = {n: model_card(n) for n in self.names.values()}
        self.facts = {
            p: Facts(f.duration or 0.0, f.width, f.height, f.frames)
            for p, f in facts.items()
            if f.error is None
        }
        self.files = facts
        self.make = plan_calls.calls_of(wanted.agent)
        self.known = self.make is not None
        self.booked: set[tuple[str, str]] = set()
        self.fit = Fit()
        self.tallies: dict[tuple[str, Level], Tally] = {}
        self.frames: dict[str, int | None] = dict.fromkeys(LEVELS, 0)
        self.cached: dict[Any, float] = {}
        self.clips: dict[Any, float] = {}
        self.setting = plan_calls.Setting(
            options={**wanted.options, "mode": wanted.mode},
            limits=wanted.limits,
            names=self.names,
            cards={role: self.cards[name] for role, name in self.names.items()},
        )

    @classmethod
    def of(cls, wanted: Wanted, items: Iterable[Item], facts: Mapping[str, FileFact]) -> "Work":
        """All calls of a run on these questions."""
        work = cls(wanted, facts)
        for item in items:
            work.add(item)
        return work

    def add(self, item: Item) -> None:
        """Works through the calls of one question at every level."""
        if self.make is None:
            return
        fact = self.files[item.question.video]
        for level in LEVELS:
            calls = self.make(item.question, fact, self.setting, level)  # type: ignore[arg-type]
            calls = calls + self._votes(item, level)
            for call in calls:
                self._call(item.question.id, call, level)

    def _votes(self, item: Item, level: str) -> list[plan_calls.Call]:
        if "judge" not in self.names:
            return []
        from proofreel.judges.letters_vote import CANDIDATES, ONE_AT_A_TIME

        if not item.question.options and get_benchmark(self.wanted.benchmark).judge is not None:
            return plan_calls.verdicts(level)  # type: ignore[arg-type]
        several = not self.names["judge"].startswith(ONE_AT_A_TIME)
        return plan_calls.votes(item.question, several, CANDIDATES, level)  # type: ignore[arg-type]

    def _call(self, item: str, call: plan_calls.Call, level: str) -> None:
        times = self.wanted.epochs
        if call.once is not None:
            if (level, call.once) in self.booked:
                return
            self.booked.add((level, call.once))
            times = 1
        name, row = self.setting.name(call.role), call.row or call.role
        card = self.cards[name]
        tally = self.tallies.setdefault(
            (row, level),  # type: ignore[arg-type]
            Tally(row, name, card, level),  # type: ignore[arg-type]
        )
        plan = self.fit.check(item, call, card, name, self.facts)
        sent = call if plan is None else replace(call, refs=plan.refs)
        tally.add(sent, self.facts, times)
        frames, weight = frames_of(plan, call, self.facts)
        self.frames[level] = (self.frames[level] or 0) + frames * times
        if level != "low":
            self._keep(sent, weight)

    def _keep(self, call: plan_calls.Call, weight: float) -> None:
        """Bytes the media cache will hold: each reference once."""
        for ref in call.refs:
            if weight:
                self.cached[ref] = weight
            else:
                fact = self.files[ref.video]
                share = (ref.end - ref.start) / fact.duration if fact.duration else 1.0
                self.clips[ref] = fact.bytes * min(share, 1.0)

    @property
    def largest(self) -> str | None:
        """The largest request, in words; None without media."""
        fit = self.fit
        if not fit.most_images and not fit.most_tokens:
            return None
        return f"largest request: {fit.most_images} images, about {fit.most_tokens} media tokens"

    def models(self) -> dict[str, list[str]]:
        """Roles of each model that is called."""
        found: dict[str, list[str]] = {}
        called = {t.role: t.model for t in self.tallies.values()} if self.known else self.names
        for role in (r for r in dict.fromkeys([*self.names, *called]) if r in called):
            found.setdefault(called[role], []).append(role)
        return found
