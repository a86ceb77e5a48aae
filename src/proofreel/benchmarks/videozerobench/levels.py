"""The five levels: what each shows, hides and asks. Each is an independent call on the same question."""

from dataclasses import dataclass

from proofreel.benchmarks.videozerobench import prompts
from proofreel.benchmarks.videozerobench.gold import as_list, has_temporal_windows, prompt_key_times
from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.rows import Row
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.core import Item

EVIDENCE = "evidence"
"""Key of an item's metadata with the reference windows and boxes as written."""
NO_WINDOWS, NO_BOXES = "missing evidence_windows", "missing evidence_boxes"


@dataclass(frozen=True)
class Level:
    """One level.

    Attributes:
        key: in stored predictions.
        task: ``qa``, ``temporal_grounding`` or ``spatial_grounding``.
        temporal_hint: whether the reference windows are told.
        spatial_hint: whether the reference boxes are told.
        key_frames: whether the frames at the key times are shown.
        conditions: what the level's score needs beside its own reply; 3 is the answer of level 3.
    """

    key: str
    task: str
    temporal_hint: bool = False
    spatial_hint: bool = False
    key_frames: bool = False
    conditions: tuple[int, ...] = ()


LEVELS = {
    1: Level("level-1", "qa", temporal_hint=True, spatial_hint=True),
    2: Level("level-2", "qa", temporal_hint=True),
    3: Level("level-3", "qa"),
    4: Level("level-4", "temporal_grounding", conditions=(3,)),
    5: Level("level-5", "spatial_grounding", key_frames=True, conditions=(3, 4)),
}


@dataclass(frozen=True)
class Case:
    """What the levels need of a question; evidence as written in the table, or made from an item's gold."""

    question: str
    language: str | None
    evidence_windows: object
    evidence_boxes: object

    @classmethod
    def of_row(cls, row: Row) -> "Case":
        """From a row of the table."""
        return cls(row.question, row.language, row.evidence_windows, row.evidence_boxes)

    @classmethod
    def of_item(cls, item: Item) -> "Case":
        """From an item: evidence as the table writes it, else from gold (a folder of your own has that only)."""
        kept = item.metadata.get(EVIDENCE) or {}
        windows = kept.get("windows", [{"start": w.start, "end": w.end} for w in item.gold.windows])
        boxes = kept.get("boxes", [{"time": b.time, "box": list(b.box.values)} for b in item.gold.boxes])
        options = "".join(f"\n{o.letter}) {o.text}" for o in item.question.options)
        asked = f"{item.question.text}{options}\nThe answer is one letter." if options else item.question.text
        return cls(asked, item.metadata.get("language"), windows, boxes)

    def scored(self, answer: str | None, prediction: object, question: str) -> dict[str, object]:
        """The row ``score_question`` reads."""
        both = {"evidence_windows": self.evidence_windows, "evidence_boxes": self.evidence_boxes}
        return {"question_id": question, "answer": answer, "prediction": prediction, **both}


@dataclass(frozen=True)
class Shown:
    """What is shown with the words: seconds of video, frames, their (height, width), the model's coordinates.

    ``frames`` is None when the video itself is shown, 0 when nothing is.
    """

    duration: float
    frames: int | None
    resized_hw: tuple[int, int] | None
    coordinates: CoordinateMode


def skip_reason(case: Case, level: int, mode: Mode = "careful") -> str | None:
    """Why a level is not asked, under the published words; None when it is.

    Officially level 4 is asked when the list of windows holds anything at all, also nothing usable.
    """
    if level == 4:
        usable = prompts.temporal_hint(case.evidence_windows) is not None
        asked = has_temporal_windows(case.evidence_windows) if mode == "official" else usable
        return None if asked else NO_WINDOWS
    if level == 5 and not as_list(case.evidence_boxes):
        return NO_BOXES
    if level == 5 and not prompt_key_times(case.evidence_boxes, mode):
        return "evidence_boxes without a valid time" if mode == "official" else NO_BOXES
    return None


def user_text(case: Case, level: int, shown: Shown, *, thinking: bool = False, mode: Mode = "careful") -> str:
    """The words that go with the video on a level; the system text is ``prompts.SYSTEM``.

    Raises:
        ValueError: the level is skipped, or ``absolute`` coordinates without a frame size.
        KeyError: no such level.
    """
    spec, size, coordinates = LEVELS[level], shown.resized_hw, shown.coordinates
    if reason := skip_reason(case, level, mode):
        raise ValueError(f"{spec.key} is not asked: {reason}")
    if spec.task == "temporal_grounding":
        asked = prompts.moments_prompt(case.question)
    elif spec.task == "spatial_grounding":
        asked = prompts.boxes_prompt(case.question, case.evidence_boxes, coordinates, size, mode)
    else:
        when = prompts.temporal_hint(case.evidence_windows, mode) if spec.temporal_hint else None
        where = (
            prompts.spatial_hint(case.evidence_boxes, coordinates, size, mode) if spec.spatial_hint else None
        )
        asked = prompts.answer_prompt(case.question, (when, where), case.language, thinking=thinking)
    note = prompts.sampling_note(shown.duration, shown.frames, key_frames=spec.key_frames)
    return f"{note}\n\n{asked}"


def store_reply(
    level: int, answer: str | None, shown: Shown | None, error: str | None = None
) -> dict[str, object]:
    """The stored form of a level's reply, with all that scoring it in a new process needs."""
    spec = LEVELS[level]
    entry: dict[str, object] = {"task": spec.task, "model_answer": answer, "error": error}
    if shown is not None:
        entry["resized_hw"] = None if shown.resized_hw is None else list(shown.resized_hw)
        if spec.task == "spatial_grounding":
            entry["box_mode"] = str(shown.coordinates)
    return entry
