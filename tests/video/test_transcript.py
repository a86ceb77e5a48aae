import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofreel.video._srt import parse_srt
from proofreel.video.transcript import Cue, TranscriptError, find_transcript, load_transcript, window_cues

VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "parity" / "avb_transcript.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def _load(tmp_path: Path, text: str | bytes, name: str = "a.srt", **options: str) -> list[Cue]:
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_transcript(file, **options)


@pytest.mark.parametrize("mode", ["official", "careful"])
@pytest.mark.parametrize("vector", [v for v in VECTORS if v["fn"] == "parse_srt"], ids=lambda v: v["id"])
def test_protocol_reader_agrees_with_the_vectors(vector: dict, mode: str) -> None:
    wanted = vector["expected"] if mode == "official" else vector.get("recommended", vector["expected"])
    assert parse_srt(vector["input"]["text"], mode) == wanted


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS if v["fn"] == "transcript_window"], ids=lambda v: v["id"]
)
def test_window_agrees_with_the_vectors(vector: dict) -> None:
    given = vector["input"]
    cues = [Cue(**segment) for segment in given["segments"]]
    kept = window_cues(cues, given["start_time"], given["end_time"])
    assert [{"start": c.start, "end": c.end, "text": c.text} for c in kept] == vector["expected"]


@pytest.mark.parametrize(
    "vector",
    [
        v
        for v in VECTORS
        if v["fn"] == "parse_srt" and v["id"][-2:] in ("01", "02", "03", "04", "08", "11", "12", "18", "19")
    ],
    ids=lambda v: v["id"],
)
def test_loader_agrees_with_careful_vectors_of_well_formed_files(vector: dict, tmp_path: Path) -> None:
    wanted = vector.get("recommended", vector["expected"])
    cues = _load(tmp_path, vector["input"]["text"])
    assert [{"start": c.start, "end": c.end, "text": c.text} for c in cues] == wanted


def test_empty_file_is_a_video_without_speech(tmp_path: Path) -> None:
    assert _load(tmp_path, b"") == []
    assert _load(tmp_path, b"\xef\xbb\xbf\r\n \r\n") == []
    assert _load(tmp_path, "WEBVTT\n\n", "a.vtt") == []


def test_missing_index_crlf_disorder_overlap_and_long_hours(tmp_path: Path) -> None:
    text = (
        "\ufeff00:00:05,000 --> 00:00:09,000\r\nsecond\r\n\r\n"
        "00:00:01,000 --> 00:00:06,000\r\nfirst\r\n\r\n"
        "100:00:00,250 --> 123:00:01,5\r\nlate\r\n"
    )
    assert _load(tmp_path, text) == [
        Cue(1.0, 6.0, "first"),
        Cue(5.0, 9.0, "second"),
        Cue(360000.25, 442801.5, "late"),
    ]


def test_numbers_that_are_speech_stay(tmp_path: Path) -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nin the year\n2024\n\n2\n00:00:03,000 --> 00:00:04,000\n7\n"
    assert [c.text for c in _load(tmp_path, text)] == ["in the year 2024", "7"]


def test_markup_goes_and_words_stay(tmp_path: Path) -> None:
    text = (
        '1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>Tom</i> &amp; <font color="red">Ann</font> {laughs}\\Nif 2 < 3\n\n'
        "2\n00:00:03,000 --> 00:00:04,000\n<i></i>\n"
    )
    assert _load(tmp_path, text) == [Cue(1.0, 2.0, "Tom & Ann {laughs} if 2 < 3")]


def test_webvtt_of_automatic_captions(tmp_path: Path) -> None:
    text = (
        "WEBVTT\nKind: captions\n\nSTYLE\n::cue { color: red }\n\n"
        "intro\n00:01.000 --> 00:02.500 align:start position:0%\n"
        "so<00:00:01.200><c> we</c><00:00:01.900><c> begin</c>\n\n"
        "NOTE not spoken\n\n"
        "1:00:00.000 --> 1:00:01.000\n<v Bob>here &nbsp;now\n"
    )
    assert _load(tmp_path, text, "a.vtt") == [Cue(1.0, 2.5, "so we begin"), Cue(3600.0, 3601.0, "here now")]


def test_cue_that_ends_before_it_starts_has_no_length(tmp_path: Path) -> None:
    assert _load(tmp_path, "1\n00:00:05,000 --> 00:00:02,000\nx\n") == [Cue(5.0, 5.0, "x")]


