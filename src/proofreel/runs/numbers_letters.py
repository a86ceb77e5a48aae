"""Letters for groups that cannot be told apart: systems that share a letter do not differ significantly."""

import string
from collections.abc import Collection


def group_letters(count: int, differ: Collection[tuple[int, int]]) -> list[str]:
    """A letter display of pairwise tests over systems 0 .. count-1, best first.

    Every two systems that do not differ share at least one letter, and no two that do differ share any.

    Args:
        count: number of systems, in the order of their rank.
        differ: pairs (i, j), i < j, whose difference is significant.

    Returns:
        One string of letters a system; after ``z`` come ``aa``, ``bb``, ....

    Source: H.-P. Piepho, Journal of Computational and Graphical Statistics 13 (2004), insert and absorb.
    """
    groups = [frozenset(range(count))] if count else []
    for i, j in sorted(differ):
        split: list[frozenset[int]] = []
        for group in groups:
            split += [group - {i}, group - {j}] if i in group and j in group else [group]
        groups = [g for g in dict.fromkeys(split) if not any(g < other for other in split)]
    groups.sort(key=sorted)
    marks = [string.ascii_lowercase[n % 26] * (n // 26 + 1) for n in range(len(groups))]
    return ["".join(m for m, g in zip(marks, groups, strict=True) if k in g) for k in range(count)]
