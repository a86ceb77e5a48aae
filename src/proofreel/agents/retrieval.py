"""Retrieval: answers from what was read and heard, without a language model; abstains when that does not answer.

The index of the video (screen text and speech) is searched for lines that carry an option or a span of the asked type.
An answer needs more than likeness: the names and numbers of the question must be met, the span must belong to what is
asked about, one answer must stand out, and a calibrated probability must be high enough. Otherwise the agent says what
was searched, what came nearest and why that is no answer. It does not see: questions about looks and actions abstain.

Options of the context: ``min_confidence`` (instead of the calibrated threshold), ``fps``, ``ocr``, ``speech``,
``asr_model``, ``embed_model`` (handed to ``prepare``), ``progress`` (a callable, likewise).
"""

import asyncio
from typing import TYPE_CHECKING, Any

from proofreel.agents._recorder import Recorder
from proofreel.agents.agent import AgentContext, agent
from proofreel.core import (
    Answer,
    Evidence,
    Observation,
    Provenance,
    Question,
    Quote,
    StopReason,
    TimedBox,
    ToolCall,
    Trajectory,
    Window,
)
from proofreel.core.errors import UserError

if TYPE_CHECKING:
    from proofreel.agents._answerable.candidates import Candidate
    from proofreel.agents._answerable.corpus import Corpus, Line
    from proofreel.agents._answerable.decide import Verdict

NAME = "retrieval"
TOOL = "search_index"
HELPERS = 2
BOXES = 3


@agent(
    NAME,
    needs_model=False,
    needs_index=True,
    summary="searches screen text and speech; quotes its proof or abstains; needs no model",
)
async def retrieval(question: Question, ctx: AgentContext) -> Trajectory:
    """Answers one question from the index of its video.

    Raises:
        UserError: the packages that read and hear are missing, or an option is not valid.
        VideoError: the file cannot be read.
    """
    least = _least(ctx)
    recorder = Recorder(NAME, question, ctx, mode=ctx.mode, min_confidence=least)
    corpus = await asyncio.to_thread(_search_base, question, ctx)
    verdict = await asyncio.to_thread(_decide, question, corpus, least)
    recorder.step("plan", _plan(verdict), **_plan_data(verdict))
    call = ToolCall(id="search-1", name=TOOL, arguments={"query": question.text, "lines": len(corpus.lines)})
    recorder.step("tool_call", calls=(call,))
    recorder.step("tool_result", observations=(_observed(call, verdict, corpus, recorder.next_id),))
    checks = "\n".join(f"{'passed' if c.passed else 'failed'}: {c.name} ({c.found})" for c in verdict.checks)
    recorder.step(
        "reflect",
        checks,
        probability=verdict.probability,
        features={k: round(v, 4) for k, v in verdict.features.items()} or None,
    )
    return recorder.finish(_answer(verdict, corpus, recorder.next_id - 2))


def _least(ctx: AgentContext) -> float | None:
    value = ctx.options.get("min_confidence")
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 1:
        raise UserError(f"retrieval: min_confidence is a probability from 0 to 1, got {value!r}")
    return number


def _search_base(question: Question, ctx: AgentContext) -> "Corpus":
    try:
        from proofreel.agents._answerable.corpus import corpus_of
    except ImportError as error:
        raise UserError(
            f"retrieval: {error.name} is not installed; install the extra: pip install 'proofreel[local]'"
        ) from error
    from proofreel.perception import CapabilityMissing, prepare

    if ctx.options.get("index") is not None:
        return corpus_of(ctx.options["index"])
    names = ("fps", "ocr", "speech", "asr_model", "embed_model", "progress")
    settings: dict[str, Any] = {k: ctx.options[k] for k in names if ctx.options.get(k) is not None}
    try:
        return corpus_of(prepare(question.video, transcript=question.transcript, **settings))
    except CapabilityMissing as error:
        raise UserError(f"retrieval: {error}") from error


def _decide(question: Question, corpus: "Corpus", least: float | None) -> "Verdict":
    from dataclasses import replace

    from proofreel.agents._answerable.calibration import load_calibration
    from proofreel.agents._answerable.decide import decide

    calibration = load_calibration(corpus.vectors is not None)
    if least is not None:
        calibration = replace(calibration, threshold=least)
    return decide(question.text, [(o.letter, o.text) for o in question.options], corpus, calibration)


