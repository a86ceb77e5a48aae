"""Single-Turn: the model sees the video once and answers (AgentVidBench protocol 4.1).

Options: ``mode`` (careful, official), ``fps`` (1), ``max_frames`` (50), ``height`` (rows of a picture), ``quality``
(of its JPEG, 85), ``detail`` (of pictures, where the provider has it), ``temperature`` (0), ``config`` (further
generation settings).
"""

import re
from typing import Any

from proofreel.agents._recorder import Recorder
from proofreel.agents._sampling import main_temperature
from proofreel.agents._single_prompts import VERSION, single_turn_prompt
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.answers import UNPARSED, after_thinking, allowed_letter, final_answer_letter
from proofreel.core import Answer, Evidence, Provenance, Question, StopReason, Trajectory, Window
from proofreel.core.errors import UserError
from proofreel.models.failure import ModelFailure
from proofreel.tools._observation import times_in
from proofreel.tools.analyze_video import transient
from proofreel.tools.model_call import Reply, ask_model, model_name, takes_video

MAX_FRAMES = 50
WAITS = (5.0, 10.0)
"""Seconds between the three attempts at a busy server."""
SIDES = (1568, 1024)
"""Longest side of the pictures in pixels, tried in turn when the server finds them too large."""
CHAIN = (10.0, 5.0, 3.0, 1.0)
OUTPUT_CAP = 4096
REASONERS = ("gpt-5", "o1", "o3", "o4")
_TOO_LARGE = re.compile(r"(?i)(image|request|payload).{0,80}(size|dimension|large|exceed|pixels|bytes)")
_OPEN_ANSWER = re.compile(r"final\s*answer\W{0,6}[:：]\s*(.+)", re.I)


def fps_fallback_chain(fps: float) -> list[float]:
    """Rates tried in order when the server fails on a video: the one asked for, then 10, 5, 3, 1 below it."""
    return [fps, *(f for f in CHAIN if f < fps)]


@agent("single_turn", needs_model=True, summary="shows the model the whole video once and takes its answer")
async def single_turn(question: Question, ctx: AgentContext) -> Trajectory:
    """One call on frames or true video, pictures before text; a failed call ends in the trajectory.

    Raises:
        UserError: the frame budget is smaller than what would be shown, or an option is not valid.
        VideoError: the video cannot be read.
    """
    fps = float(ctx.options.get("fps", 1.0))
    if fps <= 0:
        raise UserError(f"fps must be more than 0, got {fps:g}")
    recorder = Recorder("single_turn", question, ctx, mode=ctx.mode, fps=fps, prompts=VERSION)
    reply = Reply()
    tried: list[str] = []
    for rate, side in _ways(fps, takes_video(ctx.model)):
        reply = await _attempt(question, ctx, rate, side)
        recorder.settings |= {"fps_used": rate} | ({"max_side": side} if side else {})
        if not _another_way(reply.failure, takes_video(ctx.model)):
            break
        tried.append(f"{rate:g} fps, side {side or 'own'}: {reply.failure}")
    recorder.step(
        "thinking",
        "\n\n".join(t for t in (reply.thinking, reply.text) if t),
        tokens=ctx.budget.use,
        failure=None if reply.failure is None else str(reply.failure),
        tried=tried or None,
    )
    return recorder.finish(_answer(reply, question, ctx.mode))


def _ways(fps: float, video: bool) -> list[tuple[float, int | None]]:
    """Rate and longest side of the pictures, in the order they are tried."""
    if video:
        return [(rate, None) for rate in fps_fallback_chain(fps)]
    return [(fps, None), *((fps, side) for side in SIDES)]


def _another_way(failure: ModelFailure | None, video: bool) -> bool:
    """Whether a lower rate (video: the server broke on it) or smaller pictures (too large) may help."""
    if failure is None:
        return False
    if video:
        return failure.kind.value == "bad_response" and failure.status != 503
    return failure.kind.value == "payload" or (
        failure.kind.value == "refused" and bool(_TOO_LARGE.search(failure.message))
    )


