"""Labels of raters: what counts as missing."""

from collections.abc import Hashable, Iterable, Sequence


def is_missing(label: Hashable) -> bool:
    """None and NaN are missing; everything else is a label."""
    return label is None or label != label


def refuse_missing(rows: Iterable[Sequence[Hashable]]) -> None:
    """Refuse rows of labels with a missing one.

    Raises:
        ValueError: a label is None or NaN.
    """
    for row in rows:
        if any(is_missing(label) for label in row):
            raise ValueError("ratings: a label is missing; krippendorff_alpha takes incomplete ratings")
