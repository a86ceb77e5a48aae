"""Hand-written scenes and their questions, and how a verdict on one is counted."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from proofreel.agents import AgentContext, run_agent
from proofreel.agents._answerable.corpus import Corpus, corpus_of
from proofreel.agents._answerable.decide import Verdict
from proofreel.agents._answerable.words import fold, has_cjk
from proofreel.core import Box, Question, Trajectory
from proofreel.perception.embeddings import load_embedder
from proofreel.perception.errors import CapabilityMissing
from proofreel.perception.records import ScreenLine, SpeechLine

QUESTIONS = Path(__file__).parent / "questions"


@dataclass
class HandIndex:
    """Lines written by hand, in the shape of a video index."""

    screen: Sequence[ScreenLine] = ()
    speech: Sequence[SpeechLine] = ()
    notes: Sequence[str] = ()
    duration: float = 60.0
    vectors: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    embed: Callable[[Sequence[str]], np.ndarray] | None = None


def screen(start: float, end: float, x0: float, y0: float, x1: float, y1: float, text: str) -> ScreenLine:
    return ScreenLine(
        text=text, box=Box(x0=x0, y0=y0, x1=x1, y1=y1), start=start, end=end, confidence=1.0, frames=(start,)
    )


def speech(start: float, end: float, text: str) -> SpeechLine:
    return SpeechLine(text=text, start=start, end=end)


def hand_corpus(
    screen_rows: Sequence[Any] = (), speech_rows: Sequence[Any] = (), *, vectors: bool = True
) -> Corpus:
    """A corpus of hand-written rows; with sentence vectors where the model is installed."""
    index = HandIndex([screen(*r) for r in screen_rows], [speech(*r) for r in speech_rows])
    texts = [ln.text for ln in (*index.screen, *index.speech)]
    if vectors and texts:
        try:
            embedder = load_embedder()
        except CapabilityMissing:
            return corpus_of(index)
        index.vectors, index.embed = embedder.embed(texts), embedder.embed
    return corpus_of(index)


def load_scenes(name: str) -> list[dict[str, Any]]:
    return [json.loads(row) for row in (QUESTIONS / name).read_text("utf-8").splitlines() if row.strip()]


def lettered(options: Sequence[str]) -> list[tuple[str, str]]:
    return [(chr(65 + i), o) for i, o in enumerate(options)]


def outcome(question: dict[str, Any], verdict: Verdict) -> str:
    """right, wrong or abstained for an answerable question; false_answer or abstained for another."""
    if verdict.abstained:
        return "abstained"
    if question["answer"] is None:
        return "false_answer"
    return "right" if is_right(question, verdict.letter, verdict.value) else "wrong"


def is_right(question: dict[str, Any], letter: str | None, value: str | None) -> bool:
    """By letter; for open questions the answer or an alias must stand in the value (or be the value)."""
    if question["options"]:
        return letter == question["answer"]
    said = fold(value or "")
    accepted = [fold(a) for a in (question["answer"], *question.get("aliases", ()))]
    return any(
        a in said if has_cjk(a) else re.search(rf"(?<!\w){re.escape(a)}(?!\w)", said) for a in accepted
    )


def build_clip(scene: dict[str, Any], folder: Path) -> Path:
    """A talking clip of a scene.

    Rows of speech are (second, -, text), rows of the screen (start, end, x, y, -, -, text).
    """
    from speech_maker import Say, Show, make_talk_clip, say

    path = folder / f"{scene['scene']}.mp4"
    if not path.exists():
        ends = [row[0] + len(say(row[2])) / 16_000 + 1.0 for row in scene["speech"]]
        make_talk_clip(
            path,
            [Say(row[0], row[2]) for row in scene["speech"]],
            [Show(row[6], row[0], row[1], row[2], row[3]) for row in scene["screen"]],
            duration=max([*ends, *(row[1] for row in scene["screen"])]) + 0.5,
        )
    return path


def clip_with_sound(sound: Path, path: Path) -> Path:
    """An mp4 of a still grey picture with the sound of a file."""
    from fractions import Fraction

    import av

    from proofreel.video import read_audio

    samples = read_audio(sound)
    picture = np.full((180, 320, 3), 96, np.uint8)
    with av.open(str(path), "w") as out:
        video: Any = out.add_stream("libx264", rate=5)
        video.width, video.height, video.pix_fmt = 320, 180, "yuv420p"
        audio: Any = out.add_stream("aac", rate=16_000, layout="mono")
        for k in range(int(len(samples) / 16_000 * 5)):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = k, Fraction(1, 5)
            out.mux(video.encode(frame))
        out.mux(video.encode())
        for first in range(0, len(samples), 1024):
            piece = av.AudioFrame.from_ndarray(
                samples[None, first : first + 1024], format="fltp", layout="mono"
            )
            piece.sample_rate, piece.pts, piece.time_base = 16_000, first, Fraction(1, 16_000)
            out.mux(audio.encode(piece))
        out.mux(audio.encode())
    return path


def real_clip(scene: dict[str, Any], media: Path, folder: Path) -> Path:
    """The clip of a ``real:`` scene: a shared video, or a still picture with the shared speech."""
    name = scene["scene"].removeprefix("real:")
    return (
        clip_with_sound(media / "real_extra" / "jfk_1961.flac", folder / "jfk.mp4")
        if name == "jfk"
        else media / name
    )


def run_scene(scene: dict[str, Any], video: Path) -> list[tuple[dict[str, Any], Trajectory, str]]:
    """Every question of a scene put to the agent: question, trajectory, how it is counted."""
    out = []
    for q in scene["questions"]:
        question = Question.ask(q["question"], str(video), tuple(q["options"]))
        trajectory = asyncio.run(run_agent("retrieval", question, AgentContext()))
        answer = trajectory.answer
        if answer.abstained:
            result = "abstained"
        elif q["answer"] is None:
            result = "false_answer"
        else:
            result = "right" if is_right(q, answer.letter, answer.value) else "wrong"
        out.append((q, trajectory, result))
    return out


def tally(rows: Sequence[tuple[dict[str, Any], Trajectory, str]]) -> dict[str, Counter[str]]:
    """Counts of the results, answerable and unanswerable questions apart."""
    groups: dict[str, Counter[str]] = {"answerable": Counter(), "unanswerable": Counter()}
    for q, _, result in rows:
        groups["unanswerable" if q["answer"] is None else "answerable"][result] += 1
    return groups
