"""``key=value`` words of a command as typed values."""

import json
from typing import Any

from proofreel.core.errors import UserError


def pairs(option: str, words: list[str] | None) -> dict[str, Any]:
    """Each ``key=value``; values are JSON where they are valid JSON (numbers, true, null, lists), else text.

    Raises:
        UserError: a word without ``=``, or a key given twice.
    """
    out: dict[str, Any] = {}
    for word in words or []:
        key, equals, value = word.partition("=")
        if not equals or not key.strip():
            raise UserError(f"{option} {word}: write it as key=value")
        if key.strip() in out:
            raise UserError(f"{option} {key.strip()}: given twice")
        try:
            out[key.strip()] = json.loads(value)
        except ValueError:
            out[key.strip()] = value
    return out
