"""Two runs compared: the first differing setting, prompt, frame or model, then the items that changed."""

from collections.abc import Sequence

from proofreel.runs.diff_frames import compare_frames
from proofreel.runs.diff_records import Change, FramesCompared, Paired, RunDiff
from proofreel.runs.diff_settings import setting_differences
from proofreel.runs.numbers import ending_of, span, value_of
from proofreel.runs.numbers_load import ScoredRun, load_run
from proofreel.runs.numbers_records import FEW_VIDEOS
from proofreel.runs.result import Key
from proofreel.stats import mcnemar, paired_bootstrap, sign_flip_test


def diff_folders(a: str, b: str) -> RunDiff:
    """The comparison of two run folders.

    Raises:
        RunError: no run in a folder, or broken files.
    """
    return diff_runs(load_run(a, probe_videos=False), load_run(b, probe_videos=False))


def diff_runs(a: ScoredRun, b: ScoredRun, *, resamples: int = 10_000, seed: int = 0) -> RunDiff:
    """The comparison of two runs that are loaded.

    Runs are the same when no setting that may change a number differs, models were shown the same frames, and every
    item ended the same way with the same answer.

    Args:
        a: first run; differences are second minus first.
        b: second run.
        resamples: of the bootstraps.
        seed: of the bootstraps.
    """
    settings, place = setting_differences(a.settings, b.settings)
    shared = [k for k in a.settings.keys if k in a.results and k in b.results]
    frames = compare_frames(a, b, shared)
    models = _models(a, b)
    answers = [k for k in shared if _answer(a, k) != _answer(b, k)]
    changes = _changes(a, b, shared)
    only_a, only_b = _only(a, b), _only(b, a)
    first = _first(settings, frames, models, answers, changes, only_a + only_b)
    notes = [f"{a.path}: {n}" for n in a.notes] + [f"{b.path}: {n}" for n in b.notes]
    if frames is None:
        notes.append("frames were not compared: one of the runs kept no ledger")
    return RunDiff(
        a=a.path,
        b=b.path,
        same=first is None,
        first=first,
        settings=tuple(settings),
        place=tuple(place),
        frames=frames,
        models=models,
        only_in_a=only_a,
        only_in_b=only_b,
        answers=len(answers),
        unchanged=len(shared) - sum(len(c.items) for c in changes),
        changes=tuple(changes),
        paired=paired_accuracy(a, b, shared, resamples, seed),
        notes=tuple(notes),
    )


def _first(
    settings: Sequence[object],
    frames: FramesCompared | None,
    models: str | None,
    answers: Sequence[Key],
    changes: Sequence[Change],
    only: Sequence[str],
) -> str | None:
    if settings:
        return str(settings[0])
    if models is not None:
        return models
    if frames is not None and frames.first is not None:
        return str(frames.first)
    if only:
        return f"{len(only)} results are in one run only, the first is {only[0]}"
    if answers:
        item, epoch = answers[0]
        return f"question {item}, epoch {epoch}: another answer, with the same settings and frames"
    if changes:
        return f"question {changes[0].items[0]}: {changes[0].before} against {changes[0].after}, the answer is the same"
    return None


def _models(a: ScoredRun, b: ScoredRun) -> str | None:
    """The first difference in the models that answered, by role: names as the servers gave them, per the journals."""
    left, right = a.served(), b.served()
    for role in sorted(left.keys() & right.keys()):
        if left[role] != right[role]:
            return f"model snapshot in role {role}: {', '.join(left[role])} against {', '.join(right[role])}"
    return None


def _answer(run: ScoredRun, key: Key) -> tuple[str | None, str | None]:
    answer = run.results[key].trajectory.answer
    return run.verdicts[key].letter or answer.letter, answer.value


def _changes(a: ScoredRun, b: ScoredRun, keys: Sequence[Key]) -> list[Change]:
    moved: dict[tuple[str, str], list[str]] = {}
    for key in keys:
        before, after = _ending(a, key), _ending(b, key)
        if before != after:
            name = key[0] if a.settings.epochs == 1 else f"{key[0]} (epoch {key[1]})"
            moved.setdefault((before, after), []).append(name)
    ordered = sorted(moved.items(), key=lambda m: (-len(m[1]), m[0]))
    return [Change(before=x, after=y, items=tuple(items)) for (x, y), items in ordered]


def _ending(run: ScoredRun, key: Key) -> str:
    return ending_of(run.verdicts[key])


def _only(here: ScoredRun, there: ScoredRun) -> tuple[str, ...]:
    return tuple(
        f"question {i} (epoch {e})"
        for i, e in here.settings.keys
        if (i, e) in here.results and (i, e) not in there.results
    )


def paired_accuracy(
    a: ScoredRun, b: ScoredRun, keys: Sequence[Key], resamples: int = 10_000, seed: int = 0
) -> Paired | None:
    """Accuracy of b minus that of a on the pairs that say something about the model in both; None without any."""
    rows = [
        (k, x, y)
        for k in keys
        if (x := value_of(a.verdicts[k])) is not None and (y := value_of(b.verdicts[k])) is not None
    ]
    if not rows:
        return None
    first, second = [x for _, x, _ in rows], [y for _, _, y in rows]
    questions, videos = [k[0] for k, _, _ in rows], [a.video(k[0]) for k, _, _ in rows]
    by_question = paired_bootstrap(second, first, questions, resamples=resamples, seed=seed)
    many = len(set(videos)) >= FEW_VIDEOS
    by_video = paired_bootstrap(second, first, videos, resamples=resamples, seed=seed) if many else None
    only_a = sum(x > y for _, x, y in rows)
    only_b = sum(y > x for _, x, y in rows)
    return Paired(
        pairs=len(rows),
        a=sum(first) / len(rows),
        b=sum(second) / len(rows),
        difference=by_question.difference,
        by_question=span(by_question.interval),
        by_video=None if by_video is None else span(by_video.interval),
        videos=len(set(videos)),
        only_a=only_a,
        only_b=only_b,
        mcnemar_p=mcnemar(only_a, only_b).exact_p,
        by_video_p=sign_flip_test(second, first, videos).p,
    )
