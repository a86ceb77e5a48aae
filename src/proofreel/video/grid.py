"""A grid of frames into one picture, at the last moment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._cells import blank_grid, put_cell
from ._reference import GridRef
from .cache import MediaCache, default_cache
from .decode import iter_frames
from .jpeg import encode_jpeg, jpeg_encoder
from .probe import probe
from .ref import check_unchanged
from .sample import Numbered, Plan

Crop = tuple[float, float, float, float]
_GRID_VERSION = 1


@dataclass(frozen=True)
class EncodedGrid:
    """The picture of a `GridRef`; the lists have one entry for each cell.

    Attributes:
        jpeg: the picture.
        times: true time of the frame in each cell, seconds on the container timeline.
        indices: display-order frame numbers.
        flags: what is not as asked (`FrameFlag`), as a number.
        width: pixels of the whole picture.
        height: pixels of the whole picture.
        sha256: hash of the JPEG, hex.
    """

    jpeg: bytes
    times: list[float]
    indices: list[int]
    flags: list[int]
    width: int
    height: int
    sha256: str

    def __len__(self) -> int:
        return len(self.times)


def expand_grid(ref: GridRef, cache: MediaCache | None = None) -> EncodedGrid:
    """Decode the frames of a grid and put them together, or take the picture from the cache.

    Raises:
        MediaChanged: the file has another hash than the reference.
        VideoError: as `read_frames` does.
    """
    check_unchanged(ref)
    key = f"grid|{_GRID_VERSION}|{jpeg_encoder()}|{ref.id}"
    blob = (cache or default_cache()).get_or_make(key, lambda: _pack_grid(_encode_grid(ref)))
    at = 4 + int.from_bytes(blob[:4], "big")
    return EncodedGrid(jpeg=blob[at:], **json.loads(blob[4:at]))


def _encode_grid(ref: GridRef) -> EncodedGrid:
    rows: list[tuple[int, float, int, int]] = []
    pictures: list[tuple[int, npt.NDArray[np.uint8]]] = []
    cell = _cell_size(ref)
    for crop, plan, places in _same_crop(ref):
        for frame in iter_frames(ref.video, plan, _rows(ref, cell, crop), 1, crop):
            place = places[frame.request] if places else frame.request
            pictures.append((place, frame.image[:, : cell[0]]))
            rows.append((place, frame.time, frame.index, int(frame.flags)))
    rows.sort()
    grid = blank_grid(len(rows), ref.columns, cell)
    for place, picture in pictures:
        put_cell(grid, picture, place, ref.columns, cell)
    jpeg = encode_jpeg(grid, ref.quality)
    return EncodedGrid(
        jpeg=jpeg,
        times=[row[1] for row in rows],
        indices=[row[2] for row in rows],
        flags=[row[3] for row in rows],
        width=grid.shape[1],
        height=grid.shape[0],
        sha256=hashlib.sha256(jpeg).hexdigest(),
    )


def _same_crop(ref: GridRef) -> Iterator[tuple[Crop | None, Plan, list[int]]]:
    """The plan split by crop, with the cell of each frame; an empty list: cells in the order of the plan."""
    plan = ref.sampling
    if not ref.crops or not isinstance(plan, Numbered):
        yield None, plan, []
        return
    for crop in dict.fromkeys(ref.crops):
        places = [i for i, c in enumerate(ref.crops) if c == crop]
        yield crop, Numbered(plan.indices[i] for i in places), places


def _cell_size(ref: GridRef) -> tuple[int, int]:
    """(width, height) of a cell in pixels: the shape of the video."""
    info = probe(ref.video)
    return ref.cell_width, max(1, round(ref.cell_width * info.height / info.width))


def _rows(ref: GridRef, cell: tuple[int, int], crop: Crop | None) -> int:
    """Rows of a picture that fills its cell without growing out of it."""
    if crop is None:
        return cell[1]
    info = probe(ref.video)
    shape = ((crop[2] - crop[0]) * info.width) / ((crop[3] - crop[1]) * info.height)
    return max(1, min(cell[1], int(cell[0] / shape)))


def _pack_grid(grid: EncodedGrid) -> bytes:
    head = json.dumps({k: v for k, v in vars(grid).items() if k != "jpeg"}).encode()
    return b"".join([len(head).to_bytes(4, "big"), head, grid.jpeg])
