"""Options that the verbs with a judge share."""

from pathlib import Path
from typing import Annotated

import typer

BaseUrl = Annotated[str | None, typer.Option(help="Address of the model's server.", show_default=False)]
Concurrency = Annotated[int, typer.Option(min=1, help="Requests at a time.")]
DataFolder = Annotated[
    Path | None, typer.Option(help="Where the data folder lies now, if it was moved.", show_default=False)
]
FallbackJudge = Annotated[
    str | None,
    typer.Option(
        help="Model asked only when the judge fails; every line says who judged.", show_default=False
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Go on although the data differ from the run's.")]
Generate = Annotated[
    list[str] | None,
    typer.Option(help="Generation setting, key=value (max_tokens, max_retries, ...).", show_default=False),
]
Grounded = Annotated[
    bool, typer.Option("--grounded", help="Show the judge frames from the moments the trajectory cites.")
]
MaskLetter = Annotated[
    bool, typer.Option("--mask-letter", help="Hide the option letters a trajectory commits to.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(min=0, help="No more than this many USD for one file of judgements.", show_default=False),
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Ask once more where the model failed.")]
Rubric = Annotated[
    Path | None, typer.Option(help="A rubric of your own, as a text file.", show_default=False)
]
Schema = Annotated[
    bool | None,
    typer.Option(
        "--schema/--no-schema",
        help="Hold the judge to a JSON schema; left out: where its model card says that it can be.",
        show_default=False,
    ),
]
