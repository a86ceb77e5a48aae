"""A question about the clip of the mini benchmark, answered by hand, with places taken from its published gold."""

import json
from pathlib import Path

import proofreel
from proofreel.core import (
    Answer,
    Box,
    Evidence,
    Observation,
    Provenance,
    Question,
    Quote,
    Step,
    StopReason,
    TimedBox,
    TokenUse,
    ToolCall,
    Trajectory,
    Window,
)

MINI = Path(proofreel.__file__).parent / "benchmarks" / "mini" / "data"
HARBOUR = MINI / "videos" / "harbour.mp4"
_GOLD = next(
    row
    for line in (MINI / "questions.jsonl").read_text().splitlines()
    if (row := json.loads(line))["question_id"] == 2
)
GATE_BOX: tuple[float, float, float, float] = tuple(_GOLD["boxes"][0]["box"])
GATE_TIME = float(_GOLD["boxes"][0]["time"])
# Inside the published window of this question.
START, END = 17.2, 25.4


def window(start: float, end: float) -> Window:
    return Window(start=start, end=end)


def boxed(time: float, *box: float) -> TimedBox:
    return TimedBox(time=time, box=Box(x0=box[0], y0=box[1], x1=box[2], y1=box[3]))


def speech(start: float, end: float, text: str) -> Evidence:
    return Evidence(
        window=window(start, end),
        quote=Quote(text=text, source="speech"),
        provenance=Provenance(claimed_by="get_transcript", step=1),
    )


GATE = Evidence(
    window=window(START, END),
    boxes=(boxed(GATE_TIME, *GATE_BOX),),
    quote=Quote(text="Gate 2", source="screen"),
    note="The row of Dublin after the change.",
    provenance=Provenance(claimed_by="search_clips", step=2, frames=(GATE_TIME,)),
)
SAID = speech(17.6, 21.9, "The ferry to Dublin now leaves from gate two.")
BEFORE = Evidence(
    window=window(8.0, 16.0),
    quote=Quote(text="09:15 Dublin Gate 5", source="screen"),
    note="Before the change.",
    provenance=Provenance(claimed_by="search_clips", step=2, frames=(9.0, 12.0)),
)
PAGE = Evidence(
    quote=Quote(text="The harbour publishes changes in the morning.", source="web"),
    provenance=Provenance(claimed_by="visit_page", step=3),
)

STEPS = (
    Step(
        id=1,
        phase="tool_call",
        text="Listen first.",
        calls=(ToolCall(id="a", name="get_transcript", arguments={"query": "Dublin"}),),
        observations=(
            Observation(
                call_id="a", tool="get_transcript", ok=True, text="[17.6-21.9] gate two", evidence=(SAID,)
            ),
        ),
        tokens=TokenUse(prompt=900, completion=40, calls=1),
        seconds=0.4,
    ),
    Step(
        id=2,
        phase="tool_call",
        calls=(ToolCall(id="b", name="search_clips", arguments={"query": "board", "top_k": 4}),),
        observations=(
            Observation(
                call_id="b", tool="search_clips", ok=False, failure_kind="retry_exhausted", text="no server"
            ),
        ),
        seconds=2.0,
    ),
    Step(id=3, phase="answer", text="Gate two it is."),
)

QUESTION = Question.ask(
    "Which gate does the ferry to Dublin leave from after the change?",
    str(HARBOUR),
    ("Gate 1", "Gate 2", "Gate 5"),
)


def trajectory(answer: Answer, **extra: object) -> Trajectory:
    fields = {
        "steps": STEPS,
        "frames_seen": 3,
        "tokens": TokenUse(prompt=900, completion=40, calls=1),
    } | extra
    return Trajectory(question_id="ask", agent="video_react", model="openai/test", answer=answer, **fields)


ANSWERED = trajectory(
    Answer(
        value="Gate 2",
        letter="B",
        confidence=0.75,
        reason="Voice and board agree.",
        evidence=(GATE, SAID, BEFORE),
        stop=StopReason.ANSWERED,
    )
)
ABSTAINED = trajectory(Answer(abstained=True, stop=StopReason.ABSTAINED), steps=(STEPS[1],))
