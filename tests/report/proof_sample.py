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
PIER_BOX: tuple[float, float, float, float] = tuple(_GOLD["boxes"][0]["box"])
PIER_TIME = float(_GOLD["boxes"][0]["time"])
START, END = map(float, _GOLD["windows"][0])


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


PIER = Evidence(
    window=window(START, END),
    boxes=(boxed(PIER_TIME, *PIER_BOX),),
    quote=Quote(text="Pier 2", source="screen"),
    note="The row of Bergen after the change.",
    provenance=Provenance(claimed_by="search_clips", step=2, frames=(PIER_TIME,)),
)
SAID = speech(17.6, 21.9, "The ferry to Bergen now leaves from pier two.")
BEFORE = Evidence(
    window=window(8.0, 16.0),
    quote=Quote(text="09:15 Bergen Pier 5", source="screen"),
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
        calls=(ToolCall(id="a", name="get_transcript", arguments={"query": "Bergen"}),),
        observations=(
            Observation(
                call_id="a", tool="get_transcript", ok=True, text="[17.6-21.9] pier two", evidence=(SAID,)
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
    Step(id=3, phase="answer", text="Pier two it is."),
)

QUESTION = Question.ask(
    "Which pier does the ferry to Bergen leave from after the change?",
    str(HARBOUR),
    ("Pier 1", "Pier 2", "Pier 5"),
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
        value="Pier 2",
        letter="B",
        confidence=0.75,
        reason="Voice and board agree.",
        evidence=(PIER, SAID, BEFORE),
        stop=StopReason.ANSWERED,
    )
)
ABSTAINED = trajectory(Answer(abstained=True, stop=StopReason.ABSTAINED), steps=(STEPS[1],))
