"""The one place that turns pixels into JPEG bytes: fixed settings, the same bytes in every process."""

from __future__ import annotations

import io
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import BadRequest

try:
    import simplejpeg
except ImportError:  # platforms without a wheel
    simplejpeg = None


def jpeg_encoder() -> str:
    """Name and version of the encoder in use; it belongs in every key under which JPEG bytes are kept.

    simplejpeg and Pillow write different bytes for the same pixels, so bytes of one must not pass for the other.
    """
    name = "pillow" if simplejpeg is None else "simplejpeg"
    return f"{name}-{metadata.version(name)}"


def encode_jpeg(rgb: NDArray[np.uint8], quality: int = 85) -> bytes:
    """Encode one picture as baseline JPEG with 4:2:0 chroma and the slow, exact integer DCT.

    Args:
        rgb: uint8 ``[H, W, 3]``, RGB.
        quality: 1 to 100 on the libjpeg scale.

    Returns:
        JFIF bytes. Equal pixels, quality and encoder (see `jpeg_encoder`) give equal bytes.

    Raises:
        BadRequest: the array is not uint8 ``[H, W, 3]``, is empty, or the quality is out of range.
    """
    _check(rgb, quality)
    pixels = np.ascontiguousarray(rgb)
    if simplejpeg is not None:
        data: bytes = simplejpeg.encode_jpeg(
            pixels, quality=quality, colorspace="RGB", colorsubsampling="420", fastdct=False
        )
        return data
    return _encode_with_pillow(pixels, quality)


def _encode_with_pillow(pixels: NDArray[np.uint8], quality: int) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    # No optimize: it doubles the time for one percent of the size.
    Image.fromarray(pixels).save(out, format="JPEG", quality=quality, subsampling="4:2:0", optimize=False)
    return out.getvalue()


def _check(rgb: Any, quality: int) -> None:
    if not isinstance(rgb, np.ndarray) or rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3:
        got = f"{rgb.dtype} {list(rgb.shape)}" if isinstance(rgb, np.ndarray) else type(rgb).__name__
        raise BadRequest(f"a JPEG is made from uint8 [H, W, 3], got {got}")
    if not all(0 < side <= 65500 for side in rgb.shape[:2]):
        raise BadRequest(f"a JPEG is 1 to 65500 pixels on each side, got {rgb.shape[1]}x{rgb.shape[0]}")
    if not 1 <= quality <= 100:
        raise BadRequest(f"JPEG quality is 1 to 100, got {quality}")
