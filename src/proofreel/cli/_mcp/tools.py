"""The tools an agent outside may call; every one says what it costs and what it saw."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
from pydantic import BaseModel

from proofreel.agents._citing import cited
from proofreel.agents._finding import found_lines
from proofreel.agents._outside.exchange import option_of
from proofreel.cli._mcp.arguments import (
    AnalyzeArguments,
    CiteArguments,
    CropArguments,
    ProbeArguments,
    SearchArguments,
    TranscriptArguments,
    WatchArguments,
)
from proofreel.cli._mcp.session import Refused, Reply, Session, Video
from proofreel.core import Answer, StopReason
from proofreel.tools import ToolResult, get_tool
from proofreel.video import At, EncodedFrames, FramesRef, Plan, Rate, expand_frames

MOST_TEXT = 20_000


@dataclass(frozen=True)
class OutsideTool:
    """A tool as it goes over the wire; ``costs`` is False for what a used-up budget still allows."""

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[Session, Any, str], Awaitable[Reply]]
    costs: bool = True


async def probe(session: Session, args: ProbeArguments, call_id: str) -> Reply:
    """Facts of one video, or of all of them."""
    videos = (
        [session.video(args.video)] if args.video or len(session.videos) == 1 else session.videos.values()
    )
    facts = [_facts(v) for v in videos]
    left = {k: session.budget.left(k) for k in ("tool_calls", "frames", "seconds")}
    data: dict[str, Any] = {"videos": facts, "left": {k: v for k, v in left.items() if v is not None}}
    if session.question is not None:
        data["question"] = session.question.rendered()
    return Reply(ToolResult(ok=True, text=json.dumps(data, ensure_ascii=False), data=data))


def _facts(video: Video) -> dict[str, Any]:
    info = video.info
    return {
        "name": video.name,
        "duration": round(info.duration, 3),
        "width": info.width,
        "height": info.height,
        "fps": round(info.fps, 3),
        "has_video": info.has_video,
        "has_audio": info.has_audio,
        "truncated": info.truncated,
        "transcript": None if video.transcript is None else video.transcript.name,
    }


async def watch(session: Session, args: WatchArguments, call_id: str) -> Reply:
    """Frames of a window, spread evenly from its start, each with its true time."""
    video = session.video(args.video)
    length = video.info.duration
    end = length if args.end is None else min(args.end, length)
    if args.start > length or (args.end is not None and args.end < args.start):
        raise Refused(f"the window {args.start:g} to {end:g} s is empty; the video lasts {length:g} s")
    left = session.budget.frames_left
    frames = min(args.frames, session.most_frames, args.frames if left is None else left)
    point = end - args.start < 1e-3
    plan: Plan = (
        At([min(args.start, end)])
        if point
        else Rate(frames / (end - args.start), start=args.start, end=end, cap=frames)
    )
    shown = await _show(session, video, plan, args.height, None, call_id)
    note = f"{frames} of {args.frames} frames: " + (
        "all that the budget allows" if left is not None and frames == left else "the most one call gives"
    )
    return _pictures(session, shown, "" if frames == args.frames or point else note)


async def crop(session: Session, args: CropArguments, call_id: str) -> Reply:
    """A region of the frame on screen at a time."""
    video = session.video(args.video)
    x0, y0, x1, y1 = args.box
    if not (0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1):
        raise Refused(f"box is x0, y0, x1, y1 in 0-1 with x0 < x1 and y0 < y1, got {list(args.box)}")
    if args.time > video.info.duration:
        raise Refused(f"time ({args.time:g} s) is past the end of the video ({video.info.duration:g} s)")
    shown = await _show(session, video, At([args.time]), args.height, args.box, call_id)
    return _pictures(session, shown)


async def _show(
    session: Session,
    video: Video,
    plan: Plan,
    height: int,
    box: tuple[float, float, float, float] | None,
    call_id: str,
) -> tuple[FramesRef, EncodedFrames]:
    if not video.info.has_video:
        raise Refused(f"{video.name} has sound only; use transcript or search")

    def work() -> tuple[FramesRef, EncodedFrames]:
        ref = FramesRef.of(video.path, plan, height=height, crop=box)
        return ref, expand_frames(ref)

    ref, encoded = await anyio.to_thread.run_sync(work)
    session.ledger.record(ref, call_id, session.client, "outside", encoded)
    return ref, encoded


def _pictures(session: Session, shown: tuple[FramesRef, EncodedFrames], note: str = "") -> Reply:
    ref, encoded = shown
    times = ", ".join(f"{t:.3f}" for t in encoded.times)
    text = f"{_many(len(encoded), 'frame')} of {encoded.width}x{encoded.height}, at seconds: {times}"
    left = session.budget.frames_left
    if left is not None:
        text += f"\nframes left: {max(0, left - len(encoded))}"
    result = ToolResult(
        ok=True,
        text=f"{text}\nnote: {note}" if note else text,
        media=(ref.id,),
        frames=len(encoded),
        data={"times": [round(t, 6) for t in encoded.times], "indices": list(encoded.indices)},
    )
    return Reply(result, tuple(zip(encoded.times, map(bytes, encoded.jpegs), strict=True)))


async def analyze(session: Session, args: AnalyzeArguments, call_id: str) -> Reply:
    """The perceiver model looks at a window and reports."""
    if session.perceiver is None:
        raise Refused("this server has no perceiver model (--perceiver): look yourself with watch and crop")
    video = session.video(args.video)
    asked = args.model_dump(exclude={"video"}, exclude_none=True)
    return Reply(await get_tool("analyze_video").run(asked, session.tool_context(video)))


async def transcript(session: Session, args: TranscriptArguments, call_id: str) -> Reply:
    """What is said, from the subtitle file beside the video or from listening to it."""
    video = session.video(args.video)
    if video.transcript is None:
        await session.index_of(video)
    asked = {"start_time": args.start, "end_time": args.end}
    result = await get_tool("get_transcript").run(asked, session.tool_context(video))
    segments = [f"{s['start']:.2f}-{s['end']:.2f}: {s['text']}" for s in result.data.get("segments", ())]
    text = "\n".join(segments) or result.data.get("note") or "nothing is said there"
    if len(text) > MOST_TEXT:
        text = f"{text[:MOST_TEXT]}\n(cut: {len(segments)} segments in all; ask for a shorter window)"
    return Reply(
        ToolResult(ok=result.ok, text=text, failure_kind=result.failure_kind, evidence=result.evidence)
    )


async def search(session: Session, args: SearchArguments, call_id: str) -> Reply:
    """Lines of speech and screen text nearest to a query."""
    video = session.video(args.video)
    index = await session.index_of(video)
    text, evidence = await anyio.to_thread.run_sync(
        lambda: found_lines(index, args.query, args.top, args.kind, "search", session.recorder.next_id)
    )
    return Reply(ToolResult(ok=True, text=text, evidence=evidence))


async def cite(session: Session, args: CiteArguments, call_id: str) -> Reply:
    """Records evidence and, with an answer, closes the question and writes the proof page."""
    video = session.video(args.video) if args.evidence or len(session.videos) == 1 else None
    closing = args.answer is not None or args.letter is not None or args.abstained
    if not args.evidence and not closing:
        raise Refused("nothing to record: give evidence, an answer, or abstained=true")
    args = _chosen(session, args)
    notes: list[str] = []
    fresh = []
    # The page is written before the result is a step: what is claimed here leads to the call.
    steps = session.recorder.steps
    step = next((s.id for s in steps[::-1] if call_id in [c.id for c in s.calls]), session.recorder.next_id)
    for number, citation in enumerate(args.evidence, 1):
        assert video is not None
        try:
            proof, said = cited(
                citation,
                duration=video.info.duration,
                claimed_by=session.client,
                step=step,
                shown=lambda window: session.shown(video, window),
                index=video.index,
            )
        except ValueError as error:
            raise Refused(f"evidence {number}: {error}") from None
        fresh.append((video.name, proof))
        notes += [f"evidence {number}: {n}" for n in said]
    for name, proof in fresh:
        session.log.evidence(name, proof)
    session.evidence += fresh
    text = f"recorded {_many(len(fresh), 'piece')} of evidence, {len(session.evidence)} in all"
    if closing:
        session.answer = _answer(session, args)
        pages = await anyio.to_thread.run_sync(session.pages, session.answer)
        text = f"{text}; answer recorded; proof page: {', '.join(str(p) for p in pages)}"
    text = "\n".join([text, *(f"note: {n}" for n in notes)])
    return Reply(ToolResult(ok=True, text=text, evidence=tuple(e for _, e in fresh)))


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def _chosen(session: Session, args: CiteArguments) -> CiteArguments:
    """The arguments with the letter of an answer that names an option; an answer that names none is refused."""
    options = session.asked.options
    if not options or args.abstained:
        return args
    there = f"there are A to {options[-1].letter}: give letter, or the text of an option as answer"
    if args.letter is not None:
        if args.letter not in [o.letter for o in options]:
            raise Refused(f"there is no option {args.letter}; {there}")
        return args
    if args.answer is None:
        return args
    letter = option_of(args.answer.strip(), session.asked)
    if letter is None:
        raise Refused(f"{args.answer[:60]!r} is no option; {there}")
    return args.model_copy(update={"letter": letter, "answer": session.asked.option_text(letter)})


def _answer(session: Session, args: CiteArguments) -> Answer:
    value = args.answer
    if value is None and args.letter is not None:
        value = session.asked.option_text(args.letter)
    return Answer(
        value=None if args.abstained else value,
        letter=None if args.abstained else args.letter,
        confidence=args.confidence,
        reason=args.reason,
        evidence=tuple(e for _, e in session.evidence),
        abstained=args.abstained,
        stop=StopReason.ABSTAINED if args.abstained else StopReason.ANSWERED,
    )


def tools_of(session: Session) -> dict[str, OutsideTool]:
    """The tools of a session by name."""
    none = "" if session.perceiver is not None else " NOT AVAILABLE: this server has no perceiver model."
    listed = (
        OutsideTool("probe", "Length, size and tracks of the videos, the question, and what is left of the budget.",
                    ProbeArguments, probe, costs=False),
        OutsideTool("watch", f"Shows frames of a window as pictures with their true times, at most "
                    f"{session.most_frames} a call. Use few frames first, then a narrower window.",
                    WatchArguments, watch),
        OutsideTool("analyze", f"A vision model looks at a window and reports what it sees with times.{none}",
                    AnalyzeArguments, analyze),
        OutsideTool("transcript", "What is said, with start and end of each segment in seconds.",
                    TranscriptArguments, transcript),
        OutsideTool("search", "Finds speech and screen text nearest to a query, with seconds and boxes. It reads and "
                    "hears; it does not see objects or actions. The first call may take long: the video is read.",
                    SearchArguments, search),
        OutsideTool("crop", "Shows a region of one frame enlarged, for small text and details.", CropArguments, crop),
        OutsideTool("cite", "Records the moments, boxes and quotes that prove your answer, and the answer itself "
                    "(answer, letter or abstained). A proof page is written with the answer. Cite before you stop.",
                    CiteArguments, cite, costs=False),
    )  # fmt: skip
    return {t.name: t for t in listed}