async def _attempt(question: Question, ctx: AgentContext, fps: float, side: int | None) -> Reply:
    """The reply at one rate and picture size, after at most two waits for a busy server."""
    import anyio
    import anyio.to_thread

    from proofreel.models import media_message

    ref, frames = await anyio.to_thread.run_sync(_reference, question, ctx, fps, side)
    left = ctx.budget.frames_left
    if left is not None and frames > left:
        raise UserError(
            f"single_turn would show {frames} frames, the budget leaves {left}; lower fps or max_frames"
        )
    detail: Any = "low" if ctx.mode == "official" else ctx.options.get("detail", "auto")
    message = media_message(single_turn_prompt(question), [ref], detail=detail)
    waits = tuple(ctx.options.get("retry_waits", WAITS))[: len(WAITS)]
    for attempt in range(len(waits) + 1):
        reply = await ask_model(
            ctx.model,
            [message],
            config=_config(ctx),
            fresh=attempt > 0,
            ledger=ctx.ledger,
            role="main",
            on_wait=ctx.on_wait,
        )
        use = reply.tokens.model_copy(update={"retries": reply.tokens.retries + (attempt > 0)})
        ctx.budget.spend(turns=1, use=use, frames=0 if reply.message is None else frames)
        if not transient(reply) or _another_way(reply.failure, takes_video(ctx.model)):
            break
        if attempt < len(waits):
            if ctx.on_wait is not None and reply.failure is not None:
                ctx.on_wait(attempt + 1, reply.failure.kind.value, waits[attempt])
            await anyio.sleep(waits[attempt])
    return reply


def _reference(question: Question, ctx: AgentContext, fps: float, side: int | None) -> tuple[Any, int]:
    """What is shown and how many frames that is."""
    from proofreel.models.cards import model_card
    from proofreel.models.estimate import facts_of, frame_count
    from proofreel.video import ClipRef, FramesRef, Rate

    card, facts = model_card(model_name(ctx.model)), facts_of(question.video)
    if takes_video(ctx.model):
        clip = ClipRef.of(question.video, 0.0, facts.duration, fps=fps, media_resolution="medium")
        return clip, max(1, round(facts.duration * fps))
    cap = int(ctx.options.get("max_frames", MAX_FRAMES))
    if card.max_images is not None:
        cap = min(cap, card.max_images)
    plan = Rate(fps, cap=cap)
    height = ctx.options.get("height")
    if side is not None and max(facts.width, facts.height) > side:
        lower = facts.height * side // max(facts.width, facts.height)
        height = min(height, lower) if height else lower
    quality = int(ctx.options.get("quality", 85))
    return FramesRef.of(question.video, plan, height=height, quality=quality), frame_count(plan, facts)


def _config(ctx: AgentContext) -> dict[str, Any]:
    reasons = model_name(ctx.model).rsplit("/", 1)[-1].startswith(REASONERS)
    served = model_name(ctx.model).startswith(("vllm", "openai-api"))
    base: dict[str, Any] = {"max_tokens": 4 * OUTPUT_CAP if reasons or served else OUTPUT_CAP}
    if not reasons:
        base["temperature"] = main_temperature(ctx)
    # As in analyze_video: the protocol's waits, so one attempt of the engine each.
    settings: dict[str, Any] = base | {"max_retries": 0} | dict(ctx.options.get("config", {}))
    return settings


def _answer(reply: Reply, question: Question, mode: str) -> Answer:
    """The reply as an answer; cut, filtered, empty and overflowing replies are none (official: text is text)."""
    failure = reply.failure
    readable = mode == "official" and failure is not None and failure.kind.value in ("truncated", "filtered")
    if failure is not None and not readable:
        return Answer(stop=failure.stop, reason=str(failure))
    evidence = () if mode == "official" else _evidence(reply.text, reply.frames, question)
    if not question.options:
        return _open_answer(reply.text, evidence)
    letter = final_answer_letter(reply.text, mode)
    if mode != "official":
        letter = allowed_letter(letter, [o.letter for o in question.options]) or UNPARSED
    if letter == UNPARSED:
        return Answer(stop=StopReason.UNPARSED, reason="no option letter in the reply")
    return Answer(letter=letter, value=question.option_text(letter), evidence=evidence, reason=reply.text)


def _open_answer(text: str, evidence: tuple[Evidence, ...]) -> Answer:
    found = _OPEN_ANSWER.findall(after_thinking(text))
    if not found:
        return Answer(stop=StopReason.UNPARSED, reason="no FINAL ANSWER line in the reply")
    value = found[-1].strip().strip("*_`").strip()
    if re.fullmatch(r"(?i)not shown\W*", value):
        return Answer(abstained=True, stop=StopReason.ABSTAINED, reason=text)
    return Answer(value=value, evidence=evidence, reason=text)


def _evidence(text: str, shown: tuple[float, ...], question: Question) -> tuple[Evidence, ...]:
    """Times the model names in its analysis, inside the video, each line once."""
    named = ((w, line) for line in after_thinking(text).splitlines() for w in times_in(line))
    return tuple(
        _claim(window, line, shown)
        for window, line in named
        if question.duration is None or window.start <= question.duration
    )


def _claim(window: Window, line: str, shown: tuple[float, ...]) -> Evidence:
    near = tuple(t for t in shown if window.contains(t, 0.5))
    return Evidence(
        window=window,
        note=line.strip()[:300],
        provenance=Provenance(claimed_by="single_turn", step=1, frames=near),
    )
