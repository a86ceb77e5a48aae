"""The three ways into a run: start one, resume one, score one again (see ``rescore``)."""

from pathlib import Path

from proofreel.core import Item
from proofreel.core.errors import UserError
from proofreel.runs.execute import execute
from proofreel.runs.live import Watcher
from proofreel.runs.run_folder import RunFolder, RunState
from proofreel.runs.settings import differences
from proofreel.runs.setup import Prepared, prepare_run, wanted_of


def start(prepared: Prepared, out: Path, watcher: Watcher) -> tuple[RunFolder, RunState]:
    """Makes the folder and runs until done or stopped.

    Raises:
        RunError: the folder is taken or cannot be written.
        UserError: a model cannot be used.
    """
    run = RunFolder.create(out, prepared.settings)
    return run, execute(run, prepared.items, watcher)


def check_resume(
    run: RunFolder, *, data: Path | None = None, force: bool = False
) -> tuple[Prepared, tuple[str, ...]]:
    """Loads the data again and compares it, and the code, with what the run began with.

    Returns:
        What is to be run (ids and settings as they were), and the differences gone over by force.

    Raises:
        UserError: something that may change a number differs and ``force`` is not given; the message names it.
    """
    old = run.settings
    fresh = prepare_run(wanted_of(old, data), known=old.videos)
    changed = tuple(differences(old, fresh.settings))
    if changed and not force:
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        raise UserError(
            f"{run.path}: {changed[0]}{more}; results would not be of one kind. Undo it, start a new run, "
            "or go over it with --force (the journal will say so)"
        )
    return Prepared(old, fresh.items, fresh.notes), changed


def resume(
    path: Path,
    watcher: Watcher,
    *,
    data: Path | None = None,
    force: bool = False,
    retry_failed: bool = False,
    max_cost: float | None = None,
    concurrency: int | None = None,
) -> tuple[RunFolder, RunState]:
    """Goes on where a run stopped or was killed.

    Args:
        path: its folder.
        watcher: shown what happens.
        data: where the data folder lies now, if it was moved.
        force: go over differences of data or code.
        retry_failed: run items once more whose model, judge or harness failed.
        max_cost: another money limit for the whole run, earlier spend included.
        concurrency: another number of items at a time.

    Raises:
        RunError: no run there, or another process works on it.
        UserError: data or code differ.
    """
    run = RunFolder.open(path)
    prepared, forced = check_resume(run, data=data, force=force)
    other = {"max_cost": max_cost, "concurrency": concurrency}
    kept = {k: v for k, v in other.items() if v is not None}
    run.settings = run.settings.model_copy(update=kept)
    return run, execute(run, prepared.items, watcher, forced=forced, retry_failed=retry_failed)


def gold_of(run: RunFolder, *, data: Path | None = None, force: bool = False) -> dict[str, Item]:
    """The items of a run, gold included, from its data as they are now; code may differ, for nothing is run.

    Raises:
        UserError: the data differ from those of the run and ``force`` is not given.
    """
    old = run.settings
    fresh = prepare_run(wanted_of(old, data), known=old.videos)
    if fresh.settings.fingerprint != old.fingerprint and not force:
        raise UserError(
            f"{run.path}: questions or gold differ from those of the run; restore the data, or score with --force"
        )
    return fresh.items
