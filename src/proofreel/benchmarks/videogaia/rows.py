"""One line of the question file, typed; unknown keys are ignored, as the card asks."""

import re
import unicodedata
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

CATEGORIES = ("Culture", "Geography", "Daily Life", "History", "Technology", "Economics")
LEVELS = ("L1", "L2")
TASKS = {"Geography": 63, "Daily Life": 61, "Culture": 58, "History": 44, "Technology": 39, "Economics": 6}
"""Published sizes of the categories, 271 in all; by level 62 and 209."""
LEVEL_TASKS = {"L1": 62, "L2": 209}
SECONDS = (2.74, 566.68)
"""Published shortest and longest video."""

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:[.,'’-][^\W_{_CJK}]+)*|[^\w\s]|_", re.UNICODE)


def _text(value: object) -> object:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if plain or isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_text)]


class VideoPart(BaseModel):
    """The nested object ``video``."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    local_path: str = Field(min_length=1)
    duration_sec: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class Row(BaseModel):
    """A task.

    Attributes:
        sample_id: stable id.
        question_en: the question that is asked.
        answer: human-verified reference; a number is taken as its text.
        category: one of six.
        difficulty: L1 or L2.
        aliases: other accepted answers; our addition, absent in the published file.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    sample_id: Text = Field(min_length=1)
    video: VideoPart
    question_en: Text = Field(min_length=1)
    answer: Text = Field(min_length=1)
    category: Text | None = None
    difficulty: Text | None = None
    aliases: tuple[Text, ...] = ()


def token_count(text: str) -> int:
    """Tokens by a plain rule: a word or number is one (inner points, commas, hyphens and apostrophes included), every
    Chinese, Japanese or Korean character is one, every other mark is one. No model's tokenizer is needed, and counts
    are comparable between machines; the published means come from an unnamed tokenizer and differ somewhat.
    """  # noqa: D205  one sentence over two lines
    return len(_TOKEN.findall(unicodedata.normalize("NFC", text)))
