"""Videos of a report: each once, inside the page while there is room, else as a poster and a link."""

import base64
import os
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from proofreel.video import At, VideoError, VideoInfo, encode_jpeg, probe, read_frames

PLAYABLE = {".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm"}
CODECS = ("h264", "vp8", "vp9", "av1", "libdav1d")
POSTER_SIDE = 240
POSTER_QUALITY = 72


@dataclass(frozen=True)
class PageVideo:
    """One video of a page.

    Attributes:
        path: as the questions name it.
        src: link from the page to the file.
        data: base64 of the whole file when it is inside the page, else empty.
        mime: of ``data``.
        poster: data URI of a frame, empty without one.
        note: what is wrong with the file, empty when nothing is.
    """

    path: str
    src: str
    info: VideoInfo | None
    data: str = ""
    mime: str = ""
    poster: str = ""
    note: str = ""

    @property
    def record(self) -> dict[str, Any]:
        """What the script of the page reads."""
        info = self.info
        return {
            "name": Path(self.path).name,
            "src": self.src,
            "mime": self.mime,
            "poster": self.poster,
            "duration": None if info is None or not info.duration else round(info.duration, 3),
            "width": info.width if info is not None else 0,
            "height": info.height if info is not None else 0,
            "note": self.note,
        }


def page_videos(paths: Iterable[str], page: Path, limit_mb: float) -> dict[str, PageVideo]:
    """Every video once by its path; the smallest ones go inside the page until ``limit_mb`` is used up.

    The limit counts bytes as they stand in the page (base64, a third more than the files). Only what browsers play is
    embedded; the others get a poster.
    """
    known = {path: _probed(path) for path in dict.fromkeys(paths)}
    sizes = {p: Path(p).stat().st_size * 4 // 3 for p, (info, _) in known.items() if info is not None}
    room = limit_mb * 1e6
    inside = set()
    for path in sorted(sizes, key=lambda p: (sizes[p], p)):
        info = known[path][0]
        if info is None or Path(path).suffix.lower() not in PLAYABLE or info.codec not in CODECS:
            continue
        if sizes[path] > room:
            break
        room -= sizes[path]
        inside.add(path)
    found = {}
    for path, (info, note) in known.items():
        embedded = path in inside
        found[path] = PageVideo(
            path=path,
            src=relative_link(path, page),
            info=info,
            data=base64.b64encode(Path(path).read_bytes()).decode() if embedded else "",
            mime=PLAYABLE[Path(path).suffix.lower()] if embedded else "",
            poster="" if embedded or info is None else _poster(path, info),
            note=note,
        )
    return found


def relative_link(target: str | PathLike[str], page: Path) -> str:
    """A URL from the page to a file, relative wherever the two share a drive."""
    absolute, folder = Path(target).resolve(), page.parent.resolve()
    if absolute.drive != folder.drive:
        return absolute.as_uri()
    return quote(os.fsencode(Path(os.path.relpath(absolute, folder)).as_posix()), safe="/")


def _probed(path: str) -> tuple[VideoInfo | None, str]:
    try:
        return probe(path), ""
    except VideoError as error:
        return None, f"The video could not be read when this page was written: {error.reason}"


def _poster(path: str, info: VideoInfo) -> str:
    if not info.has_video or not info.duration:
        return ""
    short = min(info.width, info.height)
    height = info.height if short <= POSTER_SIDE else round(info.height * POSTER_SIDE / short / 2) * 2
    try:
        frames = read_frames(path, At([info.duration * 0.2]), height=height)
    except VideoError:
        return ""
    jpeg = encode_jpeg(frames.images[0], POSTER_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"
