"""Watching in rounds: each is a prompt of its own, and only the intervals named in one shape the frames of the next."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.agents._footage import Footage, image_limit, open_footage, thinned, with_frames
from proofreel.agents._recorder import Recorder
from proofreel.agents._round_frames import choose_frames, frames_a_round
from proofreel.agents._tagged import TASKS, answer_form, read_answer
from proofreel.agents._videochat import tidy_hint
from proofreel.agents._viewing import LIMITS, Viewer, choice, fatal, generation, number, raw_text
from proofreel.agents.agent import AgentContext
from proofreel.agents.moments import windows_in
from proofreel.core import Answer, Evidence, Provenance, Question, StopReason, Trajectory, Window
from proofreel.tools.model_call import Reply

NOTE = "named as what the answer rests on"
Rows = Callable[[int], int | None]
"""Rows of a picture when so many are shown; None keeps the size."""


@dataclass(frozen=True)
class Style:
    """What makes one agent of rounds differ from another; its options stand over the numbers here.

    Attributes:
        name: of the agent.
        version: of its prompts.
        rounds: how many, the last one gives the answer.
        key_ratio: density inside the intervals over density outside.
        patch: pixels of a visual token's side.
        new_tokens: output cap.
        frames: shown in each round, from the video and the most pictures the model takes (None: no limit).
        rows: size of the pictures.
        prompt: words of a round from the note on what is shown, what is asked and the form of the answer; the flag is
            set in the last round.
        read: the hint for the next round from the one before and a reply.
    """

    name: str
    version: str
    rounds: int
    key_ratio: float
    patch: int
    new_tokens: int
    frames: Callable[[Footage, AgentContext, int | None], int]
    rows: Callable[[Footage, AgentContext], Rows]
    prompt: Callable[[AgentContext, str, str, str, bool], str]
    read: Callable[[Any, str], Any]


@dataclass(frozen=True)
class Scheme:
    """The rounds on one question; fields as in ``Style``, ``named`` are the windows a final reply names itself."""

    rounds: int
    frames: int
    most: int | None
    key_ratio: float
    rows: Rows
    prompt: Callable[[str, bool], str]
    read: Callable[[Any, str], Any]
    named: Callable[[str], Sequence[Window]] | None = None


async def watch_in_rounds(question: Question, ctx: AgentContext, style: Style) -> Trajectory:
    """Runs an agent of rounds on one question; every model failure ends in the trajectory.

    Raises:
        UserError: an option is not valid, or the frame budget cannot give every round a frame.
        VideoError: the video cannot be read.
    """
    options = ctx.options
    rounds = number(options, "rounds", style.rounds, least=1)
    ratio = number(options, "key_ratio", style.key_ratio, least=0, whole=False)
    side = number(options, "patch", style.patch, least=1)
    quality = number(options, "quality", 85, least=1)
    frames_as = choice(options, "frames_as", ("images", "video"))
    task = choice(options, "task", TASKS)
    most = image_limit(ctx.model, frames_as)
    footage = await open_footage(question.video)
    frames, rows = style.frames(footage, ctx, most), style.rows(footage, ctx)
    told = {"rounds": rounds, "key_ratio": ratio, "frames_a_round": frames, "rows": rows(frames)}
    recorder = Recorder(style.name, question, ctx, mode=ctx.mode, prompts=style.version, **told)
    viewer = Viewer(ctx, footage, side, generation(ctx, style.new_tokens), frames_as, quality)
    asked = str(options.get("asked") or question.rendered())
    form = answer_form(question, task, asked="asked" in options)
    scheme = Scheme(
        rounds=rounds,
        frames=frames,
        most=most,
        key_ratio=ratio,
        rows=rows,
        prompt=lambda note, last: style.prompt(ctx, note, asked, form, last),
        read=style.read,
        named=windows_in if task == "temporal_grounding" else None,
    )
    return await watch(question, viewer, scheme, recorder)


@dataclass
class _Seen:
    """What the rounds left behind."""

    hint: Any = None
    step: int | None = None
    frames: tuple[float, ...] = ()


async def watch(question: Question, viewer: Viewer, scheme: Scheme, recorder: Recorder) -> Trajectory:
    """Runs the rounds; a limit that is reached makes the next round the last one.

    Raises:
        UserError: the frame budget cannot give every round a frame.
        VideoError: the video cannot be read.
    """
    ctx, footage, seen = viewer.ctx, viewer.footage, _Seen()
    turns = ctx.budget.left("turns")
    rounds = scheme.rounds if turns is None else max(1, min(scheme.rounds, int(turns)))
    frames = frames_a_round(scheme.frames, rounds, ctx.budget.frames_left, recorder.name)
    keys = [footage.at(float(t)) for t in ctx.options.get("key_times") or ()]
    turn, final, limit = 0, False, None
    while not final:
        turn += 1
        limit = ctx.budget.exhausted(*LIMITS)
        final = turn >= rounds or limit is not None
        chosen = choose_frames(footage, seen.hint, frames, scheme.key_ratio, ctx.mode)
        chosen = chosen if scheme.most is None else thinned(chosen, scheme.most)
        chosen = with_frames(chosen, keys, scheme.most or max(frames, len(keys))) if keys else chosen
        ref = await viewer.reference(chosen, scheme.rows(len(chosen)))
        note = f"The video lasts {footage.duration:.1f} seconds; {len(chosen)} frames of it are shown with their times."
        reply = await viewer.ask([viewer.message(scheme.prompt(note, final), [ref])], len(chosen))
        shown = reply.frames or (footage.shown(chosen) if reply.message is not None else ())
        seen.frames = tuple(sorted({*seen.frames, *shown}))
        _write(
            recorder, reply, turn, final=final, limit=limit, media=ref.id, frames=len(shown), hint=seen.hint
        )
        if fatal(reply):
            break
        if not final:
            hint = scheme.read(seen.hint, raw_text(reply))
            seen.step = recorder.steps[-1].id if hint != seen.hint else seen.step
            seen.hint = hint
    forced = turn < scheme.rounds
    return recorder.finish(_answer(reply, question, viewer, scheme, seen, recorder, forced=forced))


def _write(recorder: Recorder, reply: Reply, turn: int, *, hint: Any, **data: Any) -> None:
    recorder.step(
        "thinking",
        "\n\n".join(t for t in (reply.thinking, reply.text) if t),
        tokens=reply.tokens,
        round=turn,
        denser_in=None if hint is None else repr(hint)[:2000],
        failure=None if reply.failure is None else str(reply.failure),
        notes=list(reply.notes) or None,
        **data,
    )


def _answer(
    reply: Reply,
    question: Question,
    viewer: Viewer,
    scheme: Scheme,
    seen: _Seen,
    recorder: Recorder,
    *,
    forced: bool,
) -> Answer:
    ctx, failure, text = viewer.ctx, reply.failure, raw_text(reply)
    readable = ctx.mode == "official" and not fatal(reply) and bool(text)
    if failure is not None and not readable:
        return Answer(stop=failure.stop, reason=str(failure))
    windows: Sequence[Window] = tidy_hint(seen.hint, viewer.footage.duration)
    step = seen.step
    if scheme.named is not None:
        windows, step = scheme.named(text), recorder.steps[-1].id
    return read_answer(
        text,
        question,
        ctx.mode,
        task=str(ctx.options.get("task", "qa")),
        asked="asked" in ctx.options,
        evidence=tuple(claim(w, seen.frames, step, recorder.model or recorder.name, NOTE) for w in windows),
        stop=StopReason.FORCED if forced else StopReason.ANSWERED,
    )


def claim(window: Window, shown: Sequence[float], step: int | None, who: str, note: str = "") -> Evidence:
    """A window somebody rests an answer on, with the frames that were shown inside it."""
    inside = tuple(t for t in shown if window.contains(t))
    note = note if inside else "no frame inside this window was shown"
    return Evidence(window=window, note=note, provenance=Provenance(claimed_by=who, step=step, frames=inside))
