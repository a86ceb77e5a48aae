"""How an item ended."""

from enum import StrEnum


class Outcome(StrEnum):
    """The seven ways an item can end; only RIGHT and WRONG are statements about the model's answer."""

    RIGHT = "right"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    MODEL_FAILED = "model_failed"
    JUDGE_FAILED = "judge_failed"
    HARNESS_FAILED = "harness_failed"
    EXCLUDED = "excluded"

    @property
    def scored(self) -> bool:
        """Whether the item carries a verdict on the answer."""
        return self in (Outcome.RIGHT, Outcome.WRONG)
