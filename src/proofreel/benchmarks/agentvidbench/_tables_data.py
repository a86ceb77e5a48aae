"""The data folder itself: sources (T5), licences (T6), milestones (T8, T9), taxonomies (T12 to T15), figure 3."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proofreel.benchmarks.agentvidbench._runs import table
from proofreel.benchmarks.agentvidbench._tables_slices import labels_of, ordered
from proofreel.core import Column, Item, Plot, Table
from proofreel.core.table import Cell

ABSENT = "The data folder does not tell: {what} of videos.jsonl or questions.jsonl is empty."
MINUTES = 27


def data_tables(items: Sequence[Item], durations: Mapping[str, float]) -> list[Table]:
    """All of them, over the questions of the runs."""
    videos = {i.question.video: i.metadata.get("video") or {} for i in items}
    lengths = {i.question.video: durations[i.question.id] for i in items if i.question.id in durations}
    return [
        _of_videos("avb_t5_sources", "T5: sources of videos", "source", videos, "source"),
        _of_videos("avb_t6_licences", "T6: licences of videos", "licence", videos, "license"),
        _milestones(items),
        _counted(
            "avb_t9_milestone_types", "T9: types of milestones", "type",
            [m.type.replace("_", " ") for i in items for m in i.gold.milestones],
            sum(len(i.gold.milestones) for i in items), "milestones",
        ),
        _axes(items, videos, lengths),
        _of_videos("avb_t13_genres", "T13, figure 3: genres", "genre", videos, "genre"),
        _of_videos("avb_t14_styles", "T14: production styles", "style", videos, "production_style"),
        _of_videos("avb_t14_audio", "T14: audio types", "audio", videos, "audio_type"),
        _counted(
            "avb_t15_skills", "T15, figure 3: required skills", "skill",
            [x for i in items for x in labels_of(i, "skills", {})], len(items), "questions",
        ),
        _counted(
            "avb_f3_difficulty", "Figure 3: difficulty", "difficulty",
            [x for i in items for x in labels_of(i, "difficulty", {})], len(items), "questions", by_name=True,
        ),
        _durations(lengths),
    ]  # fmt: skip


def _field(videos: Mapping[str, Mapping[str, Any]], name: str) -> list[str]:
    """Labels of all videos in a field of one or of several labels."""
    values = [v.get(name) for v in videos.values()]
    return [str(x) for v in values for x in (v if isinstance(v, list) else [v]) if x]


def _of_videos(id: str, title: str, head: str, videos: Mapping[str, Mapping[str, Any]], field: str) -> Table:
    return _counted(id, title, head, _field(videos, field), len(videos), "videos")


def _counted(
    id: str, title: str, head: str, labels: Iterable[str], total: int, what: str, *, by_name: bool = False
) -> Table:
    counts = Counter(labels)
    order = (
        ordered(counts)
        if by_name
        else [name for name, _ in sorted(counts.items(), key=lambda c: (-c[1], c[0]))]
    )
    rows = [(name, counts[name], 100 * counts[name] / total) for name in order]
    return table(
        id,
        title,
        (Column(name=head), Column(name=what, unit="count"), Column(name="share", unit="percent")),
        rows,
        ABSENT.format(what=head),
        f"Shares of {total} {what}"
        + ("; several labels may stand on one." if sum(counts.values()) > total else "."),
        Plot(kind="bars", x=head, y=(what,)),
    )


def _milestones(items: Sequence[Item]) -> Table:
    counts = Counter(len(i.gold.milestones) for i in items if i.gold.milestones)
    having = sum(counts.values())
    total = sum(n * k for n, k in counts.items())
    return table(
        "avb_t8_milestones",
        "T8: milestones a question",
        (
            Column(name="milestones"),
            Column(name="questions", unit="count"),
            Column(name="share", unit="percent"),
        ),
        [(str(n), counts[n], 100 * counts[n] / having) for n in sorted(counts)],
        ABSENT.format(what="milestones"),
        f"{total} milestones on {having} questions.",
        Plot(kind="histogram", x="milestones", y=("questions",)),
    )


def _axes(
    items: Sequence[Item], videos: Mapping[str, Mapping[str, Any]], lengths: Mapping[str, float]
) -> Table:
    by_question = _by_question(items, lengths)
    found = [
        ("video", "genre", set(_field(videos, "genre"))),
        (
            "video",
            "duration",
            {b for i in items for b in labels_of(i, "duration", by_question)},
        ),
        ("video", "production style", set(_field(videos, "production_style"))),
        ("video", "audio type", set(_field(videos, "audio_type"))),
        ("question", "required skills", {x for i in items for x in labels_of(i, "skills", {})}),
        ("question", "difficulty", {x for i in items for x in labels_of(i, "difficulty", {})}),
    ]
    rows: list[tuple[Cell, ...]] = [(level, axis, len(labels)) for level, axis, labels in found if labels]
    return table(
        "avb_t12_axes",
        "T12: axes of the taxonomy",
        (Column(name="level"), Column(name="axis"), Column(name="labels", unit="count")),
        rows,
        ABSENT.format(what="every label"),
        "Labels that occur in these questions.",
    )


def _by_question(items: Sequence[Item], lengths: Mapping[str, float]) -> dict[str, float]:
    return {i.question.id: lengths[i.question.video] for i in items if i.question.video in lengths}


def _durations(lengths: Mapping[str, float]) -> Table:
    """Figure 3: videos by whole minutes of length."""
    counts = Counter(min(int(s // 60), MINUTES) for s in lengths.values())
    last = max(counts, default=0)
    rows = (
        [(f"{m}" if m < MINUTES else f"{MINUTES} or more", counts[m]) for m in range(last + 1)]
        if counts
        else []
    )
    return table(
        "avb_f3_durations",
        "Figure 3: lengths of videos",
        (Column(name="minutes"), Column(name="videos", unit="count")),
        rows,
        ABSENT.format(what="duration"),
        "Videos by whole minutes of length.",
        Plot(kind="histogram", x="minutes", y=("videos",)),
    )
