"""Gemini with true video: clip bounds, rate, media resolution, inline clips and uploaded files."""

from __future__ import annotations

import hashlib
import mimetypes
import threading
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from proofreel.models._expand import VideoPart, Whole, in_thread
from proofreel.models.card import ModelCard
from proofreel.models.compat import VideoRoute, all_placed, google_base, pending_videos
from proofreel.models.estimate import facts_of
from proofreel.models.failure import FailureKind, ModelFailure

if TYPE_CHECKING:
    from proofreel.video import ClipRef

INLINE_BYTES = 20_000_000
"""Largest request with the video inside, where the card does not say."""
UPLOAD_LIFE = 40 * 3600.0
"""Seconds an uploaded file is used again; the service keeps it for 48 hours."""
POLL_SECONDS = 2.0
PROCESSING_SECONDS = 600.0
_TYPES = {
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".mov": "video/quicktime",
    ".mpg": "video/mpeg",
    ".mpeg": "video/mpeg",
    ".avi": "video/x-msvideo",
    ".3gp": "video/3gpp",
}

_uploads: dict[tuple[str, str], tuple[str, str, float]] = {}
_locks: dict[tuple[str, str], threading.Lock] = {}
_guard = threading.Lock()


def clip_mode(ref: ClipRef, card: ModelCard, mode: Literal["auto", "clip", "file"]) -> Whole:
    """Cut, whole file inside the request, or uploaded file.

    ``auto`` takes the whole file when it fits into the request and nothing needs re-encoding, or when the clip
    would be too large to send inside a request; otherwise it cuts.
    """
    if mode == "clip":
        return "clip"
    rule = card.video_rule
    room = (rule.inline_bytes if rule and rule.inline_bytes else INLINE_BYTES) * 0.7  # base64 and the rest
    size = Path(ref.video).stat().st_size
    whole: Whole = "file" if size <= room and Path(ref.video).suffix.lower() in _TYPES else "upload"
    if mode == "file" or (whole == "file" and ref.height is None and ref.audio):
        return whole
    facts = facts_of(ref.video)
    share = (min(ref.end, facts.duration) - ref.start) / facts.duration if facts.duration > 0 else 1.0
    return whole if size * share > room else "clip"


def video_metadata(part: VideoPart) -> dict[str, Any]:
    """Bounds and rate of a part as Gemini's ``videoMetadata`` (bounds only for whole files)."""
    meta: dict[str, Any] = {}
    if part.mode != "clip":
        meta["start_offset"] = f"{part.ref.start:.3f}s"  # type: ignore[union-attr]  # files come from clips only
        meta["end_offset"] = f"{part.ref.end:.3f}s"  # type: ignore[union-attr]
    if part.fps is not None:
        meta["fps"] = part.fps
    return meta


def upload_once(client: Any, path: str, sha256: str, scope: str) -> tuple[str, str]:
    """The (uri, mime type) of a file at the service, uploaded at most once per process and account.

    Blocking: run it in a thread. Waits until the service has processed the file.

    Raises:
        ModelFailure: the service could not process the file, or not in time.
    """
    key = (sha256, scope)
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock:
        known = _uploads.get(key)
        if known and time.monotonic() - known[2] < UPLOAD_LIFE:
            return known[0], known[1]
        mime = _TYPES.get(Path(path).suffix.lower()) or mimetypes.guess_type(path)[0] or "video/mp4"
        file = client.files.upload(file=path, config={"mime_type": mime})
        stop = time.monotonic() + PROCESSING_SECONDS
        while str(getattr(file.state, "name", file.state)) == "PROCESSING":
            if time.monotonic() > stop:
                raise ModelFailure(FailureKind.TIMEOUT, f"{path}: the service is still processing the upload")
            time.sleep(POLL_SECONDS)
            file = client.files.get(name=file.name)
        if str(getattr(file.state, "name", file.state)) == "FAILED" or not file.uri:
            raise ModelFailure(FailureKind.MEDIA, f"{path}: the service could not process the uploaded video")
        _uploads[key] = (file.uri, file.mime_type or mime, time.monotonic())
        return file.uri, file.mime_type or mime


