"""Small test videos with known truth, made with PyAV: every frame carries its number as black and white cells.

clip = make_clip(tmp / "a.mp4", count=90, fps=30, gop=30)
read_number(image)          # the number burnt into a decoded frame, None when unreadable
upright(image)              # whether the four corner colours are where they belong
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]

CORNERS = {(0, 0): (200, 40, 40), (0, 1): (40, 180, 40), (1, 0): (40, 40, 200), (1, 1): (210, 200, 40)}
_CELLS = 16
_NUMBER_BITS = 12


def _bits(number: int) -> list[int]:
    check = (number * 11 + 5) % 13
    value = number | check << _NUMBER_BITS
    return [value >> k & 1 for k in range(_CELLS)]


def draw(number: int, width: int, height: int) -> Image:
    """The picture of a frame: two rows of cells with the number in the middle band, four colours in the corners."""
    image = np.zeros((height, width, 3), np.uint8)
    for (row, column), colour in CORNERS.items():
        image[
            row * height // 2 : (row + 1) * height // 2, column * width // 2 : (column + 1) * width // 2
        ] = colour
    cells = np.array(_bits(number), np.uint8).reshape(2, 8) * 219 + 16
    top, bottom = height * 3 // 8, height * 5 // 8
    rows = np.arange(bottom - top) * 2 // (bottom - top)
    columns = np.arange(width) * 8 // width
    image[top:bottom] = cells[rows][:, columns][..., None]
    return image


def read_number(image: Image) -> int | None:
    """The number burnt into a whole upright frame; None when it cannot be read."""
    height, width = image.shape[:2]
    grey = image.mean(axis=2)
    value = 0
    for k in range(_CELLS):
        row, column = divmod(k, 8)
        y = height * (3 / 8 + (row + 0.5) / 8)
        x = width * (column + 0.5) / 8
        dy, dx = height / 40, width / 40
        cell = grey[int(y - dy) : int(y + dy) + 1, int(x - dx) : int(x + dx) + 1]
        value |= int(cell.mean() > 128) << k
    number = value & (1 << _NUMBER_BITS) - 1
    return number if value >> _NUMBER_BITS == (number * 11 + 5) % 13 else None


def upright(image: Image, tolerance: int = 40) -> bool:
    """Whether the four corner colours are where they belong."""
    height, width = image.shape[:2]
    for (row, column), colour in CORNERS.items():
        y, x = int(height * (0.1 + 0.75 * row)), int(width * (0.1 + 0.75 * column))
        patch = image[y : y + max(1, height // 20), x : x + max(1, width // 20)].reshape(-1, 3).mean(axis=0)
        if np.abs(patch - colour).max() > tolerance:
            return False
    return True


def make_clip(
    path: Path,
    count: int = 60,
    fps: float | Fraction = 30,
    size: tuple[int, int] = (160, 96),
    gop: int = 30,
    codec: str = "libx264",
    options: dict[str, str] | None = None,
    ticks: Sequence[int] | None = None,
    first_tick: int = 0,
    container_options: dict[str, str] | None = None,
    rotation: int = 0,
    sample_aspect: Fraction | None = None,
    pixel_format: str = "yuv420p",
) -> Path:
    """Writes a clip of numbered frames.

    Args:
        path: the file; its suffix picks the container.
        count: frames, numbered from 0.
        fps: rate of a steady clip.
        size: (width, height) as shown upright, before `sample_aspect` widens it.
        gop: frames from key to key.
        codec: encoder name.
        options: encoder options.
        ticks: display times in 1/90000 s instead of a steady rate.
        first_tick: added to every time, in 1/90000 s.
        container_options: muxer options.
        rotation: clockwise turn written to an mp4's track header; the picture is stored turned back.
        sample_aspect: width of a pixel over its height.
        pixel_format: of the encoded picture.
    """
    rate = Fraction(fps).limit_denominator(100_000)
    shown_width, shown_height = size
    width, height = (shown_height, shown_width) if rotation in (90, 270) else size
    with av.open(str(path), "w", options=container_options or {}) as container:
        stream: Any = container.add_stream(codec, rate=rate, options=options or {})
        stream.width, stream.height, stream.pix_fmt = width, height, pixel_format
        stream.gop_size = gop
        stream.time_base = Fraction(1, 90_000)
        if codec not in ("mpeg2video", "mpeg4"):  # which know steady rates only
            stream.codec_context.time_base = stream.time_base
        if sample_aspect is not None:
            stream.codec_context.sample_aspect_ratio = sample_aspect
        for number in range(count):
            picture = np.rot90(draw(number, shown_width, shown_height), rotation // 90)
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            frame.time_base = Fraction(1, 90_000)
            frame.pts = first_tick + (round(number * 90_000 / rate) if ticks is None else ticks[number])
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    if rotation:
        _write_rotation(path, rotation)
    return path


def _write_rotation(path: Path, clockwise: int) -> None:
    """Puts a turn into the display matrix of the first track of an mp4."""
    one = 0x10000
    cosine, sine = {90: (0, one), 180: (-one, 0), 270: (0, -one)}[clockwise]
    matrix = struct.pack(">9i", cosine, sine, 0, -sine, cosine, 0, 0, 0, 0x40000000)
    data = bytearray(path.read_bytes())
    at = data.index(b"tkhd") + 4 + 40
    data[at : at + 36] = matrix
    path.write_bytes(data)


def packet_places(path: Path) -> list[tuple[int, int]]:
    """(position, size) in the file of the video packets, in decode order."""
    with av.open(str(path)) as container:
        return [(p.pos, p.size) for p in container.demux(video=0) if p.size and p.pos is not None]


def damage(path: Path, packets: Sequence[int], seed: int = 7, spare: int = 12) -> Path:
    """Overwrites the payload of packets, counted in decode order, with noise."""
    data, noise = bytearray(path.read_bytes()), np.random.default_rng(seed)
    places = packet_places(path)
    for number in packets:
        position, size = places[number]
        keep = min(spare, size)
        data[position + keep : position + size] = noise.integers(0, 256, size - keep, np.uint8).tobytes()
    path.write_bytes(data)
    return path


def cut_bytes(path: Path, fraction: float) -> Path:
    """Keeps the first part of a file."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * fraction)])
    return path


def cut_from_key(source: Path, path: Path, key: int) -> Path:
    """Copies the packets from the given key frame on, times kept, nothing re-encoded."""
    with av.open(str(source)) as container, av.open(str(path), "w") as output:
        video = container.streams.video[0]
        stream: Any = output.add_stream_from_template(video)
        keys = 0
        for packet in container.demux(video):
            keys += packet.is_keyframe and packet.size > 0
            if packet.size and keys > key:
                packet.stream = stream
                output.mux(packet)
    return path
