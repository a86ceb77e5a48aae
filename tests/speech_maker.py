"""Makes speech and talking clips with known truth, offline.

    audio = say("The exam is on Friday.")                       # float32 mono at 16 kHz
    clip = make_talk_clip(path, [Say(2.0, "Hello.")], [Show("PLATFORM 4", 1.0, 5.0)], duration=8.0)
    clip.spoken[0].start, clip.shown[0].box                      # what is really in the file

The voice is eSpeak NG (through ``espeakng-loader``), the picture Pillow, the file PyAV (H.264 and AAC).
"""

import ctypes
import math
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

RATE = 16_000
_SYNCHRONOUS, _UTF8, _SPEED = 2, 1, 1
_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(ctypes.c_char)
)
_lock = threading.Lock()
_engine: dict[str, Any] = {}


@dataclass(frozen=True)
class Say:
    """A sentence to speak at a second of the clip."""

    at: float
    text: str
    voice: str = "en-us"


@dataclass(frozen=True)
class Show:
    """A line of text on screen from ``start`` to ``end``; ``x, y`` place its top left corner (0-1)."""

    text: str
    start: float
    end: float
    x: float = 0.1
    y: float = 0.1
    size: int = 36
    color: tuple[int, int, int] = (255, 255, 255)


@dataclass(frozen=True)
class Spoken:
    """Truth: the words and the seconds in which there is sound of them."""

    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Shown:
    """Truth: the line, the seconds it stands, and the tight box of its ink (x0, y0, x1, y1 in 0-1)."""

    text: str
    start: float
    end: float
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class TalkClip:
    """A clip and the truth about it."""

    path: Path
    duration: float
    spoken: tuple[Spoken, ...]
    shown: tuple[Shown, ...]


def _load() -> tuple[Any, int]:
    if not _engine:
        import espeakng_loader

        lib = ctypes.CDLL(str(espeakng_loader.get_library_path()))
        native = lib.espeak_Initialize(_SYNCHRONOUS, 0, str(espeakng_loader.get_data_path()).encode(), 0)
        if native <= 0:
            raise RuntimeError("eSpeak NG did not start")
        _engine.update(lib=lib, rate=native)
    return _engine["lib"], _engine["rate"]


def say(text: str, *, voice: str = "en-us", words_per_minute: int = 150, rate: int = RATE) -> np.ndarray:
    """Speech as float32 mono in [-1, 1], without leading or trailing silence."""
    with _lock:  # the engine is one per process
        lib, native = _load()
        parts: list[np.ndarray] = []

        @_CALLBACK
        def collect(wave: Any, count: int, _events: Any) -> int:
            if wave and count > 0:
                parts.append(np.ctypeslib.as_array(wave, (count,)).copy())
            return 0

        lib.espeak_SetSynthCallback(collect)
        if lib.espeak_SetVoiceByName(voice.encode()) != 0:
            raise ValueError(f"no such voice: {voice}")
        lib.espeak_SetParameter(_SPEED, words_per_minute, 0)
        raw = text.encode()
        lib.espeak_Synth(raw, len(raw) + 1, 0, 1, 0, _UTF8, None, None)
        lib.espeak_Synchronize()
    pcm = np.concatenate(parts).astype(np.float32) / 32768.0
    audible = np.flatnonzero(np.abs(pcm) > 0.01)
    pcm = pcm[audible[0] : audible[-1] + 1]
    return _resample(pcm, native, rate)


def _resample(pcm: np.ndarray, source: int, target: int) -> np.ndarray:
    frame = av.AudioFrame.from_ndarray(pcm[None], format="fltp", layout="mono")
    frame.sample_rate = source
    resampler = av.AudioResampler(format="fltp", layout="mono", rate=target)
    parts = [f.to_ndarray()[0] for piece in (frame, None) for f in resampler.resample(piece)]
    return np.concatenate(parts).astype(np.float32)


def font(size: int) -> Any:
    """A scalable font that comes with Pillow (Latin letters)."""
    return ImageFont.load_default(size)


