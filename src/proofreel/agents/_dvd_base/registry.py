"""Uniting the subjects of many clips: in batches a model can take, and without a model where none answers."""

import json
from collections.abc import Sequence

from proofreel.agents._dvd_base.records import Subject, registry_form

BATCH_CHARACTERS = 24_000
"""Most characters of registries in one request: about 6000 tokens, so that the reply fits common output limits."""


def batches(registries: Sequence[tuple[Subject, ...]]) -> list[list[tuple[Subject, ...]]]:
    """Non-empty registries in order, in groups of at least two as far as the size allows."""
    made: list[list[tuple[Subject, ...]]] = []
    size = 0
    for registry in registries:
        if not registry:
            continue
        weight = len(json.dumps(registry_form(registry), ensure_ascii=False))
        if not made or (size + weight > BATCH_CHARACTERS and len(made[-1]) > 1):
            made.append([])
            size = 0
        made[-1].append(registry)
        size += weight
    return made


def unite(registries: Sequence[tuple[Subject, ...]]) -> tuple[Subject, ...]:
    """One list in order of first sight: entries with the same name (letter case aside) become one, fields united."""
    found: dict[str, Subject] = {}
    for subject in (s for registry in registries for s in registry):
        key = " ".join(subject.name.casefold().split())
        known = found.get(key)
        if known is None:
            found[key] = subject
            continue
        found[key] = Subject(
            name=known.name,
            appearance=tuple(dict.fromkeys([*known.appearance, *subject.appearance])),
            identity=tuple(dict.fromkeys([*known.identity, *subject.identity])),
            first_seen=min(known.first_seen, subject.first_seen),
        )
    return tuple(sorted(found.values(), key=lambda s: s.first_seen))
