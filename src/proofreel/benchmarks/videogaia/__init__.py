"""VideoGAIA: open questions on short videos whose answers need the video and the web."""

from proofreel.benchmarks.videogaia import card

__all__ = ["card"]
