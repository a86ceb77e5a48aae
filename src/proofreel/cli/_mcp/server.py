"""A session over the Model Context Protocol, on standard input and output."""

import base64
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from proofreel.agents import Budget
from proofreel.cli._mcp.log import SessionLog, spent_before
from proofreel.cli._mcp.session import Session, open_videos
from proofreel.cli._mcp.tools import OutsideTool, tools_of
from proofreel.core.errors import UserError

INSTRUCTIONS = """\
Tools to watch the videos named at start, and no others. Times are seconds from the start of the video, boxes are \
fractions of the picture (left, top, right, bottom). Call probe first. Look before you answer: search and transcript \
for words, watch for pictures, crop for small things. Finish with cite: the answer and the moments that prove it."""


def make_session(
    videos: list[Path],
    log: Path,
    *,
    limits: dict[str, float | int | None],
    question: str | None = None,
    options: tuple[str, ...] = (),
    transcript: Path | None = None,
    perceiver: str | None = None,
    base_url: str | None = None,
    most_frames: int = 16,
    shared_budget: bool = False,
) -> Session:
    """Checks everything before the first message.

    Raises:
        UserError: a video, the log folder, the transcript or the model cannot be used.
    """
    if transcript is not None and len(videos) > 1:
        raise UserError("--transcript is for one video; several videos take the subtitle files beside them")
    opened = open_videos(videos, transcript)
    budget = Budget.of(**limits)
    if shared_budget:
        calls, frames = spent_before(log)
        budget.spend(tool_calls=calls, frames=frames)
    model = None
    if perceiver is not None:
        from proofreel.models import resolve_model

        model = resolve_model(perceiver, role="perceiver", base_url=base_url)
    first = next(iter(opened.values()))
    asked = None
    if question is not None:
        from proofreel.runs.single import make_question

        asked = make_question(first.path, question, options)
    elif options:
        raise UserError("--option belongs to a --question; give both or neither")
    return Session(opened, budget, SessionLog(log), asked, model, most_frames)


async def serve(session: Session) -> None:
    """Serves until the client closes its end."""
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    tools = tools_of(session)

    async def listed(ctx: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=[_described(t, types) for t in tools.values()])

    async def called(ctx: Any, params: Any) -> Any:
        _name(session, ctx)
        reply = await session.call(params.name, dict(params.arguments or {}), tools)
        content: list[Any] = [types.TextContent(type="text", text=reply.result.text)]
        for time, jpeg in reply.pictures:
            content.append(types.TextContent(type="text", text=f"frame at {time:.3f} s"))
            data = base64.b64encode(jpeg).decode()
            content.append(types.ImageContent(type="image", data=data, mime_type="image/jpeg"))
        return types.CallToolResult(content=content, is_error=not reply.result.ok)

    from importlib.metadata import version

    server = Server(
        "proofreel",
        version=version("proofreel"),
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(session.close)


def _described(tool: OutsideTool, types: Any) -> Any:
    return types.Tool(
        name=tool.name, description=tool.description, input_schema=tool.arguments.model_json_schema()
    )


def _name(session: Session, ctx: Any) -> None:
    """Who calls, as the client introduces itself."""
    params = ctx.session.client_params
    if params is not None and session.client == "outside agent":
        session.client = session.recorder.model = str(params.client_info.name)[:80]
