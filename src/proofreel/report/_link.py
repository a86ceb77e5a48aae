"""The link from a page to its video."""

import os
from os import PathLike
from pathlib import Path
from urllib.parse import quote


def video_link(video: str | PathLike[str], page: Path) -> str:
    """A URL from the page to the video that survives spaces, Unicode, ``#``, ``%`` and colons.

    A video in the folder of the page, or below it, is linked relatively, so that both can be moved together;
    so is one given by a relative path. Any other gets a ``file:`` URI of the path as given, links not resolved.
    """
    given = Path(video)
    absolute, folder = Path(os.path.abspath(given)), Path(os.path.abspath(page)).parent  # noqa: PTH100
    if absolute.is_relative_to(folder):
        return "./" + _quoted(absolute.relative_to(folder))
    if not given.is_absolute() and absolute.drive == folder.drive:
        return _quoted(Path(os.path.relpath(absolute, folder)))
    return absolute.as_uri()


def _quoted(path: Path) -> str:
    return quote(os.fsencode(path.as_posix()), safe="/")
