"""``first_said``: takes the option whose words come up first. No model, one tool, one file."""

from proofreel.agents import AgentContext, Recorder, agent
from proofreel.core import Answer, Question, StopReason, ToolCall, Trajectory
from proofreel.tools import ToolContext, run_tool


@agent(
    "first_said",
    needs_model=False,
    needs_index=True,
    summary="takes the option whose words come up first in the video; an example of a package of your own",
)
async def first_said(question: Question, ctx: AgentContext) -> Trajectory:
    """Looks each option up with ``find_words``; abstains when none comes up."""
    recorder = Recorder("first_said", question, ctx)
    found = []
    for option in question.options:
        if ctx.budget.exhausted():
            break
        call = ToolCall(id=f"find-{option.letter}", name="find_words", arguments={"words": option.text})
        recorder.step("tool_call", calls=(call,))
        tools = ToolContext(question=question, step=recorder.next_id, options=ctx.options)
        observation, result = await run_tool(call, tools, ("find_words",))
        recorder.step("tool_result", observations=(observation,))
        ctx.budget.spend(tool_calls=1)
        if result.evidence:
            found.append((result.evidence[0], option))
    if not found:
        nothing = "no option comes up in what was read and heard"
        return recorder.finish(Answer(abstained=True, stop=StopReason.ABSTAINED, reason=nothing))
    proof, option = min(found, key=lambda hit: hit[0].window.start)
    return recorder.finish(
        Answer(letter=option.letter, value=option.text, reason="comes up first", evidence=(proof,))
    )
