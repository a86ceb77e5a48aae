"""The vocabulary: pure typed values that every other package speaks. No I/O, no imports of ours.

Names load on first use: an error class alone must not cost the whole vocabulary.
"""

from typing import TYPE_CHECKING

from proofreel._lazy import lazy_names

if TYPE_CHECKING:
    from proofreel.core.evidence import Evidence, Provenance, Quote
    from proofreel.core.outcome import Outcome
    from proofreel.core.question import Gold, Item, Milestone, Option, Question
    from proofreel.core.render import render_trajectory
    from proofreel.core.space import Box, BoxScale, TimedBox, union_area, viou
    from proofreel.core.table import Column, Plot, Table
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

_HOME = {
    "Answer": "trajectory",
    "Box": "space",
    "BoxScale": "space",
    "Column": "table",
    "Evidence": "evidence",
    "Gold": "question",
    "Item": "question",
    "Milestone": "question",
    "Observation": "trajectory",
    "Option": "question",
    "Outcome": "outcome",
    "Plot": "table",
    "Provenance": "evidence",
    "Question": "question",
    "Quote": "evidence",
    "Step": "trajectory",
    "StopReason": "trajectory",
    "Table": "table",
    "TimedBox": "space",
    "TokenUse": "trajectory",
    "ToolCall": "trajectory",
    "Trajectory": "trajectory",
    "Window": "time",
    "intersect_windows": "time",
    "merge_windows": "time",
    "render_trajectory": "render",
    "tiou": "time",
    "total_length": "time",
    "union_area": "space",
    "viou": "space",
}

__all__ = [
    "Answer",
    "Box",
    "BoxScale",
    "Column",
    "Evidence",
    "Gold",
    "Item",
    "Milestone",
    "Observation",
    "Option",
    "Outcome",
    "Plot",
    "Provenance",
    "Question",
    "Quote",
    "Step",
    "StopReason",
    "Table",
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

__getattr__ = lazy_names(__name__, _HOME)
