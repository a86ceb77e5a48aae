"""Readings of frames become lines with the right seconds."""

from proofreel.core import Box
from proofreel.perception.screen import Reading
from proofreel.perception.tracks import LineTracker, same_text

HERE = Box(x0=0.1, y0=0.1, x1=0.4, y1=0.15)
THERE = Box(x0=0.5, y0=0.7, x1=0.9, y1=0.75)


def r(text, score=0.99, box=HERE):
    return Reading(text, box, score)


def follow(frames, end, interval=1.0):
    tracker = LineTracker(interval)
    for time, readings in frames:
        tracker.add(time, readings)
    return tracker.finish(end)


def test_line_lasts_from_first_frame_to_first_frame_without_it():
    (line,) = follow([(0, []), (1, [r("Exit")]), (2, [r("Exit")]), (5, []), (6, [])], end=10)
    assert (line.text, line.start, line.end, line.frames) == ("Exit", 1, 5, (1, 2))


def test_line_that_stands_at_the_end_ends_with_the_video():
    (line,) = follow([(0, [r("Exit")])], end=7.5)
    assert (line.start, line.end) == (0, 7.5)


def test_end_never_passes_the_end_of_the_video():
    (line,) = follow([(0, [r("Exit")]), (8, [])], end=7.5)
    assert line.end == 7.5


def test_one_missed_frame_does_not_cut_a_line():
    (line,) = follow([(0, [r("Exit")]), (1, []), (2, [r("Exit")]), (3, []), (4, []), (5, [])], end=9)
    assert (line.start, line.end) == (0, 3)


def test_line_that_comes_back_later_is_a_second_line():
    lines = follow([(0, [r("Exit")]), (1, []), (2, []), (3, []), (6, [r("Exit")]), (7, [])], end=9)
    assert [(x.start, x.end) for x in lines] == [(0, 1), (6, 7)]


def test_counter_is_not_one_line():
    lines = follow([(0, [r("12:05", 0.9)]), (1, [r("12:06", 0.9)]), (2, [])], end=5)
    assert [(x.text, x.start, x.end) for x in lines] == [("12:05", 0, 1), ("12:06", 1, 2)]


def test_unsure_misreading_joins_and_the_majority_names_the_line():
    frames = [
        (0, [r("Harbour Street")]),
        (1, [r("Harb0ur Streel", 0.7)]),
        (2, [r("Harbour Street")]),
        (3, []),
    ]
    frames[1] = (1, [r("Harbour Streel", 0.7)])
    (line,) = follow(frames, end=5)
    assert (line.text, line.start, line.end) == ("Harbour Street", 0, 3)
    assert line.frames == (0, 1, 2)


def test_two_sure_readings_that_differ_are_two_lines():
    assert not same_text(r("Tom wins"), r("Tim wins"))
    assert not same_text(r("Platform A", 0.8), r("Platform B", 0.8))
    assert same_text(r("Platform A"), r("PLATFORM  A."))


def test_same_text_at_two_places_is_two_lines():
    lines = follow(
        [(0, [r("Exit"), r("Exit", box=THERE)]), (1, [r("Exit", box=THERE)]), (2, []), (3, [])], end=4
    )
    assert sorted((x.box.x0, x.start, x.end) for x in lines) == [(0.1, 0, 1), (0.5, 0, 2)]


def test_moving_text_is_cut_into_pieces_with_right_boxes():
    def at(y):
        return r("Directed by Ann Lee", box=Box(x0=0.3, y0=y, x1=0.7, y1=y + 0.05))

    lines = follow([(k, [at(0.9 - 0.1 * k)]) for k in range(5)], end=5)
    assert [(x.start, x.end) for x in lines] == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert [round(x.box.y0, 3) for x in lines] == [0.9, 0.8, 0.7, 0.6, 0.5]


def test_box_is_the_median_and_confidence_the_mean():
    boxes = [Box(x0=x, y0=0.1, x1=0.4, y1=0.15) for x in (0.10, 0.12, 0.11)]
    (line,) = follow([(k, [r("Exit", 0.9 + 0.03 * k, b)]) for k, b in enumerate(boxes)], end=3)
    assert line.box.x0 == 0.11
    assert abs(line.confidence - 0.93) < 1e-9
