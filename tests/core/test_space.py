import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from proofreel.core import Box, BoxScale, union_area, viou

grid = st.integers(0, 16)
boxes = st.lists(
    st.tuples(grid, grid, grid, grid).map(
        lambda v: Box(
            x0=min(v[0], v[2]) / 16, y0=min(v[1], v[3]) / 16, x1=max(v[0], v[2]) / 16, y1=max(v[1], v[3]) / 16
        )
    ),
    max_size=6,
)


def painted(bs: list[Box]) -> np.ndarray:
    """The same boxes painted on a 16 x 16 raster: an independent count of the area."""
    raster = np.zeros((16, 16), bool)
    for b in bs:
        raster[round(b.y0 * 16) : round(b.y1 * 16), round(b.x0 * 16) : round(b.x1 * 16)] = True
    return raster


@given(boxes)
def test_union_area_equals_painted_cells(bs: list[Box]) -> None:
    assert union_area(bs) == pytest.approx(painted(bs).sum() / 256)


@given(boxes, boxes)
def test_viou_equals_painted_cells(gold: list[Box], predicted: list[Box]) -> None:
    g, p = painted(gold), painted(predicted)
    value = viou(gold, predicted)
    if g.sum() == 0:
        assert value is None
    else:
        assert value == pytest.approx((g & p).sum() / (g | p).sum())


@pytest.mark.parametrize("scale", list(BoxScale))
@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_scales_round_trip(scale: BoxScale, v: list[float]) -> None:
    box = Box.from_scale(v, BoxScale.UNIT)
    back = Box.from_scale(box.to_scale(scale, (1920, 1080)), scale, (1920, 1080))
    assert back.values == pytest.approx(box.values, abs=1e-12)


def test_scales_by_hand() -> None:
    # The same square on a 21:9 picture: only the pixel scale depends on the aspect ratio.
    assert Box.from_scale((100, 250, 500, 750), BoxScale.THOUSAND).values == (0.1, 0.25, 0.5, 0.75)
    assert Box.from_scale((210, 90, 1050, 450), BoxScale.PIXEL, (2100, 900)).values == (0.1, 0.1, 0.5, 0.5)
    assert Box.from_scale((0.5, 0.5, 0.1, 0.1), BoxScale.UNIT).values == (0.1, 0.1, 0.5, 0.5)


def test_what_lies_outside_is_cut_or_refused() -> None:
    assert Box.from_scale((-50, 0, 1100, 500), BoxScale.THOUSAND).values == (0.0, 0.0, 1.0, 0.5)
    with pytest.raises(ValidationError):
        Box.from_scale((-50, 0, 1100, 500), BoxScale.THOUSAND, clamp=False)


def test_pixels_need_a_size() -> None:
    with pytest.raises(ValueError, match="picture size"):
        Box.from_scale((0, 0, 1, 1), BoxScale.PIXEL)
    with pytest.raises(ValueError, match="4 numbers"):
        Box.from_scale((0, 0, 1), BoxScale.UNIT)
    with pytest.raises(ValidationError):
        Box(x0=0.5, y0=0, x1=0.2, y1=1)
