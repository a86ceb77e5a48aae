"""The one entry: a video in, its index out; cached, resumable, one process at a time for each video."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from proofreel.perception._journal import Journal
from proofreel.perception._memory import give_back
from proofreel.perception._plan import Plan, make_plan
from proofreel.perception._screen_stage import ScreenText, screen_text
from proofreel.perception._speech_stage import SpokenText, spoken_text
from proofreel.perception.embeddings import Embedder, NgramEmbedder, load_embedder
from proofreel.perception.index import VideoIndex
from proofreel.perception.speech import find_model

Progress = Callable[[str, float, float, str], None]


def _silent(stage: str, done: float, total: float, message: str) -> None:
    """Progress nobody looks at."""


def prepare(
    path: str | Path,
    *,
    progress: Progress | None = None,
    ocr: bool = True,
    speech: bool = True,
    embed: bool = True,
    asr_model: str | Path | None = None,
    embed_model: str | Path | None = None,
    fps: float = 1.0,
    cache: bool = True,
    transcript: str | Path | None = None,
) -> VideoIndex:
    """Reads and hears a video once; later calls with the same file content and settings load what is kept.

    The video is streamed: memory does not grow with its length. Work is kept under ``cache_dir()/index`` step by
    step, so that a killed call loses at most one frame's reading and one span of speech, and several processes
    asking for one video do the work once.

    Args:
        path: a video, or a file with sound only.
        progress: told (stage, done, total, message) often; stages are ``screen``, ``speech``, ``embed`` and
            ``wait`` (another process is at work); done and total are seconds of video or lines.
        ocr: read screen text.
        speech: hear speech.
        embed: compare lines by meaning; otherwise by spelling.
        asr_model: folder or hub name of a CTranslate2 Whisper model instead of the bundled one.
        embed_model: ONNX file instead of the bundled one, with its ``tokenizer.json`` beside it.
        fps: most readings of screen text a second of video.
        cache: False works in a folder that is thrown away.
        transcript: SRT or VTT file that is taken instead of hearing the speech.

    Returns:
        The index. What could not be perceived is said in its ``notes``.

    Raises:
        VideoError: the file or the transcript cannot be read, or ``fps`` is out of range.
        CapabilityMissing: a model asked for by name is not usable, an installed engine is broken, or nothing at
            all of what was asked for can be done here.
    """
    tell = progress or _silent
    plan = make_plan(path, ocr, speech, embed, asr_model, embed_model, fps, transcript)
    if not cache:
        return _make_unkept(plan, tell)
    from proofreel.video import cache_dir

    folder = cache_dir() / "index" / plan.sha256
    name = f"index-{plan.key}"
    found = VideoIndex.load(folder, name)
    if found is None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            note = f"the index was not kept: {folder} cannot be made ({e.strerror}); set PROOFREEL_CACHE"
            return _make_unkept(replace(plan, notes=(*plan.notes, note)), tell)
        with _alone(folder, tell):
            found = VideoIndex.load(folder, name)
            if found is None:
                _make(plan, folder, tell).save(folder, name)
                found = VideoIndex.load(folder, name)
    if found is None:
        raise OSError(f"{folder}: the index could not be kept; check the disk or set PROOFREEL_CACHE")
    return found.at(str(path))


def _make_unkept(plan: Plan, tell: Progress) -> VideoIndex:
    with tempfile.TemporaryDirectory(prefix="proofreel-") as scratch:
        return _make(plan, Path(scratch), tell)


@contextmanager
def _alone(folder: Path, tell: Progress) -> Iterator[None]:
    """Only one process works on a video; the others wait, and say so. A killed process holds no lock."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / ".lock")
    waited = 0.0
    while True:
        try:
            lock.acquire(timeout=0.5)
            break
        except Timeout:
            waited += 0.5
            tell("wait", waited, 0.0, "another process prepares this video")
    try:
        yield
    finally:
        lock.release()


def _make(plan: Plan, folder: Path, tell: Progress) -> VideoIndex:
    notes = list(plan.notes)
    screen = ScreenText((), 0)
    if plan.screen is not None:
        with Journal(folder / f"screen-{plan.screen}.jsonl") as journal:
            screen = screen_text(
                plan.path, plan.info, journal, plan.fps, lambda d, t, m: tell("screen", d, t, m)
            )
        if not screen.lines:
            notes.append("no screen text was found")
        give_back()
    spoken = SpokenText((), None, 0)
    if plan.cues is not None:
        spoken = SpokenText(plan.cues, None, 0)
    elif plan.speech is not None:
        spoken = _hear(plan, folder, tell)
        if not spoken.lines:
            notes.append("no speech was heard")
        if spoken.dropped:
            notes.append(f"{spoken.dropped} stretches of sound were no credible speech and were left out")
        give_back()
    texts = [line.text for line in screen.lines] + [line.text for line in spoken.lines]
    embedder: Embedder = NgramEmbedder()
    if plan.embedder != NgramEmbedder.name:
        embedder = load_embedder(plan.embed_model)
    tell("embed", 0, len(texts), "comparing lines")
    vectors = embedder.embed(texts)
    tell("embed", len(texts), len(texts), "done")
    return VideoIndex(
        path=plan.path,
        sha256=plan.sha256,
        duration=plan.info.duration,
        screen=screen.lines,
        speech=spoken.lines,
        notes=tuple(notes),
        embedder=plan.embedder,
        frames_read=screen.frames_read,
        language=spoken.language,
        embed_model=plan.embed_model,
        _vectors=vectors,
    )


def _hear(plan: Plan, folder: Path, tell: Progress) -> SpokenText:
    with Journal(folder / f"speech-{plan.speech}.jsonl") as journal:
        return spoken_text(
            plan.path,
            plan.info.duration,
            journal,
            find_model(plan.asr_model),
            lambda d, t, m: tell("speech", d, t, m),
        )
