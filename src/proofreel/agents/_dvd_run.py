"""One question of DVD: the conversation, the tools' surroundings, every step written down."""

import re
from typing import Any

from proofreel.agents import _dvd_prompts as prompts
from proofreel.agents._conversation import Actions, Conversation, Said
from proofreel.agents._dvd_base import ClipBase
from proofreel.agents._dvd_loop import Message
from proofreel.agents._dvd_tools import GIVEN, TOOLS, Given
from proofreel.agents._dvd_tools.finish import finish_for, read_letter
from proofreel.agents._react_loop import PlannerDied, Turn, refused
from proofreel.agents._recorder import Recorder
from proofreel.agents._sampling import main_config
from proofreel.agents.agent import AgentContext
from proofreel.agents.answers import after_thinking, json_objects
from proofreel.core import Evidence, Observation, Question, ToolCall
from proofreel.tools import ToolContext, run_tool

SHORT = 40
"""Characters of a reply that can only be the answer itself."""
_OPENS = re.compile(
    r"\W{0,6}(?:so,?\s+|therefore,?\s+)?(?:the\s+|my\s+)?(?:correct\s+|final\s+)?answer\s*(?:is\b|:|：)", re.I
)
NAMES = tuple(t.name for t in TOOLS)


class DvdRun:
    """Main model and tools of one question."""

    def __init__(
        self,
        question: Question,
        ctx: AgentContext,
        base: ClipBase,
        given: Given,
        recorder: Recorder,
        actions: Actions,
    ) -> None:
        self.question, self.ctx, self.base, self.given = question, ctx, base, given
        self.recorder = recorder
        self.evidence: list[Evidence] = []
        self.form = prompts.final_form(bool(question.options))
        self.chat = Conversation(
            ctx.model,
            prompts.system_prompt(ctx.mode, bool(question.options)),
            [*TOOLS[:-1], finish_for(ctx.mode)],
            actions,
            ctx.budget,
            config=main_config(ctx),
            answer=_schema(question),
            lenient=ctx.mode == "official",
            on_wait=ctx.on_wait,
        )

    async def send(self, message: Message) -> Turn | PlannerDied:
        """Puts a message of the loop into words and takes the main model's turn."""
        self.chat.results(message.results)
        if message.kind == "briefing":
            self.chat.say(prompts.briefing(self.question, self.base))
        if message.forced:
            self.chat.say(prompts.FORCED.format(why=message.forced, form=self.form))
        elif message.last:
            self.chat.say(prompts.LAST)
        elif message.kind == "nudge":
            form = " as one letter" if self.question.options else ""
            self.chat.say(prompts.NUDGE.format(form=form))
        said = await self.chat.ask(final=message.forced is not None)
        self.ctx.budget.spend(turns=1)
        self._write(said)
        if said.failure is None:
            return Turn(said.text, said.calls)
        official = self.ctx.mode == "official"
        if said.failure.kind == "truncated" or (official and said.failure.kind in ("empty", "filtered")):
            return Turn(said.text, said.calls, None if official else said.failure.stop)
        if said.failure.kind == "empty":
            return Turn(said.text, said.calls, said.failure.stop)
        return PlannerDied(said.failure.stop, str(said.failure))

    def _write(self, said: Said) -> None:
        tokens = said.tokens
        if said.thinking:
            self.recorder.step("thinking", said.thinking, tokens=tokens)
            tokens = None  # type: ignore[assignment]  # booked once
        self.recorder.step(
            "thinking",
            said.text,
            tokens=tokens,
            resampled=said.resampled or None,
            failure=None if said.failure is None else str(said.failure),
        )

    def broken(self, call: ToolCall) -> str | None:
        """Why the arguments of a call cannot be read; officially that is written down as the end."""
        why = self.chat.broken.get(call.id)
        if why is not None:
            self.recorder.step("tool_call", calls=(call,))
        return why

    async def execute(self, call: ToolCall) -> Observation:
        """Runs one tool call and writes call and result."""
        self.recorder.step("tool_call", calls=(call,))
        budget = self.ctx.budget
        context = ToolContext(
            question=self.question,
            perceiver=self.given.inspector,
            ledger=self.ctx.ledger,
            duration=self.base.duration,
            mode=self.ctx.mode,
            step=self.recorder.next_id,
            frames_left=budget.frames_left,
            seconds_left=budget.left("seconds"),
            options={**self.ctx.options, GIVEN: self.given},
            on_wait=self.ctx.on_wait,
        )
        seen, result = await run_tool(call, context, NAMES, self.chat.broken.get(call.id))
        budget.spend(tool_calls=1, frames=result.frames, use=result.tokens)
        self.evidence += result.evidence
        self.recorder.step("tool_result", observations=(seen,), tokens=result.tokens)
        return seen

    def refuse(self, call: ToolCall) -> Observation:
        """Writes down a call that the budget no longer allows."""
        self.recorder.step("tool_call", calls=(call,))
        seen = refused(call)
        self.recorder.step("tool_result", observations=(seen,))
        return seen

    def read(self, text: str) -> dict[str, Any] | None:
        """The answer a reply without a call commits to: a JSON object with ``answer``, or a letter."""
        said = after_thinking(text)
        for found in reversed([o for o in json_objects(said) if isinstance(o.get("answer"), str | int)]):
            answer = str(found["answer"]).strip()
            letter = read_letter(answer, self.question, "careful")
            if answer and (letter or not self.question.options):
                return {**found, "answer": answer, "letter": letter}
        # Prose that weighs options is a plan, not an answer: only a line that opens with the answer counts.
        lines = [said] if len(said.strip()) < SHORT else [x for x in said.splitlines() if _OPENS.match(x)]
        letter = read_letter(lines[-1].strip(), self.question, "careful") if lines else None
        return None if letter is None else {"answer": letter, "letter": letter}


def _schema(question: Question) -> dict[str, Any]:
    letters = [o.letter for o in question.options]
    pair = {"type": "array", "items": {"type": "string"}}
    return {
        "type": "object",
        "properties": {
            "answer": {"type": "string", "enum": letters} if letters else {"type": "string"},
            "evidence": {"type": "array", "items": pair},
        },
        "required": ["answer"],
        "additionalProperties": False,
    }
