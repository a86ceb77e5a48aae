"""VideoZeroBench: 500 questions whose answers count only with the right moments and boxes, on five levels."""

from proofreel.benchmarks.videozerobench import card

__all__ = ["card"]
