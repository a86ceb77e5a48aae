"""Blind: question and options only, no video, no transcript. What it gets right needs no video.

With a model it asks the model. Without one it picks an option by a hash of the question's text: no information is
used, so its accuracy is chance, 1 / number of options on average; it is there to show what chance looks like on a set.
Option: ``rule`` = ``hash`` (default) or ``longest`` (the option with the most characters, the usual shortcut in
carelessly written sets).
"""

import hashlib

from proofreel.agents._recorder import Recorder
from proofreel.agents._sampling import main_temperature
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.answers import UNPARSED, allowed_letter, final_answer_letter
from proofreel.core import Answer, Question, StopReason, Trajectory
from proofreel.core.errors import UserError
from proofreel.tools.model_call import ask_model

_PROMPT = """\
You cannot see the video this question is about. Choose the option that is most likely from the wording alone.

{question}

Give your choice alone on the last line, in exactly this form:
FINAL ANSWER: <letter>"""


@agent("blind", needs_model=False, summary="answers without the video: how far the wording alone leads")
async def blind(question: Question, ctx: AgentContext) -> Trajectory:
    """One call without media, or a rule on the text when there is no model.

    Raises:
        UserError: an unknown rule.
    """
    rule = str(ctx.options.get("rule", "hash"))
    if rule not in ("hash", "longest"):
        raise UserError(f"blind: rule is hash or longest, got {rule!r}")
    used = "model" if ctx.model is not None else rule
    recorder = Recorder("blind", question, ctx, mode=ctx.mode, rule=used)
    if ctx.model is not None:
        return recorder.finish(await _asked(question, ctx, recorder))
    if not question.options:
        return recorder.finish(
            Answer(
                abstained=True,
                stop=StopReason.ABSTAINED,
                reason="no options and no model: nothing to choose from",
            )
        )
    letter = pick(question, rule)
    reason = f"picked by rule {rule!r} from the text of the question; the video was not looked at"
    return recorder.finish(Answer(letter=letter, value=question.option_text(letter), reason=reason))


def pick(question: Question, rule: str) -> str:
    """A letter from the text alone: the same text gives the same letter on every machine."""
    options = question.options
    if rule == "longest":
        return max(options, key=lambda o: (len(o.text), -ord(o.letter))).letter
    digest = hashlib.sha256(question.rendered().encode()).digest()
    return options[int.from_bytes(digest[:8], "big") % len(options)].letter


async def _asked(question: Question, ctx: AgentContext, recorder: Recorder) -> Answer:
    from inspect_ai.model import ChatMessageUser

    message = ChatMessageUser(content=_PROMPT.format(question=question.rendered()))
    config = {"temperature": main_temperature(ctx), **ctx.options.get("config", {})}
    reply = await ask_model(ctx.model, [message], config=config)
    ctx.budget.spend(turns=1, use=reply.tokens)
    failure = reply.failure
    recorder.step(
        "thinking", reply.text, tokens=reply.tokens, failure=None if failure is None else str(failure)
    )
    if failure is not None:
        return Answer(stop=failure.stop, reason=str(failure))
    if not question.options:
        return Answer(value=reply.text.strip(), reason="asked without the video")
    letter = allowed_letter(final_answer_letter(reply.text, ctx.mode), [o.letter for o in question.options])
    if letter is None or letter == UNPARSED:
        return Answer(stop=StopReason.UNPARSED, reason="no option letter in the reply")
    return Answer(letter=letter, value=question.option_text(letter), reason=reply.text)
