"""What STAR says to its planner and its summariser, in our own words (requirements: agents, section 2)."""

from collections.abc import Sequence
from typing import Any

from proofreel.agents._star_scene import Scene, Seen
from proofreel.agents._star_tools import StarTool
from proofreel.core import Question

VERSION = "1"
REASON_CUT = 1000
"""Characters of a tool's output in the history."""

_PLAN = """\
You plan how a question about a video is solved with tools. Temporal tools choose moments: they make frames visible or \
tell what happens over time. Spatial tools look into the visible frames. The two kinds take turns: first find the \
moment, then look, then find the next moment.

{question}

Video: {total} frames, {duration:.1f} s, {fps:.2f} fps. Frame numbers are in order of time.
Visible frames: {visible}
Descriptions:
{descriptions}
Answers so far:
{answers}
Tools used so far:
{history}
This is step {k} of {most}. The last tool was {last}. Now it is the turn of: {turn}.

Tools you can choose from:
{tools}

- Choose the one tool that helps most, with one clear input.
- Right after a temporal tool the information is never sufficient: nobody has looked into the new frames yet.
- Ask spatial tools facts that a single frame can show, not things that need the whole video.
- Never give a tool an input it had before.
- When few steps are left, do what matters most first.

Reply with this JSON object and nothing else:
{{"reasoning": "<why>", "tool_name": "<name>", "tool_input": "<text>", "info_sufficient": true or false}}
info_sufficient is true when the answer can be given now; the tool is then not run."""

_SUMMARY = """\
Answer a question about a video from what was asked of single frames. Every answer is about one frame only: ignore \
claims about the whole video in them and put the frames together yourself. A lower frame number is earlier.

{question}

Video: {total} frames, {duration:.1f} s.
{memory}

Reason over the frames in a few sentences. Then write{cite} the answer alone on the last line, in exactly this form:
FINAL ANSWER: {form}"""

_CITE = """ one line with the numbers of the frames that prove the answer, in exactly this form:
EVIDENCE FRAMES: <number>, <number>, ...
and after it"""

_DIRECT = """\
{question}

Nothing could be found out from the video. Give the answer that is most likely, alone on the last line, in this form:
FINAL ANSWER: {form}"""

AGAIN = "\n\nThe reply before this one held no readable answer: keep to the form."
_WATCH = """\
These are frames of one video in order of time, each with its second. Answer the question from them.

{question}

Reason in a few sentences. Then write the answer alone on the last line, in exactly this form:
FINAL ANSWER: {form}"""


def plan_schema(tools: Sequence[StarTool]) -> dict[str, Any]:
    """JSON schema of the planner's choice."""
    properties = {
        "reasoning": {"type": "string"},
        "tool_name": {"type": "string", "enum": [t.name for t in tools]},
        "tool_input": {"type": "string"},
        "info_sufficient": {"type": "boolean"},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def plan_prompt(
    question: Question,
    scene: Scene,
    tools: Sequence[StarTool],
    history: Sequence[str],
    *,
    step: int,
    most: int,
    last: str,
    turn: str,
) -> str:
    """The planner's message, which stands by itself: the state is told anew every time."""
    return _PLAN.format(
        question=question.rendered(),
        total=scene.total,
        duration=scene.duration,
        fps=scene.fps,
        visible=f"{len(scene.visible)}: " + ", ".join(str(f.index) for f in scene.visible),
        descriptions=captions_text(scene.visible) or "(none)",
        answers=answers_text(scene.visible) or "(none)",
        history="\n".join(history) or "(none)",
        k=step,
        most=most,
        last="none yet" if last == "none" else last,
        turn={"any": "any tool"}.get(turn, f"a {turn} tool"),
        tools="\n".join(f"- {t.name} ({t.type}): {t.description}" for t in tools),
    )


def history_line(step: int, name: str, kind: str, given: str, output: str) -> str:
    """A tool call as the planner reads it later, its output cut to 1000 characters."""
    return f"{step}. {name} ({kind}), input: {given!r}, output: {output[:REASON_CUT]}"


def answers_text(frames: Sequence[Seen]) -> str:
    """What each frame answered."""
    return "\n".join(f"{f.name}: {q} -> {a}" for f in frames for q, a in f.answers.items())


def captions_text(frames: Sequence[Seen]) -> str:
    """What each frame shows, by its description and by what was detected on it."""
    return "\n".join(f"{f.name}: {f.said}" for f in frames if f.said)


def summary_prompt(question: Question, scene: Scene, memory: str, *, cite: bool) -> str:
    """The summariser's message."""
    return _SUMMARY.format(
        question=question.rendered(),
        total=scene.total,
        duration=scene.duration,
        memory=memory,
        cite=_CITE if cite else "",
        form=_form(question),
    )


def direct_prompt(question: Question) -> str:
    """The question alone, when there is no memory to summarise."""
    return _DIRECT.format(question=question.rendered(), form=_form(question))


def watch_prompt(question: Question) -> str:
    """The question with the visible frames."""
    return _WATCH.format(question=question.rendered(), form=_form(question))


def _form(question: Question) -> str:
    return "<letter>" if question.options else "<a few words, or: not shown>"
