"""T4 and T5, what a model is given to answer from, and T10, how many frames."""

from collections.abc import Callable, Sequence

from proofreel.benchmarks.videozerobench.inputs import EVIDENCE
from proofreel.benchmarks.videozerobench.marks import LevelRun, Mark, stat
from proofreel.benchmarks.videozerobench.tables_compare import (
    COUNT,
    ENDS,
    INPUTS,
    L3,
    RUN,
    bars,
    by_model,
    common,
    input_of,
    line_of,
    made,
    marks_on,
    setting,
)
from proofreel.core import Column, Plot, Table
from proofreel.core.table import Cell


def _by_input(
    runs: Sequence[LevelRun], kinds: Sequence[str], needed: Sequence[str]
) -> dict[str, dict[str, LevelRun]]:
    """Single-pass runs by model and input, for models that have a needed input and another one.

    Of several runs with one input the last counts.
    """
    found: dict[str, dict[str, LevelRun]] = {}
    for model, own in by_model(r for r in runs if r.marks and r.view.epochs == 1).items():
        by_kind = {k: r for r in own if (k := input_of(r)) in kinds}
        if len(by_kind) > 1 and any(k in by_kind for k in needed):
            found[model] = {k: by_kind[k] for k in kinds if k in by_kind}
    return found


def evidence(runs: Sequence[LevelRun]) -> Table:
    """T4: the whole video against the annotated evidence at the same budget."""
    rows: list[tuple[Cell, ...]] = []
    for model, own in _by_input(runs, ("frames", "video", *EVIDENCE), EVIDENCE).items():
        ids = common(list(own.values()), lambda m: m.has_windows)
        rows += [
            (model, INPUTS[kind], len(ids), *line_of(stat(marks_on(run, ids), "acc3")), run.missing)
            for kind, run in own.items()
            if ids
        ]
    return made(
        "vzb_t4_evidence_input",
        "visual evidence as input",
        (Column(name="model"), Column(name="input"), COUNT, L3, *ENDS, Column(name="missing", unit="count")),
        rows,
        "Questions with windows that count in every run of a model. Segments and key regions cost at most the frames "
        "and pixels of the whole video under the same settings. Published: 17.0 (Gemini-3-Pro) and 16.4 "
        "(Gemini-2.5-Pro) on the full video, above 40 with segments and key regions.",
        f"runs with both inputs: {RUN} levels --set levels=3 --set input=frames, and the same with "
        "--set input=segments and --set input=segments_crops",
        bars("input"),
    )


def _able(name: str) -> Callable[[Mark], bool]:
    return lambda m: name in (m.item.metadata.get("abilities") or ())


def modality(runs: Sequence[LevelRun]) -> Table:
    """T5: nothing, sound, frames, video with sound; overall and on two abilities."""
    rows: list[tuple[Cell, ...]] = []
    for model, own in _by_input(
        runs, ("none", "audio", "frames", "video"), ("none", "audio", "video")
    ).items():
        ids = common(list(own.values()))
        for kind, run in own.items():
            marks = marks_on(run, ids)
            small, heard = (
                stat(marks, "acc3", _able(a)) for a in ("small-object perception", "audio perception")
            )
            rows.append(
                (
                    model,
                    INPUTS[kind],
                    len(ids),
                    *line_of(stat(marks, "acc3")),
                    small.value,
                    small.n,
                    heard.value,
                    heard.n,
                )
            )
    if rows:
        told = "Gemini-3-Pro (published)"
        rows += [
            (told, INPUTS["none"], 500, 6.8, *(None,) * 6),
            (told, INPUTS["frames"], 500, 17.0, None, None, 15.6, None, 7.4, None),
            (told, INPUTS["video"], 500, 17.0, None, None, 11.7, None, 25.9, None),
        ]
    ability = [
        c
        for name in ("small object", "audio")
        for c in (
            Column(name=name, unit="percent", better="high"),
            Column(name=f"{name} questions", unit="count"),
        )
    ]
    return made(
        "vzb_t5_modality",
        "input modality",
        (Column(name="model"), Column(name="input"), COUNT, L3, *ENDS, *ability),
        rows,
        "Questions that count in every run of a model; level 3.",
        f"runs with several inputs: {RUN} levels --set levels=3 --set input=none, and the same with input=audio, "
        "input=frames and input=video",
        bars("input"),
    )


def sampling(runs: Sequence[LevelRun]) -> Table:
    """T10: level 3 by frames a second and cap."""
    rows: list[tuple[Cell, ...]] = []
    plain = [
        r
        for r in runs
        if input_of(r) == "frames" and r.view.epochs == 1 and setting(r, "sampling") == "fps_cap"
    ]
    for model, own in by_model(r for r in plain if r.marks).items():
        by_budget = {(float(setting(r, "fps")), int(setting(r, "max_frames"))): r for r in own}
        if len(by_budget) < 2:
            continue
        ids = common(list(by_budget.values()))
        for (fps, cap), run in sorted(by_budget.items()):
            line = line_of(stat(marks_on(run, ids), "acc3"))
            rows.append(
                (
                    model,
                    f"{model}, {fps:g} fps",
                    fps,
                    cap,
                    setting(run, "height"),
                    len(ids),
                    *line,
                    run.missing,
                )
            )
    return made(
        "vzb_t10_sampling",
        "frames shown",
        (
            Column(name="model"),
            Column(name="series"),
            Column(name="fps", unit="number"),
            Column(name="cap", unit="count"),
            Column(name="rows", unit="count"),
            COUNT,
            L3,
            *ENDS,
            Column(name="missing", unit="count"),
        ),
        rows,
        "Questions that count in every run of a model. The cap is the most frames of a call; short videos show fewer.",
        f"runs with several caps: {RUN} levels --set levels=3 --set max_frames=96, and with 192, 384 and 768, and "
        "with --set fps=2 --set max_frames=768; docs/thinking-with-videos.md has a matrix of them",
        Plot(kind="lines", x="cap", y=("L3 Acc",), low="low", high="high", series="series"),
    )
