"""One question on a person's desk: every action is a step, saved before the page hears of it."""

import time
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from pydantic import ValidationError

from proofreel.agents._citing import cited
from proofreel.agents._finding import found_lines
from proofreel.agents._human.actions import ACTION, Choose, Mark, Search, Watch
from proofreel.agents._human.saved import Saved
from proofreel.agents._recorder import Recorder
from proofreel.agents.agent import AgentContext
from proofreel.core import (
    Answer,
    Evidence,
    Observation,
    Question,
    Step,
    StopReason,
    ToolCall,
    Trajectory,
    Window,
)
from proofreel.core.errors import UserError

JOINS = 0.5
"""Seconds between two stretches that count as watched in one go."""
FOUND = 12


class NotPossible(UserError):  # noqa: N818  the name says what happened
    """An action that cannot be done; the message is for the person."""


class Desk:
    """A question, what was done about it, and its clock.

    The clock runs from the moment the question is opened until it is answered or the process ends; what ran before a
    restart counts.

    Args:
        question: what is asked.
        ctx: gives the limit of seconds and ``on_step``.
        file: where the state is kept; an unfinished one is taken up.
    """

    def __init__(self, question: Question, ctx: AgentContext, file: Path) -> None:
        self.question, self.ctx, self.file = question, ctx, file
        self.recorder = Recorder("human", question, ctx, seconds=ctx.budget.limits.seconds)
        saved = Saved.load(file, question)
        self.marks: list[Evidence] = list(saved.marks)
        self.draft = Choose(do="choose", **saved.draft)
        self.recorder.steps = list(saved.steps)
        self.index: Any = ctx.options.get("index")
        self.done = anyio.Event()
        self.opened = anyio.Event()
        self.late = False
        self._before = saved.elapsed
        self._since: float | None = None
        self._ended: float | None = None
        self._lock = anyio.Lock()
        self._found: list[dict[str, Any]] = []

    @property
    def elapsed(self) -> float:
        """Seconds the question has been open, restarts included."""
        if self._ended is not None:
            return self._ended
        return self._before + (time.monotonic() - self._since if self._since is not None else 0.0)

    @property
    def limit(self) -> float | None:
        """Seconds allowed; None for no limit."""
        return self.ctx.budget.limits.seconds

    @property
    def watched(self) -> list[Window]:
        """Stretches that were watched, in their order."""
        calls = [c for s in self.recorder.steps for c in s.calls if c.name == "watch"]
        return [Window(start=c.arguments["start"], end=c.arguments["end"]) for c in calls]

    async def wait(self) -> None:
        """Returns when the question is answered or its time is over."""
        await self.opened.wait()
        left = None if self.limit is None else max(0.0, self.limit - self.elapsed)
        with anyio.move_on_after(left):
            await self.done.wait()
        self._ended = self.elapsed
        self.late = not self.done.is_set()
        self.done.set()

    async def act(self, body: Any) -> dict[str, Any]:
        """Does one action and returns the state of the page.

        Raises:
            NotPossible: it makes no sense, or the question is closed.
        """
        try:
            action = ACTION.validate_python(body)
        except ValidationError as error:
            fault = error.errors()[0]
            raise NotPossible(f"{'.'.join(str(p) for p in fault['loc'])}: {fault['msg']}") from None
        async with self._lock:
            if self.done.is_set():
                raise NotPossible("this question is closed")
            if action.do == "open":
                self._since = time.monotonic() if self._since is None else self._since
            elif action.do == "answer":
                self.save()
                self.done.set()
                self.opened.set()
            else:
                await self._do(action)
            self.save()
            if action.do == "open":
                self.opened.set()
            return self.state()

    async def _do(self, action: Any) -> None:
        match action:
            case Watch():
                self._watch(action)
            case Search():
                await self._search(action)
            case Mark():
                self._mark(action)
            case Choose():
                self._choose(action)
            case _:
                self._unmark(action.n)

    def _watch(self, action: Watch) -> None:
        end = min(action.end, self.question.duration or action.end)
        if end < action.start:
            raise NotPossible(f"a stretch ends before it starts: {action.start:g} to {action.end:g} s")
        steps, start = self.recorder.steps, action.start
        before = steps[-2].calls[0] if len(steps) > 1 and steps[-1].data.get("watch") else None
        if (
            before is not None
            and 0 <= start - before.arguments["end"] < JOINS
            and before.arguments["rate"] == action.rate
        ):
            start = before.arguments["start"]
            del steps[-2:]  # goes on where the last one ended: one stretch, not two
        arguments = {"start": start, "end": end, "rate": action.rate}
        self._record("watch", arguments, f"{Window(start=start, end=end)} at {action.rate:g}x", watch=True)

    async def _search(self, action: Search) -> None:
        if self.ctx.options.get("search") is False:
            raise NotPossible("there is no search in this run")
        if self.index is None:
            self.index = await anyio.to_thread.run_sync(_read, self.question, abandon_on_cancel=True)
        step = self.recorder.next_id + 1
        text, evidence = await anyio.to_thread.run_sync(
            lambda: found_lines(self.index, action.query, FOUND, None, "search", step)
        )
        self._found = [_hit(e) for e in evidence]
        self._record("search", {"query": action.query}, text, evidence)

    def _mark(self, action: Mark) -> None:
        try:
            proof, notes = cited(
                action.citation,
                duration=self.question.duration,
                claimed_by="human",
                step=self.recorder.next_id + 1,
                index=self.index,
                # Whoever draws a box looks at the frame.
                looked=lambda w: (
                    bool(action.citation.boxes)
                    or any(s.start <= w.end and w.start <= s.end for s in self.watched)
                ),
            )
        except ValueError as error:
            raise NotPossible(str(error)) from None
        self.marks.append(proof)
        asked = action.citation.model_dump(mode="json", exclude_defaults=True)
        self._record("cite", asked, "; ".join([f"marked as evidence {len(self.marks)}", *notes]), (proof,))

    def _unmark(self, n: int) -> None:
        if n > len(self.marks):
            raise NotPossible(f"there is no evidence {n}")
        del self.marks[n - 1]
        self._record("uncite", {"n": n}, f"evidence {n} is taken back")

    def _choose(self, action: Choose) -> None:
        if action.letter is not None and self.question.option_text(action.letter) is None:
            raise NotPossible(f"there is no option {action.letter}")
        self.draft = action

    def _record(
        self,
        name: str,
        arguments: dict[str, Any],
        text: str,
        evidence: tuple[Evidence, ...] = (),
        **data: Any,
    ) -> None:
        call = ToolCall(id=f"act-{self.recorder.next_id}", name=name, arguments=arguments)
        self.recorder.step("tool_call", calls=(call,), at=round(self.elapsed, 3))
        seen = Observation(call_id=call.id, tool=name, ok=True, text=text, evidence=evidence)
        self.recorder.step("tool_result", observations=(seen,), **data)

    def save(self) -> None:
        """Writes the state, in one step.

        Raises:
            NotPossible: it cannot be written.
        """
        draft = self.draft.model_dump(exclude={"do"})
        steps: tuple[Step, ...] = tuple(self.recorder.steps)
        state = Saved(
            question=self.question, steps=steps, marks=tuple(self.marks), draft=draft, elapsed=self.elapsed
        )
        try:
            state.write(self.file)
        except OSError as error:
            raise NotPossible(f"{self.file}: cannot be written ({error.strerror})") from error

    def state(self) -> dict[str, Any]:
        """What the page shows."""
        question = self.question
        return {
            "id": question.id,
            "text": question.text,
            "options": [o.model_dump() for o in question.options],
            "name": Path(question.video).name,
            "duration": question.duration or 0.0,
            "opened": self._since is not None,
            "closed": self.done.is_set(),
            "elapsed": round(self.elapsed, 1),
            "limit": self.limit,
            "search": self.ctx.options.get("search") is not False,
            "marks": [_mark_view(n, e) for n, e in enumerate(self.marks, 1)],
            "watched": [[w.start, w.end] for w in self.watched],
            "draft": self.draft.model_dump(exclude={"do"}),
            "found": self._found,
        }

    def finish(self) -> Trajectory:
        """The trajectory with its answer; a blank one is an abstention, which counts as wrong."""
        answer = _answer(self.question, self.draft, tuple(self.marks), late=self.late)
        self.ctx.budget.spend(tool_calls=sum(len(s.calls) for s in self.recorder.steps))
        done = self.recorder.finish(answer).model_copy(update={"seconds": self.elapsed})
        self.file.unlink(missing_ok=True)
        return done


