"""The vocabulary: pure typed values that every other package speaks. No I/O, no imports of ours."""

from proofreel.core.evidence import Evidence, Provenance, Quote
from proofreel.core.outcome import Outcome
from proofreel.core.question import Gold, Item, Milestone, Option, Question
from proofreel.core.render import render_trajectory
from proofreel.core.space import Box, BoxScale, TimedBox, union_area, viou
from proofreel.core.time import Window, intersect_windows, merge_windows, tiou, total_length
from proofreel.core.trajectory import (
    Answer,
    Observation,
    Step,
    StopReason,
    TokenUse,
    ToolCall,
    Trajectory,
)

__all__ = [
    "Answer",
    "Box",
    "BoxScale",
    "Evidence",
    "Gold",
    "Item",
    "Milestone",
    "Observation",
    "Option",
    "Outcome",
    "Provenance",
    "Question",
    "Quote",
    "Step",
    "StopReason",
    "TimedBox",
    "TokenUse",
    "ToolCall",
    "Trajectory",
    "Window",
    "intersect_windows",
    "merge_windows",
    "render_trajectory",
    "tiou",
    "total_length",
    "union_area",
    "viou",
]