def _plan(verdict: "Verdict") -> str:
    asked = verdict.asked
    words = ", ".join(f"{a.text} (must be met)" if a.key else a.text for a in asked.anchors) or "none"
    parts = [f"looks for {asked.kind.phrase}", f"anchor words: {words}"]
    if asked.order:
        parts.append(f"order in time matters: {asked.order}")
    if asked.relation:
        parts.append(f"must come {asked.relation[0]}: {' '.join(asked.relation[1])}")
    if asked.source:
        parts.append(f"searches {asked.source} only")
    if asked.visual:
        parts.append("asks for something seen: only literal words can answer it")
    return "; ".join(parts)


def _plan_data(verdict: "Verdict") -> dict[str, Any]:
    asked = verdict.asked
    return {
        "kind": asked.kind.value,
        "anchors": [a.text for a in asked.anchors],
        "order": asked.order,
        "visual": asked.visual,
    }


def _observed(call: ToolCall, verdict: "Verdict", corpus: "Corpus", step: int) -> Observation:
    hits = "\n".join(f"{line.window()} {line.source}: {line.text}" for line in verdict.hits)
    return Observation(
        call_id=call.id,
        tool=TOOL,
        ok=True,
        text=f"{_searched(corpus)} Nearest lines:\n{hits}" if hits else f"{_searched(corpus)} Nothing found.",
        evidence=tuple(_of_line(line, step) for line in verdict.hits),
        data={
            "screen_lines": corpus.count("screen"),
            "speech_lines": corpus.count("speech"),
            "notes": list(corpus.notes),
        },
    )


def _answer(verdict: "Verdict", corpus: "Corpus", step: int) -> Answer:
    if verdict.abstained or verdict.value is None:
        return Answer(abstained=True, stop=StopReason.ABSTAINED, reason=_why_not(verdict, corpus))
    evidence = [_of_candidate(c, step) for c in verdict.support]
    helpers = [corpus.lines[n] for c in verdict.support[:1] for n in c.cover.helpers[:HELPERS]]
    evidence += [_of_line(line, step, note="says what the answer belongs to") for line in helpers]
    if verdict.support:
        quotes = "; ".join(f'{c.line.source} at {_seconds(c)}: "{_quoted(c)}"' for c in verdict.support)
        reason = f"{quotes}."
    else:
        reason = f"No other option is supported. {_why_not(verdict, corpus)}"
    return Answer(
        value=verdict.value,
        letter=verdict.letter,
        confidence=verdict.probability,
        reason=reason,
        evidence=tuple(evidence),
    )


def _why_not(verdict: "Verdict", corpus: "Corpus") -> str:
    parts = [_searched(corpus)]
    if verdict.chosen is not None:
        c = verdict.chosen
        parts.append(f'Nearest: "{_quoted(c)}" ({c.line.source} at {_seconds(c)}), but {verdict.reason}.')
    elif verdict.reason:
        parts.append(f"{verdict.reason[0].upper()}{verdict.reason[1:]}.")
    if verdict.asked.visual:
        parts.append("This agent reads and hears; it does not see objects or actions.")
    parts += [f"Note: {note}." for note in corpus.notes]
    return " ".join(parts)


def _searched(corpus: "Corpus") -> str:
    screen, speech = corpus.count("screen"), corpus.count("speech")
    return f"Searched {screen} line{'s' * (screen != 1)} of screen text and {speech} of speech."


def _extent(c: "Candidate") -> tuple[int, int]:
    return (0, len(c.line.text)) if c.line.source == "screen" else c.line.extent(c.start, c.end)


def _quoted(c: "Candidate") -> str:
    start, end = _extent(c)
    return c.line.text[start:end]


def _seconds(c: "Candidate") -> Window:
    return c.line.window(*_extent(c))


def _of_candidate(c: "Candidate", step: int) -> Evidence:
    start, end = _extent(c)
    return _of_line(c.line, step, start, end)


def _of_line(line: "Line", step: int, start: int = 0, end: int | None = None, note: str = "") -> Evidence:
    """A line as evidence: letter for letter, with its seconds, and its place at times at which it was read."""
    times = line.frames or (max(line.start, 0.0),)
    shown = sorted({times[0], times[len(times) // 2], times[-1]})[:BOXES]
    boxes = () if line.box is None else tuple(TimedBox(time=t, box=line.box) for t in shown)
    return Evidence(
        window=line.window(start, end),
        boxes=boxes,
        quote=Quote(text=line.text[start:end], source=line.source),
        note=note,
        provenance=Provenance(claimed_by=NAME, step=step, frames=line.frames),
    )
