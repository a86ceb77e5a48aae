"""References to media: small frozen records that travel in messages, cache keys and logs instead of bytes."""

from __future__ import annotations

import hashlib
import json
from os import PathLike, fspath
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, TypeAdapter, ValidationError, field_validator, model_validator

from proofreel.core._base import Record

from ._hash import file_hash
from .errors import BadRequest
from .sample import Numbered, Plan, plan_from_dict

_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Unit = Annotated[float, Field(ge=0, le=1)]


class _Reference(Record):
    """What all kinds share: the path to read, and an identity that leaves the path out."""

    video: str
    sha256: _Sha256

    @property
    def id(self) -> str:
        """32 hex digits from the file's hash and all settings: the same for the same bytes under another name."""
        text = json.dumps(self._identity(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _identity(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude={"video"})

    def __hash__(self) -> int:
        return hash((type(self), self.video, self.id))


class FramesRef(_Reference):
    """Frames of a video as JPEG pictures.

    Attributes:
        video: path the frames are read from; not part of the identity.
        sha256: hash of the file.
        plan: the sampling plan in its dict form (`Plan.to_dict`).
        height: rows of a picture in pixels; None keeps the display size.
        width_multiple: the width is floored to a multiple of this.
        quality: JPEG quality, 1 to 100.
        crop: (x0, y0, x1, y1) of the upright picture, 0-1, or None for the whole.
    """

    kind: Literal["frames"] = "frames"
    plan: dict[str, Any]
    height: int | None = Field(default=None, ge=1)
    width_multiple: int = Field(default=1, ge=1)
    quality: int = Field(default=85, ge=1, le=100)
    crop: tuple[_Unit, _Unit, _Unit, _Unit] | None = None

    @field_validator("plan", mode="before")
    @classmethod
    def _canonical_plan(cls, plan: Any) -> dict[str, Any]:
        return (plan if isinstance(plan, Plan) else plan_from_dict(plan)).to_dict()

    @model_validator(mode="after")
    def _crop_has_area(self) -> Self:
        if self.crop is not None and not (self.crop[0] < self.crop[2] and self.crop[1] < self.crop[3]):
            raise ValueError(f"crop must have x0 < x1 and y0 < y1, got {self.crop}")
        return self

    @property
    def sampling(self) -> Plan:
        """The plan as an object."""
        return plan_from_dict(self.plan)

    @classmethod
    def of(
        cls,
        path: str | PathLike[str],
        plan: Plan,
        *,
        height: int | None = None,
        width_multiple: int = 1,
        quality: int = 85,
        crop: tuple[float, float, float, float] | None = None,
    ) -> FramesRef:
        """The reference to frames of the file at ``path``, whose hash is worked out here.

        Raises:
            BadRequest: a setting is out of range.
            UnreadableContainer: the file cannot be read.
        """
        settings = {"height": height, "width_multiple": width_multiple, "quality": quality, "crop": crop}
        return _build(cls, path, plan=plan.to_dict(), **settings)


class ClipRef(_Reference):
    """A stretch of a video as a playable mp4.

    Attributes:
        video: path the clip is cut from; not part of the identity.
        sha256: hash of the file.
        start: seconds on the container timeline.
        end: seconds, later than ``start``.
        fps: frames a second; None keeps every frame.
        height: rows in pixels; None keeps the display size.
        audio: whether the sound goes along.
        pictures: False for the sound alone, as an mp3.
        media_resolution: what the provider is asked to look with (its own word, e.g. ``low``), or None. It does
            not change the clip.
    """

    kind: Literal["clip"] = "clip"
    start: float = Field(ge=0)
    end: float = Field(gt=0)
    fps: float | None = Field(default=None, gt=0)
    height: int | None = Field(default=None, ge=2)
    audio: bool = True
    pictures: bool = True
    media_resolution: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"clip must end after it starts, got {self.start} to {self.end}")
        if not self.pictures and (not self.audio or self.fps or self.height):
            raise ValueError("a clip without pictures has sound, and neither fps nor height")
        return self

    def _identity(self) -> dict[str, Any]:
        settings = super()._identity()
        if self.pictures:
            del settings["pictures"]  # clips made before there was sound alone keep their names
        return settings

    @classmethod
    def of(
        cls,
        path: str | PathLike[str],
        start: float,
        end: float,
        *,
        fps: float | None = None,
        height: int | None = None,
        audio: bool = True,
        pictures: bool = True,
        media_resolution: str | None = None,
    ) -> ClipRef:
        """The reference to a clip of the file at ``path``, whose hash is worked out here.

        Raises:
            BadRequest: a setting is out of range.
            UnreadableContainer: the file cannot be read.
        """
        settings: dict[str, Any] = {"fps": fps, "height": height, "audio": audio, "pictures": pictures}
        settings |= {"media_resolution": media_resolution}
        return _build(cls, path, start=start, end=end, **settings)


class GridRef(_Reference):
    """Several frames of a video as one JPEG picture: numbered cells (from 1), row by row, in the plan's order.

    Attributes:
        video: path the frames are read from; not part of the identity.
        sha256: hash of the file.
        plan: the sampling plan in its dict form (`Plan.to_dict`).
        columns: cells in a row.
        cell_width: pixels; the height of a cell follows from the video.
        quality: JPEG quality, 1 to 100.
        crops: empty, or for each frame of a `Numbered` plan the part shown, (x0, y0, x1, y1) in 0-1, None for all.
    """

    kind: Literal["grid"] = "grid"
    plan: dict[str, Any]
    columns: int = Field(ge=1, le=16)
    cell_width: int = Field(default=200, ge=16, le=2048)
    quality: int = Field(default=85, ge=1, le=100)
    crops: tuple[tuple[_Unit, _Unit, _Unit, _Unit] | None, ...] = ()

    @field_validator("plan", mode="before")
    @classmethod
    def _canonical_plan(cls, plan: Any) -> dict[str, Any]:
        return (plan if isinstance(plan, Plan) else plan_from_dict(plan)).to_dict()

    @model_validator(mode="after")
    def _crops_fit(self) -> Self:
        if self.crops:
            plan = self.sampling
            if not isinstance(plan, Numbered) or len(plan.indices) != len(self.crops):
                raise ValueError("crops need a Numbered plan with one frame for each crop")
        for crop in self.crops:
            if crop is not None and not (crop[0] < crop[2] and crop[1] < crop[3]):
                raise ValueError(f"crop must have x0 < x1 and y0 < y1, got {crop}")
        return self

    @property
    def sampling(self) -> Plan:
        """The plan as an object."""
        return plan_from_dict(self.plan)

    @classmethod
    def of(
        cls,
        path: str | PathLike[str],
        plan: Plan,
        *,
        columns: int,
        cell_width: int = 200,
        quality: int = 85,
        crops: tuple[tuple[float, float, float, float] | None, ...] = (),
    ) -> GridRef:
        """The reference to a grid of frames of the file at ``path``, whose hash is worked out here.

        Raises:
            BadRequest: a setting is out of range.
            UnreadableContainer: the file cannot be read.
        """
        settings = {"columns": columns, "cell_width": cell_width, "quality": quality, "crops": crops}
        return _build(cls, path, plan=plan.to_dict(), **settings)


MediaRef = Annotated[FramesRef | ClipRef | GridRef, Field(discriminator="kind")]
_R = TypeVar("_R", bound=_Reference)
_any_ref: TypeAdapter[FramesRef | ClipRef | GridRef] = TypeAdapter(MediaRef)


def parse_ref(data: Any) -> FramesRef | ClipRef | GridRef:
    """The reference that ``model_dump(mode="json")`` wrote, told apart by its ``kind``.

    Raises:
        BadRequest: the data is no such record.
    """
    try:
        return _any_ref.validate_python(data)
    except ValidationError as error:
        raise BadRequest(f"not a media reference: {_first_fault(error)}") from error


def _build(cls: type[_R], path: str | PathLike[str], **settings: Any) -> _R:
    placeholder = "0" * 64
    try:
        checked = cls(video=fspath(path), sha256=placeholder, **settings)  # before the file is touched
    except ValidationError as error:
        raise BadRequest(_first_fault(error)) from error
    return checked.model_copy(update={"sha256": file_hash(path)})


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"])
    return f"{where}: {fault['msg']}" if where else fault["msg"]
