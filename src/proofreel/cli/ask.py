"""``proofreel ask``: one question, one answer, one proof page."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Mode(StrEnum):
    """Behaviour of the agent's protocol."""

    careful = "careful"
    official = "official"


def command(
    video: Annotated[Path, typer.Argument(help="A video file (or a sound file).", show_default=False)],
    question: Annotated[str, typer.Argument(help="The question, in quotes.", show_default=False)],
    option: Annotated[
        list[str] | None, typer.Option("--option", help="One choice; repeat it.", show_default=False)
    ] = None,
    options: Annotated[
        str | None, typer.Option("--options", help="All choices at once, parted by |.", show_default=False)
    ] = None,
    agent: Annotated[str, typer.Option(help="Who answers; see: proofreel list agents.")] = "retrieval",
    model: Annotated[
        str | None,
        typer.Option(help="Main model, such as openai/gpt-5 or openai-api/local/NAME.", show_default=False),
    ] = None,
    perceiver: Annotated[
        str | None,
        typer.Option(help="Model that looks at frames; the main model if left out.", show_default=False),
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            help="Another model of the agent, role=model (captioner=NAME); repeat it.", show_default=False
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="Address of the model server, for servers of your own.", show_default=False),
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(help="SRT or VTT file, taken instead of hearing the speech.", show_default=False),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Setting of the agent, key=value; repeat it.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Where the proof page goes.")] = Path("proof.html"),
    mode: Annotated[Mode, typer.Option(help="Mended or published behaviour.")] = Mode.careful,
    max_cost: Annotated[
        float | None, typer.Option(help="Stop before this much money in USD is spent.", show_default=False)
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds after which the agent must answer.", show_default=False)
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the trajectory as JSON and nothing else.")
    ] = False,
) -> None:
    r"""Ask a question about a video; get the answer with the moments and boxes that prove it.

    The default agent needs no model and no key: it reads screen text and hears speech, and says so when the
    video does not show the answer.

    \b
    Examples:
      proofreel ask talk.mp4 "When does the kiosk open?"
      proofreel ask talk.mp4 "Which gate?" --options "Gate 1 | Gate 2" --out gate.html
      proofreel ask talk.mp4 "What is she holding?" --agent video_react --model openai/gpt-5
    """
    from proofreel.cli._one import answer_one
    from proofreel.cli._words import pairs
    from proofreel.core.errors import UserError

    choices = [*(option or []), *([c.strip() for c in options.split("|")] if options else [])]
    if (options is not None or option) and not any(c.strip() for c in choices):
        raise UserError('--options names no option; write them as "first | second", or leave it out')
    answer_one(
        video,
        question,
        tuple(c for c in choices if c),
        transcript=transcript,
        out=out,
        as_json=as_json,
        agent=agent,
        model=model,
        perceiver=perceiver,
        roles={k: str(v) for k, v in pairs("--role", role).items()},
        base_url=base_url,
        mode=mode.value,
        options=pairs("--set", setting),
        limits={"usd": max_cost, "seconds": timeout},
    )
