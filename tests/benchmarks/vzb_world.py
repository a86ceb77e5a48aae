"""Small videos with known truth, and a model that looks: it finds coloured squares in the pictures it is sent.

In every video each of four colours is on screen in a window of its own, as one to three squares. At the key time, and
for a quarter of a second only, the squares stand in the reference boxes; else they stand elsewhere. So boxes can be
right only when the key frame itself is shown, at its own time and in its own shape.
"""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import simplejpeg
from scipy import ndimage

from proofreel.testing import Reply, Request, Text, Usage

MODEL = "openai-api/local/some-vlm"
COLOURS = {"red": (225, 25, 25), "green": (25, 205, 25), "blue": (25, 25, 225), "yellow": (225, 225, 25)}
FPS, SECONDS, SIZE = 4, 24, (160, 96)
MODES = ("normalized 0-1000", "normalized 0-1", "absolute")
Box = tuple[float, float, float, float]
Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Truth:
    """What is so of one question."""

    colour: str
    start: int
    end: int
    key: float
    boxes: tuple[Box, ...]
    elsewhere: tuple[Box, ...]

    @property
    def answer(self) -> str:
        return str(len(self.boxes))


def truths(video: int) -> list[Truth]:
    """Four questions of a video: windows of four or five seconds, one to three squares on the upper right."""
    made = []
    for n, colour in enumerate(COLOURS):
        start, count = 1 + 6 * n - (video % 2), 1 + (video + n) % 3
        top = 0.06 + 0.02 * (video % 3)
        boxes = tuple((0.55 + 0.15 * k, top, 0.65 + 0.15 * k, top + 0.2) for k in range(count))
        elsewhere = tuple((0.05 + 0.15 * k, 0.7, 0.15 + 0.15 * k, 0.9) for k in range(count))
        made.append(Truth(colour, start, start + 4 + video % 2, start + 1.5, boxes, elsewhere))
    return made


def _draw(time: float, shown: list[Truth]) -> Image:
    width, height = SIZE
    image = np.full((height, width, 3), 60, np.uint8)
    for truth in shown:
        if truth.start <= time < truth.end:
            for x0, y0, x1, y1 in truth.boxes if abs(time - truth.key) < 1e-6 else truth.elsewhere:
                rows = slice(round(y0 * height), round(y1 * height))
                image[rows, round(x0 * width) : round(x1 * width)] = COLOURS[truth.colour]
    return image


def write_video(path: Path, video: int) -> Path:
    with av.open(str(path), "w") as out:
        stream: Any = out.add_stream("libx264", rate=FPS, options={"crf": "12"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for i in range(FPS * SECONDS):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(_draw(i / FPS, truths(video)), format="rgb24")))
        out.mux(stream.encode(None))
    return path


def make_data(root: Path, videos: int = 10) -> Path:
    """A data folder in the published form: ``videos`` files with four questions each."""
    (root / "compressed").mkdir(parents=True)
    head = ("question_id", "video", "duration", "question", "answer", "language", "category", "evidence_span")
    head += ("annotation_capabilities", "evidence_windows", "evidence_boxes")
    lines = ["\t".join(head)]
    for v in range(videos):
        write_video(root / f"compressed/v{v}.mp4", v)
        for n, t in enumerate(truths(v)):
            question = f"How many {t.colour} squares are there? Answer with a number only."
            windows = json.dumps([{"start": t.start, "end": t.end}])
            boxes = json.dumps([{"time": t.key, "box": list(b)} for b in t.boxes])
            cells = [4 * v + n, f"v{v}.mp4", SECONDS, question, t.answer, "cn" if n % 2 else "en"]
            cells += ["Gaming" if v % 2 else "Sports", "short-term" if n < 2 else "single-frame"]
            cells += [json.dumps(["counting"] if n < 2 else ["counting", "object tracking"]), windows, boxes]
            lines.append("\t".join(str(c) for c in cells))
    (root / "VideoZeroBench_500_v0.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


# --- the model ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """A request as the model reads it."""

    text: str
    times: list[float]
    images: list[Image]

    @classmethod
    def of(cls, request: Request) -> "Seen":
        parts = request.json["messages"][-1]["content"]
        parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
        times, images, words = [], [], ""
        for part in parts:
            if part["type"] == "image_url":
                data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                images.append(simplejpeg.decode_jpeg(data))
            elif stamp := re.fullmatch(r"\[t=([\d.]+) s\]", part["text"]):
                times.append(float(stamp[1]))
            else:
                words = part["text"]
        return cls(words, times, images)

    def has(self, place: int, colour: str) -> bool:
        """Whether a colour is in a picture at all; every fourth row and column are enough to see it."""
        small = self.images[place][::4, ::4].astype(np.int16)
        return bool((np.abs(small - COLOURS[colour]).max(axis=2) < 90).any())

    def squares(self, place: int, colour: str) -> list[tuple[int, int, int, int]]:
        """Pixel boxes (x0, y0, x1, y1) of one colour, left to right."""
        near = np.abs(self.images[place].astype(np.int16) - COLOURS[colour]).max(axis=2) < 90
        found = ndimage.find_objects(ndimage.label(near)[0])
        boxes = [(x.start, y.start, x.stop, y.stop) for y, x in found if y.stop - y.start > 4]
        return sorted(boxes)

    @property
    def colour(self) -> str:
        return next(c for c in COLOURS if f"many {c} squares" in self.text)


def looker(shift: float = 0.0, box_shift: float = 0.0, swap: bool = False) -> Callable[[Request], Reply]:
    """A model that answers from the pictures; its faults are chosen."""

    def reply(request: Request) -> Reply:
        seen = Seen.of(request)
        return Text(_said(seen, shift, box_shift, swap), Usage(prompt=50 * len(seen.images), completion=9))

    return reply


def _said(seen: Seen, shift: float, box_shift: float, swap: bool) -> str:
    there = [t for n, t in enumerate(seen.times) if seen.has(n, seen.colour)]
    if "From <X seconds>" in seen.text:
        # One picture a second: the squares stay until the next.
        return f"From <{there[0] + shift} seconds> to <{there[-1] + 1 + shift} seconds>."
    if "bbox_2d" in seen.text:
        keys = [
            float(k)
            for k in re.findall(r"<([\d.]+) seconds>", seen.text.partition("Times:")[2].split("\n")[0])
        ]
        return json.dumps([{"time": k + box_shift, "bbox_2d": _boxes(seen, k, swap)} for k in keys])
    if not there:
        return "0"
    return str(len(seen.squares(seen.times.index(there[0]), seen.colour)))


def _boxes(seen: Seen, key: float, swap: bool) -> list[list[float]]:
    place = max(n for n, t in enumerate(seen.times) if t <= key + 0.006)
    height, width = seen.images[place].shape[:2]
    if "from 0 to 1000" in seen.text:
        scale_x, scale_y = 1000 / width, 1000 / height
    elif "fractions" in seen.text:
        scale_x, scale_y = 1 / width, 1 / height
    else:
        told = re.search(r"which are (\d+) wide and (\d+) high", seen.text)
        assert told is not None
        scale_x, scale_y = int(told[1]) / width, int(told[2]) / height
    boxes = [
        (x0 * scale_x, y0 * scale_y, x1 * scale_x, y1 * scale_y)
        for x0, y0, x1, y1 in seen.squares(place, seen.colour)
    ]
    return [[b, a, d, c] if swap else [a, b, c, d] for a, b, c, d in boxes]