def test_encodings(tmp_path: Path) -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\ncafé 视频\n"
    assert _load(tmp_path, text.encode("utf-16"))[0].text == "café 视频"
    latin = "1\n00:00:01,000 --> 00:00:02,000\ncafé\n".encode("latin-1")
    with pytest.raises(TranscriptError, match=r"a\.srt: not utf-8 text \(byte 35\); save it as UTF-8"):
        _load(tmp_path, latin)
    assert _load(tmp_path, latin, encoding="latin-1")[0].text == "café"
    with pytest.raises(TranscriptError, match="no text encoding is called 'klingon'"):
        _load(tmp_path, latin, encoding="klingon")


@pytest.mark.parametrize(
    "data",
    [
        b"just words\nno times\n",
        b'{"segments": []}',
        b"2024-01-01 00:00:01: error at 00:00:02\n",
        b"\0\0\x01ftyp",
        b"[Script Info]\nx",
    ],
)
def test_wrong_file_gives_one_line_that_names_it(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(TranscriptError) as caught:
        _load(tmp_path, data)
    assert str(caught.value).startswith(str(tmp_path / "a.srt")) and "\n" not in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match=r"none\.srt: cannot read the transcript \(No such file"):
        load_transcript(tmp_path / "none.srt")
    os.mkfifo(tmp_path / "pipe.srt")
    with pytest.raises(TranscriptError, match=r"pipe\.srt: is a folder, pipe or device"):
        load_transcript(tmp_path / "pipe.srt")


def test_ass_goes_through_pysubs2(tmp_path: Path) -> None:
    text = (
        "[Script Info]\nScriptType: v4.00+\n\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\i1}hello{\\i0}\\Nyou\n"
    )
    assert _load(tmp_path, text, "a.ass") == [Cue(1.0, 2.5, "hello you")]


_times = st.integers(0, 400 * 3600 * 1000)
_words = st.text("abc 视9", min_size=1, max_size=12).map(str.strip).filter(bool)


def _clock(ms: int) -> str:
    return f"{ms // 3600000:02d}:{ms // 60000 % 60:02d}:{ms // 1000 % 60:02d},{ms % 1000:03d}"


@given(st.lists(st.tuples(_times, st.integers(0, 90_000), _words), max_size=12))
def test_written_cues_come_back(
    tmp_path_factory: pytest.TempPathFactory, cues: list[tuple[int, int, str]]
) -> None:
    text = "".join(
        f"{i}\n{_clock(at)} --> {_clock(at + length)}\n{words}\n\n"
        for i, (at, length, words) in enumerate(cues, 1)
    )
    got = _load(tmp_path_factory.mktemp("srt"), text)
    wanted = sorted(((a, a + n, " ".join(w.split())) for a, n, w in cues), key=lambda c: c[:2])
    assert [(round(c.start * 1000), round(c.end * 1000), c.text) for c in got] == wanted


_pieces = st.sampled_from(
    [
        "1",
        "",
        "00:00:01,000 --> 00:00:02,000",
        "99:99:99.9-->1:2:3",
        "WEBVTT",
        "[Script Info]",
        "<",
        "{\\",
        "&#x110000;",
        "x",
    ]
)


@given(st.binary(max_size=60) | st.lists(_pieces, max_size=9).map(lambda lines: "\n".join(lines).encode()))
def test_any_file_gives_ordered_cues_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    try:
        cues = _load(tmp_path_factory.mktemp("srt"), data)
    except TranscriptError as error:
        assert "a.srt: " in str(error) and "\n" not in str(error)
    else:
        assert cues == sorted(cues, key=lambda c: (c.start, c.end))
        assert all(0 <= c.start <= c.end and c.text and "\n" not in c.text for c in cues)


def test_transcript_is_found_beside_the_video(tmp_path: Path) -> None:
    video = tmp_path / "videos" / "a.mp4"
    (tmp_path / "transcripts").mkdir()
    video.parent.mkdir()
    assert find_transcript(video) is None
    (tmp_path / "transcripts" / "a.srt").touch()
    assert find_transcript(video) == tmp_path / "transcripts" / "a.srt"
    (video.parent / "transcripts").mkdir()
    (video.parent / "transcripts" / "a.srt").touch()
    assert find_transcript(video) == video.parent / "transcripts" / "a.srt"
    (video.parent / "a.vtt").touch()
    assert find_transcript(video) == video.parent / "a.vtt"
    (video.parent / "a.srt").touch()
    assert find_transcript(video) == video.parent / "a.srt"
