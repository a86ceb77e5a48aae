"""Grounding by what is said and written: the prepared index of the video."""

from typing import Any

from proofreel.core import Question, Window

LEAST_SIMILARITY = 0.3


class LineGrounder:
    """The line of speech or screen text that fits a text best; it sees no objects or actions."""

    def __init__(self, index: Any) -> None:
        self.index = index
        self.name = f"index ({index.embedder})"

    @classmethod
    def of(cls, question: Question, index: Any = None) -> "LineGrounder":
        """With the index given, else the one of the question's video: read and heard now, or taken from the cache.

        Raises:
            CapabilityMissing: nothing can be read or heard here.
            VideoError: the video cannot be read.
        """
        from proofreel.perception import prepare

        return cls(index or prepare(question.video, transcript=question.transcript))

    def span(self, text: str, video: str, duration: float) -> Window | None:
        """The seconds of the best line, None when none is similar enough."""
        found = self.index.search(text, top=1)
        if not found or found[0][1] < LEAST_SIMILARITY:
            return None
        window: Window = found[0][0].window
        return window
