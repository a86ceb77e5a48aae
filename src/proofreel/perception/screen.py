"""Reads the text on one picture, with places and scores (PP-OCR through rapidocr)."""

import logging
import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofreel.core import Box
from proofreel.perception._pins import EXTRA
from proofreel.perception._weights import installed
from proofreel.perception.errors import CapabilityMissing

# Longer side in pixels at which text is looked for; it is then read at full size. 12 px letters of a 720p picture
# are found at 480 already; 736 leaves room for blur and costs 0.4 of what 1280 does.
FIND_SIDE, FIND_SIDE_LARGE, SCOUT_SIDE = 736, 960, 480
LARGE_HEIGHT, SMALL_SIDE = 800, 640
MIN_SCORE, MIN_SCORE_ONE_CHARACTER = 0.5, 0.9
_THREADS = 2
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Reading:
    """One line read on one picture; ``score`` in [0, 1]."""

    text: str
    box: Box
    score: float


def is_noise(text: str, score: float) -> bool:
    """Whether a reading says nothing: no letter or digit at all, or a single one the reader is not sure of.

    Textures and blobs are often read as one stray character.
    """
    solid = [c for c in text if c.isalnum()]
    return not solid or score < MIN_SCORE or (len(solid) == 1 and score < MIN_SCORE_ONE_CHARACTER)


@lru_cache(maxsize=1)
def ocr_version() -> str:
    """Name and release of the reader, part of cache keys.

    Raises:
        CapabilityMissing: it is not installed.
    """
    for package in ("rapidocr", "onnxruntime"):
        if not installed(package):
            raise CapabilityMissing("screen text", f"{package} is not installed: {EXTRA}")
    return f"rapidocr-{version('rapidocr')}"


@lru_cache(maxsize=1)
def _engine() -> Any:
    ocr_version()
    try:
        from rapidocr import RapidOCR
    except ImportError as e:
        raise CapabilityMissing("screen text", f"rapidocr does not load ({e}): {EXTRA}") from e
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    engine = RapidOCR(
        params={
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            "Det.limit_type": "max",
            "Det.limit_side_len": FIND_SIDE,
        }
    )
    engine(np.zeros((64, 64, 3), dtype=np.uint8), use_cls=False)  # the detector is made by the first call
    return engine


def _bgr(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The channel order the reader wants; small pictures are enlarged, since letters need some pixels."""
    side = max(image.shape[:2])
    if side < SMALL_SIDE:
        from PIL import Image

        scale = min(4, -(-SMALL_SIDE // side))
        large = Image.fromarray(image).resize(
            (image.shape[1] * scale, image.shape[0] * scale), Image.Resampling.BICUBIC
        )
        image = np.asarray(large)
    return np.ascontiguousarray(image[..., ::-1])


def has_text(image: NDArray[np.uint8]) -> bool:
    """A quick look for readable text, at about 0.4 of the cost of reading; very small letters may be missed.

    Args:
        image: uint8 [H, W, 3] RGB.

    Raises:
        CapabilityMissing: the reader is not installed or does not load.
    """
    return bool(read_text(image, SCOUT_SIDE))


def read_text(image: NDArray[np.uint8], find_side: int | None = None) -> list[Reading]:
    """The lines of text on a picture, from top to bottom.

    Args:
        image: uint8 [H, W, 3] RGB.
        find_side: longer side in pixels at which text is looked for; chosen by the size of the picture without it.

    Raises:
        CapabilityMissing: the reader is not installed or does not load.
    """
    pixels = _bgr(image)
    height, width = pixels.shape[:2]
    side = find_side or (FIND_SIDE if min(height, width) <= LARGE_HEIGHT else FIND_SIDE_LARGE)
    with _one_at_a_time:
        engine = _engine()
        # Read by the (pinned) detector at every call; a second engine for another size would cost its memory again.
        engine.text_det.limit_side_len = side
        result = engine(pixels, use_cls=False)
    if result.boxes is None or result.txts is None or result.scores is None:
        return []
    readings = []
    for corners, raw, score in zip(result.boxes, result.txts, result.scores, strict=True):
        text = " ".join(str(raw).split())
        if is_noise(text, float(score)):
            continue
        xs, ys = np.clip(corners[:, 0] / width, 0, 1), np.clip(corners[:, 1] / height, 0, 1)
        box = Box(x0=float(xs.min()), y0=float(ys.min()), x1=float(xs.max()), y1=float(ys.max()))
        readings.append(Reading(text, box, min(1.0, max(0.0, float(score)))))
    return sorted(readings, key=lambda r: (r.box.y0, r.box.x0))
