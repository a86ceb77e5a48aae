"""Carries a run on from wherever it stands, inside the engine."""

import logging
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from proofreel.core import Item, Outcome
from proofreel.runs._files import RunError
from proofreel.runs.live import LiveRun, Watcher
from proofreel.runs.result import Key
from proofreel.runs.run_folder import RunFolder, RunState

FAILED = (Outcome.MODEL_FAILED, Outcome.HARNESS_FAILED, Outcome.JUDGE_FAILED)


def execute(
    run: RunFolder,
    items: dict[str, Item],
    watcher: Watcher,
    *,
    forced: tuple[str, ...] = (),
    retry_failed: bool = False,
) -> RunState:
    """Runs what is still to do and returns where the run stands then.

    Every finished item is on disk before the next one of its slot starts. After a kill at any point the same call
    goes on: finished items are not run again, answers of half-done ones come out of the run's response cache.

    Args:
        run: the folder.
        items: its items by id.
        watcher: shown what happens.
        forced: differences of data or code that were accepted, for the journal.
        retry_failed: items whose model, judge or harness failed are run once more.

    Raises:
        RunError: another process works on this run, or its files cannot be read or written.
        UserError: a model cannot be used.
    """
    with run.writing():
        run.repair()
        again = frozenset(k for k, r in run.latest().items() if r.verdict.outcome in FAILED)
        live = LiveRun(run, items, watcher, again if retry_failed else frozenset())
        if not live.pending:
            run.set_state("done", done=len(live.finished))
        else:
            run.set_state("running", done=len(live.finished))
            live.session(os.getpid(), forced)
            _close(run, live, _engine(run, live))
    state = run.state
    if state is None:
        raise RunError(f"{run.path}: the state could not be written")
    return state


def _close(run: RunFolder, live: LiveRun, trouble: str | None) -> None:
    left = len(live.pending)
    reason = live.stopped or trouble
    if left and reason is None:
        reason = f"{left} items left no result; go on with: proofreel resume {run.path}"
    # A full disk may refuse the state too; the results are safe and the reason is raised either way.
    with suppress(RunError) if reason else _nothing():
        run.set_state("stopped" if left else "done", reason if left else None, done=len(live.finished))
    if reason and left and (run.state is None or run.state.state == "running"):
        raise RunError(reason)


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _engine(run: RunFolder, live: LiveRun) -> str | None:
    """Hands the pending items to the engine; returns why it ended early, None when it did not."""
    from inspect_ai import eval as engine_eval

    from proofreel.runs import _solver

    settings = run.settings
    _solver.live_runs[settings.run_id] = live
    try:
        with _surroundings(run):
            models = _models(run)
            logs = engine_eval(
                _task(live, settings.run_id),
                model=models.pop("main"),
                model_roles=models or None,
                epochs=settings.epochs,
                max_samples=settings.concurrency,
                log_dir=str(run.path / "logs"),
                log_format="eval",
                log_images=False,
                log_model_api=False,
                log_realtime=False,
                log_level="error",
                fail_on_error=False,
                retry_on_error=0,
                display="none",
                score_display=False,
                acp_server=False,
                ctl_server=False,
            )
    except OSError as error:
        return _unwritten(run, error.strerror or str(error))
    except KeyboardInterrupt:
        live.stop("interrupted")
        return "interrupted"
    finally:
        _solver.live_runs.pop(settings.run_id, None)
    if not logs or logs[0].status == "cancelled":
        return "interrupted"
    log = logs[0]
    if log.error is None:
        return None
    said = log.error.message.splitlines()[0]
    found = re.match(r"OSError\(\d+, '([^']*)'\)", said)
    return _unwritten(run, found[1]) if found else said


def _unwritten(run: RunFolder, why: str) -> str:
    where = run.path / "logs"
    return (
        f"{where}: the engine's log cannot be written ({why}); make room, then: proofreel resume {run.path}"
    )


def _task(live: LiveRun, run_id: str) -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample

    from proofreel.runs._solver import run_item, run_verdict

    wanted = dict.fromkeys(item for item, _ in live.pending)
    samples = [_sample(live.items[i], Sample) for i in wanted]
    name = live.folder.settings.benchmark
    return Task(
        dataset=MemoryDataset(samples, name=name),
        solver=run_item(run_id),
        scorer=run_verdict(run_id),
        name=name,
    )


def _sample(item: Item, sample: Any) -> Any:
    """The question as the log shows it; agents get it from the items, so nothing here can leak to them."""
    question = item.question
    return sample(
        id=question.id,
        input=question.text,
        choices=[o.text for o in question.options] or None,
        target=item.gold.answer or "",
        metadata={"video": os.path.basename(question.video)},  # noqa: PTH119
    )


def _models(run: RunFolder) -> dict[str, Any]:
    """Engine models by role; ``main`` is None for runs without a model."""
    from inspect_ai.model import CachePolicy

    from proofreel.models import resolve_model

    s = run.settings
    shared: dict[str, Any] = {
        "base_url": s.base_url,
        "cache": CachePolicy(expiry=None, per_epoch=True, scopes={"run": s.run_id}),
        "max_connections": s.concurrency,
        **s.generate,
    }
    named = {
        "main": s.model,
        "perceiver": s.perceiver,
        "judge": s.judge,
        "fallback_judge": s.fallback_judge,
    } | s.roles
    models: dict[str, Any] = {"main": None}
    for role, name in named.items():
        if name is not None:
            models[role] = resolve_model(name, role=role, **shared)
    return models


TRACE = 13
"""The engine's log level for what its trace file holds."""


@contextmanager
def _surroundings(run: RunFolder) -> Iterator[None]:
    """The engine's response cache inside the run's folder, its trace file quiet, and no tracebacks of its loggers.

    Another run never gets these answers. The trace file lies in the user's data folder and would grow with every call.
    """
    ours = {"INSPECT_CACHE_DIR": str(run.path.resolve() / "cache")}
    if "INSPECT_TRACE_LEVEL" not in os.environ:
        ours["INSPECT_TRACE_LEVEL"] = "error"
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    raising, logging.raiseExceptions = logging.raiseExceptions, False
    quiet = logging.root.manager.disable
    logging.disable(max(quiet, TRACE))  # three records a call, which nobody would read
    polite = threading.current_thread() is threading.main_thread()
    # A scheduler's SIGTERM ends the run as Ctrl-C does: the engine knows how to stop for that one.
    ended = signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGINT)) if polite else None
    try:
        yield
    finally:
        if polite:
            signal.signal(signal.SIGTERM, ended)
        logging.raiseExceptions = raising
        logging.disable(quiet)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def failed_keys(run: RunFolder) -> list[Key]:
    """(item, epoch) whose last attempt ended in a failure of model, judge or harness."""
    return [k for k, r in run.latest().items() if r.verdict.outcome in FAILED]
