"""The gate: read what changed, skip what did not, look again now and then."""

import numpy as np
import pytest

from proofreel.perception.gate import ChangeGate
from proofreel.video import Rate, iter_frames
from speech_maker import Show, draw, make_talk_clip


def flat(level, size=(360, 640)):
    return np.full((*size, 3), level, dtype=np.uint8)


def test_first_frame_opens_and_equal_frames_do_not():
    gate = ChangeGate()
    assert gate.is_open(flat(50), 0.0)
    assert not gate.is_open(flat(50), 1.0)
    assert not gate.is_open(flat(50), 9.9)


def test_recheck_opens_in_any_case():
    gate = ChangeGate(recheck=10.0)
    assert gate.is_open(flat(50), 0.0)
    assert gate.is_open(flat(50), 10.0)
    assert not gate.is_open(flat(50), 15.0)


def test_one_small_digit_is_a_change():
    gate = ChangeGate()
    before = draw([Show("Score 12", 0, 1, x=0.4, y=0.8, size=16)])
    after = draw([Show("Score 13", 0, 1, x=0.4, y=0.8, size=16)])
    assert gate.is_open(before, 0.0)
    assert gate.is_open(after, 1.0)


def test_slow_fade_adds_up():
    gate = ChangeGate(recheck=1000.0)
    opened = [gate.is_open(flat(round(50 + 0.25 * k)), k * 1.0) for k in range(100)]
    # 25 grey levels in all and a threshold of one level: neither always nor never.
    assert 5 <= sum(opened) <= 40


def test_new_picture_size_is_a_change():
    gate = ChangeGate()
    assert gate.is_open(flat(50), 0.0)
    assert gate.is_open(flat(50, (240, 320)), 0.5)


@pytest.mark.parametrize(("size", "letters"), [((1280, 720), 24), ((640, 360), 14), ((320, 180), 10)])
def test_compressed_still_stays_shut_and_its_changes_open(tmp_path, size, letters):
    lines = [Show("PLATFORM 4", 0, 8, size=letters), Show("Delayed by 7 min", 2, 5, y=0.6, size=letters)]
    clip = make_talk_clip(tmp_path / "still.mp4", [], lines, duration=8, size=size, crf=30, audio=False)
    gate = ChangeGate(recheck=100.0)
    opened = [f.time for f in iter_frames(clip.path, Rate(4)) if gate.is_open(f.image, f.time)]
    assert opened == [0.0, 2.0, 5.0]
