"""What Single-Turn asks, in our own words (requirements: AgentVidBench protocol 4.1)."""

from proofreel.core import Question

VERSION = "1"

_CHOICE = """\
You are given a video and a multiple-choice question about it. Watch the video with care before you answer.

{question}

Work through it step by step, analysis first and answer last:
1. Write down what you observe that bears on the question: concrete details, each with its time.
2. Check every option against these observations, in a few words each.
3. Say why you choose one option and why the others do not hold.
4. Then put the answer alone on a new line, in exactly this form:
FINAL ANSWER: <letter>

Be thorough in looking and brief in writing."""

_OPEN = """\
You are given a video and a question about it. Watch the video with care before you answer.

{question}

Write down what you observe that bears on the question, with times, and reason from it. Then put the answer alone on a \
new line, in exactly this form:
FINAL ANSWER: <answer>

When the video does not show it, write FINAL ANSWER: not shown"""


def single_turn_prompt(question: Question) -> str:
    """The one message, with the options where there are any."""
    return (_CHOICE if question.options else _OPEN).format(question=question.rendered())
