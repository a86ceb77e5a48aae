"""What a comparison of two runs says."""

from pydantic import Field

from proofreel.core._base import Record
from proofreel.runs.numbers_records import Span


class SettingDiff(Record):
    """One setting with its two values, named down to the innermost key."""

    name: str
    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.name}: {self.a} against {self.b}"


class FrameDiff(Record):
    """The first difference in what models were shown.

    Attributes:
        item_id: the question.
        epoch: its pass.
        what: sampling plan, picture, frame, clip, model or number of calls.
        text: the very setting or frame, with both values.
    """

    item_id: str
    epoch: int
    what: str
    text: str

    def __str__(self) -> str:
        return f"question {self.item_id}, epoch {self.epoch}: {self.what} differs: {self.text}"


class FramesCompared(Record):
    """Ledgers over the (item, epoch) pairs that both runs have; ``requests`` with media the first run made."""

    pairs: int
    same: int
    first: FrameDiff | None = None
    kinds: dict[str, int] = Field(default_factory=dict)
    requests: int = 0


class Change(Record):
    """Items that ended one way in the first run and another way in the second."""

    before: str
    after: str
    items: tuple[str, ...]


class Paired(Record):
    """Accuracy of the second run minus that of the first, over pairs that say something about the model in both.

    Attributes:
        pairs: (item, epoch) pairs compared.
        a: accuracy of the first run on them.
        b: accuracy of the second.
        difference: b - a.
        by_question: percentile bootstrap over questions.
        by_video: percentile bootstrap over videos; None with fewer than ``FEW_VIDEOS``.
        videos: how many there are.
        only_a: pairs only the first run has right.
        only_b: pairs only the second run has right.
        mcnemar_p: exact two-sided p; takes pairs as independent.
        by_video_p: sign-flip test over whole videos, which holds its level when questions share videos.
    """

    pairs: int
    a: float
    b: float
    difference: float
    by_question: Span | None
    by_video: Span | None
    videos: int = 0
    only_a: int
    only_b: int
    mcnemar_p: float
    by_video_p: float


class RunDiff(Record):
    """Two runs, from the first differing setting to the items that changed.

    Attributes:
        first: the first difference in the order in which differences matter: data, agent, models, prompts, frame
            settings, other settings, frames shown, answers; None when the runs are the same.
        settings: all settings that differ and may change a number.
        place: settings that differ and may not (name, folder, concurrency, ...).
        frames: None when one of the runs has no ledger.
        models: the first difference in the names servers gave their models, None without.
        answers: pairs whose letter or text differs.
        changes: of outcomes, most frequent first.
    """

    format_version: int = 1
    a: str
    b: str
    same: bool
    first: str | None
    settings: tuple[SettingDiff, ...] = ()
    place: tuple[SettingDiff, ...] = ()
    frames: FramesCompared | None = None
    models: str | None = None
    only_in_a: tuple[str, ...] = ()
    only_in_b: tuple[str, ...] = ()
    answers: int = 0
    unchanged: int = 0
    changes: tuple[Change, ...] = ()
    paired: Paired | None = None
    notes: tuple[str, ...] = ()
