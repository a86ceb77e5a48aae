import os
from pathlib import Path

import pytest
from tests.report.proof_sample import PAGE, boxed, speech, window

from proofreel.core import Evidence, Provenance
from proofreel.report._items import Item, number
from proofreel.report._link import video_link
from proofreel.report._media import clip_span, plan_clips


def item(n: int, start: float, end: float) -> Item:
    return Item(n, speech(start, end, f"words {n}"))


@pytest.mark.parametrize(
    ("start", "end", "duration", "span"),
    [
        (10.0, 14.5, 60.0, (10.0, 14.5)),  # already 3 to 6 s: as it is
        (10.0, 11.0, 60.0, (8.5, 12.5)),  # short: four seconds around its middle, 10.5
        (0.0, 0.5, 60.0, (0.0, 4.0)),  # pushed off the beginning
        (59.5, 60.0, 60.0, (56.0, 60.0)),  # and off the end
        (10.0, 30.0, 60.0, (18.0, 24.0)),  # long: six seconds, two of them before the middle, 20
        (0.5, 1.0, 2.0, (0.0, 2.0)),  # the whole of a shorter video
    ],
)
def test_clip_span(start: float, end: float, duration: float, span: tuple[float, float]) -> None:
    assert clip_span(item(1, start, end), duration) == span


def test_long_clip_holds_its_box() -> None:
    e = Evidence(
        window=window(10, 40), boxes=(boxed(39.0, 0, 0, 1, 1),), provenance=Provenance(claimed_by="m")
    )
    assert clip_span(Item(1, e), 60.0) == (34.0, 40.0)


def test_overlapping_spans_share_a_clip_up_to_eight_seconds() -> None:
    # 10-14 and 12-17 make 10-17 (7 s); 15-19 would make 9 s and stands alone; 30-34 is apart; the web has no clip.
    items = [item(1, 10, 14), item(2, 12, 17), item(3, 15, 19), item(4, 30, 34), Item(5, PAGE)]
    assert plan_clips(items, 60.0) == [(10, 17, [1, 2]), (15, 19, [3]), (30, 34, [4])]


def test_numbers_follow_time_and_ranks_follow_the_agent() -> None:
    numbered = number([PAGE, speech(20, 21, "late"), speech(1, 2, "early")])
    assert [(rank, i.n, i.words) for rank, i in numbered] == [
        (2, 1, "early"),
        (1, 2, "late"),
        (0, 3, "The harbour publishes changes in the morning."),
    ]


def test_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "out" / "p.html"
    assert video_link(tmp_path / "out" / "a b#1 50%?.mp4", page) == "./a%20b%231%2050%25%3F.mp4"
    assert video_link(tmp_path / "out" / "in" / "视频.mp4", page) == "./in/%E8%A7%86%E9%A2%91.mp4"
    assert video_link("media/x:y.mp4", page) == "../media/x%3Ay.mp4"
    assert video_link(tmp_path / "elsewhere #.mp4", page) == f"{tmp_path.as_uri()}/elsewhere%20%23.mp4"
    assert video_link(os.fsdecode(b"out/\xff.mp4"), page) == "./%FF.mp4"  # a name that is no UTF-8
