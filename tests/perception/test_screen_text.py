"""Reading text on one picture: what was drawn, and where."""

import numpy as np
import pytest
from PIL import Image

from proofreel.core import Box, viou
from proofreel.perception import read_text
from proofreel.perception.screen import has_text, is_noise
from speech_maker import Show, draw, ink_box

LINES = [
    Show("Gate B22 boarding at 09:45", 0, 1, x=0.08, y=0.10, size=16),
    Show("The museum is closed on Monday", 0, 1, x=0.08, y=0.25, size=24),
    Show("PLATFORM 4", 0, 1, x=0.55, y=0.10, size=48),
    Show("Total: 1,250 EUR", 0, 1, x=0.55, y=0.60, size=32),
]


def test_reads_every_drawn_line_at_its_place():
    found = {r.text: r for r in read_text(draw(LINES))}
    assert set(found) == {line.text for line in LINES}
    for line in LINES:
        x0, y0, x1, y1 = ink_box(line, (1280, 720))
        ink = Box(x0=x0, y0=y0, x1=x1, y1=y1)
        # The reader pads boxes by a part of the letter height; the ink must lie inside and fill a fair share.
        overlap = viou([ink], [found[line.text].box])
        assert overlap is not None and overlap >= 0.5, (line.text, overlap)
        assert found[line.text].score > 0.9


def test_order_is_from_top_to_bottom():
    tops = [r.box.y0 for r in read_text(draw(LINES))]
    assert tops == sorted(tops)


def test_picture_without_text_gives_nothing():
    blank = draw([])
    assert read_text(blank) == []
    assert not has_text(blank)


def test_quick_look_sees_subtitle_sized_text():
    assert has_text(draw([Show("and then she left the house", 0, 1, x=0.3, y=0.85, size=30)]))


def test_small_pictures_are_readable():
    picture = draw([Show("Speed 45 mph", 0, 1, x=0.1, y=0.3, size=12)], (320, 180))
    assert [r.text for r in read_text(picture)] == ["Speed 45 mph"]


def test_survives_strong_compression():
    from io import BytesIO

    buffer = BytesIO()
    Image.fromarray(draw(LINES)).save(buffer, "JPEG", quality=25)
    found = {r.text for r in read_text(np.asarray(Image.open(buffer)))}
    assert found == {line.text for line in LINES}


@pytest.mark.parametrize(
    ("text", "score", "noise"),
    [
        ("■", 0.99, True),
        ("-", 0.99, True),
        ("8", 0.6, True),
        ("8", 0.99, False),
        ("Gate", 0.3, True),
        ("门", 0.95, False),
    ],
)
def test_one_character_noise(text, score, noise):
    assert is_noise(text, score) is noise
