"""Screen text as the object to be found: the embedded reader, no key, no GPU."""

import re
from collections.abc import Sequence
from typing import Any

from proofreel.agents._star_backends.backend import Found
from proofreel.perception.screen import ocr_version, read_text

_QUOTED = re.compile(r"[\"'“”‘’「《]([^\"'“”‘’」》]+)[\"'“”‘’」》]")


class TextDetector:
    """Finds written words on pictures. It sees no objects, only text.

    Raises:
        CapabilityMissing: the reader is not installed.
    """

    def __init__(self) -> None:
        self.name = f"ocr ({ocr_version()})"

    def find(self, images: Sequence[Any], label: str) -> list[list[Found]]:
        """Lines that hold the words in quotes (without quotes: the whole label); ``text`` finds every line."""
        quoted = _QUOTED.search(label)
        wanted = " ".join((quoted.group(1) if quoted else label).casefold().split())
        every = wanted in ("text", "all text", "any text", "screen text")
        return [
            [Found(r.box, r.score, r.text) for r in read_text(image) if every or wanted in r.text.casefold()]
            for image in images
        ]
