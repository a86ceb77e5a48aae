"""Watching in rounds: each is a prompt of its own, and only the intervals named in one shape the frames of the next."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.agents._footage import Footage, thinned, with_frames
from proofreel.agents._recorder import Recorder
from proofreel.agents._spread import SamplingError, spread_round
from proofreel.agents._tagged import read_answer
from proofreel.agents._videochat import key_frame_sampling, round_frames, tidy_hint
from proofreel.agents._viewing import LIMITS, Viewer, fatal, raw_text
from proofreel.core import Answer, Evidence, Provenance, Question, StopReason, Trajectory, Window
from proofreel.core.errors import UserError
from proofreel.tools.model_call import Reply


@dataclass(frozen=True)
class Scheme:
    """What makes one agent of rounds differ from another.

    Attributes:
        rounds: how many, the last one gives the answer.
        frames: shown in each.
        most: most pictures the model takes in one request, None for no limit.
        key_ratio: density inside the intervals over density outside.
        rows: rows of a picture when so many are shown; None keeps the size.
        prompt: words of a round from the note on what is shown; the flag is set in the last one.
        read: the hint for the next round from the one before and a reply.
        named: windows a final reply names itself, for tasks that ask for windows.
    """

    rounds: int
    frames: int
    most: int | None
    key_ratio: float
    rows: Callable[[int], int | None]
    prompt: Callable[[str, bool], str]
    read: Callable[[Any, str], Any]
    named: Callable[[str], Sequence[Window]] | None = None


def choose_frames(footage: Footage, hint: Any, frames: int, key_ratio: float, mode: str) -> list[int]:
    """Frame numbers of a round.

    Officially seconds become frame numbers at the average rate and what the sampler cannot use gives uniform frames.
    Carefully the true times decide (also where the rate varies), and never more than ``frames`` come out.
    """
    total = footage.total
    if mode == "official":
        chosen = round_frames(hint, total, frames, footage.fps, mode="official", key_ratio=key_ratio)
        # Negative starts give negative numbers, which no reader takes: the published answer to that is uniform.
        return chosen if chosen and chosen[0] >= 0 else spread_round(total, frames)
    windows = tidy_hint(hint, footage.duration)
    if windows:
        spans = [footage.span(w) for w in windows]
        try:
            return thinned(key_frame_sampling(spans, total, frames, key_ratio, 1.0), frames)
        except SamplingError:  # key_ratio 0 with the whole video named: nothing has any weight
            pass
    return sorted(set(spread_round(total, frames)))


def frames_a_round(wanted: int, rounds: int, left: int | None, agent: str) -> int:
    """Frames of each round when the budget leaves so many for all: the same in every round, none goes without.

    Raises:
        UserError: not even one frame a round is left.
    """
    if left is None or wanted * rounds <= left:
        return wanted
    if left < rounds:
        raise UserError(
            f"{agent} would show {rounds} rounds of frames, the budget leaves {left} frames; allow at least {rounds}"
        )
    return left // rounds


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
    number, final, limit = 0, False, None
    while not final:
        number += 1
        limit = ctx.budget.exhausted(*LIMITS)
        final = number >= rounds or limit is not None
        chosen = choose_frames(footage, seen.hint, frames, scheme.key_ratio, ctx.mode)
        chosen = chosen if scheme.most is None else thinned(chosen, scheme.most)
        chosen = with_frames(chosen, keys, scheme.most or max(frames, len(keys))) if keys else chosen
        ref = await viewer.reference(chosen, scheme.rows(len(chosen)))
        note = f"The video lasts {footage.duration:.1f} seconds; {len(chosen)} frames of it are shown with their times."
        reply = await viewer.ask([viewer.message(scheme.prompt(note, final), [ref])], len(chosen))
        shown = reply.frames or (footage.shown(chosen) if reply.message is not None else ())
        seen.frames = tuple(sorted({*seen.frames, *shown}))
        _write(
            recorder, reply, number, final=final, limit=limit, media=ref.id, frames=len(shown), hint=seen.hint
        )
        if fatal(reply):
            break
        if not final:
            hint = scheme.read(seen.hint, raw_text(reply))
            seen.step = recorder.steps[-1].id if hint != seen.hint else seen.step
            seen.hint = hint
    forced = number < scheme.rounds
    return recorder.finish(_answer(reply, question, viewer, scheme, seen, recorder, forced=forced))


def _write(recorder: Recorder, reply: Reply, number: int, *, hint: Any, **data: Any) -> None:
    recorder.step(
        "thinking",
        "\n\n".join(t for t in (reply.thinking, reply.text) if t),
        tokens=reply.tokens,
        round=number,
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
        evidence=tuple(claim(w, seen.frames, step, recorder.model or recorder.name) for w in windows),
        stop=StopReason.FORCED if forced else StopReason.ANSWERED,
    )


def claim(window: Window, shown: Sequence[float], step: int | None, who: str, note: str = "") -> Evidence:
    """A window somebody rests an answer on, with the frames that were shown inside it."""
    inside = tuple(t for t in shown if window.contains(t))
    note = note or ("" if inside else "no frame inside this window was shown")
    return Evidence(window=window, note=note, provenance=Provenance(claimed_by=who, step=step, frames=inside))
