"""How a family of models writes boxes: data, not code; every choice can be overridden."""

import fnmatch
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from proofreel.core import BoxScale

DEFAULT_CAP = 384


class CoordinateMode(StrEnum):
    """The three ways of writing a box, under the names used in stored predictions and prompts."""

    THOUSAND = "normalized 0-1000"
    UNIT = "normalized 0-1"
    ABSOLUTE = "absolute"

    @property
    def scale(self) -> BoxScale:
        """The same in the core's words."""
        return {
            CoordinateMode.THOUSAND: BoxScale.THOUSAND,
            CoordinateMode.UNIT: BoxScale.UNIT,
            CoordinateMode.ABSOLUTE: BoxScale.PIXEL,
        }[self]


@dataclass(frozen=True)
class Family:
    """Models that write boxes alike.

    Attributes:
        name: of the family.
        match: patterns of model names, without the provider's part.
        mode: how they write boxes.
        patch: pixels of a vision patch; frame widths are multiples of two patches.
        media: ``video`` for models that are sent the file itself where their route takes it, else ``frames``.
        max_bytes: largest file that is sent whole; larger ones are transcoded.
    """

    name: str
    match: tuple[str, ...]
    mode: CoordinateMode
    patch: int
    media: str = "frames"
    max_bytes: int = 100_000_000


@cache
def _data() -> dict[str, Any]:
    text = (files("proofreel.benchmarks.videozerobench") / "data" / "families.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def families() -> tuple[Family, ...]:
    """The shipped families in the order in which they are tried; the last one matches everything."""
    return tuple(
        Family(name, **{**t, "match": tuple(t["match"]), "mode": CoordinateMode(t["mode"])})
        for name, t in _data()["families"].items()
    )


def _short(model: str) -> str:
    return model.lower().rsplit("/", 1)[-1]


def frame_cap(model: str) -> int:
    """Most frames the paper showed this model in one call; 384 for those it does not name."""
    caps = (
        c["frames"] for c in _data()["caps"] if any(fnmatch.fnmatchcase(_short(model), p) for p in c["match"])
    )
    return int(next(caps, DEFAULT_CAP))


def group_of(model: str | None) -> str:
    """The group of the main table a model stands in: proprietary, video-specific, open-source; ``none`` without one."""
    if not model:
        return "none"
    short = _short(model)
    groups = (g["name"] for g in _data()["groups"] if any(fnmatch.fnmatchcase(short, p) for p in g["match"]))
    return str(next(groups, "open-source"))


def family_of(model: str) -> Family:
    """The family of a model name such as ``vllm/Qwen3-VL-8B-Instruct``."""
    return next(f for f in families() if any(fnmatch.fnmatchcase(_short(model), p) for p in f.match))


def coordinate_mode(model: str, override: str | None = None) -> CoordinateMode:
    """The coordinate mode to ask a model in.

    Raises:
        ValueError: the override is no mode.
    """
    return CoordinateMode(override) if override else family_of(model).mode
