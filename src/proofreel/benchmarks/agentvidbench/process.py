"""The scoring rules of a judged trajectory, by the name the benchmark's code knows them; they live with the judge."""

from proofreel.judges.rubric_scores import (
    AXES,
    MAX_TAGS,
    TAGS,
    WEIGHTS,
    InvalidVerdict,
    careful_process,
    official_process,
    process_canonical,
    traj_score,
)

__all__ = [
    "AXES",
    "MAX_TAGS",
    "TAGS",
    "WEIGHTS",
    "InvalidVerdict",
    "careful_process",
    "official_process",
    "process_canonical",
    "traj_score",
]
