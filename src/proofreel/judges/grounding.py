"""How well the cited moments match the gold ones."""

from proofreel.core import Gold, Trajectory, tiou


def window_score(trajectory: Trajectory, gold: Gold) -> float | None:
    """tIoU of all windows cited with the answer against the gold windows; None when there is no gold window.

    An answer that cites nothing scores 0: it was asked to prove and did not.
    """
    if not gold.windows:
        return None
    return tiou(gold.windows, [e.window for e in trajectory.answer.evidence if e.window is not None])
