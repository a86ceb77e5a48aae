import hashlib
import io
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from proofreel.video import BadRequest, encode_jpeg, jpeg

PICTURE = np.random.default_rng(3).integers(0, 256, (45, 61, 3)).astype(np.uint8)
SMOOTH = np.stack(np.broadcast_arrays(np.arange(160)[:, None], np.arange(240)[None, :], 90), axis=-1).astype(
    np.uint8
)


def _read(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize("pillow", [False, True])
def test_picture_comes_back_in_baseline_420(pillow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if pillow:
        monkeypatch.setattr(jpeg, "simplejpeg", None)
        assert jpeg.jpeg_encoder().startswith("pillow-")
    picture = _read(encode_jpeg(SMOOTH))
    assert picture.size == (240, 160) and picture.format == "JPEG" and not picture.info.get("progressive")
    assert [layer[1:3] for layer in picture.layer] == [(2, 2), (1, 1), (1, 1)]
    assert np.abs(np.asarray(picture).astype(int) - SMOOTH).max() <= 6


def test_same_bytes_in_every_process() -> None:
    code = (
        "import hashlib, numpy as np; from proofreel.video import encode_jpeg\n"
        "p = np.random.default_rng(3).integers(0, 256, (45, 61, 3)).astype(np.uint8)\n"
        "print(hashlib.sha256(encode_jpeg(p, 70)).hexdigest())"
    )
    others = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    }
    assert others == {hashlib.sha256(encode_jpeg(PICTURE, 70)).hexdigest()}


def test_views_give_the_bytes_of_their_copies() -> None:
    turned = np.rot90(PICTURE)
    assert encode_jpeg(turned) == encode_jpeg(turned.copy())


def test_higher_quality_is_closer_and_larger() -> None:
    sizes = [len(encode_jpeg(PICTURE, q)) for q in (10, 50, 85, 100)]
    errors = [
        np.abs(np.asarray(_read(encode_jpeg(SMOOTH, q))).astype(int) - SMOOTH).mean() for q in (10, 50, 100)
    ]
    assert sizes == sorted(set(sizes)) and errors == sorted(set(errors), reverse=True)


@pytest.mark.parametrize(
    ("picture", "quality", "said"),
    [
        (PICTURE.astype(float), 85, "float64"),
        (PICTURE[..., 0], 85, r"\[45, 61\]"),
        (PICTURE[:0], 85, "61x0"),
        ([[1]], 85, "list"),
        (PICTURE, 0, "quality"),
        (PICTURE, 101, "quality"),
    ],
)
def test_what_is_no_picture(picture: object, quality: int, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        encode_jpeg(picture, quality)
