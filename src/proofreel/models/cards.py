"""Finding the card of a model: shipped data files, then the user's own file on top."""

from __future__ import annotations

import difflib
import fnmatch
import os
import tomllib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from proofreel.core.errors import UserError
from proofreel.models.card import ModelCard
from proofreel.models.failure import UnknownModel

ENV = "PROOFREEL_MODELS"
"""Environment variable with the path of a card file (several: joined by the path separator)."""

_extra: list[Path] = []


class CardError(UserError, ValueError):
    """A card file cannot be read; the message names the file and the entry."""


def add_card_file(path: Path | str) -> None:
    """Lay a user's card file over the shipped ones, for this process (``--model-card``).

    The file is TOML with one ``[models."name"]`` table per card; fields given there replace those of the
    shipped card of the same name, a new name makes a new card.

    Raises:
        CardError: the file is missing or wrong.
    """
    _read(Path(path), Path(path).stat().st_mtime_ns if Path(path).is_file() else 0)
    _extra.append(Path(path))


def all_cards() -> dict[str, ModelCard]:
    """Every card by name, user files laid over.

    Raises:
        CardError: a user file is missing or wrong.
    """
    return _merged(_stamps())


def _stamps() -> tuple[tuple[Path, int], ...]:
    """The user files with their times of change."""
    named = [Path(p) for p in os.environ.get(ENV, "").split(os.pathsep) if p]
    return tuple((p, p.stat().st_mtime_ns if p.is_file() else 0) for p in [*named, *_extra])


def list_cards() -> list[ModelCard]:
    """Every card, sorted by name.

    Raises:
        CardError: a user file is missing or wrong.
    """
    return [card for _, card in sorted(all_cards().items())]


def model_card(name: str, *, strict: bool = False) -> ModelCard:
    """The card of a model.

    Args:
        name: as given to ``resolve_model``; ``proofreel/`` in front, provider and organisation are optional.
        strict: an unknown model is an error; otherwise it gets a card of unknowns.

    Raises:
        UnknownModel: with ``strict`` and no card.
        CardError: a user file is missing or wrong.
    """
    card = _matching(name.lower().removeprefix("proofreel/"), _stamps())
    if card is not None:
        return card
    if strict:
        raise UnknownModel(name, close_names(name), "has no card (give one with --model-card)")
    return ModelCard(name=name.lower().removeprefix("proofreel/"))


@lru_cache(maxsize=256)
def _matching(wanted: str, stamped: tuple[tuple[Path, int], ...]) -> ModelCard | None:
    """The card of that name, else the one with the longest pattern that fits; every call of a run asks for one."""
    cards = _merged(stamped)
    best: tuple[int, ModelCard] | None = None
    for card in cards.values():
        if card.name.lower() == wanted:
            return card
        for pattern in card.match:
            target = wanted if "/" in pattern else wanted.rsplit("/", 1)[-1]
            if fnmatch.fnmatchcase(target, pattern) and (best is None or len(pattern) > best[0]):
                best = (len(pattern), card)
    return None if best is None else best[1]


def close_names(name: str) -> tuple[str, ...]:
    """At most three card names that look like ``name``."""
    names = sorted(all_cards())
    short = {n.rsplit("/", 1)[-1]: n for n in names}
    wanted = name.lower().removeprefix("proofreel/")
    hits = difflib.get_close_matches(wanted, names, 3, 0.6)
    hits += [short[s] for s in difflib.get_close_matches(wanted.rsplit("/", 1)[-1], list(short), 3, 0.6)]
    return tuple(dict.fromkeys(hits))[:3]


@lru_cache(maxsize=8)
def _merged(stamped: tuple[tuple[Path, int], ...]) -> dict[str, ModelCard]:
    tables: dict[str, dict[str, Any]] = {}
    for resource in sorted(files("proofreel.models").joinpath("data").iterdir(), key=lambda r: r.name):
        if resource.name.endswith(".toml"):
            tables |= tomllib.loads(resource.read_text("utf-8")).get("models", {})
    cards = {n: _card(n, t, Path(n)) for n, t in tables.items()}
    for path, stamp in stamped:
        for name, table in _read(path, stamp).items():
            shipped = cards.get(name)
            base = shipped.model_dump(exclude_unset=True) if shipped else {}
            if shipped is None and "match" not in table:
                base["match"] = (name.lower().rsplit("/", 1)[-1],)
            base.pop("name", None)
            cards[name] = _card(name, {"source": str(path)} | base | table, path)
    return cards


@lru_cache(maxsize=32)
def _read(path: Path, stamp: int) -> dict[str, dict[str, Any]]:
    del stamp  # only part of the cache key: a changed file is read again
    try:
        models = tomllib.loads(path.read_text("utf-8")).get("models", {})
    except OSError as error:
        raise CardError(f"{path}: cannot read the model card file ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CardError(f"{path}: not a TOML model card file ({error})") from error
    if not isinstance(models, dict) or not models:
        raise CardError(f'{path}: no [models."provider/name"] table in the model card file')
    for name, table in models.items():
        _card(name, {"source": str(path)} | table, path)
    return models


def _card(name: str, table: dict[str, Any], path: Path) -> ModelCard:
    try:
        return ModelCard.model_validate({"name": name} | table)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(p) for p in first["loc"])
        raise CardError(f"{path}: card {name!r}, field {where}: {first['msg']}") from error
