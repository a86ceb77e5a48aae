"""The one base class of stored records."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value that refuses unknown fields and non-finite numbers, so stored data cannot drift."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
