"""What a server was sent: pictures with the number burnt into them, and the time that was written beside each."""

import re
from typing import Any

import numpy as np
import simplejpeg
from tests.media_maker import read_number
from tests.models.wire import decoded

LABEL = re.compile(r"\[t=([\d.]+) s\]")


def shown(body: dict[str, Any]) -> list[tuple[float, int | None]]:
    """(declared second, burnt-in frame number) of every picture of an OpenAI chat request, in order."""
    pairs: list[tuple[float, int | None]] = []
    label: float | None = None
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "text" and (found := LABEL.search(part["text"])):
                label = float(found[1])
            elif part["type"] == "image_url":
                assert label is not None, "a picture went out without a time"
                pixels = simplejpeg.decode_jpeg(decoded(part["image_url"]["url"]))
                pairs.append((label, read_number(np.asarray(pixels))))
                label = None
    return pairs
