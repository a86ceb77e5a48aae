"""The end of STAR: the generalists answer from what was gathered, and the frames they rest on become evidence."""

import re
from collections.abc import Sequence
from typing import Any

from proofreel.agents import _star_prompts as prompts
from proofreel.agents._star_scene import Seen, thinned
from proofreel.agents._star_tools import Bench
from proofreel.agents.answers import UNPARSED, after_thinking, allowed_letter, final_answer_letter
from proofreel.core import Answer, Evidence, Provenance, Quote, StopReason, Window

_FRAMES = re.compile(r"evidence\s+frames?\W{0,6}[:：]\s*([^\n]+)", re.I)
_OPEN = re.compile(r"final\s*answer\W{0,6}[:：]\s*(.+)", re.I)
WATCHED = 96


def memory_of(bench: Bench, kind: str) -> str:
    """What the summariser reads: answers of frames (``qa``) or their descriptions (``caption``).

    Officially only those of frames still visible; careful mode keeps frames that a later tool put out of sight, and
    adds the other kind and what temporal tools said in words, which would otherwise be lost.
    """
    if bench.ctx.mode == "official":
        frames = bench.scene.visible
        return prompts.captions_text(frames) if kind == "caption" else prompts.answers_text(frames)
    known = bench.scene.known
    parts = [prompts.answers_text(known), prompts.captions_text(known)]
    parts = parts[::-1] if kind == "caption" else parts
    return "\n".join(p for p in (*parts, *bench.reports) if p)


async def summarise(bench: Bench, memory: str, again: str = "") -> Any:
    """``summarization-tool``: the question from the memory; without any, the question alone."""
    if not memory:
        return await bench.calls.ask(prompts.direct_prompt(bench.question) + again)
    cite = bench.ctx.mode != "official"
    prompt = prompts.summary_prompt(bench.question, bench.scene, memory, cite=cite)
    return await bench.calls.ask(prompt + again)


async def watch(bench: Bench, again: str = "") -> Any:
    """``video-qa-tool``: the question on the visible frames themselves."""
    most = bench.most_images("perceiver")
    frames = thinned(bench.scene.visible, WATCHED if most is None else max(1, min(WATCHED, most)))
    return await bench.calls.ask(
        prompts.watch_prompt(bench.question) + again,
        model=bench.ctx.perceiver,
        role="perceiver",
        refs=bench.scene.refs(frames),
        frames=len(frames),
    )


def read_answer(
    text: str, bench: Bench, stop: StopReason, gathered: Sequence[Evidence], step: int
) -> Answer | None:
    """The reply as an answer with its evidence; None when it commits to none."""
    question, mode = bench.question, bench.ctx.mode
    evidence = () if mode == "official" else rests_on(after_thinking(text), bench, gathered, step)
    if not question.options:
        found = _OPEN.findall(after_thinking(text))
        if not found:
            return None
        value = found[-1].strip().strip("*_`").strip()
        if re.fullmatch(r"(?i)not shown\W*", value):
            return Answer(abstained=True, stop=StopReason.ABSTAINED, reason=text)
        return Answer(value=value, reason=text, evidence=evidence, stop=stop)
    letter: str | None = final_answer_letter(text, mode)
    if mode != "official":
        letter = allowed_letter(letter, [o.letter for o in question.options])
    if letter is None or letter == UNPARSED:
        return None
    return Answer(
        letter=letter, value=question.option_text(letter), reason=text, evidence=evidence, stop=stop
    )


def rests_on(text: str, bench: Bench, gathered: Sequence[Evidence], step: int) -> tuple[Evidence, ...]:
    """The frames a summary names, as windows; else what the tools claimed; else all frames that were asked."""
    named = _FRAMES.findall(text)
    numbers = {int(n) for n in re.findall(r"\d{1,9}", named[-1])} if named else set()
    known = bench.scene.known or bench.scene.visible
    cited = [f for f in known if f.index in numbers]
    if cited:
        return tuple(_window(run, step) for run in _runs(cited, known))
    if gathered:
        return tuple(gathered)
    asked = bench.scene.known
    return (_window(asked, step, "all frames that were asked"),) if asked else ()


def _runs(cited: Sequence[Seen], known: Sequence[Seen]) -> list[list[Seen]]:
    """Cited frames with no other known frame between them belong together."""
    place = {f.index: n for n, f in enumerate(known)}
    runs: list[list[Seen]] = []
    for frame in cited:
        if runs and place[frame.index] == place[runs[-1][-1].index] + 1:
            runs[-1].append(frame)
        else:
            runs.append([frame])
    return runs


def _window(frames: Sequence[Seen], step: int, note: str = "") -> Evidence:
    said = " ".join(dict.fromkeys(a for f in frames for a in (*f.answers.values(), f.said) if a))
    return Evidence(
        window=Window(start=frames[0].time, end=frames[-1].time),
        quote=Quote(text=said[:500], source="model") if said else None,
        note=note,
        provenance=Provenance(
            claimed_by="summarization-tool", step=step, frames=tuple(f.time for f in frames)
        ),
    )
