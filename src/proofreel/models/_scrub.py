"""Raw calls for the log: without media, and what they tell about token kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from proofreel.core._base import without_halves

if TYPE_CHECKING:
    from inspect_ai.model import ModelCall

R = TypeVar("R", bound=BaseModel)
_LONG = 1024
_BASE64 = re.compile(r"(?:data:[\w/.+;=-]*,)?[A-Za-z0-9+/_=,-]+")


def scrubbed(call: ModelCall) -> ModelCall:
    """The call with every long base64 string of its request replaced by a note of its length."""
    return call.model_copy(update={"request": _walk(call.request)})


def _walk(value: Any) -> Any:
    if isinstance(value, str):
        encoded = len(value) > _LONG and value.isascii() and _BASE64.fullmatch(value, 0, 8 * _LONG)
        return f"<media removed: {len(value)} characters>" if encoded else value
    if isinstance(value, dict):
        return {k: _walk(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_walk(v) for v in value]
    return value


def whole(record: R) -> R:
    """The record as it is, or, when it holds half of a surrogate pair, a copy with U+FFFD there.

    Some servers cut replies inside an emoji. Such a text can be neither sent back nor written down.
    """
    try:
        record.model_dump_json()
    except PydanticSerializationError:
        return type(record).model_validate(without_halves(record.model_dump()))
    return record


def modalities_of(call: ModelCall | None) -> dict[str, int]:
    """Prompt tokens by kind from a Gemini response; empty when the server does not say."""
    response: Any = call.response if call is not None else None
    usage = (response or {}).get("usage_metadata") or (response or {}).get("usageMetadata") or {}
    details = usage.get("prompt_tokens_details") or usage.get("promptTokensDetails") or []
    found: dict[str, int] = {}
    for row in details:
        kind = str(row.get("modality", "")).rsplit(".", 1)[-1].lower()
        count = row.get("token_count", row.get("tokenCount"))
        if kind and count:
            found[kind] = found.get(kind, 0) + int(count)
    return found
