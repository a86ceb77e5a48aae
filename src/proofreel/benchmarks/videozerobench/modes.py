"""How a family of models writes boxes: data, not code; every choice can be overridden."""

import fnmatch
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from proofreel.core import BoxScale


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
    """

    name: str
    match: tuple[str, ...]
    mode: CoordinateMode
    patch: int


@cache
def families() -> tuple[Family, ...]:
    """The shipped families in the order in which they are tried; the last one matches everything."""
    text = (files("proofreel.benchmarks.videozerobench") / "data" / "families.toml").read_text("utf-8")
    return tuple(
        Family(name, tuple(t["match"]), CoordinateMode(t["mode"]), t["patch"])
        for name, t in tomllib.loads(text)["families"].items()
    )


def family_of(model: str) -> Family:
    """The family of a model name such as ``vllm/Qwen3-VL-8B-Instruct``."""
    short = model.lower().rsplit("/", 1)[-1]
    return next(f for f in families() if any(fnmatch.fnmatchcase(short, p) for p in f.match))


def coordinate_mode(model: str, override: str | None = None) -> CoordinateMode:
    """The coordinate mode to ask a model in.

    Raises:
        ValueError: the override is no mode.
    """
    return CoordinateMode(override) if override else family_of(model).mode
