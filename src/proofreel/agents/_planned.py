"""How an agent tells beforehand which model calls it will make, so that ``proofreel plan`` can price it.

An agent's module may declare ``plan_calls(question, fact, setting, level) -> list[PlannedCall]`` and, as sentences for
people, ``PLAN_ASSUMES``. Nothing is registered: the planner looks for the names in the module of the agent's function.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from proofreel.core import Question
from proofreel.models.card import ModelCard

Level = Literal["low", "typical", "high"]
NO_HASH = "0" * 64
"""Stands for the hash of a file in the references of a plan, which are never expanded."""


@dataclass(frozen=True)
class PlannedCall:
    """One model call: who, tokens of text sent, media sent as asked for, tokens that come back.

    Attributes:
        role: main, perceiver, judge or a further role; one that the run does not name is the perceiver's work.
        text: prompt tokens of text.
        completion: tokens that come back.
        refs: references to media, of any kind.
        row: what the plan's row is called, where the role does not say it.
        once: calls with the same ``once`` are made once in a run, however many questions and epochs need them.
    """

    role: str
    text: int
    completion: int
    refs: tuple[Any, ...] = ()
    once: str | None = None
    row: str | None = None


class PlannedFile(Protocol):
    """What a plan knows of a video file."""

    @property
    def path(self) -> str:
        """The file."""
        ...

    @property
    def duration(self) -> float | None:
        """Seconds."""
        ...

    @property
    def height(self) -> int:
        """Displayed rows."""
        ...


@dataclass(frozen=True)
class PlanSetting:
    """What calls depend on besides the question.

    Attributes:
        options: settings of the agent.
        limits: budget of one question.
        names: model name by role, as the run names them (the perceiver is the main model where none is named).
        cards: card by role.
    """

    options: Mapping[str, Any]
    limits: Mapping[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)
    cards: Mapping[str, ModelCard] = field(default_factory=dict)

    def role(self, *wanted: str) -> str:
        """The first role of these that the run names, else the first of all."""
        return next((r for r in wanted if r in self.names), wanted[0])

    def name(self, role: str) -> str:
        """Who does the work of a role: the model named for it, else the perceiver; empty without one."""
        return self.names.get(role) or self.names.get("perceiver", "")

    def card(self, role: str) -> ModelCard | None:
        """Its card."""
        return self.cards.get(role) or self.cards.get("perceiver")


PlanCalls = Callable[[Question, PlannedFile, PlanSetting, Level], list[PlannedCall]]