def ink_box(line: Show, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Tight box of the drawn letters, as fractions of the picture."""
    mask = Image.new("L", size)
    ImageDraw.Draw(mask).text((line.x * size[0], line.y * size[1]), line.text, fill=255, font=font(line.size))
    box = mask.getbbox()
    if box is None:
        raise ValueError(f"nothing of the line is inside the picture: {line.text!r}")
    return box[0] / size[0], box[1] / size[1], box[2] / size[0], box[3] / size[1]


def draw(
    lines: Sequence[Show], size: tuple[int, int] = (1280, 720), back: Image.Image | None = None
) -> np.ndarray:
    """A picture (uint8 [H, W, 3] RGB) with the lines on a soft gradient, or on ``back``."""
    if back is None:
        ramp = np.linspace(20, 90, size[0], dtype=np.float32)[None, :, None]
        tint = np.array([0.6, 0.8, 1.0], dtype=np.float32)
        back = Image.fromarray(np.broadcast_to(ramp * tint, (size[1], size[0], 3)).astype(np.uint8))
    picture = back.copy()
    pen = ImageDraw.Draw(picture)
    for line in lines:
        pen.text((line.x * size[0], line.y * size[1]), line.text, fill=line.color, font=font(line.size))
    return np.asarray(picture)


def mix(script: Sequence[Say], duration: float, rate: int = RATE) -> tuple[np.ndarray, tuple[Spoken, ...]]:
    """The sound track of a script and the seconds each sentence really takes."""
    track = np.zeros(round(duration * rate), dtype=np.float32)
    truth = []
    for line in script:
        voice = say(line.text, voice=line.voice, rate=rate)
        first = round(line.at * rate)
        if first + len(voice) > len(track):
            need = line.at + len(voice) / rate
            raise ValueError(
                f"the clip of {duration} s is too short for {line.text!r}: it ends at {need:.2f} s"
            )
        track[first : first + len(voice)] += 0.7 * voice
        truth.append(Spoken(line.text, line.at, line.at + len(voice) / rate))
    return track, tuple(truth)


def make_talk_clip(
    path: str | Path,
    script: Sequence[Say] = (),
    screen: Sequence[Show] = (),
    *,
    duration: float,
    size: tuple[int, int] = (1280, 720),
    fps: int = 10,
    crf: int = 23,
    audio: bool = True,
    background: Callable[[float], Image.Image] | None = None,
) -> TalkClip:
    """Writes an mp4 (H.264, AAC) of burnt-in lines and speech; returns the truth about it.

    Args:
        path: where to write.
        script: sentences and their seconds.
        screen: lines of text and the seconds they stand.
        duration: seconds of the clip.
        size: width and height in pixels, even numbers.
        fps: frames per second.
        crf: x264 quality, smaller is better.
        audio: False writes no sound track at all.
        background: picture behind the text at a second; a still gradient without it.
    """
    path = Path(path)
    track, spoken = mix(script, duration)
    with av.open(str(path), "w") as out:
        video: Any = out.add_stream(
            "libx264", rate=fps, options={"crf": str(crf), "preset": "veryfast", "g": str(fps * 4)}
        )
        video.width, video.height, video.pix_fmt = *size, "yuv420p"
        sound: Any = out.add_stream("aac", rate=RATE, layout="mono") if audio else None
        pictures: dict[tuple[int, ...], np.ndarray] = {}
        for k in range(math.ceil(duration * fps)):
            t = k / fps
            key = tuple(i for i, line in enumerate(screen) if line.start <= t < line.end)
            if background is not None:
                picture = draw([screen[i] for i in key], size, background(t))
            else:
                if key not in pictures:
                    pictures = {key: draw([screen[i] for i in key], size)}
                picture = pictures[key]
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = k, Fraction(1, fps)
            out.mux(video.encode(frame))
        out.mux(video.encode())
        if sound is not None:
            for first in range(0, len(track), 1024):
                piece = av.AudioFrame.from_ndarray(
                    track[None, first : first + 1024], format="fltp", layout="mono"
                )
                piece.sample_rate, piece.pts, piece.time_base = RATE, first, Fraction(1, RATE)
                out.mux(sound.encode(piece))
            out.mux(sound.encode())
    shown = tuple(Shown(s.text, s.start, s.end, ink_box(s, size)) for s in screen)
    return TalkClip(path, duration, spoken, shown)


_SPELLINGS = {"nine thirty": "9 30", "one hundred and four": "104", "harbour": "harbor"}


def _words(text: str) -> list[str]:
    text = text.casefold()
    for spoken, written in _SPELLINGS.items():
        text = text.replace(spoken, written)
    return re.findall(r"[a-z0-9']+", text)


def word_error_rate(said: str, heard: str) -> float:
    """Word edit distance over the words said; case and punctuation do not count."""
    a, b = _words(said), _words(heard)
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        above, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (word != other)))
    return row[-1] / len(a)
