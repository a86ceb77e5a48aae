"""The two ways to run an agent outside: a program, or a Python function in this process."""

import importlib
import inspect
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from proofreel.agents._outside.endpoint import Endpoint
from proofreel.agents._outside.exchange import last_object
from proofreel.agents._outside.process import run_program
from proofreel.agents.agent import AgentContext
from proofreel.core import Question
from proofreel.core.errors import UserError
from proofreel.tools import is_engine_limit

_SECRET = re.compile(r"(?i)(key|token|secret|passw|credential)")


@dataclass(frozen=True)
class Ended:
    """How it ended.

    Attributes:
        how: in words.
        found: the object with an answer, None when there was none.
        crashed: it ended by a fault of its own.
        killed: it was ended for its time.
    """

    how: str
    found: dict[str, Any] | None = None
    crashed: bool = False
    killed: bool = False


def environment(served: Endpoint | None, keep: Sequence[str], base: Mapping[str, str]) -> dict[str, str]:
    """The environment of the program: ours without what looks like a key, and the way to our models.

    An agent with keys of its own could ask models that nobody counts.
    """
    env = {k: v for k, v in base.items() if k in keep or not _SECRET.search(k)}
    if served is not None:
        env |= {"OPENAI_BASE_URL": served.address, "OPENAI_API_KEY": served.key}
    return env


def tool_server(
    question: Question, ctx: AgentContext, folder: Path, served: Endpoint | None
) -> dict[str, Any] | None:
    """The configuration of ``proofreel mcp`` for this question, as MCP clients read it; None without the extra."""
    if find_spec("mcp") is None:
        return None
    words = ["-m", "proofreel", "mcp", question.video, "--log", str(folder), "--shared-budget"]
    words += ["--question", question.text]
    for option in question.options:
        words += ["--option", option.text]
    if question.transcript:
        words += ["--transcript", question.transcript]
    for name, flag in (("frames", "--frames"), ("tool_calls", "--calls"), ("seconds", "--seconds")):
        left = ctx.budget.left(name)
        if left is not None:
            words += [flag, f"{left:.3f}" if name == "seconds" else str(int(left))]
    server: dict[str, Any] = {"command": sys.executable, "args": words}
    if served is not None and ctx.perceiver is not None:
        words += ["--perceiver", "openai-api/proofreel/perceiver", "--base-url", served.address]
        server["env"] = {"PROOFREEL_API_KEY": served.key}
    return {"mcpServers": {"proofreel": server}}


async def program(
    command: Sequence[str], told: dict[str, Any], env: Mapping[str, str], seconds: float | None
) -> Ended:
    """Runs a program on the message; its answer is the last JSON object it writes."""
    done = await run_program(command, json.dumps(told, ensure_ascii=False), env=env, seconds=seconds)
    if done.code is None:
        return Ended(f"no answer within {seconds:.1f} s; killed with all it started", killed=True)
    last = f": {done.last_words}" if done.last_words else ""
    if done.code != 0:
        what = f"signal {-done.code}" if done.code < 0 else f"exit code {done.code}"
        return Ended(f"the program ended with {what}{last}", crashed=True)
    found = last_object(done.out)
    return Ended("the program ended by itself" + ("" if found else f" without an answer{last}"), found)


def find_entry(entry: str) -> Any:
    """The function of ``module:function``.

    Raises:
        UserError: there is none.
    """
    module, _, name = entry.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(
            f"outside: entry {entry!r} cannot be used ({error}); write MODULE:FUNCTION"
        ) from error
    if not callable(function):
        raise UserError(f"outside: entry {entry!r} is no function")
    return function


async def function(entry: str, told: dict[str, Any], served: Endpoint | None, seconds: float | None) -> Ended:
    """Runs a function on the message; it returns the object with the answer.

    Inside, clients of the usual vendors reach our model under the name ``inspect`` (the engine's agent bridge), and
    every client reaches it at the address in the message. A function that is not ``async`` runs in a thread, which
    cannot be killed: past its time it is left behind.
    """
    run = find_entry(entry)
    result: Any = None
    over = True
    try:
        with anyio.move_on_after(seconds):
            async with AsyncExitStack() as stack:
                if served is not None and served.ctx.model is not None:
                    await stack.enter_async_context(_bridge(served))
                if inspect.iscoroutinefunction(run):
                    result = await run(told)
                else:
                    result = await anyio.to_thread.run_sync(partial(run, told), abandon_on_cancel=True)
            over = False
    except UserError:
        raise
    except Exception as error:
        if is_engine_limit(error):
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        return Ended(f"the function raised {said}", crashed=True)
    if over:
        return Ended(f"no answer within {seconds:.1f} s; left behind", killed=True)
    found = result if isinstance(result, dict) and "answer" in result else None
    return Ended("the function returned" + ("" if found else " no object with an answer"), found)


def _bridge(served: Endpoint) -> Any:
    """The engine's bridge, with every call going through our own counting."""
    from inspect_ai.agent import agent_bridge
    from inspect_ai.model import ChatCompletionChoice, ModelOutput

    async def through(model: Any, messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        set_here = config.model_dump(exclude_none=True, include={"stop_seqs", "seed"})
        shown = set(_pictures(messages))
        call = partial(served.ask, list(messages), list(tools), choice, set_here, shown)
        reply = await served.apart(call)
        kinds = {"truncated": "max_tokens", "filtered": "content_filter"}
        stop = kinds.get("" if reply.failure is None else reply.failure.kind.value)
        end: Any = stop or ("tool_calls" if reply.calls else "stop")
        return ModelOutput(
            model=str(model), choices=[ChatCompletionChoice(message=reply.message, stop_reason=end)]
        )

    return agent_bridge(filter=through)


def _pictures(messages: Any) -> Any:
    from proofreel.agents._outside.wire import hash_of

    for message in messages:
        for part in message.content if isinstance(message.content, list) else ():
            if part.type == "image":
                yield hash_of(part.image)


def current_environment() -> dict[str, str]:
    """The environment of this process."""
    return dict(os.environ)
