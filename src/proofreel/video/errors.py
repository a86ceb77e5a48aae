"""Typed failures of the video layer.

Every error is a `VideoError`, every message is one line that names the file and says what to do.
The errors hold only strings, so that they travel unchanged from a decoder process to the caller.
"""

# ruff: noqa: N818 - the names are the public vocabulary: they say what is wrong with the video
from __future__ import annotations

from os import PathLike, fspath

from proofreel.core.errors import UserError


class VideoError(UserError, ValueError):
    """Base of every failure of `proofreel.video`.

    Attributes:
        path: the file concerned, or an empty string when the request itself was wrong.
        reason: what is wrong and what to do, on one line.
        code: a stable label, e.g. `unreadable_container`.
    """

    code = "video_error"

    def __init__(self, path: str | PathLike[str], reason: str) -> None:
        self.path = fspath(path)
        self.reason = " ".join(str(reason).split())
        super().__init__(self.path, self.reason)

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason


class UnreadableContainer(VideoError):
    """The file is missing, empty, special, not media, or its index is lost. Never retried."""

    code = "unreadable_container"


class NoVideoStream(VideoError):
    """The file has no moving picture; an attached cover is not one."""

    code = "no_video_stream"


class NoFrames(VideoError):
    """The file has a video track without a single frame."""

    code = "no_frames"


class OutOfRange(VideoError):
    """The request starts past the end of the video, or strict mode met a time past it."""

    code = "out_of_range"


class DamagedFrame(VideoError):
    """A requested frame cannot be shown exactly because its packets are damaged."""

    code = "damaged_frame"


class BadRequest(VideoError):
    """The request makes no sense for any file; raised before a file is touched."""

    code = "bad_request"

    def __init__(self, reason: str, path: str | PathLike[str] = "") -> None:
        super().__init__(path, reason)

    def __reduce__(self) -> tuple[type[BadRequest], tuple[str, str]]:
        return type(self), (self.reason, self.path)


class NoAudio(VideoError):
    """The file has no audio track."""

    code = "no_audio"


class UnsupportedCodec(VideoError):
    """No decoder for this codec is built in."""

    code = "unsupported_codec"


class DecodeTimeout(VideoError):
    """Decoding made no progress, or took longer than the caller allowed; its process was killed."""

    code = "decode_timeout"


class DecoderCrashed(VideoError):
    """The decoder process died on this file."""

    code = "decoder_crashed"
