"""Large realistic test videos, made once with PyAV and kept in bench_out/.

A real clip (a synthetic texture where it is absent) is looped, shifted and dimmed so that every frame costs
bits, with its number as cells over the top eighth. 1280x720, 30 fps, GOP 250, three B-frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from tests.support import shared_media

from benchmarks_perf._measure import OUT

WIDTH, HEIGHT, FPS, GOP = 1280, 720, 30, 250
_BITS, _CHECK = 18, 6
_CELLS = _BITS + _CHECK


def piece(seconds: int) -> Path:
    """The video of that many seconds, numbered from 0."""
    path = OUT / f"perf_{seconds}s.mp4"
    if not path.exists():
        print(f"   making {path.name} once ...", flush=True)
        _encode(path, seconds * FPS)
    return path


def joined(seconds: int, times: int) -> Path:
    """Copies of the piece joined without re-encoding; the numbers start again with each."""
    path = OUT / f"perf_{seconds}s_x{times}.mp4"
    if not path.exists():
        print(f"   joining {path.name} once ...", flush=True)
        _copy([(piece(seconds), 0, seconds * FPS)] * times, path)
    return path


def clips(seconds: int, count: int) -> list[tuple[Path, int]]:
    """Short clips of one GOP each with the number of their first frame, cut from the piece."""
    gops = seconds * FPS // GOP
    made = []
    for number in range(count):
        path = OUT / "clips" / f"clip_{number:02d}.mp4"
        first = number % gops * GOP
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _copy([(piece(seconds), first, GOP)], path)
        made.append((path, first))
    return made


def read_number(image: npt.NDArray[np.uint8]) -> int | None:
    """The number on a frame of any size; None when it cannot be read."""
    height, width = image.shape[:2]
    band = image[int(height / 8 * 0.3) : int(height / 8 * 0.7)].mean(axis=(0, 2))
    value = 0
    for k in range(_CELLS):
        value |= (
            int(band[int((k + 0.3) * width / _CELLS) : int((k + 0.7) * width / _CELLS)].mean() > 128) << k
        )
    number = value & (1 << _BITS) - 1
    return number if value >> _BITS == _check(number) else None


def _check(number: int) -> int:
    return (number * 29 + 7 ^ number >> 5) % (1 << _CHECK)


def _encode(path: Path, count: int) -> None:
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part.mp4")
    with av.open(str(part), "w") as container:
        stream: Any = container.add_stream("libx264", rate=FPS)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = WIDTH, HEIGHT, "yuv420p", GOP
        stream.options = {
            "preset": "veryfast",
            "crf": "24",
            "bf": "3",
            "sc_threshold": "0",
            "keyint_min": "25",
        }
        for number, (luma, chroma) in zip(range(count), _moving(), strict=False):
            value = number | _check(number) << _BITS
            cells = np.array([value >> k & 1 for k in range(_CELLS)], np.uint8) * 219 + 16
            luma[: HEIGHT // 8] = cells[np.arange(WIDTH) * _CELLS // WIDTH]
            frame = av.VideoFrame.from_ndarray(np.concatenate([luma, chroma]), format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    part.replace(path)


def _moving() -> Iterator[tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]]:
    """Endless luma and chroma planes in motion."""
    source = _source()
    number = 0
    while True:
        for planes in source:
            luma = planes[:HEIGHT].astype(np.int16)
            luma = np.roll(luma, (int(20 * np.sin(number / 40)), number // 2), axis=(0, 1))
            luma = np.clip(luma + 25 * np.sin(number / 200), 16, 235).astype(np.uint8)
            yield luma, planes[HEIGHT:]
            number += 1


def _source() -> list[npt.NDArray[np.uint8]]:
    media = shared_media()
    clip = None if media is None else media / "bigbuckbunny.mp4"
    if clip is not None and clip.exists():
        with av.open(str(clip)) as container:
            return [f.reformat(WIDTH, HEIGHT, "yuv420p").to_ndarray() for f in container.decode(video=0)]
    noise = np.random.default_rng(5).integers(40, 216, (HEIGHT * 3 // 2 // 8, WIDTH // 8), np.uint8)
    return [np.roll(np.kron(noise, np.ones((8, 8), np.uint8)), 3 * i, axis=1) for i in range(60)]


def _copy(parts: list[tuple[Path, int, int]], path: Path) -> None:
    """Whole GOPs of (file, first frame, frames), one after the other, packets untouched."""
    part = path.with_suffix(".part.mp4")
    offset = 0
    with av.open(str(part), "w") as output:
        stream: Any = None
        for source, first, count in parts:
            with av.open(str(source)) as container:
                video = container.streams.video[0]
                tick = int(1 / (FPS * video.time_base))  # type: ignore[operator]
                stream = stream or output.add_stream_from_template(video)
                for packet in container.demux(video):
                    if packet.pts is None or not first * tick <= packet.pts < (first + count) * tick:
                        continue
                    packet.pts += offset - first * tick
                    packet.dts += offset - first * tick  # type: ignore[operator]
                    packet.stream = stream
                    output.mux(packet)
                offset += count * tick
    part.replace(path)
