"""Writes a trajectory step by step; after each step the caller has the state, so that a kill loses nothing."""

import time
from typing import Any

from proofreel.agents.agent import AgentContext
from proofreel.core import Answer, Observation, Question, Step, StopReason, TokenUse, ToolCall, Trajectory
from proofreel.core.trajectory import Phase


class Recorder:
    """The steps of one agent on one question.

    Args:
        name: the agent.
        question: what is asked.
        ctx: gives the model's name, the budget and ``on_step``.
        settings: what a reader needs to repeat the run (mode, fps, prompts' version, ...).
    """

    def __init__(self, name: str, question: Question, ctx: AgentContext, **settings: Any) -> None:
        from proofreel.tools.model_call import model_name

        self.name, self.question, self.ctx, self.settings = name, question, ctx, settings
        self.model = model_name(ctx.model) or None
        self.steps: list[Step] = []
        self._began = self._last = time.monotonic()

    @property
    def next_id(self) -> int:
        """Number of the step that comes next."""
        return len(self.steps) + 1

    def step(
        self,
        phase: Phase,
        text: str = "",
        *,
        calls: tuple[ToolCall, ...] = (),
        observations: tuple[Observation, ...] = (),
        tokens: TokenUse | None = None,
        **data: Any,
    ) -> Step:
        """Adds a step; its seconds are those since the step before. None values in ``data`` are left out."""
        now = time.monotonic()
        step = Step(
            id=self.next_id,
            phase=phase,
            text=text,
            calls=calls,
            observations=observations,
            tokens=tokens,
            seconds=now - self._last,
            data={k: v for k, v in data.items() if v is not None},
        )
        self._last = now
        self.steps.append(step)
        if self.ctx.on_step is not None:
            self.ctx.on_step(self.so_far())
        return step

    def so_far(self, answer: Answer | None = None) -> Trajectory:
        """The trajectory up to now; without an answer it says that none was given."""
        return Trajectory(
            question_id=self.question.id,
            agent=self.name,
            model=self.model,
            steps=tuple(self.steps),
            tokens=self.ctx.budget.use,
            frames_seen=self.ctx.budget.frames,
            seconds=time.monotonic() - self._began,
            settings=self.settings,
            answer=answer or Answer(stop=StopReason.MODEL_ERROR),
        )

    def finish(self, answer: Answer) -> Trajectory:
        """Closes the trajectory with an answer step (evidence of the steps gets no copy there) and the answer."""
        self.step("answer", answer.reason, letter=answer.letter, value=answer.value, stop=answer.stop.value)
        done = self.so_far(answer)
        if self.ctx.on_step is not None:
            self.ctx.on_step(done)
        return done
