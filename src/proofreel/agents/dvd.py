"""DVD, deep video discovery: a model searches descriptions of ten-second clips and has frames looked at.

The main model sees no frames. A describing model (role ``captioner``) writes the clip database once for each video;
the role ``reader`` unites its subjects and answers overviews, the role ``inspector`` looks at frames. A role that is
not given falls to the perceiver (``reader``: to the captioner); captioner and inspector the same model is the aligned
variant. A role ``embedder`` (an ``/embeddings`` endpoint) takes the place of the embedded sentence model.

Options: ``mode`` (careful, official), ``actions`` (native, json, json_schema), ``top_k`` (clips of a search, careful
mode), ``caption_workers`` (clips described at a time, 4), ``temperature`` (0), ``thinking_budget`` (8192 tokens, None
for the model's own), ``thinking`` (the models are served with thinking on), ``config`` (further generation settings),
``perceiver_config`` (those of the describing, reading and looking models), ``retry_waits`` (seconds), and
``on_progress``, a function called with (stage, done, total, message).
"""

from typing import Any

from proofreel.agents._conversation import choose_actions
from proofreel.agents._duration import known_duration
from proofreel.agents._dvd_base import (
    Asker,
    ClipBase,
    ClipSearch,
    EmbeddingFailed,
    Job,
    images_of,
    open_base,
    rows_of,
)
from proofreel.agents._dvd_base.search import Comparer, LocalComparer, RemoteComparer
from proofreel.agents._dvd_loop import ROUNDS, DvdResult, Rules, dvd_loop
from proofreel.agents._dvd_plan import PLAN_ASSUMES, plan_calls
from proofreel.agents._dvd_prompts import VERSION
from proofreel.agents._dvd_run import DvdRun
from proofreel.agents._dvd_tools import Given
from proofreel.agents._dvd_tools.finish import read_letter, windows
from proofreel.agents._evidence import cited_evidence, cited_windows
from proofreel.agents._recorder import Recorder
from proofreel.agents.agent import AgentContext, agent
from proofreel.core import Answer, Evidence, Question, StopReason, Trajectory
from proofreel.core.errors import UserError
from proofreel.tools.model_call import model_name

__all__ = ["PLAN_ASSUMES", "dvd", "plan_calls"]


@agent(
    "dvd",
    needs_model=True,
    summary="describes every clip once, searches the descriptions, looks at frames to confirm",
)
async def dvd(question: Question, ctx: AgentContext) -> Trajectory:
    """Makes or opens the clip database, then runs the rounds; every model failure ends in the trajectory.

    Raises:
        UserError: the length of the video is unknown, or an option or role is not valid.
        VideoError: the video or its transcript cannot be read.
    """
    duration = await known_duration(question)
    question = question.model_copy(update={"duration": duration})
    ctx.budget.default(turns=ROUNDS)
    actions = choose_actions(ctx.model, ctx.options.get("actions"))
    captioner = ctx.roles.get("captioner") or ctx.perceiver
    inspector = ctx.roles.get("inspector") or ctx.perceiver
    reader = ctx.roles.get("reader") or captioner
    comparer = _comparer(ctx.roles.get("embedder"))
    recorder = Recorder(
        "dvd",
        question,
        ctx,
        mode=ctx.mode,
        actions=actions,
        prompts=VERSION,
        captioner=model_name(captioner),
        inspector=model_name(inspector),
        reader=model_name(reader),
        embedder=comparer.name,
        aligned=model_name(captioner) == model_name(inspector),
    )
    asker = Asker(
        ledger=ctx.ledger,
        config=ctx.options.get("perceiver_config", {}),
        waits=tuple(ctx.options.get("retry_waits", (3.0, 6.0)))[:2],
        on_wait=ctx.on_wait,
        seconds_left=lambda: ctx.budget.left("seconds"),
        over=lambda: ctx.budget.exhausted("tokens", "usd", "seconds"),
    )
    base = await _base(question, ctx, recorder, captioner, reader, asker)
    if base.dead:
        reason = f"{base.captioner} describes nothing: {base.stopped}"
        return recorder.finish(Answer(stop=StopReason.MODEL_ERROR, reason=reason))
    given = Given(ClipSearch(base, comparer, ctx.mode, _kept_folder(base)), reader, inspector, asker)
    await _compare(given, ctx, recorder)
    run = DvdRun(question, ctx, base, given, recorder, actions)
    rules = Rules(
        rounds=ctx.budget.limits.turns or ROUNDS,
        mode=ctx.mode,
        spent=lambda: ctx.budget.exhausted("tokens", "usd", "seconds", "tool_calls"),
        broken=run.broken,
        read=run.read,
        refuse=run.refuse,
    )
    out = await dvd_loop(run, run.execute, rules)
    return recorder.finish(_answer(out, question, run, ctx))


