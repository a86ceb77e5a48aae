"""Requests of ``ask`` that would destroy a file, limit nothing or steer the terminal."""

import os
import shutil
from pathlib import Path

import pytest

from cli.cli import proofreel
from cli.test_bad_input import MINI, nothing_written, one_line
from proofreel.testing import OpenAIServer, Text


def test_the_page_never_replaces_what_it_is_made_from(tmp_path: Path) -> None:
    shutil.copy(MINI, tmp_path / "talk.mp4")
    (tmp_path / "link.mp4").symlink_to("talk.mp4")
    (tmp_path / "talk.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nHello\n")
    os.mkfifo(tmp_path / "pipe")
    for out in ("talk.mp4", "link.mp4", "talk.srt", "pipe"):
        ran = proofreel("ask", "talk.mp4", "Which?", "--transcript", "talk.srt", "--out", out, cwd=tmp_path)
        assert ran.code == 2
        one_line(ran, out, "name a file" if out == "pipe" else "would replace")
    assert (tmp_path / "talk.mp4").read_bytes() == MINI.read_bytes()
    assert (tmp_path / "talk.srt").read_text().startswith("1\n")


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["bad \udcff?"], "UTF-8"),
        (["Which?", "--options", "a | \udcff"], "UTF-8"),
        (["Which?", "--options", "a | a"], "twice"),
        (["Which?", "--timeout", "-1"], "--timeout"),
        (["Which?", "--timeout", "nan"], "--timeout"),
        (["Which?", "--max-cost", "nan"], "--max-cost"),
    ],
)
def test_words_and_limits_that_mean_nothing(tmp_path: Path, args: list[str], word: str) -> None:
    ran = proofreel("ask", MINI, *args, cwd=tmp_path)
    assert ran.code == 2
    one_line(ran, word)
    nothing_written(tmp_path)


def test_a_question_or_subtitle_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "t.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nThe kiosk \x1b[2Jopens at \u202e9.\n")
    args = ("--transcript", "t.srt", "--out", "p.html")
    ran = proofreel("ask", MINI, "Is the \x1b[31m kiosk \u202e open?", *args, cwd=tmp_path)
    shown = proofreel("prepare", MINI, "--show", "--no-screen", "--transcript", "t.srt", cwd=tmp_path)
    assert (ran.code, shown.code) == (0, 0)
    assert "kiosk" in ran.out
    assert "opens at" in shown.out
    assert not {"\x1b", "\u202e"} & {*ran.out, *shown.out}


def test_a_reply_without_an_answer_ends_with_3_as_documented(tmp_path: Path) -> None:
    with OpenAIServer([Text('[1, {"answer": null}]')]) as server:
        args = ("--agent", "single_turn", "--model", "m", "--base-url", server.url)
        ran = proofreel("ask", MINI, "Which?", *args, cwd=tmp_path, OPENAI_API_KEY="k")
    assert ran.code == 3, ran.out + ran.err
    assert "could not be read" in ran.out
