"""Opening files: a name is a name, and what only points at media is refused before it can do harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image
from tests.media_maker import make_clip

from proofreel.video import At, UnreadableContainer, probe, read_frames


def test_names_that_look_like_addresses_or_patterns_are_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = make_clip(tmp_path / "plain.mp4", 10, 25)
    for name in ("http:talk.mp4", "concat:a.mp4", "file:a.mp4", "pipe:0", "a|b.mp4", "Meeting 10:30.mp4"):
        Path(name).write_bytes(plain.read_bytes())
        assert probe(name).frame_count == 10
    Image.new("RGB", (64, 48), (255, 0, 0)).save("f%03d.png")
    Image.new("RGB", (64, 48), (0, 0, 255)).save("f000.png")
    Image.new("RGB", (64, 48), (0, 0, 255)).save("f001.png")
    assert read_frames("f%03d.png", At([0.0])).images[0, 5, 5].tolist() == [255, 0, 0]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("cut.mp4", "ffconcat version 1.0\nfile 'other.mp4'\n", "points at other files"),
        ("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nother.mp4\n", "points at other files"),
        ("notes.nfo", "When does the kiosk open?\n", "no kind of media"),
    ],
)
def test_what_points_at_other_files_or_is_text_is_refused_at_once(
    name: str, text: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    os.mkfifo(tmp_path / "other.mp4")  # opening it would wait for ever
    with pytest.raises(UnreadableContainer, match=reason):
        probe(tmp_path / name, timeout=20)
