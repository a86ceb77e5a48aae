"""Draws a small clip scene by scene and writes it with PyAV; used by make_demo_clips.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, FPS, RATE, OVER = 640, 360, 10, 16000, 2
INK, PAPER, AMBER, DIM = (24, 32, 44), (250, 248, 242), (255, 196, 64), (150, 168, 186)


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own scalable font, so that the clip is the same on every machine."""
    return ImageFont.load_default(size * OVER)


class Canvas:
    """A drawing surface in 640 x 360 units, painted at twice the size and scaled down."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH * OVER, HEIGHT * OVER))
        self.draw = ImageDraw.Draw(self.image)

    def gradient(self, top: tuple[int, int, int], bottom: tuple[int, int, int]) -> None:
        ramp = np.linspace(0, 1, HEIGHT * OVER)[:, None, None]
        rows = np.asarray(top) * (1 - ramp) + np.asarray(bottom) * ramp
        self.image.paste(
            Image.fromarray(np.broadcast_to(rows, (HEIGHT * OVER, WIDTH * OVER, 3)).astype(np.uint8))
        )

    def box(
        self, x: float, y: float, w: float, h: float, fill: tuple[int, int, int], radius: float = 0
    ) -> None:
        self.draw.rounded_rectangle([v * OVER for v in (x, y, x + w, y + h)], radius * OVER, fill=fill)

    def disc(self, x: float, y: float, r: float, fill: tuple[int, int, int]) -> None:
        self.draw.ellipse([v * OVER for v in (x - r, y - r, x + r, y + r)], fill=fill)

    def poly(self, points: list[tuple[float, float]], fill: tuple[int, int, int]) -> None:
        self.draw.polygon([(x * OVER, y * OVER) for x, y in points], fill=fill)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: int,
        fill: tuple[int, int, int] = PAPER,
        anchor: str = "la",
    ) -> None:
        self.draw.text((x * OVER, y * OVER), words, font=font(size), fill=fill, anchor=anchor)

    def gear(self, x: float, y: float, r: float, teeth: int, turn: float, fill: tuple[int, int, int]) -> None:
        points = []
        for k in range(teeth * 4):
            radius = r if k % 4 in (0, 1) else r * 0.82
            a = turn + (k + 0.5) * math.tau / (teeth * 4)
            points.append((x + radius * math.cos(a), y + radius * math.sin(a)))
        self.poly(points, fill)
        self.disc(x, y, r * 0.32, (40, 44, 52))

    def pixels(self) -> np.ndarray:
        return np.asarray(self.image.resize((WIDTH, HEIGHT), Image.Resampling.BOX))


@dataclass
class Clip:
    """Scenes (start, painter) and spoken lines (start, samples) on one timeline of ``length`` seconds."""

    length: float
    scenes: list[tuple[float, Callable[[Canvas, float], None]]] = field(default_factory=list)
    speech: list[tuple[float, np.ndarray]] = field(default_factory=list)

    def frame(self, t: float) -> np.ndarray:
        painter = [p for s, p in self.scenes if s <= t + 1e-9][-1]
        canvas = Canvas()
        painter(canvas, t)
        return canvas.pixels()

    def sound(self) -> np.ndarray:
        track = np.zeros(int(self.length * RATE), np.float32)
        for start, samples in self.speech:
            at = int(start * RATE)
            if at + len(samples) > len(track):
                raise ValueError(f"the line at {start} s runs past the end")
            track[at : at + len(samples)] += samples
        return np.clip(track, -1, 1)

    def write(self, path: Path) -> None:
        """An mp4 with H.264 and AAC, index first; the same bytes for the same input."""
        with av.open(
            str(path), "w", format="mp4", options={"movflags": "+faststart", "fflags": "+bitexact"}
        ) as out:
            video = out.add_stream("libx264", rate=FPS, options={"crf": "25", "preset": "slow", "g": "50"})
            video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
            video.codec_context.thread_count = 1
            audio = out.add_stream("aac", rate=RATE, layout="mono")
            audio.bit_rate = 40_000
            for k in range(int(self.length * FPS)):
                picture = av.VideoFrame.from_ndarray(self.frame(k / FPS), format="rgb24")
                picture.pts, picture.time_base = k, Fraction(1, FPS)
                out.mux(video.encode(picture))
            out.mux(video.encode(None))
            track = self.sound()
            for at in range(0, len(track), 1024):
                piece = np.zeros((1, 1024), np.float32)
                part = track[at : at + 1024]
                piece[0, : len(part)] = part
                sound = av.AudioFrame.from_ndarray(piece, format="fltp", layout="mono")
                sound.sample_rate, sound.pts, sound.time_base = RATE, at, Fraction(1, RATE)
                out.mux(audio.encode(sound))
            out.mux(audio.encode(None))
