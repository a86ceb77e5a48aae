"""References in messages: the only form in which media travel through messages, cache keys and logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import JsonValue

from proofreel.models.estimate import Detail
from proofreel.video import ClipRef, FramesRef, GridRef
from proofreel.video.ref import parse_ref

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ChatMessageUser, Content, ContentData

KEY = "proofreel_media"
"""The one key in the data of a reference part."""


def media_part(
    ref: FramesRef | ClipRef | GridRef,
    *,
    detail: Detail = "auto",
    frames_as: Literal["images", "video"] = "images",
) -> ContentData:
    """A reference as message content; goes into a user message.

    Args:
        ref: frames, a clip, or a grid of frames.
        detail: OpenAI image detail of the pictures.
        frames_as: ``video`` sends the frames of a ``FramesRef`` as one video part of JPEG pictures, to servers
            that take it (vLLM); others get images.
    """
    from inspect_ai.model import ContentData

    shown: dict[str, JsonValue] = {"ref": ref.model_dump(mode="json")}
    if isinstance(ref, FramesRef):
        shown |= {"detail": detail, "frames_as": frames_as}
    elif isinstance(ref, GridRef):
        shown |= {"detail": detail}
    return ContentData(data={KEY: shown})


def media_message(
    text: str,
    refs: Sequence[FramesRef | ClipRef | GridRef],
    *,
    media_first: bool = True,
    detail: Detail = "auto",
    frames_as: Literal["images", "video"] = "images",
) -> ChatMessageUser:
    """A user message with media before its text (as the protocols ask) or after it."""
    from inspect_ai.model import ChatMessageUser, ContentText

    media: list[Content] = [media_part(r, detail=detail, frames_as=frames_as) for r in refs]
    words: list[Content] = [ContentText(text=text)] if text else []
    return ChatMessageUser(content=[*media, *words] if media_first else [*words, *media])


def is_media(content: Any) -> bool:
    """Whether a message part is a reference of ours."""
    return getattr(content, "type", None) == "data" and KEY in content.data


class MediaPart:
    """A reference part read back.

    Attributes:
        ref: frames, a clip, or a grid of frames.
        detail: OpenAI image detail.
        frames_as: ``images`` or ``video``.
    """

    def __init__(self, content: ContentData) -> None:
        shown: Any = content.data[KEY]
        self.ref: FramesRef | ClipRef | GridRef = parse_ref(shown["ref"])
        self.detail: Detail = shown.get("detail", "auto")
        self.frames_as: Literal["images", "video"] = shown.get("frames_as", "images")


def media_parts(messages: Sequence[ChatMessage]) -> Iterator[MediaPart]:
    """Every reference part of a conversation, in order.

    Raises:
        BadRequest: a part is not a media reference.
    """
    for message in messages:
        if isinstance(message.content, str):
            continue
        for content in message.content:
            if is_media(content):
                yield MediaPart(content)  # type: ignore[arg-type]  # is_media has told
