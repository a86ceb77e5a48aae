"""Where rebuildable files live and how many bytes of them to keep."""

from __future__ import annotations

import os
import re
from pathlib import Path

import platformdirs

from .errors import BadRequest

DEFAULT_MAX_BYTES = 10 * 10**9
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def cache_dir() -> Path:
    """The folder for everything Proofreel can rebuild: ``PROOFREEL_CACHE``, or the user's cache folder.

    It is named, not made.
    """
    chosen = os.environ.get("PROOFREEL_CACHE")
    return (
        Path(chosen).expanduser()
        if chosen
        else Path(platformdirs.user_cache_dir("proofreel", appauthor=False))
    )


def cache_limit() -> int:
    """Most bytes of media to keep: ``PROOFREEL_CACHE_MAX`` (``5000000``, ``10GB``, ``2GiB``), or 10 GB.

    Raises:
        BadRequest: the variable is not a size.
    """
    text = os.environ.get("PROOFREEL_CACHE_MAX")
    return DEFAULT_MAX_BYTES if not text else parse_size(text)


def parse_size(text: str) -> int:
    """Bytes meant by ``text``: a number with an optional unit, KB to TB in thousands, KiB to TiB in 1024s.

    Raises:
        BadRequest: it is not such a size.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?B?)\s*", text.upper())
    unit = match.group(2) if match else "?"
    unit = unit + "B" if unit and not unit.endswith("B") else unit
    if match is None or unit not in _UNITS:
        raise BadRequest(f"not a size: {text!r}; write bytes or a unit, like 10GB or 512MiB")
    return int(float(match.group(1)) * _UNITS[unit])
