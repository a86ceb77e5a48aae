"""Outside: a program or a Python function of somebody else answers, with our models and our tools.

It gets the question as JSON on standard input, the models of the run as an OpenAI-compatible server on 127.0.0.1, and
the video tools as an MCP server; it writes its answer as JSON. Model calls and looks are counted, budgeted and kept as
steps. How it can end, kept apart:

* a valid answer and exit code 0: ``answered`` or ``abstained``;
* no answer, or one that cannot be read: ``unparsed``;
* a crash (another exit code, an exception) is the agent's own fault, ``harness_error``; but when its last model call
  had failed, it is that failure, and when the budget had refused it, ``budget``;
* too long: killed with all it started, ``budget``.

Options of the context: ``command`` (a program and its arguments) or ``entry`` (``module:function``), ``keep_env``
(names of environment variables it may see although they look like keys), ``log`` (folder that keeps what the tool
server wrote).
"""

import re
import shlex
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofreel.agents._recorder import Recorder
from proofreel.agents.agent import AgentContext, agent
from proofreel.agents.budget import Limits
from proofreel.core import Answer, Question, StopReason, Trajectory, Window
from proofreel.core.errors import UserError

if TYPE_CHECKING:
    from proofreel.agents._outside.endpoint import Endpoint
    from proofreel.agents._outside.launch import Ended
    from proofreel.agents._outside.sessions import Looked

NAME = "outside"
SECONDS = 600.0
"""Limit of one question when none is given: a program that hangs must not hang the run."""


def _chosen(options: Mapping[str, Any]) -> tuple[list[str], str | None]:
    """The program with its arguments, or the entry; exactly one of them."""
    command, entry = list(_command(options.get("command"))), options.get("entry")
    if bool(command) == bool(entry):
        raise UserError("outside: give --set command='PROGRAM ARGUMENTS' or --set entry=MODULE:FUNCTION")
    return command, entry


@agent(
    NAME,
    needs_model=False,
    summary="a program or function of yours answers, with our models and tools: --set command=... (no model needed)",
    check=_chosen,
)
async def outside(question: Question, ctx: AgentContext) -> Trajectory:
    """Runs it once for one question.

    Raises:
        UserError: neither or both of ``command`` and ``entry``, or it cannot be found or started.
    """
    from proofreel.agents._outside import launch
    from proofreel.agents._outside.endpoint import endpoint
    from proofreel.agents._outside.exchange import told
    from proofreel.agents._outside.sessions import look_back, take_in

    command, entry = _chosen(ctx.options)
    ctx.budget.default(seconds=SECONDS)
    recorder = Recorder(NAME, question, ctx, command=list(command) or None, entry=entry)
    seconds = ctx.budget.left("seconds")
    with ExitStack() as stack:
        folder = _folder(ctx, question, stack)
        try:
            async with AsyncExitStack() as servers:
                served = None
                if ctx.model is not None or ctx.perceiver is not None:
                    served = await servers.enter_async_context(
                        endpoint(ctx, recorder, lambda: look_back(folder))
                    )
                said = told(
                    question,
                    model=None if served is None or ctx.model is None else served.way_in,
                    mcp=launch.tool_server(question, ctx, folder, served),
                    limits={f.name: ctx.budget.left(f.name) for f in fields(Limits)},
                )
                if command:
                    env = launch.environment(served, _names(ctx), launch.current_environment())
                    ended = await launch.program(command, said, env, seconds)
                else:
                    ended = await launch.function(str(entry), said, served, seconds)
        except BaseExceptionGroup as group:
            raise _innermost(group) from group
        looked = take_in(folder, recorder, ctx.ledger)
    own = len((served.pictures if served is not None else set()) - looked.hashes)
    ctx.budget.spend(tool_calls=looked.calls, frames=looked.frames + own)
    recorder.step(
        "observe",
        ended.how,
        tool_calls=looked.calls,
        frames_of_tools=looked.frames,
        pictures_of_its_own=own,  # not of the tool server: no ledger knows their times
    )
    return recorder.finish(_answer(ended, served, looked, question, recorder, ctx))


def _answer(
    ended: "Ended",
    served: "Endpoint | None",
    looked: "Looked",
    question: Question,
    recorder: Recorder,
    ctx: AgentContext,
) -> Answer:
    from proofreel.agents._outside.exchange import answer_of

    if ended.killed:
        return Answer(stop=StopReason.BUDGET, reason=ended.how)
    if ended.found is None and served is not None and served.failure is not None:
        why = f"{served.failure} (then {ended.how})"
        return Answer(stop=served.failure.stop, reason=why)
    if ended.crashed:
        refused = None if served is None else served.refused
        if refused is not None:
            return Answer(
                stop=StopReason.BUDGET, reason=f"the budget of {refused} was used up; then {ended.how}"
            )
        return Answer(stop=StopReason.HARNESS_ERROR, reason=ended.how)
    if ended.found is None and looked.answer is not None:
        return looked.answer

    def shown(window: Window) -> list[float]:
        return [] if ctx.ledger is None else list(ctx.ledger.seen(window))

    answer = answer_of(ended.found, question, step=recorder.next_id, shown=shown)
    if answer.stop is StopReason.UNPARSED and ended.found is None:
        return answer.model_copy(update={"reason": f"{answer.reason}: {ended.how}"})
    return answer


def _innermost(error: BaseException) -> BaseException:
    """The error itself: the servers' task groups wrap it, and whoever runs us looks at its kind."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _command(given: Any) -> tuple[str, ...]:
    """Program and arguments; a text is split as a shell would, but no shell reads it."""
    if given is None:
        return ()
    if isinstance(given, list):
        return tuple(str(w) for w in given)
    try:
        return tuple(shlex.split(str(given)))
    except ValueError as error:
        raise UserError(f"outside: command {given!r} cannot be read ({error})") from error


def _names(ctx: AgentContext) -> tuple[str, ...]:
    given = ctx.options.get("keep_env") or ()
    return tuple(given.split(",")) if isinstance(given, str) else tuple(str(n) for n in given)


def _folder(ctx: AgentContext, question: Question, stack: ExitStack) -> Path:
    """Where the tool server writes: kept below ``log``, else only until its steps are taken in."""
    if ctx.options.get("log"):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", question.id).strip(".-") or "question"
        root = Path(str(ctx.options["log"])).resolve()
        root.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f"{plain}-", dir=root))
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="proofreel-outside-")))
