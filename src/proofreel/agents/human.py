"""Human: a person answers on a page, with the same video, question and search, and leaves the same trajectory.

The page is served on 127.0.0.1 under a secret address that is written to standard error. What the person does becomes
tool calls: ``watch`` (stretches played or looked at), ``search``, ``cite`` (marked moments, boxes, quotes). Every
action is on disk before the page hears of it; a killed run takes the question up where it was, its clock included. A
question left blank, or whose time is over with nothing chosen, is an abstention, which counts as wrong.

Options of the context: ``port`` (0: any), ``log`` (folder of unfinished questions; the cache if left out), ``search``
(false takes the search away), ``open`` (true opens a browser). The limit of seconds is the budget's.
"""

import asyncio
import secrets
import sys
from pathlib import Path
from weakref import WeakKeyDictionary

from proofreel.agents._local_server import local_server
from proofreel.agents.agent import AgentContext, agent
from proofreel.core import Question, Trajectory
from proofreel.core.errors import UserError

KEY = secrets.token_urlsafe(16)
"""The secret part of the address, one for a process: the page goes on to the next question by itself."""
_turns: "WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]" = WeakKeyDictionary()
_last_port: list[int] = []


@agent(
    "human",
    needs_model=False,
    summary="a person answers on a local page: player, search, marks, boxes, time limit (no model needed)",
)
async def human(question: Question, ctx: AgentContext) -> Trajectory:
    """Puts one question to the person; questions of a run come one after the other.

    Raises:
        UserError: the port is taken, or an unfinished state cannot be taken up.
    """
    from proofreel.agents._human.desk import Desk
    from proofreel.agents._human.saved import place_of
    from proofreel.agents._human.web import application

    port = _port(ctx)
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        measured = await asyncio.to_thread(_measured, question)
        desk = Desk(measured, ctx, place_of(question, _folder(ctx)))
        async with local_server(
            application(desk, KEY), port or (_last_port[0] if _last_port else 0)
        ) as address:
            _last_port[:] = [int(address.rsplit(":", 1)[1])]
            _tell(f"{address}/{KEY}/", ctx)
            await desk.wait()
        return desk.finish()


def _measured(question: Question) -> Question:
    """The question with the length of its video: the timeline needs it."""
    from proofreel.video import probe

    if question.duration is not None:
        probe(question.video)
        return question
    return question.model_copy(update={"duration": probe(question.video).duration})


def _port(ctx: AgentContext) -> int:
    port = ctx.options.get("port", 0)
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port < 65536:
        raise UserError(f"human: port is a number from 0 to 65535, got {port!r}")
    return port


def _folder(ctx: AgentContext) -> Path:
    if ctx.options.get("log"):
        return Path(str(ctx.options["log"]))
    from proofreel.video import cache_dir

    return cache_dir() / "human"


def _tell(address: str, ctx: AgentContext) -> None:
    sys.stderr.write(f"human: the question is at {address}\n")
    sys.stderr.flush()
    if ctx.options.get("open") is True:
        import webbrowser

        webbrowser.open(address)
