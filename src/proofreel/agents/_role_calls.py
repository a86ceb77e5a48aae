"""Single questions to models in a role, with an answer in a fixed form: what multi-role agents are made of."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proofreel.agents._conversation import Actions
from proofreel.agents.agent import AgentContext
from proofreel.core import TokenUse
from proofreel.models.failure import FailureKind, ModelFailure
from proofreel.tools.model_call import Reply, ask_model

RESAMPLES = 2
READABLE = (FailureKind.EMPTY, FailureKind.TRUNCATED, FailureKind.FILTERED)
"""Failures that are a poor reply, not a dead model."""


class RoleFailed(Exception):  # noqa: N818  named for what happened
    """A model an agent cannot do without gives no reply any more."""

    def __init__(self, failure: ModelFailure) -> None:
        self.failure = failure
        super().__init__(str(failure))


@dataclass
class RoleCalls:
    """Asks models one self-contained question at a time and books every call.

    Args:
        ctx: models, budget, ledger and mode.
        way: how an answer in a fixed form is got: ``native`` (one tool that must be called), ``json`` (as the prompt
            says) or ``json_schema`` (constrained by the server).
        config: generation settings by role; roles without any get temperature 0.
    """

    ctx: AgentContext
    way: Actions = "json"
    config: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def ask(
        self,
        prompt: str,
        *,
        model: Any = None,
        role: str = "main",
        system: str = "",
        refs: Sequence[Any] = (),
        frames: int = 0,
        schema: dict[str, Any] | None = None,
        form: str = "reply",
    ) -> Reply:
        """One reply; its failures are in it, never raised.

        An empty reply is asked for up to twice more in careful mode. A reply through the native tool is given as the
        JSON text of its arguments, so that all ways read alike.

        Args:
            prompt: the user message, after the pictures.
            model: who is asked; the main model by default.
            role: its name in the ledger; calls of the main model count as turns.
            system: system prompt.
            refs: media to show.
            frames: pictures that are shown, for the budget where the ledger does not know (true video).
            schema: JSON schema of the answer; None for free text.
            form: name of the answer's form.
        """
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser

        from proofreel.models import media_message

        messages: list[Any] = [ChatMessageSystem(content=system)] if system else []
        messages.append(media_message(prompt, refs) if refs else ChatMessageUser(content=prompt))
        used = TokenUse()
        for attempt in range(RESAMPLES + 1):
            reply = await ask_model(
                model or self.ctx.model,
                messages,
                config=self._settings(role, schema, form),
                fresh=attempt > 0,
                ledger=self.ctx.ledger,
                role=role,
                on_wait=self.ctx.on_wait,
                **self._tool(schema, form),
            )
            used = used + reply.tokens
            shown = (len(reply.frames) or frames) if reply.message is not None else 0
            self.ctx.budget.spend(turns=role == "main", use=reply.tokens, frames=shown)
            empty = reply.failure is not None and reply.failure.kind is FailureKind.EMPTY and not reply.calls
            if not empty or self.ctx.mode == "official" or self.spent():
                break
        return replace(reply, tokens=used, text=_answer_text(reply))

    def spent(self) -> str | None:
        """The first used-up limit that ends asking; tool calls and frames have their own rules."""
        return self.ctx.budget.exhausted("turns", "tokens", "usd", "seconds")

    def _settings(self, role: str, schema: dict[str, Any] | None, form: str) -> dict[str, Any]:
        settings = {"temperature": 0.0} | self.config.get(role, {})
        if schema is not None and self.way == "json_schema":
            from inspect_ai.model import ResponseSchema
            from inspect_ai.util import JSONSchema

            settings["response_schema"] = ResponseSchema(
                name=form, json_schema=JSONSchema.model_validate(schema)
            )
        return settings

    def _tool(self, schema: dict[str, Any] | None, form: str) -> dict[str, Any]:
        if schema is None or self.way != "native":
            return {}
        from proofreel.models.schema import ToolSchema, tool_info

        told = ToolSchema(form, f"Gives the {form} in its fixed form. Call it once.", schema)
        return {"tools": [tool_info(told)], "tool_choice": "any"}


def must(reply: Reply) -> Reply:
    """The reply, poor or not.

    Raises:
        RoleFailed: there is none: no connection, refused, too large, too late.
    """
    if reply.failure is not None and reply.failure.kind not in READABLE:
        raise RoleFailed(reply.failure)
    return reply


def _answer_text(reply: Reply) -> str:
    for call, why in reply.calls:
        if why is None:
            return json.dumps(call.arguments, ensure_ascii=False)
    return reply.text
