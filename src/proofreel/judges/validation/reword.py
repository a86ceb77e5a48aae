"""The explanatory passages of the rubric in the words of another model; everything that fixes the scores stays."""

from typing import Any

from proofreel.core.errors import UserError
from proofreel.judges._ask import ask_checked
from proofreel.judges._rubric_words import PROSE
from proofreel.judges.letters import parse_judge_json
from proofreel.judges.rubric_scores import InvalidVerdict

_ASK = """\
Say each of the following passages in other words. Keep the meaning exact: no condition may be added, dropped, \
softened or sharpened. Keep the language. Reply with one JSON object alone that has the same keys and the reworded \
texts as values.

{passages}"""


class RewordingFailed(UserError):  # noqa: N818 - the word that the message uses
    """The model gave no usable rewording; the message says why."""

    exit_code = 3


async def reworded(model: Any, config: dict[str, Any] | None = None) -> dict[str, str]:
    """New wording of ``PROSE``.

    Raises:
        RewordingFailed: no usable reply.
    """
    import json

    from inspect_ai.model import ChatMessageUser

    ask = _ASK.format(passages=json.dumps(PROSE, indent=1))
    asked = await ask_checked(model, [ChatMessageUser(content=ask)], _read, config=config)
    if asked.value is None:
        raise RewordingFailed(
            f"{asked.judge}: no rewording of the rubric ({asked.failure}); leave --paraphraser out"
        )
    return asked.value


def _read(reply: str) -> dict[str, str]:
    parsed, fault = parse_judge_json(reply)
    if parsed is None:
        raise InvalidVerdict(f"it is no JSON object ({fault})")
    if set(parsed) != set(PROSE):
        raise InvalidVerdict(f"the keys must be {', '.join(PROSE)}")
    texts = {k: str(parsed[k]).strip() for k in PROSE}
    if short := [k for k, t in texts.items() if len(t) < len(PROSE[k]) // 3]:
        raise InvalidVerdict(f"{short[0]} is too short to say the same")
    return texts
