"""How the levels are put to a model: published presets, its family's habits, and what ``--set`` says over both."""

import difflib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar, cast, get_args

from proofreel.benchmarks.videozerobench.frames import PRESETS
from proofreel.benchmarks.videozerobench.levels import LEVELS
from proofreel.benchmarks.videozerobench.modes import CoordinateMode, family_of, frame_cap
from proofreel.benchmarks.videozerobench.text import Mode
from proofreel.core.errors import UserError

Sampling = Literal["fps_cap", "uniform_n"]
Media = Literal["frames", "video", "none"]
Ask = Literal["separate", "joint"]
FEW = 96
"""Up to so many frames are shown higher, as in the published presets."""
BOX_TOLERANCE = 0.5
"""Seconds by which a box an agent chose the time of may miss a key time: half the distance of frames at 1 fps."""
OTHER = frozenset(
    (
        "mode",
        "preset",
        "lose_box_mode",
        "box_tolerance",
        "config",
        "temperature",
        "thinking_budget",
        "retry_waits",
    )
)
"""Settings read elsewhere."""
T = TypeVar("T")


@dataclass(frozen=True)
class ExamSettings:
    """Settings of an exam.

    Attributes:
        levels: which are asked, in order.
        ask: ``separate``: a call for each level; ``joint``: one call for answer, windows and boxes.
        media: ``frames``, the ``video`` itself, or ``none``.
        sampling: ``fps_cap`` (paper): every 1/fps seconds, thinned above ``max_frames``; ``uniform_n`` (published
            code): ``max_frames`` frames over the whole file.
        fps: frames a second of ``fps_cap``.
        max_frames: most frames in a call.
        height: rows of a frame; 0 keeps the display size, None is for key frames beside a video (at most 720).
        patch: pixels of the vision patch; the width is floored to a multiple of two.
        quality: of the JPEG, 1-100.
        thinking: levels 1-3 ask for the thinking form.
        box_mode: how boxes are written.
        max_bytes: largest file sent whole.
        mode: careful or official.
        notes: what was changed, and why.
    """

    levels: tuple[int, ...] = tuple(LEVELS)
    ask: Ask = "separate"
    media: Media = "frames"
    sampling: Sampling = "fps_cap"
    fps: float = 1.0
    max_frames: int = 384
    height: int | None = 128
    patch: int = 16
    quality: int = 85
    thinking: bool = False
    box_mode: CoordinateMode = CoordinateMode.UNIT
    max_bytes: int = 100_000_000
    mode: Mode = "careful"
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls,
        options: Mapping[str, Any],
        model: str = "",
        *,
        takes_video: bool = False,
        max_images: int | None = None,
    ) -> "ExamSettings":
        """Settings for a model: what ``options`` say, else the preset, else the family.

        Args:
            options: settings of the agent.
            model: its name.
            takes_video: whether its route carries true video.
            max_images: most images in one request, by its card.

        Raises:
            UserError: an option that is not valid, or that looks like a misspelt one.
        """
        _no_typos(options)
        family = family_of(model)
        preset = options.get("preset")
        given: dict[str, Any] = {}
        if preset is not None:
            if preset not in PRESETS:
                raise UserError(f"preset is one of {', '.join(PRESETS)}, got {preset!r}")
            p = PRESETS[preset]
            given = {"sampling": "uniform_n", "max_frames": p.frames, "height": p.height, "patch": p.patch}
            given |= {"thinking": p.thinking, "media": "frames"}
        given |= {k: v for k, v in options.items() if v is not None}
        media = given.get("media", "auto")
        if media == "auto":
            media = "video" if family.media == "video" and takes_video else "frames"
        if media == "video" and not takes_video:
            raise UserError(
                f"media=video: {model or 'the model'} is not sent true video on this route; use media=frames"
            )
        asked = _number(given, "max_frames", frame_cap(model), int, 1)
        cap = asked if max_images is None else min(asked, max_images)
        said = (
            (f"{asked} frames asked for, {model} takes {cap} images in one request",) if cap < asked else ()
        )
        patch = _number(given, "patch", family.patch, int, 1)
        few = 256 if patch % 16 == 0 else 280
        height: int | None = None
        if media != "video" or "height" in given:
            height = _number(given, "height", few if asked <= FEW else 128, int, 0)
        return cls(
            levels=_levels(given.get("levels")),
            ask=cast(Ask, _choice(given, "ask", "separate", get_args(Ask))),
            media=cast(Media, _choice({"media": media}, "media", media, get_args(Media))),
            sampling=cast(Sampling, _choice(given, "sampling", "fps_cap", get_args(Sampling))),
            fps=_number(given, "fps", 1.0, float, 1e-6),
            max_frames=cap,
            height=height,
            patch=patch,
            quality=_number(given, "quality", 85, int, 1),
            thinking=_flag(given, "thinking"),
            box_mode=_box_mode(given.get("box_mode"), family.mode),
            max_bytes=_number(given, "max_bytes", family.max_bytes, int, 1),
            mode="official" if given.get("mode") == "official" else "careful",
            notes=said,
        )

    def told(self) -> dict[str, Any]:
        """The settings as JSON values, for the trajectory."""
        plain = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
        return plain | {"box_mode": str(self.box_mode)}


def _no_typos(options: Mapping[str, Any]) -> None:
    known = {f.name for f in fields(ExamSettings)} - {"notes"} | OTHER
    for name in options:
        if name not in known and (close := difflib.get_close_matches(name, known, 1, 0.8)):
            raise UserError(f"--set {name}: levels has no such setting; did you mean {close[0]}?")


def _levels(value: Any) -> tuple[int, ...]:
    if value is None:
        return tuple(LEVELS)
    parts = (
        value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else [value]
    )
    try:
        chosen = sorted({int(p) for p in parts})
    except (TypeError, ValueError):
        chosen = []
    if not chosen or not set(chosen) <= set(LEVELS):
        raise UserError(f"levels are numbers from 1 to 5, as in levels=3,4,5; got {value!r}")
    return tuple(chosen)


def _choice(given: Mapping[str, Any], name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = given.get(name, default)
    if value not in allowed:
        raise UserError(f"{name} is one of {', '.join(allowed)}; got {value!r}")
    return str(value)


def _number(given: Mapping[str, Any], name: str, default: T, kind: Any, least: float) -> T:
    value = given.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < least or kind(value) != value:
        raise UserError(f"{name} must be a number of at least {least:g}, got {value!r}")
    return cast(T, kind(value))


def _flag(given: Mapping[str, Any], name: str) -> bool:
    value = given.get(name, False)
    if not isinstance(value, bool):
        raise UserError(f"{name} is true or false, got {value!r}")
    return value


def _box_mode(value: Any, default: CoordinateMode) -> CoordinateMode:
    short = {"0-1000": CoordinateMode.THOUSAND, "0-1": CoordinateMode.UNIT, "pixels": CoordinateMode.ABSOLUTE}
    if value is None:
        return default
    try:
        return short[value] if value in short else CoordinateMode(value)
    except ValueError:
        raise UserError(f"box_mode is one of {', '.join(CoordinateMode)}; got {value!r}") from None
