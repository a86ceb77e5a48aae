"""The conversation of the agent, in the text protocol or through native tool calls."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from proofreel.agents import _videogaia_prompts as prompts
from proofreel.agents._conversation import GRACE, NOT_DELIVERED
from proofreel.agents._videogaia.reply import Move, failure, harmless, read_native, read_text
from proofreel.agents._viewing import raw_text
from proofreel.agents.agent import AgentContext
from proofreel.models.schema import ToolSchema
from proofreel.tools.model_call import Reply, ask_model

ACTIONS = ("text", "native")


@dataclass
class Talk:
    """Messages so far, and the next turn.

    Attributes:
        ctx: model, budget and ledger.
        tools: on offer.
        config: generation settings.
        native: tools are called through the provider's interface.
    """

    ctx: AgentContext
    tools: Sequence[ToolSchema]
    config: dict[str, Any]
    native: bool
    messages: list[Any] = field(default_factory=list)

    def open(self, steps: int, text: str, refs: Sequence[Any]) -> None:
        """System prompt and first message."""
        from inspect_ai.model import ChatMessageSystem

        from proofreel.models import media_message

        system = prompts.system_prompt(self.tools, steps, native=self.native)
        detail: Any = self.ctx.options.get("detail", "auto")
        self.messages = [ChatMessageSystem(content=system), media_message(text, refs, detail=detail)]

    def say(self, text: str) -> None:
        """Adds a message of the harness."""
        from inspect_ai.model import ChatMessageUser

        self.messages.append(ChatMessageUser(content=text))

    def result(self, move: Move, text: str) -> None:
        """Adds what a call came to."""
        from inspect_ai.model import ChatMessageTool

        if self.native and move.call_id is not None:
            self.messages.append(ChatMessageTool(content=text, tool_call_id=move.call_id, function=move.name))
        else:
            self.say(f"<tool_response>\n{text}\n</tool_response>")

    async def ask(self, new_frames: int, *, final: bool) -> tuple[Reply, Move]:
        """The model's next turn, booked and read.

        Args:
            new_frames: pictures in it that were not in the turns before.
            final: no tool may be called.
        """
        from proofreel.models.schema import tool_info

        ctx, left = self.ctx, self.ctx.budget.left("seconds")
        infos = [tool_info(t) for t in self.tools] if self.native else []
        reply = await ask_model(
            ctx.model,
            self.messages,
            tools=infos,
            tool_choice=("none" if final else "auto") if infos else None,
            config=self.config,
            ledger=ctx.ledger,
            role="main",
            on_wait=ctx.on_wait,
            deadline=None if left is None else max(left, GRACE),
        )
        ctx.budget.spend(turns=1, use=reply.tokens, frames=0 if reply.message is None else new_frames)
        return reply, self._read(reply)

    def _read(self, reply: Reply) -> Move:
        if reply.message is None:
            return failure("there is no reply")
        text = said(reply, native=self.native)
        self._remember(reply, text)
        calls = [(c.id, c.name, c.arguments, why) for c, why in reply.calls]
        move = read_native(text, calls) if self.native else read_text(text)
        if move.kind == "parse_failure" and reply.failure is not None:
            return failure(f"the reply is no whole turn ({reply.failure.kind.value})", move.think)
        return move

    def _remember(self, reply: Reply, text: str) -> None:
        from inspect_ai.model import ChatMessageAssistant, ChatMessageTool

        if reply.calls and self.native:
            self.messages.append(reply.message)
            if len(reply.calls) > 1:  # providers demand a result for every call
                self.messages += [
                    ChatMessageTool(content=NOT_DELIVERED, tool_call_id=c.id, function=c.name)
                    for c, _ in reply.calls
                ]
        elif text.strip():
            self.messages.append(ChatMessageAssistant(content=text))


def said(reply: Reply, *, native: bool) -> str:
    """A turn as text. Some servers turn the tags of the text protocol into calls by themselves: they are put back."""
    text = raw_text(reply)
    if native or not reply.calls or "<tool_call>" in text:
        return text
    calls = [{"name": c.name, "arguments": c.arguments} for c, _ in reply.calls]
    return text + "".join(f"<tool_call>{json.dumps(c, ensure_ascii=False)}</tool_call>" for c in calls)


def as_told(error: str) -> str:
    """An error of a tool for the talk: one line, without tags of the protocol."""
    return harmless(" ".join(error.split()))[:600]
