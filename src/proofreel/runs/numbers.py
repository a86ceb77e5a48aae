"""From results to numbers: counts of every ending, accuracies with intervals, slices, what it cost."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from proofreel.core import Item, Outcome
from proofreel.judges import Verdict
from proofreel.runs.numbers_load import ScoredRun, load_run
from proofreel.runs.numbers_official import official_summaries
from proofreel.runs.numbers_records import (
    FEW_VIDEOS,
    WITHOUT,
    Bounds,
    Counts,
    Epochs,
    Estimate,
    RunNumbers,
    SliceRow,
    Span,
)
from proofreel.runs.numbers_usage import usage_of
from proofreel.runs.result import Key
from proofreel.stats import accuracy_interval, bootstrap_interval, missing_bounds
from proofreel.stats.wilson import Interval

MOST_VALUES = 40
"""A metadata key with more values than this is a name, not a slice."""
NAMES = frozenset({"title", "video.title", "video.file_name", "video.duration"})
"""Keys that name a question or a video; lengths are sliced by ``BINS``."""
BINS = ((180.0, "short (under 3 min)"), (600.0, "medium (3 to 10 min)"), (float("inf"), "long (over 10 min)"))
THRESHOLDS = tuple(n / 10 for n in range(1, 11))
"""Of tIoU, for the curve of questions at or above each."""
RESAMPLES = 10_000


def run_numbers(run: ScoredRun, *, resamples: int = RESAMPLES, seed: int = 0) -> RunNumbers:
    """All tables of one run.

    The accuracy is right / (right + wrong + abstained + unparsed + model_failed): an answer that cannot be read or a
    model that gave none is not right. A failed judge, a fault of the harness and what was not run say nothing about
    the model; they are left out of it, counted beside it, and ``bounds`` shows what they could have done. Excluded
    items are in none of these.

    Args:
        run: from ``load_run``, or made in memory.
        resamples: of both bootstraps.
        seed: of both bootstraps.
    """
    keys = list(run.settings.keys)
    s = run.settings
    counts = count(run.verdicts.get(k) for k in keys)
    verdicts = counts.right + counts.wrong + counts.abstained
    subset = None
    if s.usable < s.rows or len(s.items) < s.usable:
        subset = f"{len(s.items)} of {s.rows} questions ({s.rows - s.usable} not usable)"
    served = run.served()
    mixed = [
        f"several models answered as {role}: {', '.join(names)}; the numbers mix them"
        for role, names in served.items()
        if len(names) > 1
    ]
    cited = [r.tiou for k in keys if (r := run.results.get(k)) is not None and r.tiou is not None]
    return RunNumbers(
        path=run.path,
        name=s.name,
        benchmark=s.benchmark,
        agent=s.agent,
        model=s.model,
        perceiver=s.perceiver,
        judge=s.judge,
        mode=s.mode,
        scored_by=run.scored_by,
        questions=len(s.items),
        epochs_asked=s.epochs,
        named_subset=subset,
        counts=counts,
        accuracy=estimate(run, keys, resamples, seed),
        of_verdicts=counts.right / verdicts if verdicts else None,
        bounds=bounds(run, keys),
        tiou=fmean(cited) if cited else None,
        tiou_of=len(cited),
        tiou_curve=tuple((t, fmean(v >= t - 1e-9 for v in cited)) for t in THRESHOLDS) if cited else (),
        slices=tuple(slices(run)),
        usage=usage_of(run, counts),
        epochs=epochs(run) if s.epochs > 1 else None,
        official=official_summaries(run),
        chance=chance(run.items.values()),
        served=served,
        notes=(*run.notes, *mixed),
    )


def numbers_of(path: str) -> RunNumbers:
    """All tables of the run in a folder.

    Raises:
        RunError: no run there, or broken files.
    """
    return run_numbers(load_run(path))


def count(verdicts: Iterable[Verdict | None]) -> Counts:
    """Counts of endings; None is a pair that was not run."""
    found: dict[str, int] = {}
    for verdict in verdicts:
        name = ending_of(verdict)
        found[name] = found.get(name, 0) + 1
    return Counts(**found)


def ending_of(verdict: Verdict | None) -> str:
    """Name of an ending as ``Counts`` has it; None is a pair that was not run."""
    if verdict is None:
        return "not_run"
    gave_none = verdict.abstained and verdict.outcome is Outcome.WRONG
    return "abstained" if gave_none else verdict.outcome.value


def value_of(verdict: Verdict | None) -> float | None:
    """1 right; 0 wrong, unparsed, model_failed; None for what says nothing about the model."""
    if verdict is None or verdict.outcome.value in WITHOUT or verdict.outcome is Outcome.EXCLUDED:
        return None
    return float(verdict.outcome is Outcome.RIGHT)


def estimate(run: ScoredRun, keys: Sequence[Key], resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Accuracy over (item, epoch) pairs; videos are the clusters, so that epochs and neighbours are not independent."""
    kept = [(k, v) for k in keys if (v := value_of(run.verdicts.get(k))) is not None]
    if not kept:
        return Estimate(rate=None, right=0, asked=0, reason="nothing was asked")
    values = [v for _, v in kept]
    videos = [run.video(k[0]) for k, _ in kept]
    found = accuracy_interval(values, videos)
    several = len(set(videos)) >= FEW_VIDEOS
    return Estimate(
        rate=found.rate,
        right=found.right,
        asked=found.items,
        interval=span(found.interval),
        by_question=span(bootstrap_interval(values, [k[0] for k, _ in kept], resamples=resamples, seed=seed)),
        by_video=span(bootstrap_interval(values, videos, resamples=resamples, seed=seed))
        if several
        else None,
        videos=len(set(videos)),
        effective=None if found.design is None else found.design.effective,
        icc=None if found.design is None else found.design.icc,
        reason=found.reason,
    )


