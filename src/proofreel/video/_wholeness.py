"""Is the file as long as its own structure says? Reads a few headers, never the payload."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

_EBML_SEGMENT = b"\x18\x53\x80\x67"
_MAX_BOXES = 100_000


def is_cut_short(path: str) -> bool:
    """True when a top-level box (MP4), chunk (AVI) or segment (Matroska) runs past the end of the file.

    False for other formats and for sizes left open by a streaming writer: there only packets can tell.
    """
    size = Path(path).stat().st_size
    with Path(path).open("rb") as file:
        head = file.read(64)
        if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
            return _mp4_cut_short(file, size)
        if head[:4] == b"RIFF":
            return int.from_bytes(head[4:8], "little") + 8 > size + 1
        if head[:4] == b"\x1a\x45\xdf\xa3":
            return _matroska_cut_short(head, size)
    return False


def _mp4_cut_short(file: BinaryIO, size: int) -> bool:
    at = 0
    for _ in range(_MAX_BOXES):
        if at >= size:
            return at > size
        file.seek(at)
        head = file.read(16)
        if len(head) < 8:
            return True
        length = int.from_bytes(head[:4], "big")
        if length == 1:
            length = struct.unpack(">Q", head[8:16])[0] if len(head) == 16 else 0
        if length == 0:
            return False
        if length < 8:
            return False
        at += length
    return False


def _matroska_cut_short(head: bytes, size: int) -> bool:
    found = head.find(_EBML_SEGMENT)
    if found < 0 or found + 12 > len(head):
        return False
    at = found + 4
    width = 9 - head[at].bit_length()
    if not 1 <= width <= 8:
        return False
    value = int.from_bytes(head[at : at + width], "big") & ((1 << 7 * width) - 1)
    unknown = (1 << 7 * width) - 1
    return value != unknown and at + width + value > size
