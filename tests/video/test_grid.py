"""Frames in one numbered picture: what is in which cell, at what time, and how a ledger tells it."""

import io
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from pydantic import ValidationError

from proofreel.video import (
    GridRef,
    Ledger,
    MediaCache,
    MediaChanged,
    Numbered,
    Uniform,
    expand_grid,
    file_hash,
    first_difference,
    frame_times,
    parse_ref,
    read_frames,
)
from proofreel.video._cells import number_tag


@pytest.fixture(scope="module")
def quarters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds at 10 fps, 80x60: frame i is grey 10 * i, but white in its bottom right quarter."""
    path = tmp_path_factory.mktemp("grid") / "quarters.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=10, options={"crf": "1"})
        stream.width, stream.height, stream.pix_fmt = 80, 60, "yuv420p"
        for i in range(20):
            picture = np.full((60, 80, 3), 10 * i, np.uint8)
            picture[30:, 40:] = 255
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
    return path


def pixels(jpeg: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB")).astype(int)


def test_cells_hold_the_frames_of_the_plan_in_its_order(quarters: Path, tmp_path: Path) -> None:
    ref = GridRef.of(quarters, Numbered([15, 3, 9]), columns=2, cell_width=80)
    grid = expand_grid(ref, MediaCache(tmp_path))
    assert (grid.width, grid.height, len(grid)) == (160, 120, 3)
    assert grid.times == pytest.approx([1.5, 0.3, 0.9])
    assert grid.indices == [15, 3, 9]
    shown = pixels(grid.jpeg)
    # the middle of the left upper quarter of each cell, away from number and white part
    cells = [shown[22, 20], shown[22, 100], shown[82, 20], shown[82, 100]]
    assert [c[0] for c in cells] == pytest.approx([150, 30, 90, 0], abs=5)
    assert (shown[50, 70] > 240).all()
    assert expand_grid(ref, MediaCache(tmp_path)) == grid  # the second time from the cache


def test_crops_show_their_part_and_whole_frames_stay_whole(quarters: Path, tmp_path: Path) -> None:
    crops = (None, (0.5, 0.5, 1.0, 1.0))
    ref = GridRef.of(quarters, Numbered([4, 4]), columns=2, cell_width=80, crops=crops)
    grid = expand_grid(ref, MediaCache(tmp_path))
    assert grid.indices == [4, 4]
    shown = pixels(grid.jpeg)
    assert shown[22, 20][0] == pytest.approx(40, abs=5)
    assert (shown[22:58, 84:156] > 235).all()  # the second cell is the white quarter alone


def test_numbers_are_drawn_and_differ() -> None:
    tags = [number_tag(n) for n in range(1, 17)]
    assert {t.shape for t in tags} == {(9, 7, 3), (9, 13, 3)}
    assert len({t.tobytes() for t in tags}) == 16
    one = (number_tag(1)[..., 0] > 0).astype(int)
    assert one.sum(axis=1).tolist() == [0, 1, 2, 1, 1, 1, 1, 3, 0]  # a stroke with a foot


def test_the_ledger_knows_every_frame_of_a_grid(quarters: Path, tmp_path: Path) -> None:
    ref = GridRef.of(quarters, Uniform(4), columns=2, cell_width=64)
    grid = expand_grid(ref, MediaCache(tmp_path))
    ledger = Ledger(tmp_path / "ledger.jsonl")
    entry = ledger.record(ref, "call", "some/vlm", "perceiver", grid)
    assert [f.index for f in entry.frames] == [0, 6, 12, 19]  # i * 19 / 3, rounded down
    assert {f.sha256 for f in entry.frames} == {grid.sha256}
    assert (entry.width, entry.height) == (grid.width, grid.height)
    again = Ledger.load(tmp_path / "ledger.jsonl")
    assert again.entries == ledger.entries
    other = Ledger()
    other.record(ref.model_copy(update={"columns": 4}), "call", "some/vlm", "perceiver", grid)
    assert "columns: 2 against 4" in (first_difference(ledger, other) or "")


def test_references_are_checked_and_round_trip(quarters: Path) -> None:
    ref = GridRef.of(quarters, Numbered([1, 2]), columns=2, crops=(None, (0, 0, 0.6, 0.6)))
    assert parse_ref(ref.model_dump(mode="json")) == ref
    sha, video = file_hash(quarters), str(quarters)
    for crops, plan in [((None,), Numbered([1, 2])), ((None, None), Uniform(2))]:
        with pytest.raises(ValidationError, match="crops need a Numbered plan"):
            GridRef(video=video, sha256=sha, plan=plan.to_dict(), columns=2, crops=crops)
    with pytest.raises(ValidationError, match="x0 < x1"):
        GridRef(video=video, sha256=sha, plan=Numbered([1]).to_dict(), columns=1, crops=((0.5, 0, 0.5, 1),))
    stale = ref.model_copy(update={"sha256": "0" * 64})
    with pytest.raises(MediaChanged):
        expand_grid(stale)


def test_frame_times_are_those_of_the_decoder(quarters: Path) -> None:
    times = frame_times(quarters)
    assert times.tolist() == pytest.approx([i / 10 for i in range(20)])
    assert read_frames(quarters, Numbered([7]), height=24).times[0] == times[7]
