"""From the words of a command to the settings of a run: everything checked before the first call."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from proofreel.agents import Limits, UnknownPriceError
from proofreel.agents.agent import AGENTS
from proofreel.benchmarks import LoadedSet, get_benchmark
from proofreel.core import Item
from proofreel.core.errors import UserError
from proofreel.runs.fingerprint import items_fingerprint, prompts_fingerprint, video_stamps
from proofreel.runs.option_names import check_options
from proofreel.runs.run_folder import utc_now
from proofreel.runs.settings import RunSettings, VideoStamp

FRAME_OPTIONS = ("fps", "max_frames", "height", "quality", "detail", "media_resolution", "sampling", "plan")
_SECRET = re.compile(r"(?i)(api_?key|secret|password|passwd|access_?token|auth)")


@dataclass(frozen=True)
class Wanted:
    """What was asked for, in the words of ``proofreel run``; ``exact`` are the ids of a run that is resumed."""

    benchmark: str
    data: Path | None = None
    agent: str = "retrieval"
    model: str | None = None
    perceiver: str | None = None
    judge: str | None = None
    fallback_judge: str | None = None
    roles: dict[str, str] = field(default_factory=dict)
    base_url: str | None = None
    mode: Literal["careful", "official"] = "careful"
    options: dict[str, Any] = field(default_factory=dict)
    generate: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    epochs: int = 1
    limit: int | None = None
    ids: str | None = None
    concurrency: int | None = None
    max_cost: float | None = None
    exact: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Prepared:
    """A checked run: settings, the items by id, and what a person should be told."""

    settings: RunSettings
    items: dict[str, Item]
    notes: tuple[str, ...] = ()


def prepare_run(wanted: Wanted, known: dict[str, VideoStamp] | None = None) -> Prepared:
    """Loads and checks everything; nothing is sent anywhere.

    Raises:
        UserError: what cannot be run, and why, in one line.
    """
    spec = AGENTS.get(wanted.agent)
    if spec.needs_model and not wanted.model:
        raise UserError(f"agent {wanted.agent!r} needs a model; give one with --model")
    _no_secrets(wanted)
    _check_names(wanted)
    bench = get_benchmark(wanted.benchmark)
    others = {n: a.run.__module__ for n, a in AGENTS.all().items()}
    reading = (spec.run.__module__, bench.load.__module__)
    idle = check_options(wanted.options, wanted.agent, reading, others)
    loaded = bench.load(wanted.data)
    chosen = choose(loaded, wanted.ids, wanted.limit, wanted.exact)
    if spec.check is not None:
        spec.check(wanted.options)
    if any(name == "web" or name.startswith("web_") for name in wanted.options):
        from proofreel.tools.web.settings import WebSettings

        WebSettings.of(wanted.options)
    if spec.needs_index:
        _check_senses(wanted, chosen)
    if wanted.max_cost is not None:
        _check_priced(wanted)
    root = Path(loaded.root)
    exam = None if bench.exam is None else bench.load.__module__
    prompts, modules = prompts_fingerprint(spec.run.__module__, exam)
    settings = RunSettings(
        run_id=uuid.uuid4().hex,
        name=" ".join(n for n in (wanted.benchmark, wanted.agent, wanted.model) if n),
        created=utc_now(),
        proofreel=version("proofreel"),
        engine=f"inspect-ai {version('inspect-ai')}",
        benchmark=wanted.benchmark,
        data=None if wanted.data is None else str(wanted.data.resolve()),
        rows=loaded.rows,
        usable=len(loaded.items),
        left_out=tuple(str(p) for p in loaded.problems if p.fatal),
        fingerprint=items_fingerprint(chosen, root),
        videos=video_stamps(chosen, root, known),
        items=tuple(i.question.id for i in chosen),
        ids=wanted.ids,
        limit=wanted.limit,
        agent=wanted.agent,
        options=wanted.options,
        frames={k: v for k, v in wanted.options.items() if k in FRAME_OPTIONS},
        mode=wanted.mode,
        model=wanted.model,
        perceiver=wanted.perceiver,
        judge=wanted.judge,
        fallback_judge=wanted.fallback_judge,
        roles=wanted.roles,
        base_url=wanted.base_url,
        generate=wanted.generate,
        limits=wanted.limits,
        prompts=prompts,
        prompt_modules=modules,
        epochs=wanted.epochs,
        concurrency=wanted.concurrency or default_concurrency(wanted),
        max_cost=wanted.max_cost,
    )
    return Prepared(settings, {i.question.id: i for i in chosen}, (*idle, *_notes(loaded, chosen)))


def wanted_of(settings: RunSettings, data: Path | None = None) -> Wanted:
    """What was asked for when a run began, to prepare it anew; ``data`` is where the folder lies now."""
    root = data or (Path(settings.data) if settings.data else None)
    same = ("benchmark", "agent", "model", "perceiver", "judge", "base_url", "mode", "options", "generate")
    more = ("fallback_judge", "roles", "limits", "epochs", "limit", "ids", "concurrency", "max_cost")
    return Wanted(data=root, exact=settings.items, **{name: getattr(settings, name) for name in same + more})


def choose(
    loaded: LoadedSet, ids: str | None, limit: int | None, exact: tuple[str, ...] | None = None
) -> list[Item]:
    """Items by ``--ids`` (``3``, ``1,4``, ``10-20``, or any ids of the set) and ``--limit``, in the set's order.

    With ``exact`` those and no others.

    Raises:
        UserError: an id that the set does not have, or nothing is left.
    """
    items = list(loaded.items)
    if ids is not None or exact is not None:
        have = {i.question.id for i in items}
        wanted = list(exact) if exact is not None else _ids(ids or "", have)
        if unknown := [i for i in wanted if i not in have]:
            why = next((str(p) for p in loaded.problems if unknown[0] in p.where.split()), "no such question")
            raise UserError(f"question {unknown[0]} cannot be run ({why})")
        items = [i for i in items if i.question.id in set(wanted)]
    items = items if exact is not None else items[:limit]
    if not items:
        raise UserError(f"{loaded.name}: no question is left to run; look at --ids and --limit")
    return items


def _ids(spec: str, have: set[str]) -> list[str]:
    wanted: list[str] = []
    for part in (p.strip() for p in spec.split(",")):
        found = re.fullmatch(r"(\d+)-(\d+)", part)
        if part in have or not found:
            wanted += [part] if part else []
        else:
            first, last = int(found[1]), int(found[2])
            inside = [str(n) for n in range(first, last + 1) if str(n) in have]
            if not inside:
                raise UserError(f"--ids: no question between {first} and {last}")
            wanted += inside
    return wanted


def default_concurrency(wanted: Wanted) -> int:
    """Eight questions at a time with a model; one per core without, for then the work is done here."""
    import os

    return 8 if wanted.model or wanted.perceiver else max(1, os.cpu_count() or 1)


def _notes(loaded: LoadedSet, chosen: list[Item]) -> list[str]:
    notes = []
    if len(loaded.items) < loaded.rows:
        notes.append(
            f"{len(loaded.items)} of {loaded.rows} questions usable: the run is on a named subset, listed in run.json"
        )
        notes += [f"left out: {p}" for p in loaded.problems if p.fatal]
    if len(chosen) < len(loaded.items):
        notes.append(f"{len(chosen)} of {len(loaded.items)} usable questions chosen by --ids or --limit")
    return notes


def _no_secrets(wanted: Wanted) -> None:
    refuse_secrets({"--set": wanted.options, "--generate": wanted.generate}, wanted.base_url)


def refuse_secrets(settings: Mapping[str, Mapping[str, Any]], base_url: str | None) -> None:
    """Refuses settings that look like keys, before any of them is written down.

    Args:
        settings: by the option they were given with.
        base_url: address of a server, None for none.

    Raises:
        UserError: one looks like a key; the message names it, never its value.
    """
    for where, values in settings.items():
        for name in values:
            if _SECRET.search(name):
                raise UserError(
                    f"{where} {name}: keys are read from the environment only and never written down"
                )
    if base_url:
        parts = urlsplit(base_url)
        if parts.username or parts.password or _SECRET.search(parts.query) or "key=" in parts.query:
            raise UserError(
                "--base-url carries a key; leave it out and set the provider's environment variable"
            )


def _check_names(wanted: Wanted) -> None:
    from dataclasses import fields

    known = {f.name for f in fields(Limits)}
    for name in wanted.limits:
        if name not in known:
            raise UserError(f"--budget {name}: there is no such limit; there are: {', '.join(sorted(known))}")
    if wanted.generate:
        from inspect_ai.model import GenerateConfig

        for name in wanted.generate:
            if name not in GenerateConfig.model_fields or name == "cache":
                raise UserError(f"--generate {name}: the engine has no such setting")


def _check_senses(wanted: Wanted, items: list[Item]) -> None:
    """An agent that reads and hears needs something to do it with, said once and before the run."""
    if all(i.question.transcript for i in items):
        return
    from proofreel.perception import capabilities

    senses = capabilities(asr_model=wanted.options.get("asr_model"))
    if not senses.ocr.ok and not senses.speech.ok:
        raise UserError(f"agent {wanted.agent!r} can neither read nor hear here: {senses.ocr.detail}")


def _check_priced(wanted: Wanted) -> None:
    from proofreel.models.cards import model_card

    names = dict.fromkeys(
        n
        for n in (wanted.model, wanted.perceiver, wanted.judge, wanted.fallback_judge, *wanted.roles.values())
        if n
    )
    unpriced = [n for n in names if not model_card(n.removeprefix("proofreel/")).prices]
    if unpriced:
        raise UnknownPriceError(
            f"--max-cost cannot be kept: no price is known for {', '.join(unpriced)}; "
            "add one in a file named by PROOFREEL_MODELS, or leave --max-cost out"
        )
