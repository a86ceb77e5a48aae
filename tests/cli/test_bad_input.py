"""The bad-input table: one clear line each, the right exit code, nothing half-written."""

from pathlib import Path

import pytest

from cli.cli import Ran, proofreel
from proofreel.testing import Call, Hang, MalformedJson, OpenAIServer, RateLimited, Text, ToolCalls

MINI = Path(__file__).parents[2] / "src/proofreel/benchmarks/mini/data/videos/harbour.mp4"
FINAL = Text('PLAN: done\n{"answer": "B", "reasoning": "seen"}')


def one_line(ran: Ran, *words: str) -> None:
    assert len(ran.error_lines) == 1, ran.err
    assert ran.error_lines[0].startswith("error: ")
    assert "Traceback" not in ran.err
    for word in words:
        assert word in ran.error_lines[0], ran.error_lines[0]


def nothing_written(folder: Path) -> None:
    assert not list(folder.rglob("*.html"))
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.mp4", None, ("missing.mp4", "No such file")),
        ("text.mp4", b"<html><body>404 not found</body></html>\n" * 30, ("text.mp4",)),
        ("empty.mp4", b"", ("empty.mp4",)),
    ],
)
def test_a_file_that_is_no_video(
    tmp_path: Path, name: str, content: bytes | None, words: tuple[str, ...]
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    ran = proofreel("ask", name, "What is said?", cwd=tmp_path)
    assert ran.code == 2
    one_line(ran, *words)
    nothing_written(tmp_path)


def test_a_truncated_video_is_answered_from_what_is_left(tmp_path: Path) -> None:
    (tmp_path / "cut.mp4").write_bytes(MINI.read_bytes()[: MINI.stat().st_size * 3 // 10])
    ran = proofreel("ask", "cut.mp4", "What is the name of the ship's cook?", cwd=tmp_path, timeout=240)
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert (tmp_path / "proof.html").exists()


def test_zero_byte_transcript_means_no_speech(tmp_path: Path) -> None:
    (tmp_path / "none.srt").write_bytes(b"")
    ran = proofreel(
        "ask",
        MINI,
        "Who expects a storm?",
        "--transcript",
        "none.srt",
        "--out",
        "p.html",
        cwd=tmp_path,
        timeout=240,
    )
    assert ran.code == 0, ran.err
    assert "Abstained" in ran.out


def test_missing_and_broken_transcripts(tmp_path: Path) -> None:
    ran = proofreel("ask", MINI, "Who?", "--transcript", "no.srt", cwd=tmp_path)
    assert ran.code == 2
    one_line(ran, "no.srt")
    (tmp_path / "bad.srt").write_bytes(b"this is a letter, not a subtitle\n" * 5)
    ran = proofreel("ask", MINI, "Who?", "--transcript", "bad.srt", cwd=tmp_path)
    assert ran.code == 2
    one_line(ran, "bad.srt")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--agent", "retreival"), ("unknown agent", "retrieval")),
        (("--agent", "video_react"), ("needs a model", "--model")),
        (("--agent", "video_react", "--model", "opneai/gpt-5"), ("opneai", "openai")),
        (("--agent", "video_react", "--model", "openai/gpt-5"), ("OPENAI_API_KEY",)),
        (("--agent", "single_turn", "--model", "anthropic/claude-opus-4-7"), ("ANTHROPIC_API_KEY",)),
        (("--options", "only one"), ("two or more",)),
        (("--options", "|".join(str(n) for n in range(27))), ("26",)),
        (("--out", "."), ("is a folder",)),
    ],
)
def test_wrong_settings_stop_before_any_work(
    tmp_path: Path, args: tuple[str, ...], words: tuple[str, ...]
) -> None:
    ran = proofreel("ask", MINI, "Which gate?", *args, cwd=tmp_path)
    assert ran.code == 2, ran.err
    one_line(ran, *words)
    nothing_written(tmp_path)


def test_an_empty_question(tmp_path: Path) -> None:
    ran = proofreel("ask", MINI, "  ", cwd=tmp_path)
    assert ran.code == 2
    one_line(ran, "question is empty")


def ask_model(tmp_path: Path, url: str, *more: str) -> Ran:
    return proofreel(
        "ask", MINI, "Which gate?", "--options", "Gate 1 | Gate 2", "--agent", "video_react",
        "--model", "test-model", "--base-url", url, *more, cwd=tmp_path,
    )  # fmt: skip


def test_dead_server(tmp_path: Path) -> None:
    with OpenAIServer([]) as server:
        url = server.url
    ran = ask_model(tmp_path, url, "--timeout", "8")
    assert ran.code == 3, ran.out + ran.err
    assert "Traceback" not in ran.err
    assert "unreachable" in ran.out or "timeout" in ran.out
    assert (tmp_path / "proof.html").exists(), "the page says honestly that the model failed"


def test_server_that_never_answers(tmp_path: Path) -> None:
    with OpenAIServer([Hang()] * 4) as server:
        ran = ask_model(tmp_path, server.url, "--timeout", "5")
    assert ran.code == 3, ran.out + ran.err
    assert "Traceback" not in ran.err
    assert "timeout" in ran.out


def test_429_then_ok_is_waited_for_and_said(tmp_path: Path) -> None:
    call = ToolCalls((Call("get_transcript", {}),), text="PLAN: listen")
    with OpenAIServer([RateLimited(retry_after=1), call, FINAL]) as server:
        ran = ask_model(tmp_path, server.url)
    assert ran.code == 0, ran.out + ran.err
    assert "Gate 2" in ran.out
    assert "waiting 1 s, attempt 1" in ran.err


def test_malformed_tool_json_is_told_to_the_model(tmp_path: Path) -> None:
    with OpenAIServer([ToolCalls((Call("get_transcript", '{"start_time": 1'),)), FINAL]) as server:
        ran = ask_model(tmp_path, server.url)
        second = server.requests[1].json["messages"][-1]
    assert ran.code == 0, ran.out + ran.err
    assert second["role"] == "tool"
    assert "ERROR" in str(second["content"]) or "rror" in str(second["content"])


def test_a_reply_that_is_not_json(tmp_path: Path) -> None:
    with OpenAIServer([MalformedJson()] * 12) as server:
        ran = ask_model(tmp_path, server.url, "--timeout", "6")
    assert ran.code == 3, ran.out + ran.err
    assert "Traceback" not in ran.err


def test_prepare_goes_on_after_a_bad_file(tmp_path: Path) -> None:
    (tmp_path / "bad.mp4").write_bytes(b"x" * 100)
    ran = proofreel("prepare", "bad.mp4", MINI, cwd=tmp_path, timeout=240)
    assert ran.code == 2
    one_line(ran, "bad.mp4")
    assert "harbour.mp4: 0:50.0, 22 lines" in ran.out
