"""What perception leaves behind: lines of screen text and lines of speech, each with its seconds."""

from typing import Literal

from pydantic import Field

from proofreel.core import Box, Window
from proofreel.core._base import Record


class ScreenLine(Record):
    """One line of screen text for as long as it stands.

    Attributes:
        text: the reading most of the frames agree on, weighted by confidence.
        box: median place, fractions of the upright picture.
        start: second at which the line is first on screen.
        end: second at which it is gone (or the end of the video).
        confidence: mean reading score of the chosen text, in [0, 1].
        frames: true times of the frames in which the line was read.
    """

    kind: Literal["screen"] = "screen"
    text: str = Field(min_length=1)
    box: Box
    start: float = Field(ge=0)
    end: float = Field(ge=0)
    confidence: float = Field(ge=0, le=1)
    frames: tuple[float, ...] = ()

    @property
    def window(self) -> Window:
        """The seconds in which the line stands."""
        return Window(start=self.start, end=max(self.start, self.end))


class Word(Record):
    """One spoken word and its seconds."""

    text: str
    start: float = Field(ge=0)
    end: float = Field(ge=0)
    probability: float = Field(ge=0, le=1)


class SpeechLine(Record):
    """One sentence, or piece of one, that was said.

    Attributes:
        text: what was understood.
        start: second of the first word.
        end: second at which the last word ends.
        words: the words with their seconds; empty for a transcript file that came with the video.
        confidence: mean word probability in [0, 1]; None for a transcript file, which has none.
    """

    kind: Literal["speech"] = "speech"
    text: str = Field(min_length=1)
    start: float = Field(ge=0)
    end: float = Field(ge=0)
    words: tuple[Word, ...] = ()
    confidence: float | None = Field(default=None, ge=0, le=1)

    @property
    def window(self) -> Window:
        """The seconds in which the line is spoken."""
        return Window(start=self.start, end=max(self.start, self.end))


Line = ScreenLine | SpeechLine
