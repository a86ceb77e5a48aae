"""The readers that compete, each the way its own documentation means it to be used.

Every reader takes `path`, the frame numbers wanted (ascending), the height, and the number that the frames
restart from; it returns how many frames it gave and how many of them showed another number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks_perf._perf_media import FPS, HEIGHT, WIDTH, read_number

Found = dict[str, Any]


def proofreel(path: str, wanted: list[int], height: int, period: int, first: int = 0) -> Found:
    from proofreel.video import At, iter_frames

    plan = At([(n + 0.5) / FPS for n in wanted])
    return _judge((frame.image for frame in iter_frames(path, plan, height=height)), wanted, period, first)


def prepare_proofreel() -> None:
    import proofreel.video._isolate
    import proofreel.video.decode  # noqa: F401


def opencv_sequential(path: str, wanted: list[int], height: int, period: int, first: int = 0) -> Found:
    import cv2

    def frames() -> Iterable[np.ndarray]:
        capture, number = cv2.VideoCapture(path), -1
        for target in wanted:
            while number < target:
                capture.grab()
                number += 1
            image = capture.retrieve()[1]
            small = cv2.resize(image, (round(WIDTH * height / HEIGHT), height), interpolation=cv2.INTER_AREA)
            yield cv2.cvtColor(small, cv2.COLOR_BGR2RGB)
        capture.release()

    return _judge(frames(), wanted, period, first)


def prepare_opencv_sequential() -> None:
    import cv2  # noqa: F401


def opencv_seek(path: str, wanted: list[int], height: int, period: int, first: int = 0) -> Found:
    import cv2

    def frames() -> Iterable[np.ndarray]:
        capture = cv2.VideoCapture(path)
        for target in wanted:
            capture.set(cv2.CAP_PROP_POS_FRAMES, target)
            image = capture.read()[1]
            small = cv2.resize(image, (round(WIDTH * height / HEIGHT), height), interpolation=cv2.INTER_AREA)
            yield cv2.cvtColor(small, cv2.COLOR_BGR2RGB)
        capture.release()

    return _judge(frames(), wanted, period, first)


prepare_opencv_seek = prepare_opencv_sequential


def decord2(path: str, wanted: list[int], height: int, period: int, first: int = 0) -> Found:
    import decord

    def frames() -> Iterable[np.ndarray]:
        reader = decord.VideoReader(path, width=round(WIDTH * height / HEIGHT), height=height)
        for start in range(0, len(wanted), 32):
            yield from reader.get_batch(wanted[start : start + 32]).asnumpy()

    return _judge(frames(), wanted, period, first)


def prepare_decord2() -> None:
    import decord  # noqa: F401


def pyav_to_null(path: str, wanted: list[int], height: int, period: int, first: int = 0) -> Found:
    """The floor: decodes up to the last frame wanted, keeps nothing, scales nothing."""
    import av

    count = 0
    with av.open(path) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1
        for _ in container.decode(stream):
            count += 1
            if count > wanted[-1]:
                break
    return {"frames": count, "wrong": 0}


def pyav_seek(path: str, wanted: list[int], height: int, period: int, first: int = 0) -> Found:
    """Plain PyAV: seek before each frame, decode up to its time, scale."""
    import av

    def frames() -> Iterable[np.ndarray]:
        with av.open(path) as container:
            stream = container.streams.video[0]
            stream.codec_context.thread_count = 1
            tick = int(1 / (FPS * stream.time_base))  # type: ignore[operator]
            for target in wanted:
                container.seek(target * tick, stream=stream)
                for frame in container.decode(stream):
                    if frame.pts is not None and frame.pts >= target * tick:
                        width = round(WIDTH * height / HEIGHT)
                        yield frame.reformat(width, height, "rgb24", interpolation="AREA").to_ndarray()
                        break

    return _judge(frames(), wanted, period, first)


def prepare_pyav_to_null() -> None:
    import av  # noqa: F401


prepare_pyav_seek = prepare_pyav_to_null


def many(reader: str, clips: list[list[Any]], wanted: list[int], height: int) -> Found:
    """One reader over many short clips."""
    total = {"frames": 0, "wrong": 0}
    for path, first in clips:
        found = globals()[reader](path, wanted, height, 1 << 18, first)
        total = {key: total[key] + found[key] for key in total}
    return total


def many_proofreel(**arguments: Any) -> Found:
    return many("proofreel", **arguments)


def many_opencv_sequential(**arguments: Any) -> Found:
    return many("opencv_sequential", **arguments)


def many_decord2(**arguments: Any) -> Found:
    return many("decord2", **arguments)


prepare_many_proofreel = prepare_proofreel
prepare_many_opencv_sequential = prepare_opencv_sequential
prepare_many_decord2 = prepare_decord2


def index_only(path: str) -> Found:
    """Only the packet index of a file."""
    from proofreel.video import probe

    return {"frames": probe(path).frame_count, "wrong": 0}


prepare_index_only = prepare_proofreel


def _judge(images: Iterable[np.ndarray], wanted: list[int], period: int, first: int) -> Found:
    """Counts frames, and those that do not show the number asked for."""
    frames = wrong = 0
    for image, number in zip(images, wanted, strict=True):
        frames += 1
        wrong += read_number(image) != (number % period) + first
    return {"frames": frames, "wrong": wrong}
