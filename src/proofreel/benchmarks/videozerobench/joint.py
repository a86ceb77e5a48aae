"""Joint prediction: answer, windows and boxes from one reply, at moments the model chooses itself."""

from typing import Any

from proofreel.agents import AgentContext
from proofreel.agents._recorder import Recorder
from proofreel.agents.answers import json_objects
from proofreel.benchmarks.videozerobench import prompts
from proofreel.benchmarks.videozerobench.boxes import parse_pred_spatial_json
from proofreel.benchmarks.videozerobench.evidence import boxes_claim, window_claim
from proofreel.benchmarks.videozerobench.gold import as_number
from proofreel.benchmarks.videozerobench.levels import Case
from proofreel.benchmarks.videozerobench.settings import ExamSettings
from proofreel.benchmarks.videozerobench.sight import Sight
from proofreel.benchmarks.videozerobench.text import last_answer
from proofreel.core import Answer, Evidence, Item, StopReason, Trajectory, Window
from proofreel.tools.model_call import Reply
from proofreel.video.errors import VideoError

ASKED = """\
Answer this question and prove the answer. Write one JSON object and nothing else, in exactly this form:
{"answer": "...", "windows": [[start, end], ...], \
"boxes": [{"time": t, "bbox_2d": [[x_min, y_min, x_max, y_max], ...]}, ...]}
- "answer" is the final answer alone, in the form the question asks for.
- "windows" are one or several stretches of the video that together are enough to answer, 20 at the most, in seconds \
from its start.
- "boxes" mark what proves the answer, one box or several at every moment you choose; "time" is in seconds."""


def joint_text(case: Case, sight: Sight) -> str:
    """The words of the one call."""
    shown = sight.shown
    note = prompts.sampling_note(shown.duration, shown.frames)
    scale = prompts.scale_sentence(shown.coordinates, shown.resized_hw)
    return f"{note}\n\nQuestion: {case.question}\n{ASKED}\n- {scale}"


async def ask_joint(item: Item, ctx: AgentContext, settings: ExamSettings, recorder: Recorder) -> Trajectory:
    """One call; a reply without such an object is ``unparsed``, a failed call is a failure of the model."""
    from proofreel.benchmarks.videozerobench.exam import ask, see, too_many, usable

    try:
        sight = await see(item, settings)
    except VideoError as error:
        return recorder.finish(Answer(stop=StopReason.HARNESS_ERROR, reason=f"media: {error}"))
    if said := too_many(ctx, sight):
        return recorder.finish(Answer(stop=StopReason.BUDGET, reason=said))
    reply = await ask(ctx, joint_text(Case.of_item(item), sight), sight)
    failure = None if reply.failure is None else str(reply.failure)
    recorder.step("thinking", reply.text, tokens=reply.tokens, failure=failure)
    if usable(reply, settings.mode) is None and reply.failure is not None:
        return recorder.finish(Answer(stop=reply.failure.stop, reason=str(reply.failure)))
    return recorder.finish(read_joint(reply, sight))


def read_joint(reply: Reply, sight: Sight) -> Answer:
    """Answer and evidence of a joint reply; the last object with an answer counts, bad windows and boxes do not."""
    objects = [o for o in json_objects(last_answer(reply.text)) if o.get("answer") not in (None, "")]
    if not objects:
        return Answer(stop=StopReason.UNPARSED, reason="no JSON object with an answer in the reply")
    found: dict[str, Any] = objects[-1]
    evidence = (*_windows(found.get("windows"), reply), *_boxes(found.get("boxes"), reply, sight))
    return Answer(value=str(found["answer"]).strip(), reason=reply.text, evidence=evidence)


def _windows(given: Any, reply: Reply) -> list[Evidence]:
    claims = []
    for pair in given if isinstance(given, list) else ():
        start, end = (
            (as_number(v) for v in pair) if isinstance(pair, list) and len(pair) == 2 else (None, None)
        )
        if start is not None and end is not None and end > max(start, 0.0):
            claims.append(window_claim(Window(start=max(start, 0.0), end=end), 1, reply.frames, "levels"))
    return claims


def _boxes(given: Any, reply: Reply, sight: Sight) -> list[Evidence]:
    import json

    claims = []
    for entry in given if isinstance(given, list) else ():
        told = (
            parse_pred_spatial_json(json.dumps([entry]), sight.shown.coordinates, sight.shown.resized_hw)
            or {}
        )
        for time, quads in told.items():
            claim = boxes_claim(time, quads, 1, reply.frames, "levels") if time >= 0 else None
            claims += [] if claim is None else [claim]
    return claims
