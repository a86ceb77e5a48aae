"""Finds the verbs, and turns every error a person can mend into one line and an exit code."""

import importlib
import inspect
import os
import pkgutil
import sys
from typing import Annotated, NoReturn

import typer

import proofreel.cli
from proofreel.cli._help import Verb, Verbs

HELP = """Video agents that show their proof.

Give a video and a question, get an answer with the moments and boxes that prove it, or an honest
"the video does not show it". Works with no key and no GPU; any model can be plugged in.

\b
  proofreel demo                                     see it work in a minute
  proofreel ask VIDEO "When does the kiosk open?"    one question, one proof page
  proofreel list agents                              what there is
"""


def build() -> typer.Typer:
    """The application: every module of this package that has a ``command`` is a verb named like its file."""
    app = typer.Typer(
        cls=Verbs,
        help=HELP,
        no_args_is_help=True,
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for info in pkgutil.iter_modules(proofreel.cli.__path__):
        if info.name.startswith("_") or info.name == "main":
            continue
        module = importlib.import_module(f"proofreel.cli.{info.name}")
        # Docstrings are raw strings (the linter asks for it), so the mark that keeps line ends is two characters.
        text = inspect.cleandoc(module.command.__doc__ or "").replace("\\b\n", "\b\n")
        name = info.name.rstrip("_")
        app.command(name.replace("_", "-"), cls=Verb, help=text)(module.command)
        if "_" in name:  # the file's name works as well
            app.command(name, cls=Verb, help=text, hidden=True)(module.command)
    return app


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"proofreel {installed('proofreel')}")
        raise typer.Exit


def run() -> None:
    """Entry point; ends the process with an exit code.

    0 done, 1 a check found faults, 2 bad input, 3 a model or server failed, 4 a run's folder cannot be used,
    130 stopped.
    """
    try:
        build()()
    except KeyboardInterrupt:
        _fail("stopped; what was finished is kept", 130)
    except BrokenPipeError:
        # The reader of our output went away (``| head``): not a failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        # Imported late: the help must not load the vocabulary.
        from proofreel.core.errors import UserError

        if isinstance(error, UserError):
            _fail(str(error), error.exit_code)
        if isinstance(error, OSError):
            where = f"{error.filename}: " if error.filename else ""
            _fail(f"{where}{error.strerror or error}; check the path, its rights and the free space", 2)
        raise


def _fail(message: str, code: int) -> NoReturn:
    line = " ".join(message.split())
    typer.secho(f"error: {line}", err=True, fg=typer.colors.RED)
    raise SystemExit(code)