async def _base(
    question: Question, ctx: AgentContext, recorder: Recorder, captioner: Any, reader: Any, asker: Asker
) -> ClipBase:
    """The clip database; how far it is stands in the trajectory while it is made."""
    import anyio.to_thread

    from proofreel.models.cards import model_card
    from proofreel.video import probe

    info = await anyio.to_thread.run_sync(probe, question.video)
    told = 0

    def tell(stage: str, done: float, total: float, message: str) -> None:
        nonlocal told
        share = int(10 * done / total) if total else 0
        if stage == "clips" and share > told and done < total:
            told = share
            recorder.step("observe", message)
        if (listener := ctx.options.get("on_progress")) is not None:
            listener(stage, done, total, message)

    base = await open_base(
        Job(
            video=question.video,
            duration=info.duration or question.duration or 0.0,
            captioner=captioner,
            merger=reader,
            speech=await anyio.to_thread.run_sync(_speech, question, ctx),
            budget=ctx.budget,
            asker=asker,
            mode=ctx.mode,
            rows=rows_of(info.height, ctx.mode),
            most_images=images_of(model_card(model_name(captioner))),
            workers=int(ctx.options.get("caption_workers", 4)),
            tell=tell,
        )
    )
    counts = base.counts()
    recorder.settings["clip_base"] = counts
    said = f"{counts['described']} of {counts['clips']} clips described, {counts['new']} of them now"
    recorder.step("observe", "; ".join([said, *base.notes]), tokens=base.tokens, clip_base=counts)
    return base


def _speech(question: Question, ctx: AgentContext) -> tuple[tuple[float, float, str], ...]:
    """What is said: from the transcript that came with the question, else from an index that was handed over."""
    if question.transcript:
        from proofreel.video import load_transcript

        return tuple((c.start, c.end, c.text) for c in load_transcript(question.transcript))
    index = ctx.options.get("index")
    return () if index is None else tuple((s.start, s.end, s.text) for s in index.speech)


def _comparer(embedder: Any) -> Comparer:
    if embedder is None:
        return LocalComparer()
    try:
        return RemoteComparer(embedder)
    except EmbeddingFailed as error:
        raise UserError(str(error)) from error


def _kept_folder(base: ClipBase) -> Any:
    from proofreel.video import cache_dir

    folder = cache_dir() / "clips" / base.sha256
    return folder if folder.is_dir() else None


async def _compare(given: Given, ctx: AgentContext, recorder: Recorder) -> None:
    """Makes the vectors of all clips now, so that the rounds do not wait for them; trouble is told and tried again."""
    if not given.search.base.clips or ctx.budget.exhausted("tokens", "usd", "seconds"):
        return
    note = getattr(given.search.comparer, "note", None)
    try:
        used = await given.search.ready()
    except EmbeddingFailed as error:
        recorder.step("observe", str(error))
        return
    ctx.budget.spend(use=used)
    if used.calls or note:
        recorder.step("observe", note or "descriptions compared", tokens=used)


def _answer(out: DvdResult, question: Question, run: DvdRun, ctx: AgentContext) -> Answer:
    """The end of the rounds as an answer; what is no answer stays none, except by the published faults."""
    reason = out.why or out.text.strip()
    if out.answer is None:
        return Answer(reason=out.why, stop=out.stop, evidence=())
    letter = out.final.get("letter") or read_letter(out.answer, question, ctx.mode)
    if question.options and letter is None:
        return Answer(reason=reason or out.answer, stop=StopReason.UNPARSED)
    shown = out.answer.strip().lower().rstrip(".") != "not shown"
    return Answer(
        letter=letter,
        value=question.option_text(letter) if letter else out.answer if shown else None,
        abstained=not letter and not shown,
        reason=reason,
        evidence=_evidence(out, question, run, ctx),
        stop=out.stop if letter or shown else StopReason.ABSTAINED,
    )


def _evidence(out: DvdResult, question: Question, run: DvdRun, ctx: AgentContext) -> tuple[Evidence, ...]:
    """The stretches the model cites, with what tools and descriptions say of them; else what was looked at."""
    pairs = out.final.get("windows") or list(windows(out.final.get("evidence")))
    cited = cited_windows({"evidence": pairs}, question.duration)
    if not cited:
        return tuple(e for e in run.evidence if e.provenance.claimed_by == "frame_inspect_tool")
    under = dict.fromkeys(c for w in cited for c in run.base.over(w))
    run.given.put_down(under)
    described = [run.given.claim(c, "captioner", None) for c in under]
    return cited_evidence({"evidence": pairs}, [*run.evidence, *described], question, ctx)
