"""Everything that decides a run's numbers, written down before the first call; no key is ever among it."""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from proofreel.core._base import Record

OPERATIONAL = frozenset(
    {"run_id", "name", "created", "concurrency", "max_cost", "data", "rows", "usable", "left_out"}
)
"""Settings that may differ between the attempts of one run: they change speed or place, never a number."""


class VideoStamp(Record):
    """A cheap identity of a file: bytes, time of change, and a hash of its first and last 64 KiB.

    The time of change is looked at first; only when it differs (a copied folder) is the hash taken again.
    """

    size: int = Field(ge=0)
    mtime_ns: int
    edges: str


class RunSettings(Record):
    """The record in ``run.json``.

    Attributes:
        run_id: unique; the response cache of the run is scoped by it.
        name: for people: benchmark, agent, model.
        created: UTC, ISO 8601.
        proofreel: version that started the run.
        engine: version of the engine.
        data: data folder, None for data shipped with the package.
        rows: rows of the questions file.
        usable: rows that could be loaded; fewer than ``rows`` means that the run is on a named subset.
        left_out: what is wrong with the other rows, one line each.
        fingerprint: SHA-256 over the chosen questions with gold and metadata, paths relative to ``data``.
        videos: stamp of every video, by path relative to ``data``.
        items: ids chosen, in order.
        ids: how they were asked for (``--ids``), None for all.
        limit: how many at most, None for all.
        roles: further models by role, such as ``captioner``; what they are for, agents say.
        fallback_judge: asked only when the judge stays unavailable or empty, for benchmarks that have one.
        options: settings of the agent.
        frames: those of ``options`` that decide which frames are shown and how.
        generate: generation settings of all models (temperature, timeouts, ...).
        limits: budget of one question.
        prompts: SHA-256 over the texts of the modules the agent takes its prompts from.
        prompt_modules: their names.
        max_cost: hard stop of the whole run in USD, None for none.
    """

    format_version: Literal[1] = 1
    run_id: str
    name: str
    created: str
    proofreel: str
    engine: str
    benchmark: str
    data: str | None = None
    rows: int = Field(ge=0)
    usable: int = Field(ge=0)
    left_out: tuple[str, ...] = ()
    fingerprint: str
    videos: dict[str, VideoStamp] = Field(default_factory=dict)
    items: tuple[str, ...]
    ids: str | None = None
    limit: int | None = Field(default=None, ge=1)
    agent: str
    options: dict[str, Any] = Field(default_factory=dict)
    frames: dict[str, Any] = Field(default_factory=dict)
    mode: Literal["careful", "official"] = "careful"
    model: str | None = None
    perceiver: str | None = None
    judge: str | None = None
    fallback_judge: str | None = None
    roles: dict[str, str] = Field(default_factory=dict)
    base_url: str | None = None
    generate: dict[str, Any] = Field(default_factory=dict)
    limits: dict[str, float | int | None] = Field(default_factory=dict)
    prompts: str
    prompt_modules: tuple[str, ...] = ()
    epochs: int = Field(default=1, ge=1)
    concurrency: int = Field(default=8, ge=1)
    max_cost: float | None = Field(default=None, gt=0)

    @property
    def keys(self) -> tuple[tuple[str, int], ...]:
        """Every (item id, epoch) of the run; epochs count from 1."""
        return tuple((item, epoch) for epoch in range(1, self.epochs + 1) for item in self.items)


_HASHED = {"fingerprint": "questions, gold or metadata", "prompts": "prompt texts or tools"}


def differences(old: RunSettings, new: RunSettings) -> Iterator[str]:
    """What differs between two settings and may change a number, one line each, innermost setting named."""
    a, b = old.model_dump(mode="json"), new.model_dump(mode="json")
    for field in a:
        if field in OPERATIONAL or field == "format_version":
            continue
        if field == "videos":
            yield from _videos(old.videos, new.videos)
        elif field in _HASHED:
            if a[field] != b[field]:
                yield f"{field}: {_HASHED[field]} changed (hash {a[field][:12]} then, {b[field][:12]} now)"
        else:
            yield from _unlike(field, a[field], b[field])


def _videos(old: dict[str, VideoStamp], new: dict[str, VideoStamp]) -> Iterator[str]:
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield f"video {name}: gone"
        elif name not in old:
            yield f"video {name}: new"
        elif (old[name].size, old[name].edges) != (new[name].size, new[name].edges):
            yield f"video {name}: another file ({old[name].size} bytes then, {new[name].size} now)"


def _unlike(name: str, left: Any, right: Any) -> Iterator[str]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            yield from _unlike(f"{name}.{key}", left.get(key, "absent"), right.get(key, "absent"))
    elif left != right:
        if isinstance(left, list) and isinstance(right, list):
            yield f"{name}: {len(left)} entries then, {len(right)} now, not the same"
        else:
            yield f"{name}: {left} then, {right} now"