def _answer(question: Question, draft: Choose, marks: tuple[Evidence, ...], *, late: bool) -> Answer:
    common: dict[str, Any] = {"confidence": draft.confidence, "reason": draft.reason, "evidence": marks}
    given = StopReason.FORCED if late else StopReason.ANSWERED
    if question.options and draft.letter is not None:
        return Answer(letter=draft.letter, value=question.option_text(draft.letter), stop=given, **common)
    if not question.options and draft.text.strip():
        return Answer(value=draft.text.strip(), stop=given, **common)
    blank = "the time was over and nothing was chosen" if late else "left blank"
    reason = f"{blank}. {draft.reason}".strip() if draft.reason else blank
    return Answer(abstained=True, stop=StopReason.ABSTAINED, **{**common, "reason": reason})


def _read(question: Question) -> Any:
    from proofreel.perception import prepare

    return prepare(question.video, transcript=question.transcript)


def _hit(evidence: Evidence) -> dict[str, Any]:
    window, quote = evidence.window, evidence.quote
    return {
        "start": window.start if window else 0.0,
        "end": window.end if window else 0.0,
        "source": quote.source if quote else "speech",
        "text": quote.text if quote else "",
    }


def _mark_view(n: int, evidence: Evidence) -> dict[str, Any]:
    window, quote = evidence.window, evidence.quote
    return {
        "n": n,
        "start": window.start if window else None,
        "end": window.end if window else None,
        "boxes": [{"t": b.time, "box": b.box.values} for b in evidence.boxes],
        "quote": quote.text if quote else "",
        "source": quote.source if quote and quote.source in ("speech", "screen") else "frame",
        "note": evidence.note,
    }
