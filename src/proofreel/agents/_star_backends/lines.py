"""Grounding by what is said and written: the prepared index of the video."""

from typing import Any

from proofreel.core import Window
from proofreel.core.errors import UserError

LEAST_SIMILARITY = 0.3


class LineGrounder:
    """The line of speech or screen text that fits a text best; it sees no objects or actions.

    Raises:
        UserError: the run has no index.
    """

    def __init__(self, index: Any) -> None:
        if index is None:
            raise UserError("grounder=index needs the prepared index of the video as option index")
        self.index = index
        self.name = f"index ({index.embedder})"

    def span(self, text: str, video: str, duration: float) -> Window | None:
        """The seconds of the best line, None when none is similar enough."""
        found = self.index.search(text, top=1)
        if not found or found[0][1] < LEAST_SIMILARITY:
            return None
        window: Window = found[0][0].window
        return window
