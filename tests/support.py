"""What tests need of the surroundings: where shared material is, and how to skip without it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
_SHARED = ROOT.parent / "shared"


def shared_media() -> Path | None:
    """The folder of test videos with known truth beside the repository, or None on a bare clone."""
    folder = _SHARED / "media"
    return folder if (folder / "manifest.json").is_file() else None


def shared_protocols() -> Path | None:
    """The folder of protocol notes and conformance vectors beside the repository, or None on a bare clone."""
    folder = _SHARED / "protocols"
    return folder if folder.is_dir() else None


def need_shared_media() -> Path:
    """The folder of test videos; skips the test, saying why, where it is absent."""
    folder = shared_media()
    if folder is None:
        pytest.skip("needs the shared test videos (../shared/media), which are not here")
    return folder


def need_shared_protocols() -> Path:
    """The folder of conformance vectors; skips the test, saying why, where it is absent."""
    folder = shared_protocols()
    if folder is None:
        pytest.skip("needs the shared protocol vectors (../shared/protocols), which are not here")
    return folder
