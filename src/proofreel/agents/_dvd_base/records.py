"""The clip database of one video: what was described, with which frames, and what is missing."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from proofreel.agents._dvd import seconds_to_hhmmss
from proofreel.core import TokenUse, Window
from proofreel.core._base import Record


class Subject(Record):
    """A person or thing that comes up in the video.

    Attributes:
        name: what it is called.
        appearance: what it looks like, one trait each.
        identity: who or what it is said to be.
        first_seen: second it first comes up.
    """

    name: str
    appearance: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()
    first_seen: int = Field(default=0, ge=0)


class Shown(Record):
    """A frame the describing model was sent: true time in seconds, display-order number, hash, flags."""

    time: float
    index: int
    sha256: str
    flags: int = 0


class Clip(Record):
    """One described clip.

    Attributes:
        number: place in the video, from 0.
        start: first second.
        end: last second, included.
        caption: description, with what is said appended.
        subjects: those of this clip.
        numbers: frames asked for, counted at 2 a second.
        frames: what the model was shown.
        width: of the pictures, pixels; None when no ledger was kept.
        height: of the pictures, pixels.
        tries: replies that were needed.
    """

    number: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    caption: str = Field(min_length=1)
    subjects: tuple[Subject, ...] = ()
    numbers: tuple[int, ...] = ()
    frames: tuple[Shown, ...] = ()
    width: int | None = None
    height: int | None = None
    tries: int = Field(default=1, ge=1)

    @property
    def line(self) -> str:
        """The caption with its span of clock times in front: what is compared and shown."""
        return f"[{seconds_to_hhmmss(self.start)} - {seconds_to_hhmmss(self.end)}] {self.caption}"

    def window(self, duration: float) -> Window:
        """The seconds the clip covers, its last second whole."""
        return Window(start=self.start, end=min(self.end + 1.0, max(duration, float(self.start))))


class LostClip(Record):
    """A clip without a usable description; ``answered`` is False when no reply came (it is then tried again)."""

    number: int = Field(ge=0)
    failed: str
    answered: bool


@dataclass(frozen=True)
class ClipBase:
    """All that was described of a video.

    Attributes:
        video: file it was made from.
        sha256: identity of the file.
        duration: seconds.
        clips: described clips in order of time.
        lost: clips that could not be described.
        left: clips nobody tried, since the budget ended or no reply came any more.
        subjects: the merged registry, earliest first.
        captioner: name of the describing model.
        fps: rate of the frames it was shown.
        rows: height of the pictures.
        key: name of the kept files.
        made: clips described by this call; 0 when everything was kept from before.
        frames: frames shown by this call.
        tokens: of the calls made by this call.
        notes: what people should know.
        stopped: why the building ended early, None when it did not.
        dead: no reply came from the describing model at all.
    """

    video: str
    sha256: str
    duration: float
    clips: tuple[Clip, ...]
    lost: tuple[LostClip, ...]
    left: int
    subjects: tuple[Subject, ...]
    captioner: str
    fps: float
    rows: int | None
    key: str
    made: int = 0
    frames: int = 0
    tokens: TokenUse = field(default_factory=TokenUse)
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    dead: bool = False

    @property
    def whole(self) -> bool:
        """Whether every clip was described or found to be beyond description."""
        return not self.left and all(c.answered for c in self.lost)

    def over(self, window: Window) -> tuple[Clip, ...]:
        """Described clips that share time with a window of some length; touching ends do not count."""
        return tuple(
            c for c in self.clips if c.start < window.end and window.start < c.window(self.duration).end
        )

    def registry(self) -> dict[str, dict[str, Any]]:
        """The merged subjects as models are shown them, ``first_seen`` as a clock time."""
        return registry_form(self.subjects)

    def counts(self) -> dict[str, int | float | str | None]:
        """What a trajectory says of the database."""
        return {
            "clips": len(self.clips) + len(self.lost) + self.left,
            "described": len(self.clips),
            "failed": len(self.lost),
            "not_tried": self.left,
            "new": self.made,
            "frames_shown": self.frames,
            "subjects": len(self.subjects),
            "captioner": self.captioner,
        }


def registry_form(subjects: tuple[Subject, ...]) -> dict[str, dict[str, Any]]:
    """Subjects by id, as the describing model writes them."""
    return {
        f"subject_{n}": {
            "name": s.name,
            "appearance": list(s.appearance),
            "identity": list(s.identity),
            "first_seen": seconds_to_hhmmss(s.first_seen),
        }
        for n, s in enumerate(subjects, 1)
    }
