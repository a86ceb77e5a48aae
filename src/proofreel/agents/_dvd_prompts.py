"""What DVD says to its models, in our own words (requirements: agents protocol, section 3)."""

import json

from proofreel.agents._dvd import seconds_to_hhmmss
from proofreel.agents._dvd_base.records import ClipBase
from proofreel.core import Question

VERSION = "1"
NOT_FOUND = "Error: the frames of these time ranges do not show what was asked."
"""What the inspecting model writes, letter for letter, when it cannot answer."""

_SYSTEM = """\
You find things out about a long video that you cannot watch yourself. It was cut into clips of ten seconds, and every \
clip was described in words; these descriptions can be searched, and frames can be looked at where words do not do.

Work in rounds of three moves:
 THINK   what is known, what is missing, which function brings it; plan this before every call
 ACT     call one function
 OBSERVE read what came back, and think about what it means before the next call

RULES
 - Arguments come from the user's question or from what functions gave back. Never invent a time, a name or a fact.
 - Begin with global_browse_tool, to learn what the video is about and who is in it.
 - clip_search_tool finds the stretch of an event that you have no time for. Search again in other words when the \
hits do not fit.
 - When descriptions lack the detail that decides, look at the frames of that stretch with frame_inspect_tool. Also \
look at the frames to confirm an answer that you have already found, always, before you finish.
 - Write times as HH:MM:SS or MM:SS.
 - When the answer is confirmed, or nothing more can be learnt, call finish with it.
{format}"""

_LETTER = " - The answer you finish with is the letter of the option, nothing else.\n"
_WORDS = " - The answer you finish with is a few words; say 'not shown' when the video does not show it.\n"
_CITE = " - With it, name in evidence the stretches of the video that prove it, as tight as you know them.\n"

_BROWSE = """\
Below are descriptions of the clips of a video, in order of time, and a list of the subjects in it. Somebody wants to \
know:

{query}

Go by the descriptions alone. Reply with one JSON object and nothing else:
{{"subject_registry": {{<the subjects that bear on this, as listed>}}, "query_related_event": "<what happens in the \
video that bears on this, in order, with the clock times; say so when nothing does>"}}

SUBJECTS
{subjects}

CLIPS
{clips}"""

_INSPECT = """\
These are frames of a video, in order, each with its time in seconds. They come from {ranges}.

{question}

Answer from the frames alone, with the times of what you rely on. Describe nothing that they do not show. When they do \
not show what is asked, write exactly this and nothing else:
{sentinel}"""

NUDGE = (
    "[SYSTEM] That was neither a call nor an answer. Call a function, or call finish with the answer{form}."
)
LAST = "[SYSTEM] This is the last round. Call finish with your answer now."
FORCED = (
    "[SYSTEM] {why} and no function can be called any more. Give your answer as JSON, nothing else: {form}"
)


def system_prompt(mode: str, options: bool) -> str:
    """The main model's instructions.

    Args:
        mode: careful mode also asks for the stretches that prove the answer.
        options: whether the question has options.
    """
    told = (_LETTER if options else _WORDS) + ("" if mode == "official" else _CITE)
    return _SYSTEM.format(format=told)


def briefing(question: Question, base: ClipBase) -> str:
    """The first message: what the tools know, the length of the video, the question."""
    lines = [f"Total length of the video: {seconds_to_hhmmss(base.duration)}"]
    missing = len(base.lost) + base.left
    if missing:
        whole = len(base.clips) + missing
        lines.append(
            f"Described are {len(base.clips)} of its {whole} clips; the others can only be looked at by frames."
        )
    lines += ["", question.rendered()]
    return "\n".join(lines)


def final_form(options: bool) -> str:
    """The JSON asked for when no function can be called any more."""
    answer = "<one letter>" if options else "<a few words, or: not shown>"
    return f'{{"answer": "{answer}", "evidence": [["<HH:MM:SS>", "<HH:MM:SS>"], ...]}}'


def browse_prompt(query: str, base: ClipBase, lines: list[str]) -> str:
    """The question over many descriptions."""
    subjects = json.dumps(base.registry(), ensure_ascii=False)
    return _BROWSE.format(query=query, subjects=subjects, clips="\n\n".join(lines))


def inspect_prompt(question: str, ranges: list[tuple[float, float]]) -> str:
    """The question over frames."""
    spans = ", ".join(f"{seconds_to_hhmmss(a)} to {seconds_to_hhmmss(b)}" for a, b in ranges)
    return _INSPECT.format(question=question, ranges=spans, sentinel=NOT_FOUND)
