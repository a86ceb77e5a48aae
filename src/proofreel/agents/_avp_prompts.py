"""What AVP says to its planner, observer and reflector, in our own words (requirements: agents, section 4)."""

from typing import Any

from proofreel.core import Question

VERSION = "1"

_PLAN_FORM = """\
Reply with this JSON object and nothing else:
{"reasoning": "<why this look>", "steps": [{"step_id": "1", "description": "<goal of the look>", \
"sub_query": "<the question, word for word, with its options>", "load_mode": "uniform" or "region", \
"fps": <0.1 to 5>, "spatial_token_rate": "low" or "medium", "regions": [[<start second>, <end second>], ...]}], \
"completion_criteria": "<what the look must show to settle the question>"}
There is exactly one step. regions is empty for uniform."""

_PLAN = """\
You plan how a video is looked at, to answer a question with as little looking as possible. You do not see the video; \
an observer looks at what you choose and reports.

Video: {duration:.1f} seconds
{question}
{known}
Choose one look.
- From coarse to fine: find the place first, then look closely. Spend frames only where they can help.
- uniform looks at the whole video, region at the stretches you list. spatial_token_rate low is enough for actions and \
places, medium is for small things and text.
- The question names a range of time and asks for a fact: exactly that range.
- It names a range and asks why or how: the range and 15 to 30 s on each side.
- It names one moment and asks for a fact: 1 s from that moment on.
- It names one moment and asks why or how, or says around or near: 15 s to each side.
- It is vague about the time: stretches of at least 30 s.
- The beginning is [0, 30], the end the last 30 s.
- Nothing tells the time: uniform, 0.25 to 1 fps.
{fixed}
{form}"""

_AGAIN = """\

What has been looked at so far:
{looks}

Evidence so far, in order of time:
{evidence}

Why it is not enough: {justification}
Choose a new look that can close this gap; do not repeat a region with the same settings."""

_OBSERVE = """\
You are the observer of a video. Another agent works on the question below and has chosen what you are shown: {shown}.

Goal of this look: {goal}
{question}

Report what you see that bears on the question.
- All times are seconds of the whole video, not of a clip. {times}
- Say only what is visible or audible here. When nothing here bears on the question, say so in detailed_response and \
suggest in which direction to widen the look.

Reply with this JSON object and nothing else:
{{"detailed_response": "<what you found>", "key_evidence": [{{"timestamp_start": <second>, "timestamp_end": <second>, \
"description": "<what is seen there>"}}, ...], "reasoning": "<how it bears on the question>"}}"""

_JUDGE = """\
You judge whether the evidence gathered from a video settles a question. You do not see the video.

Video: {duration:.1f} seconds
{question}

What has been looked at:
{looks}

Evidence, in order of time:
{evidence}
"""

_REFLECT = """
Give your confidence: 0.7 or more when the evidence points to one answer without doubt; 0.4 to 0.7 when it only \
suggests one; less when it is not enough. Do not guess: when the decisive moment was not seen, it is not sufficient, \
and the justification says what is missing and where it may be.

Reply with this JSON object and nothing else:
{{"sufficient": true or false, "confidence": <0 to 1>, "justification": "<what is there or missing>", \
"reasoning": "<from the evidence to the answer>", {answer}{cites}}}"""

_FINAL = """
No further look is possible. Give the answer that the evidence supports best.

Reply with this JSON object and nothing else:
{{{answer}, "confidence": <0 to 1>, "reasoning": "<from the evidence to the answer>"{cites}}}"""

AGAIN = "\n\nThe reply before this one could not be read: write the JSON object alone."
_LETTER = '"selected_option": "<one letter, A to {last}>", "selected_option_text": "<its text>"'
_OPEN = '"answer": "<a few words, or: not shown>"'
_CITES = ', "supporting_evidence": [<numbers of the evidence lines the answer rests on>]'


def plan_prompt(question: Question, duration: float, again: str = "", fixed: str = "") -> str:
    """The first plan, or with ``again`` (see ``again_part``) a further one."""
    return _PLAN.format(
        duration=duration, question=question.rendered(), known=again, fixed=fixed, form=_PLAN_FORM
    )


def again_part(looks: str, evidence: str, justification: str) -> str:
    """What a further plan is told about the rounds before."""
    return _AGAIN.format(looks=looks, evidence=evidence or "(none)", justification=justification)


def observe_prompt(question: Question, goal: str, regions: tuple[tuple[float, float], ...]) -> str:
    """The observer's instruction; no regions: the whole video."""
    spans = ", ".join(f"{s:g} to {e:g} s" for s, e in regions)
    return _OBSERVE.format(
        shown=f"the part of it from {spans}" if spans else "the whole of it",
        goal=goal or "find what answers the question",
        question=question.rendered(),
        times=f"They lie in {spans}." if spans else "",
    )


def reflect_prompt(question: Question, duration: float, looks: str, evidence: str, mode: str) -> str:
    """Whether the evidence is enough."""
    told = _JUDGE.format(duration=duration, question=question.rendered(), looks=looks, evidence=evidence)
    return told + _REFLECT.format(answer=_answer_form(question, mode), cites=_cites(mode))


def final_prompt(question: Question, duration: float, looks: str, evidence: str, mode: str) -> str:
    """The forced answer."""
    told = _JUDGE.format(
        duration=duration,
        question=question.rendered(),
        looks=looks or "(nothing)",
        evidence=evidence or "(none)",
    )
    return told + _FINAL.format(answer=_answer_form(question, mode), cites=_cites(mode))


def _answer_form(question: Question, mode: str) -> str:
    if not question.options:
        return _OPEN
    # The published form lists A to F; questions have up to 26 options, so it lists what there is to choose.
    last = "Z" if mode == "official" else question.options[-1].letter
    return _LETTER.format(last=last)


def _cites(mode: str) -> str:
    return "" if mode == "official" else _CITES


def plan_schema() -> dict[str, Any]:
    """JSON schema of a plan."""
    pair = {"type": "array", "items": {"type": "number"}}
    step = _object(
        step_id={"type": "string"},
        description={"type": "string"},
        sub_query={"type": "string"},
        load_mode={"type": "string", "enum": ["uniform", "region"]},
        fps={"type": "number"},
        spatial_token_rate={"type": "string", "enum": ["low", "medium"]},
        regions={"type": "array", "items": pair},
    )
    return _object(
        reasoning={"type": "string"},
        steps={"type": "array", "items": step},
        completion_criteria={"type": "string"},
    )


def verdict_schema(question: Question, mode: str, *, final: bool) -> dict[str, Any]:
    """JSON schema of a reflection, or of the forced answer."""
    letters = [o.letter for o in question.options]
    if letters:
        every = [chr(c) for c in range(ord("A"), ord("Z") + 1)] if mode == "official" else letters
        answer: dict[str, Any] = {
            "selected_option": {"type": "string", "enum": every},
            "selected_option_text": {"type": "string"},
        }
    else:
        answer = {"answer": {"type": "string"}}
    first = {} if final else {"sufficient": {"type": "boolean"}, "justification": {"type": "string"}}
    cites = {"supporting_evidence": {"type": "array", "items": {"type": "integer"}}}
    return _object(
        **first,
        confidence={"type": "number"},
        reasoning={"type": "string"},
        **answer,
        **({} if mode == "official" else cites),
    )


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