async def native_part(client: Any, part: VideoPart, scope: str) -> Any:
    """The ``types.Part`` of a video: inline bytes, or an uploaded file."""
    from google.genai import types

    meta = video_metadata(part)
    kept = {"video_metadata": types.VideoMetadata(**meta)} if meta else {}
    if part.mode != "upload":
        mime = "video/mp4" if part.mode == "clip" else _TYPES[Path(part.ref.video).suffix.lower()]
        return types.Part(inline_data=types.Blob(data=part.data, mime_type=mime), **kept)
    path = part.ref.video
    uri, mime = await in_thread(lambda: upload_once(client, path, part.ref.sha256, scope))
    return types.Part(file_data=types.FileData(file_uri=uri, mime_type=mime), **kept)


class _Models:
    """``client.aio.models`` that puts videos back at the last moment; everything else passes through."""

    def __init__(self, models: Any, client: Any, scope: str) -> None:
        self._models, self._client, self._scope = models, client, scope

    def __getattr__(self, name: str) -> Any:
        return getattr(self._models, name)

    async def generate_content(self, *, model: str, contents: Any, config: Any) -> Any:
        """The request with true video parts and the media resolution they ask for."""
        ready, resolution = await self._ready(contents)
        if resolution:
            config = config.model_copy(update={"media_resolution": resolution})
        return await self._models.generate_content(model=model, contents=ready, config=config)

    async def generate_content_stream(self, *, model: str, contents: Any, config: Any) -> Any:
        """The same, streamed."""
        ready, resolution = await self._ready(contents)
        if resolution:
            config = config.model_copy(update={"media_resolution": resolution})
        return await self._models.generate_content_stream(model=model, contents=ready, config=config)

    async def _ready(self, contents: Any) -> tuple[Any, str | None]:
        pending = pending_videos()
        if not pending:
            return contents, None
        placed: list[str] = []
        ready = []
        for content in contents:
            parts = []
            for piece in content.parts or []:
                if piece.text in pending:
                    placed.append(piece.text)
                    piece = await native_part(self._client, pending[piece.text], self._scope)
                parts.append(piece)
            ready.append(content.model_copy(update={"parts": parts}))
        all_placed(pending, placed)
        asked = {r for p in pending.values() if (r := getattr(p.ref, "media_resolution", None))}
        if len(asked) > 1:
            said = f"one request has one media resolution, the clips ask for {', '.join(sorted(asked))}"
            raise ModelFailure(FailureKind.PAYLOAD, said)
        return ready, f"MEDIA_RESOLUTION_{asked.pop().upper()}" if asked else None


class _Google(VideoRoute):
    """The part of the provider that differs."""

    joins_frames = False

    def clip_mode(self, ref: ClipRef, card: ModelCard) -> Whole:
        """As ``clip_mode`` with the route's own setting."""
        return clip_mode(ref, card, self.video_options.mode)

    def model_client(self, http_options: Any = None) -> Any:
        """The SDK client, with the model calls wrapped and its own retries (and hidden sleeps) off."""
        from google.genai import types

        http_options = http_options or types.HttpOptions(
            base_url=getattr(self, "base_url", None), api_version=getattr(self, "api_version", None)
        )
        http_options.retry_options = types.HttpRetryOptions(attempts=1)  # one layer retries: the engine
        client = super().model_client(http_options)  # type: ignore[misc]
        key = str(getattr(self, "api_key", ""))
        scope = hashlib.sha256(f"{getattr(self, 'base_url', '')}|{key}".encode()).hexdigest()[:16]
        client.aio._models = _Models(client.aio.models, client, scope)
        return client


@cache
def google_class() -> Any:
    """The engine's Gemini provider with true video."""
    return type("ProofreelGoogleAPI", (_Google, google_base()), {})