def bounds(run: ScoredRun, keys: Sequence[Key]) -> Bounds | None:
    """What the pairs without a verdict (unparsed, failed, not run) can do; None when everything is excluded."""
    values: list[float | None] = []
    videos = []
    for key in keys:
        verdict = run.verdicts.get(key)
        if verdict is not None and verdict.outcome is Outcome.EXCLUDED:
            continue
        scored = verdict is not None and verdict.outcome.scored
        values.append(value_of(verdict) if scored else None)
        videos.append(run.video(key[0]))
    if not values:
        return None
    found = missing_bounds([float("nan") if v is None else v for v in values], videos)
    return Bounds(
        items=found.items,
        without_verdict=found.missing,
        low=found.worst.rate,
        high=found.best.rate,
        interval=span(found.interval),
    )


def slices(run: ScoredRun) -> Iterable[SliceRow]:
    """A row for every value of every metadata key that groups questions, and for bins of duration."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name in run.settings.items:
        item = run.items.get(name)
        labels = [] if item is None else list(_labels(item.metadata))
        if name in run.durations:
            bin_ = next(text for limit, text in BINS if run.durations[name] < limit)
            labels.append(("duration", bin_))
        for key, value in labels:
            groups.setdefault(key, {}).setdefault(value, []).append(name)
    for key, values in sorted(groups.items()):
        several = 1 < len(values) <= MOST_VALUES and max(map(len, values.values())) > 1
        if not several or key in NAMES:
            continue
        for value, names in sorted(values.items(), key=lambda v: _order(v[0])):
            yield _slice(run, key, value, names)


def _order(value: str) -> tuple[int, str]:
    known = ("easy", "medium", "hard", "very hard", *(text for _, text in BINS))
    return (known.index(value) if value in known else len(known), value)


def _slice(run: ScoredRun, key: str, value: str, names: Sequence[str]) -> SliceRow:
    inside = set(names)
    keys = [k for k in run.settings.keys if k[0] in inside]
    kept = [(k, v) for k in keys if (v := value_of(run.verdicts.get(k))) is not None]
    found = accuracy_interval([v for _, v in kept], [run.video(k[0]) for k, _ in kept]) if kept else None
    return SliceRow(
        key=key,
        value=value,
        counts=count(run.verdicts.get(k) for k in keys),
        videos=len({run.video(n) for n in names}),
        rate=None if found is None else found.rate,
        interval=None if found is None else span(found.interval),
        reason="nothing was asked" if found is None else found.reason,
    )


def _labels(metadata: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    """(key, value) of texts, numbers, booleans and lists of texts; nested keys are joined with a dot."""
    for key, value in metadata.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _labels(value, f"{name}.")
        elif isinstance(value, list | tuple):
            for one in dict.fromkeys(v for v in value if isinstance(v, str) and v):
                yield name, one
        elif isinstance(value, str | int | float | bool) and value != "":
            yield name, str(value)


def epochs(run: ScoredRun) -> Epochs:
    """Accuracy of each pass and how far passes agree, over questions that have all of them."""
    passes = range(1, run.settings.epochs + 1)
    rates = []
    for epoch in passes:
        given = [value_of(run.verdicts.get((i, epoch))) for i in run.settings.items]
        values = [v for v in given if v is not None]
        rates.append(fmean(values) if values else None)
    whole = [
        [run.verdicts[i, e] for e in passes]
        for i in run.settings.items
        if all(value_of(run.verdicts.get((i, e))) is not None for e in passes)
    ]
    right = [sum(v.outcome is Outcome.RIGHT for v in row) for row in whole]
    same = [len({(v.outcome, v.letter) for v in row}) == 1 for row in whole]
    known = [r for r in rates if r is not None]
    return Epochs(
        rates=tuple(rates),
        mean=fmean(known) if known else None,
        always=sum(n == len(passes) for n in right),
        sometimes=sum(0 < n < len(passes) for n in right),
        never=sum(n == 0 for n in right),
        same=fmean(same) if same else None,
        complete=len(whole),
    )


def chance(items: Iterable[Item]) -> float | None:
    """Accuracy of blind guessing, None as soon as a question is open."""
    shares = [1 / len(i.question.options) if i.question.options else None for i in items]
    known = [s for s in shares if s is not None]
    return fmean(known) if known and len(known) == len(shares) else None


def span(interval: Interval | None) -> Span | None:
    """An interval of the statistics package as a record."""
    return None if interval is None else Span(low=interval.low, high=interval.high)
