"""Reading what the describing and the merging model wrote. Pure; nothing is made up where a field is wrong."""

from typing import Any

from proofreel.agents._dvd import InvalidTimeError, hhmmss_to_seconds
from proofreel.agents._dvd_base.asking import Unusable
from proofreel.agents._dvd_base.records import Subject
from proofreel.agents.answers import after_thinking, json_objects


def read_caption(text: str, start: int, end: int) -> tuple[str, tuple[Subject, ...]]:
    """Description and subjects of a clip.

    Args:
        text: the reply.
        start: first second of the clip; a ``first_seen`` that is no time of the clip becomes it.
        end: last second of the clip.

    Raises:
        Unusable: there is no description in it.
    """
    found = None
    for found in json_objects(after_thinking(text)):
        if "clip_description" in found:
            break
    if found is None:
        raise Unusable("the reply holds no JSON object")
    said = found.get("clip_description")
    if not isinstance(said, str) or not said.strip():
        raise Unusable("the reply has no clip_description")
    return said.strip(), read_registry(found.get("subject_registry"), start, end)


def read_merged(text: str, last: int) -> tuple[Subject, ...] | None:
    """The merged registry in a reply, None when there is none.

    Args:
        text: the reply.
        last: last second of the video.
    """
    for found in json_objects(after_thinking(text)):
        inner = found.get("subject_registry", found)
        subjects = read_registry(inner, 0, last)
        if subjects:
            return subjects
    return None


def read_registry(value: Any, start: int, end: int) -> tuple[Subject, ...]:
    """The valid entries of a ``subject_registry``: those that are objects with a name."""
    if not isinstance(value, dict):
        return ()
    found = []
    for entry in value.values():
        if not isinstance(entry, dict) or not _words(entry.get("name")):
            continue
        found.append(
            Subject(
                name=_words(entry["name"])[0],
                appearance=tuple(_words(entry.get("appearance"))),
                identity=tuple(_words(entry.get("identity"))),
                first_seen=_second(entry.get("first_seen"), start, end),
            )
        )
    return tuple(found)


def _words(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return list(
        dict.fromkeys(t for v in listed if isinstance(v, str | int | float) and (t := str(v).strip()))
    )


def _second(value: Any, start: int, end: int) -> int:
    try:
        second = hhmmss_to_seconds(str(value))
    except InvalidTimeError:
        return start
    return second if start <= second <= end else start
