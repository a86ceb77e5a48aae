"""A conversation with a model that may call tools: natively, or by JSON actions for models that cannot.

The forced final step of every agent is ``ask(final=True)``: tools stay in the request, the choice is ``none``; in
JSON mode only the wording of the last message, which the agent chooses, closes them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from proofreel.agents.budget import Budget
from proofreel.core import Observation, TokenUse, ToolCall
from proofreel.core.errors import UserError
from proofreel.models.failure import ModelFailure
from proofreel.tools import ToolSpec
from proofreel.tools.model_call import Reply, ask_model, model_name

Actions = Literal["native", "json", "json_schema"]
RESAMPLES, STEP_DOWN, FLOOR = 10, 0.05, 0.1
GRACE = 30.0
"""Seconds a call may take when the time budget is used up: the forced final step has to come through."""
NOT_DELIVERED = "(result not delivered)"


def choose_actions(model: Any, wanted: str | None = None) -> Actions:
    """How a model is given tools: as asked, else by its card, else natively.

    Raises:
        UserError: an unknown way was asked for.
    """
    if wanted is not None and wanted not in ("native", "json", "json_schema"):
        raise UserError(f"actions is native, json or json_schema, got {wanted!r}")
    from proofreel.models.cards import model_card

    by_card: Actions = "json" if model_card(model_name(model)).native_tools is False else "native"
    return wanted or by_card  # type: ignore[return-value]


@dataclass(frozen=True)
class Said:
    """A model's turn; ``failure`` is set when it is no usable statement or there is none."""

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    tokens: TokenUse = TokenUse()  # noqa: RUF009  frozen
    failure: ModelFailure | None = None
    resampled: int = 0


class Conversation:
    """Messages so far and the way to go on.

    Args:
        model: engine model.
        system: system prompt, without tool descriptions.
        tools: what may be called.
        actions: see ``choose_actions``.
        budget: every call is booked here.
        config: generation settings of every call.
        answer: JSON schema of the final answer, for ``json_schema``.
        lenient: read JSON actions out of cut replies too (as published).
        on_wait: called with (attempt, reason, seconds) before every wait.
    """

    def __init__(
        self,
        model: Any,
        system: str,
        tools: Sequence[ToolSpec],
        actions: Actions,
        budget: Budget,
        config: dict[str, Any] | None = None,
        answer: dict[str, Any] | None = None,
        *,
        lenient: bool = False,
        on_wait: Callable[[int, str, float], None] | None = None,
    ) -> None:
        from inspect_ai.model import ChatMessageSystem

        from proofreel.models.json_action import action_prompt
        from proofreel.models.schema import tool_info

        schemas = [t.schema for t in tools]
        if actions != "native" and tools:
            system = f"{system.rstrip()}\n\n{action_prompt(schemas)}"
        self.model, self.actions, self.budget = model, actions, budget
        self.names = tuple(t.name for t in tools)
        self.config = dict(config or {})
        self.broken: dict[str, str] = {}
        self.messages: list[Any] = [ChatMessageSystem(content=system)]
        self._infos = [tool_info(s) for s in schemas] if actions == "native" else []
        self._answer, self._lenient, self._on_wait = answer, lenient, on_wait
        self._tools = list(tools)
        self._made = 0

    def say(self, text: str) -> None:
        """Adds a user message."""
        from inspect_ai.model import ChatMessageUser

        self.messages.append(ChatMessageUser(content=text))

    def results(self, observations: Sequence[Observation], *, delivered: bool = True) -> None:
        """Adds tool results; with ``delivered=False`` natively only their place is kept, as providers demand."""
        from inspect_ai.model import ChatMessageTool

        from proofreel.models.json_action import tool_result_text

        if self.actions != "native":
            if delivered and observations:
                self.say("\n\n".join(tool_result_text(o.tool, o.text) for o in observations))
            return
        self.messages += [
            ChatMessageTool(
                content=o.text if delivered else NOT_DELIVERED, tool_call_id=o.call_id, function=o.tool
            )
            for o in observations
        ]

    async def ask(self, *, final: bool = False) -> Said:
        """The model's next turn.

        A reply with neither text nor calls, or with leaked tool-call markup, is asked for again up to 10 times
        with the same history, each time 0.05 cooler down to 0.1 (AgentVidBench protocol 4.2).
        """
        used = TokenUse()
        for attempt in range(RESAMPLES + 1):
            reply = await self._once(attempt, final)
            used = used + reply.tokens
            self.budget.spend(use=reply.tokens)
            calls = self._calls(reply)
            if calls or not _spoilt(reply) or self.budget.exhausted("tokens", "usd", "seconds"):
                break
        self._remember(reply, calls)
        return Said(reply.text, reply.thinking, calls, used, reply.failure, attempt)

    async def _once(self, attempt: int, final: bool) -> Reply:
        config = dict(self.config)
        if attempt:
            start = float(config.get("temperature") or 0.0)
            config["temperature"] = max(FLOOR, start - STEP_DOWN * attempt)
        if self.actions == "json_schema":
            config["response_schema"] = self._schema(final)
        left = self.budget.left("seconds")
        choice = ("none" if final else "auto") if self._infos else None
        return await ask_model(
            self.model,
            self.messages,
            tools=self._infos,
            tool_choice=choice,
            config=config,
            fresh=attempt > 0,
            role="main",
            on_wait=self._on_wait,
            deadline=None if left is None else max(left, GRACE),
        )

    def _schema(self, final: bool) -> Any:
        from inspect_ai.model import ResponseSchema
        from inspect_ai.util import JSONSchema

        ways = [] if final else [_action(t) for t in self._tools]
        if self._answer:
            ways.append(self._answer)
        schema = ways[0] if len(ways) == 1 else {"anyOf": ways}
        return ResponseSchema(name="action", json_schema=JSONSchema.model_validate(schema))

    def _calls(self, reply: Reply) -> tuple[ToolCall, ...]:
        if self.actions == "native":
            self.broken |= {c.id: why for c, why in reply.calls if why}
            return tuple(c for c, _ in reply.calls)
        if reply.failure is not None and not self._lenient:  # a cut reply must not be mended into a call
            return ()
        from proofreel.models.json_action import parse_action

        action = parse_action(reply.text, self.names, reply.thinking)
        if action.name is None:
            return ()
        self._made += 1
        return (ToolCall(id=f"json_{self._made}", name=action.name, arguments=action.arguments),)

    def _remember(self, reply: Reply, calls: tuple[ToolCall, ...]) -> None:
        from inspect_ai.model import ChatMessageAssistant

        if reply.message is None or not (reply.text.strip() or reply.thinking.strip() or calls):
            return  # providers refuse empty turns
        if self.actions == "native":
            self.messages.append(reply.message)
        else:
            self.messages.append(ChatMessageAssistant(content=reply.text or reply.thinking))


def _spoilt(reply: Reply) -> bool:
    from proofreel.models.json_action import leaked_markup

    if reply.failure is not None:
        return reply.failure.kind == "empty"
    return leaked_markup(reply.text + reply.thinking)


def _action(spec: ToolSpec) -> dict[str, Any]:
    from proofreel.models.schema import provider_schema

    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "enum": [spec.name]},
            "arguments": provider_schema(spec.schema),
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }
