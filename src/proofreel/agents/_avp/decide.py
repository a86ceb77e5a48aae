"""When AVP stops."""

from typing import Literal

Decision = Literal["extract_answer", "replan", "force_answer"]
MAX_ROUNDS = 3
HALTING_CONFIDENCE = 0.7
# What an unreadable reflection counts as.
UNREADABLE_CONFIDENCE = 0.3


def decide(
    confidence: float, sufficient: bool, *, is_last_round: bool, tau: float = HALTING_CONFIDENCE
) -> Decision:
    """What follows a reflection.

    Args:
        confidence: of the reflection, in [0, 1].
        sufficient: whether it calls the evidence sufficient.
        is_last_round: the last round always forces an answer, whatever the reflection would say.
        tau: least confidence to stop at.

    Returns:
        ``extract_answer`` iff the evidence is sufficient and the confidence at least ``tau``, else ``replan``;
        ``force_answer`` in the last round.
    """
    if is_last_round:
        return "force_answer"
    return "extract_answer" if sufficient and confidence >= tau else "replan"
