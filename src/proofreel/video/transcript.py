"""Subtitles as timed cues: SRT and WebVTT from disk, cut to a window, found beside a video."""

from __future__ import annotations

import html
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import VideoError

_CLOCK = r"(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?"
_TIMING = re.compile(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?")
# Tags open with a letter, a slash or (karaoke times of automatic captions) a digit; "2 < 3" is text.
_TAG = re.compile(r"</?(?:[a-zA-Z][^<>]*|\d[\d:.]*)?>")
_OVERRIDE = re.compile(r"\{\\[^}]*\}")
_INDEX = re.compile(r"\s*\d+\s*")


class TranscriptError(VideoError):
    """A subtitle file that cannot be read; the message names the file and what to do."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One subtitle: ``start <= end`` in seconds on the video's timeline, and its words on one line, no markup."""

    start: float
    end: float
    text: str


def load_transcript(path: str | Path, encoding: str | None = None) -> list[Cue]:
    """Read an SRT or WebVTT file, in order of start time.

    An empty file is a video without speech: no cues. Byte order marks, CRLF, missing or wrong index lines, missing
    blank lines, overlaps, disorder and any number of hours are fine. Tags are stripped and lines joined by a
    space; a cue without words is dropped; one that ends before it starts ends where it starts. ASS, SSA and
    TTML go to pysubs2. (SRT and WebVTT do not: release 1.8.1 cuts hours above 99 to two digits, takes a line
    that holds two karaoke times for a header, puts ``NOTE`` blocks and cue names into the text before them, and
    drops a last line that is a number.)

    Args:
        path: the file.
        encoding: its text encoding; by default UTF-8, or UTF-16 when it starts with that byte order mark.

    Raises:
        TranscriptError: the file is missing, is not text in the encoding, or holds no cue at all.
    """
    path = Path(path)
    text = _read_text(path, encoding).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        return []
    if "\0" in text:
        raise TranscriptError(path, "not a subtitle file (binary data)")
    vtt = text.lstrip().startswith("WEBVTT")
    cues = _parse(text.split("\n"), vtt)
    if not cues and not vtt and not any(_TIMING.fullmatch(line) for line in text.split("\n")):
        cues = _parse_other(path, text)
    return sorted(cues, key=lambda cue: (cue.start, cue.end))


def window_cues(cues: Iterable[Cue], start: float | None = None, end: float | None = None) -> list[Cue]:
    """The cues that end strictly after ``start`` and start strictly before ``end``, in seconds; None is open.

    The overlap rule of AgentVidBench's ``get_transcript``.
    """
    return [c for c in cues if (start is None or c.end > start) and (end is None or c.start < end)]


def find_transcript(video_path: str | Path) -> Path | None:
    """The subtitle file that belongs to a video, or None.

    Looked for, in this order: ``<stem>.srt|.vtt`` and ``<file name>.srt|.vtt`` beside the video, then the same
    names in a ``transcripts`` folder beside the video and beside the video's folder.
    """
    video = Path(video_path)
    folders = [video.parent, video.parent / "transcripts", video.parent.parent / "transcripts"]
    for folder in folders:
        for name in (video.stem, video.name):
            for suffix in (".srt", ".vtt"):
                candidate = folder / f"{name}{suffix}"
                if candidate.is_file():
                    return candidate
    return None


def _read_text(path: Path, encoding: str | None) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise TranscriptError(path, "is a folder, pipe or device; give a subtitle file")
        data = path.read_bytes()
    except OSError as error:
        raise TranscriptError(path, f"cannot read the transcript ({error.strerror})") from error
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return data.decode(encoding or ("utf-16" if utf16 else "utf-8")).removeprefix("\ufeff")
    except LookupError as error:
        raise TranscriptError(path, f"no text encoding is called {encoding!r}") from error
    except UnicodeDecodeError as error:
        raise TranscriptError(
            path, f"not {error.encoding} text (byte {error.start}); save it as UTF-8 or name its encoding"
        ) from error


def _parse(lines: Sequence[str], vtt: bool) -> list[Cue]:
    heads = [(i, match) for i, line in enumerate(lines) if (match := _TIMING.fullmatch(line))]
    ends = [i for i, _ in heads[1:]] + [len(lines)]
    cues: list[Cue] = []
    for (head, match), after in zip(heads, ends, strict=False):
        start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        words = _words(_body(list(lines[head + 1 : after]), vtt, last=after == len(lines)), vtt)
        if words:
            cues.append(Cue(start, max(start, end), words))
    return cues


def _body(lines: list[str], vtt: bool, last: bool) -> list[str]:
    """The text lines of a cue, given everything between its header and the next one."""
    if vtt:
        blank = next((i for i, line in enumerate(lines) if not line.strip()), None)
        if blank is not None:  # in WebVTT a blank line ends the cue: what follows is a cue name or a comment
            return lines[:blank]
    # The number right above the next header is its index, not text of this cue.
    if not last and lines and _INDEX.fullmatch(lines[-1]):
        return lines[:-1]
    return lines


def _words(lines: list[str], vtt: bool) -> str:
    text = _OVERRIDE.sub("", _TAG.sub("", "\n".join(lines)))
    if vtt or "&" in text:
        text = html.unescape(text)
    return " ".join(text.replace("\\N", " ").replace("\\h", " ").split())


def _seconds(fields: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = fields
    milli = int((fraction or "0").ljust(3, "0"))
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + milli / 1000


def _parse_other(path: Path, text: str) -> list[Cue]:
    # Only formats that say what they are: guessing would read a log file with clock times as subtitles.
    kind = "ass" if "[Script Info]" in text else "ttml" if "http://www.w3.org/ns/ttml" in text else None
    cues: list[Cue] = []
    if kind is not None:
        import pysubs2

        try:
            events = pysubs2.SSAFile.from_string(text, format_=kind).events
        except (pysubs2.Pysubs2Error, SyntaxError, ValueError, KeyError, AttributeError) as error:
            raise TranscriptError(path, f"damaged {kind} subtitles ({type(error).__name__})") from error
        spoken = (e for e in events if not e.is_comment)
        cues = [
            Cue(e.start / 1000, max(e.start, e.end) / 1000, " ".join(e.plaintext.split())) for e in spoken
        ]
    if not cues:
        raise TranscriptError(path, "no subtitle cue found; expected SRT or WebVTT")
    return [cue for cue in cues if cue.text]
