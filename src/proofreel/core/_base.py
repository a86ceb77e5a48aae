"""The one base class of stored records."""

import re
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError, to_json

_LONE = re.compile("[\ud800-\udfff]")


class Record(BaseModel):
    """A frozen value that refuses unknown fields and non-finite numbers, so stored data cannot drift."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def model_dump_json(self, *, indent: int | None = None, **how: Any) -> str:
        """The record as JSON.

        Half of a surrogate pair, which servers send when they cut a reply inside an emoji, has no UTF-8 form; it is
        written as U+FFFD, so that no paid reply is lost over it.
        """
        try:
            return super().model_dump_json(indent=indent, **how)
        except PydanticSerializationError:
            return to_json(without_halves(self.model_dump(mode="json", **how)), indent=indent).decode()


def without_halves(value: Any) -> Any:
    """A JSON value with every half of a surrogate pair replaced by U+FFFD."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {without_halves(k): without_halves(v) for k, v in value.items()}
    if isinstance(value, list):
        return [without_halves(v) for v in value]
    return value
