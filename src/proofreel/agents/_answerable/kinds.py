"""The parts of a question: expected type of the answer, anchors, order, and what else it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Type of the expected answer."""

    TIME = "clock time"
    DATE = "date"
    WHEN = "time or date"
    MONEY = "amount of money"
    PERCENT = "percentage"
    COUNT = "count"
    QUANTITY = "quantity with a unit"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"
    MANNER = "way of doing"
    URL = "web address"
    EMAIL = "email address"
    PHONE = "phone number"
    CODE = "password or code"
    COLOUR = "colour"
    LABEL = "number or letter of a thing"
    NAME = "name"
    SAY = "wording"
    YESNO = "yes or no"
    THING = "thing"

    @property
    def phrase(self) -> str:
        """With its article: "a count", "an amount of money"."""
        return f"{'an' if self.value[0] in 'aeio' else 'a'} {self.value}"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A word of the question that the cited line must meet.

    ``key`` for names and numbers, ``light`` for vague words, ``noun`` for what stands as a thing in the question.
    """

    text: str
    stem: str
    key: bool = False
    light: bool = False
    noun: bool = False
    cjk: bool = False


@dataclass(frozen=True)
class Asked:
    """A question taken apart.

    Attributes:
        kind: type of the expected answer.
        head: stem of the thing asked for ("gate", "bike"), None when the type says it all.
        units: dimensions a quantity may have; empty for any.
        anchors: words that must be met, ``phrases`` groups the names among them.
        order: first, last, earlier or later value where several compete.
        relation: ("after" or "before", stems of the event).
        source: speech or screen when the question says which.
        visual: the question is about what is seen.
        denies: the question holds a negation.
        negated: asks for the option that does not hold.
        introduces: asks who the speaker (guide, host) is.
        measure: the adjective of a measure ("deep"), None where none is asked for.
        at: second of the video that the question names.
    """

    text: str
    kind: Kind
    anchors: tuple[Anchor, ...]
    phrases: tuple[tuple[int, ...], ...] = ()
    head: str | None = None
    units: frozenset[str] = frozenset()
    order: str | None = None
    relation: tuple[str, tuple[str, ...]] | None = None
    source: str | None = None
    denies: bool = False
    visual: bool = False
    negated: bool = False
    at: float | None = None
    introduces: bool = False
    measure: str | None = None
