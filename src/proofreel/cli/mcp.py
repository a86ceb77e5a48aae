"""``proofreel mcp``: the video tools for coding agents and other programs outside."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    videos: Annotated[
        list[Path], typer.Argument(help="The videos that may be watched, and no others.", show_default=False)
    ],
    log: Annotated[
        Path, typer.Option(help="Folder for calls, frames shown, evidence and proof pages, as they happen.")
    ] = Path("proofreel-mcp"),
    question: Annotated[
        str | None, typer.Option(help="The question, told by the tool probe.", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="One choice; repeat it.", show_default=False)
    ] = None,
    frames: Annotated[int, typer.Option(min=0, help="Budget: frames shown in all.")] = 200,
    calls: Annotated[int, typer.Option(min=0, help="Budget: tool calls.")] = 100,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Budget: seconds from the first call on.", show_default=False),
    ] = None,
    frames_per_call: Annotated[int, typer.Option(min=1, max=64, help="Most pictures of one call.")] = 16,
    shared_budget: Annotated[
        bool, typer.Option("--shared-budget", help="Count what earlier sessions of --log spent.")
    ] = False,
    perceiver: Annotated[
        str | None,
        typer.Option(help="Vision model for the tool analyze; without it, none.", show_default=False),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the perceiver's server.", show_default=False)
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(help="SRT or VTT file, taken instead of hearing the speech.", show_default=False),
    ] = None,
) -> None:
    r"""Serve video tools to an outside agent over MCP (standard input and output).

    The agent gets probe, watch, analyze, transcript, search, crop and cite. Everything it was shown is in --log, and a
    proof page is written when it answers. Set-up for the usual coding agents: docs/outside-agents.md.

    \b
    Examples:
      proofreel mcp talk.mp4
      proofreel mcp talk.mp4 --question "Which gate?" --option "Gate 1" --option "Gate 2" --frames 60 --log log
    """
    from importlib.util import find_spec

    from proofreel.core.errors import UserError

    if find_spec("mcp") is None:
        raise UserError("the MCP server needs its extra: pip install 'proofreel[mcp]'")
    import anyio

    from proofreel.cli._mcp.server import make_session, serve

    session = make_session(
        videos,
        log,
        limits={"frames": frames, "tool_calls": calls, "seconds": seconds},
        question=question,
        options=tuple(option or ()),
        transcript=transcript,
        perceiver=perceiver,
        base_url=base_url,
        most_frames=frames_per_call,
        shared_budget=shared_budget,
    )
    anyio.run(serve, session)
