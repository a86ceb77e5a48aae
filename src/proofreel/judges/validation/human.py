"""Does the judge rate as people do, axis by axis?"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from proofreel.core.errors import UserError
from proofreel.judges._csv_rows import csv_rows
from proofreel.judges.rubric_scores import ABBREVIATIONS, AXES, traj_score
from proofreel.judges.validation.result import (
    LEAST,
    Case,
    CheckResult,
    Judged,
    count,
    decided,
    figure,
    number,
    plain_table,
    text,
    traj_of,
)

NAME = "human"
LEAST_R = 0.7


@dataclass(frozen=True)
class Rating:
    """One person's scores of one trajectory; None where the axis does not apply."""

    item_id: str
    epoch: int
    run: str | None
    rater: str
    scores: dict[str, float | None]


def read_ratings(path: Path) -> list[Rating]:
    """Ratings from a CSV or JSONL file.

    Columns or keys: ``item_id``, optionally ``epoch`` (1), ``run`` (name of the run's folder) and ``rater``, and the
    axes as P1 to P5 or by their long or short names, each 0, 1, 2 or empty.

    Raises:
        UserError: the file cannot be read, or a row is wrong; the message names it.
    """
    try:
        raw = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: the ratings cannot be read ({error})") from None
    rows: list[Mapping[str, object]]
    if path.suffix.lower() == ".csv":
        rows = list(csv_rows(raw, path))
    else:
        rows = []
        for n, line in enumerate(raw.split("\n"), 1):
            try:
                row = json.loads(line) if line.strip() else {}
            except (ValueError, RecursionError) as error:
                raise UserError(f"{path} line {n}: is no JSON ({error})") from None
            if not isinstance(row, dict):
                raise UserError(f"{path} line {n}: is no JSON object")
            rows += [row] if row else []
    ratings = [_rating(row, f"{path} row {n}") for n, row in enumerate(rows, 1)]
    if not ratings:
        raise UserError(f"{path}: holds no rating")
    return ratings


def human(cases: Sequence[Case], base: Judged, ratings: Sequence[Rating]) -> CheckResult:
    """Pearson's r of judge and people on Traj and on every axis; people are averaged first.

    P4 is compared where both sides score it. The published judge reaches 0.77 overall.
    """
    from proofreel.stats import krippendorff_alpha, pearson

    if not ratings:
        said = "no scores by people were given (--ratings FILE)"
        return CheckResult(name=NAME, verdict="no_data", said=said, threshold=f"r of Traj >= {LEAST_R}")
    people = _by_case(cases, ratings)
    pairs = [
        (t, mean)
        for c in cases
        if c.id in people
        and (t := traj_of(base, c)) is not None
        and (mean := traj_score(_mean_scores(people[c.id]))) is not None
    ]
    overall = pearson([a for a, _ in pairs], [b for _, b in pairs]).value if len(pairs) > 1 else None
    values: dict[str, float | None] = {"overall": overall}
    rows: list[tuple[str | float | None, ...]] = []
    for axis in AXES:
        seen = [
            (s, h)
            for c in cases
            if c.id in people
            and c.id in base
            and (s := base[c.id].scores.get(axis)) is not None
            and (h := _mean_scores(people[c.id])[axis]) is not None
        ]
        r = pearson([s for s, _ in seen], [h for _, h in seen]).value if len(seen) > 1 else None
        alpha = krippendorff_alpha([[r.scores[axis] for r in rs] for rs in people.values()], "ordinal").value
        values[ABBREVIATIONS[axis]] = r
        rows.append((ABBREVIATIONS[axis], len(seen), r, alpha, *_means(seen)))
    rows.append(("Traj", len(pairs), overall, None, *_means(pairs)))
    values["rank_tau"] = _ranking(cases, base, people)
    holds = overall is not None and overall >= LEAST_R if len(pairs) >= LEAST else None
    said = (
        f"r {figure(overall)} with people on Traj ({len(pairs)} trajectories; at least {LEAST_R} is asked for); "
        + ", ".join(f"{a} {figure(values[a], 2)}" for a in ABBREVIATIONS.values())
    )
    columns = [
        text("axis"),
        count("trajectories"),
        number("Pearson r"),
        number("alpha between people"),
        number("judge mean"),
        number("human mean"),
    ]
    return decided(
        NAME,
        holds,
        said,
        f"r of Traj >= {LEAST_R}",
        n=len(pairs),
        values=values,
        tables=[plain_table(NAME, "Judge against people", columns, rows)],
    )


def _means(pairs: Sequence[tuple[float, float]]) -> tuple[float | None, float | None]:
    return (fmean(a for a, _ in pairs), fmean(b for _, b in pairs)) if pairs else (None, None)


def _ranking(
    cases: Sequence[Case], base: Judged, people: Mapping[tuple[str, int], list[Rating]]
) -> float | None:
    """Kendall's tau-b between the two rankings of the runs; None with fewer than two."""
    from proofreel.stats import kendall_tau_b

    runs: dict[str, list[tuple[float, float]]] = {}
    for c in cases:
        mine = traj_of(base, c)
        theirs = traj_score(_mean_scores(people[c.id])) if c.id in people else None
        if mine is not None and theirs is not None:
            runs.setdefault(c.run, []).append((mine, theirs))
    if len(runs) < 2:
        return None
    means = [_means(p) for p in runs.values()]
    return kendall_tau_b([float(a or 0) for a, _ in means], [float(b or 0) for _, b in means]).value


def _by_case(cases: Sequence[Case], ratings: Sequence[Rating]) -> dict[tuple[str, int], list[Rating]]:
    runs = {c.run for c in cases}
    found: dict[tuple[str, int], list[Rating]] = {}
    for c in cases:
        mine = [
            r
            for r in ratings
            if (r.item_id, r.epoch) == (c.item.question.id, c.id[1])
            and (r.run == c.run or (r.run is None and len(runs) == 1))
        ]
        if mine:
            found[c.id] = mine
    return found


def _mean_scores(ratings: Sequence[Rating]) -> dict[str, float | None]:
    means: dict[str, float | None] = {}
    for axis in AXES:
        said = [s for r in ratings if (s := r.scores[axis]) is not None]
        means[axis] = fmean(said) if said else None
    return means


def _rating(row: Mapping[str, object], where: str) -> Rating:
    item = str(row.get("item_id") or row.get("question_id") or "").strip()
    if not item:
        raise UserError(f"{where}: item_id is missing")
    scores = {axis: _score(row, axis, where) for axis in AXES}
    if all(s is None for s in scores.values()):
        raise UserError(f"{where}: no axis has a score; name columns P1 to P5")
    epoch = str(row.get("epoch") or "1").strip()
    if not (epoch.isascii() and epoch.isdigit() and len(epoch) < 10):
        raise UserError(f"{where}: epoch {epoch!r} is no number")
    run = str(row.get("run") or "").strip() or None
    return Rating(item, int(epoch), run, str(row.get("rater") or "1").strip(), scores)


def _score(row: Mapping[str, object], axis: str, where: str) -> float | None:
    given = next((row[k] for k in (axis, AXES[axis], ABBREVIATIONS[axis]) if k in row), None)
    if given is None or str(given).strip().lower() in ("", "null", "none", "na", "n/a"):
        return None
    if str(given).strip() not in ("0", "1", "2"):
        raise UserError(f"{where}: {axis} is {given!r}; give 0, 1, 2 or leave it empty")
    return float(str(given))
