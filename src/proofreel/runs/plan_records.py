"""What a plan says before the first call."""

from typing import Literal

from pydantic import Field

from proofreel.core._base import Record

LEVELS = ("low", "typical", "high")
Level = Literal["low", "typical", "high"]


class Finding(Record):
    """One thing a person should know; ``stops`` findings make the plan refuse.

    Attributes:
        kind: data, file, window, limit, money, disk, key or note.
        where: the question, file or model.
        message: one line.
        weight: ``stops`` the run as asked cannot be done; ``fault`` it can, on less or wrong data; ``note``.
    """

    kind: str
    where: str
    message: str
    weight: Literal["stops", "fault", "note"] = "fault"

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class RoleTokens(Record):
    """Tokens and money of one model role at one level; None is unknown."""

    role: str
    model: str
    level: Level
    calls: int
    prompt: int | None
    completion: int
    usd: float | None


class Money(Record):
    """Totals of a level over all roles; None is unknown, never 0."""

    level: Level
    tokens: int | None
    usd: float | None


class Payer(Record):
    """Which account a model's calls go to.

    Attributes:
        model: name.
        roles: what it does.
        account: kind of account.
        variable: environment variable with the key; None when none is needed.
        present: whether it is set; its value is never read.
        prices: where the price comes from, or that it is unknown.
    """

    model: str
    roles: tuple[str, ...]
    account: str
    variable: str | None
    present: bool | None
    prices: str


class Disk(Record):
    """Bytes needed, in the cache folder and in the run's folder, and what is free there."""

    cache: int
    run: int
    cache_free: int
    run_free: int
    cache_limit: int


class Index(Record):
    """Cold cost of reading and hearing videos: seconds of processor time here, no money."""

    videos: int
    cached: int
    video_seconds: float
    low: float
    typical: float
    high: float
    rate: str


class RunPlan(Record):
    """Everything ``plan`` prints.

    Attributes:
        rows: rows of the questions file.
        usable: rows that can be loaded.
        questions: chosen and runnable.
        videos: files the chosen questions need.
        readable: of these.
        video_seconds: their length in all.
        video_bytes: their size.
        frames: frames shown to models in the whole run, by level; None where an agent says nothing about it.
        ready: nothing stops the run as asked.
        proposal: settings that would make it fit, as words of the command line; None when nothing has to change.
    """

    format_version: int = 1
    benchmark: str
    agent: str
    model: str | None
    perceiver: str | None
    judge: str | None
    epochs: int
    rows: int
    usable: int
    questions: int
    videos: int
    readable: int
    video_seconds: float
    shortest: float | None
    longest: float | None
    video_bytes: int
    findings: tuple[Finding, ...] = ()
    frames: dict[str, int | None] = Field(default_factory=dict)
    largest: str | None = None
    roles: tuple[RoleTokens, ...] = ()
    money: tuple[Money, ...] = ()
    payers: tuple[Payer, ...] = ()
    disk: Disk | None = None
    index: Index | None = None
    assumptions: tuple[str, ...] = ()
    ready: bool
    proposal: str | None = None
    probe_seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 clean, 1 runnable but with faults in the data, 2 not as asked."""
        if not self.ready:
            return 2
        return 1 if any(f.weight == "fault" for f in self.findings) else 0
