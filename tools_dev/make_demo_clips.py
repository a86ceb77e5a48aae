"""Makes the two clips of the mini benchmark: python tools_dev/make_demo_clips.py [--preview DIR]."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tools_dev"), str(ROOT / "tests")]
from _stage import AMBER, DIM, INK, PAPER, Canvas, Clip  # noqa: E402

OUT = ROOT / "src/proofreel/benchmarks/mini/data/videos"


def speak(text: str) -> np.ndarray:
    from speech_maker import say

    samples = say(text)
    return (0.8 * samples / max(float(np.abs(samples).max()), 1e-6)).astype(np.float32)


# ---- harbour ---------------------------------------------------------------------------------------------------


def sea(c: Canvas, t: float, sky: tuple[int, int, int] = (246, 190, 140)) -> None:
    c.gradient((72, 110, 150), sky)
    c.disc(500, 150, 34, (255, 232, 180))
    c.box(0, 205, 640, 155, (34, 78, 104))
    for k in range(7):
        y = 218 + k * 20
        for j in range(-1, 9):
            x = j * 80 + (t * 14 + k * 33) % 80
            c.box(x, y, 34, 2, (84, 130, 152))
    x, y = 60 + t * 9 % 640, 196 + 2 * math.sin(t * 1.7)
    c.poly([(x, y), (x + 118, y), (x + 100, y + 24), (x + 14, y + 24)], (238, 240, 240))
    c.box(x + 26, y - 18, 62, 18, (250, 250, 250))
    c.box(x + 62, y - 34, 14, 16, (206, 66, 50))
    for k in range(4):
        c.disc(x + 34 + k * 14, y - 9, 3.2, (60, 90, 110))


def harbour_title(c: Canvas, t: float) -> None:
    sea(c, t)
    c.text(320, 52, "Lindvik Harbour", 42, PAPER, "ma")
    c.text(320, 104, "Morning information", 20, (240, 236, 226), "ma")


def board(c: Canvas, t: float, dublin: str) -> None:
    c.gradient((18, 24, 34), (30, 38, 50))
    c.box(40, 34, 560, 292, (10, 14, 20), 14)
    c.text(64, 52, "DEPARTURES", 26, AMBER)
    rows = [("08:40", "London", "Gate 3"), ("09:15", "Dublin", dublin), ("10:05", "Bergen", "Gate 1")]
    for k, (hour, town, gate) in enumerate(rows):
        y = 116 + k * 62
        changed = town == "Dublin" and dublin == "Gate 2"
        c.box(56, y - 12, 528, 50, (58, 44, 16) if changed else (20, 27, 37), 8)
        c.text(76, y, hour, 28, AMBER)
        c.text(220, y, town, 28)
        c.text(468, y, gate, 28, AMBER if changed else PAPER)
    if int(t * 2) % 2:
        c.disc(574, 64, 6, AMBER)


def kiosk(c: Canvas, t: float) -> None:
    sea(c, t, (250, 214, 170))
    c.box(70, 40, 330, 250, (120, 74, 48), 10)
    for k in range(6):
        c.poly(
            [(60 + k * 58, 40), (118 + k * 58, 40), (112 + k * 58, 74), (66 + k * 58, 74)],
            (206, 66, 50) if k % 2 else (246, 240, 230),
        )
    c.box(96, 92, 278, 178, INK, 8)
    for k, (what, price) in enumerate([("Coffee", "32 kr"), ("Tea", "28 kr"), ("Waffle", "45 kr")]):
        c.text(118, 112 + k * 50, what, 28)
        c.text(352, 112 + k * 50, price, 28, AMBER, "ra")
    for k in range(3):
        c.disc(470 + k * 9, 190 - (t * 22 + k * 26) % 70, 5 + k, (226, 220, 214))
    c.box(446, 196, 56, 50, PAPER, 8)


def weather(c: Canvas, t: float) -> None:
    c.gradient((58, 74, 96), (120, 136, 150))
    for k in range(40):
        x = (k * k * 97 + k * 41 - t * 90) % 700 - 30
        y = (k * k * 61 + k * 173 + t * 210) % 380 - 10
        c.poly([(x, y), (x + 2, y), (x - 5, y + 16), (x - 7, y + 16)], (150, 172, 190))
    c.box(64, 60, 512, 190, (26, 36, 50), 14)
    c.text(92, 82, "Wind 14 m/s", 34)
    c.text(92, 136, "Water 11 C", 34)
    c.text(92, 190, "Harbour radio: channel 12", 26, AMBER)


def harbour() -> Clip:
    clip = Clip(50)
    clip.scenes = [
        (0, harbour_title),
        (9, lambda c, t: board(c, t, "Gate 5")),
        (17, lambda c, t: board(c, t, "Gate 2")),
        (26, kiosk),
        (37, weather),
    ]
    clip.speech = [
        (0.8, speak("Good morning from the harbour of Lindvik. Three ferries leave before noon.")),
        (
            16.2,
            speak("The ferry to Dublin leaves from gate two today, because gate five is closed."),
        ),
        (27.0, speak("The kiosk opens at seven thirty, and it closes at six in the evening.")),
        (37.8, speak("Captain Ingrid Larsen expects a storm on Thursday.")),
        (42.8, speak("A red umbrella was found on the London ferry. Please ask at the ticket office.")),
    ]
    return clip


# ---- workshop --------------------------------------------------------------------------------------------------


def bench(c: Canvas, t: float) -> None:
    c.gradient((46, 40, 36), (92, 76, 62))
    c.box(0, 300, 640, 60, (70, 48, 34))
    c.gear(500, 130, 70, 18, t * 0.6, (190, 150, 84))
    c.gear(586, 212, 42, 11, -t * 0.98 + 0.2, (160, 124, 70))


def workshop_title(c: Canvas, t: float) -> None:
    bench(c, t)
    c.text(40, 90, "The Tower Clock", 42)
    c.text(40, 148, "A repair in three steps", 20, (230, 220, 206))


def parts(c: Canvas, t: float) -> None:
    bench(c, t)
    c.box(36, 44, 350, 236, PAPER, 10)
    c.text(62, 62, "Parts list", 28, INK)
    for k, (what, n) in enumerate([("Gears", "24"), ("Springs", "6"), ("Screws", "118")]):
        c.text(62, 118 + k * 48, what, 26, (60, 68, 80))
        c.text(356, 118 + k * 48, n, 26, INK, "ra")


def pendulum(c: Canvas, t: float) -> None:
    c.gradient((40, 48, 58), (74, 84, 96))
    a = 0.5 * math.sin(t * 2.2)
    x, y = 470 + 200 * math.sin(a), 30 + 200 * math.cos(a)
    c.poly([(468, 30), (472, 30), (x + 2, y), (x - 2, y)], DIM)
    c.disc(x, y, 30, (206, 164, 90))
    c.text(40, 96, "Step 1", 24, AMBER)
    c.text(40, 132, "Remove the pendulum", 32)
    c.text(40, 300, "Job number TC-4471", 22, (206, 214, 222))


def oil(c: Canvas, t: float) -> None:
    bench(c, t)
    c.text(40, 84, "Step 2", 24, AMBER)
    c.text(40, 120, "Oil the main wheel", 32)
    c.box(40, 196, 300, 66, INK, 10)
    c.text(62, 210, "Room 19.5 C", 28)


def glass(c: Canvas, t: float) -> None:
    c.gradient((52, 66, 84), (126, 142, 156))
    c.disc(470, 180, 122, (226, 222, 208))
    c.disc(470, 180, 112, (250, 248, 240))
    for k in range(12):
        a = k * math.tau / 12
        c.disc(470 + 96 * math.sin(a), 180 - 96 * math.cos(a), 4, INK)
    for length, width, turn in ((84, 2.4, t * 0.5), (56, 3.6, t * 0.05 + 1)):
        dx, dy = math.sin(turn), -math.cos(turn)
        tip = (470 + length * dx, 180 + length * dy)
        c.poly([(470 - width * dy, 180 + width * dx), tip, (470 + width * dy, 180 - width * dx)], INK)
    c.text(40, 84, "Step 3", 24, AMBER)
    c.text(40, 120, "Replace the glass", 32)
    c.text(40, 300, "Workshop open until 16:30", 22, (236, 240, 244))


def workshop() -> Clip:
    clip = Clip(46)
    clip.scenes = [(0, workshop_title), (9, parts), (18, pendulum), (28, oil), (36, glass)]
    clip.speech = [
        (0.8, speak("This tower clock was built by Emil Hartmann in eighteen ninety two.")),
        (18.6, speak("First we remove the pendulum. It weighs nine kilograms.")),
        (28.4, speak("Then we oil the main wheel with two drops of oil.")),
        (36.4, speak("At last we replace the glass, which came from Vienna. Maria will polish it.")),
    ]
    return clip


CLIPS = {"harbour.mp4": harbour, "workshop.mp4": workshop}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preview", type=Path, help="write one PNG a scene instead of the clips")
    preview = parser.parse_args().preview
    OUT.mkdir(parents=True, exist_ok=True)
    for name, build in CLIPS.items():
        if preview:
            global speak
            speak = lambda text: np.zeros(0, np.float32)  # noqa: E731
        clip = build()
        if preview:
            preview.mkdir(parents=True, exist_ok=True)
            for start, _ in clip.scenes:
                Image.fromarray(clip.frame(start + 3)).save(preview / f"{name}-{start}.png")
        else:
            clip.write(OUT / name)
            print(f"{OUT.joinpath(name).name}: {OUT.joinpath(name).stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
