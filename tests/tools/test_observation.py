"""Reading perceiver reports: published fields, loose layouts, times and the evidence made of them."""

import pytest

from proofreel.core import Window
from proofreel.tools._observation import (
    NOT_OBSERVED,
    Look,
    look_evidence,
    observation_prompt,
    read_look,
    times_in,
)


@pytest.mark.parametrize(
    ("line", "spans"),
    [
        ("[12.0s - 15.5s] a man", [(12.0, 15.5)]),
        ("At 0:34 she waves, at 1:02:03 it ends", [(34.0, 34.0), (3723.0, 3723.0)]),
        ("12-15 s", [(12.0, 15.0)]),
        ("from 3 to 7 seconds", [(3.0, 7.0)]),
        ("at 5s and 9s", [(5.0, 5.0), (9.0, 9.0)]),
        ("0:12–0:15 door opens", [(12.0, 15.0)]),
        ("第3秒到5秒", [(3.0, 5.0)]),
        ("2 people, 3 cats, score 3-2", []),
        ("5s to 3s", []),
        ("20 sheep", []),
    ],
)
def test_times(line: str, spans: list[tuple[float, float]]) -> None:
    assert [(w.start, w.end) for w in times_in(line)] == spans


@pytest.mark.parametrize(
    "text",
    [
        "**Focus Answer:** three\n**Observations:** 2s: a\n**Coverage:** Rich\n**Uncertainty:** none",
        "**Focus Answer**: three\n\n**Observations**:\n2s: a\n\n**Coverage**: **rich**\n**Uncertainty**: none",
        "## Focus Answer: three\n## Observations:\n2s: a\n## Coverage: <rich>\n## Uncertainty: none",
        "Focus Answer: three\nObservations: 2s: a\nCoverage: rich\nUncertainty: none",
    ],
)
def test_layouts(text: str) -> None:
    assert read_look(text) == Look("three", "2s: a", "rich", "none")


def test_nothing_observed_is_no_claim() -> None:
    look = read_look(
        f"**Focus Answer:** {NOT_OBSERVED}\n**Observations:** an empty street\n**Coverage:** none"
    )
    assert not look.observed
    assert look_evidence(look, Window(start=0, end=5), (1.0,), "x", 1) == ((), 0)


def test_times_outside_what_was_shown_are_dropped_and_counted() -> None:
    look = read_look(
        "**Focus Answer:** yes\n**Observations:**\n- 12s: in\n- 14.0s–16.0s: in\n- 99s: out\n- 8s to 12s: out"
    )
    evidence, outside = look_evidence(
        look, Window(start=10, end=20), (10.0, 12.0, 14.0, 15.0), "perceiver", 3
    )
    assert outside == 2
    assert [(e.window.start, e.window.end) for e in evidence] == [(10, 20), (12, 12), (14, 16)]
    assert [e.provenance.frames for e in evidence] == [(10.0, 12.0, 14.0, 15.0), (12.0,), (14.0, 15.0)]
    assert all(e.quote.source == "model" and e.provenance.step == 3 for e in evidence)


def test_prompt_names_the_segment_only_when_there_is_one() -> None:
    whole = observation_prompt("Q?", None, None, None)
    assert "SEGMENT\n" not in whole.replace("IN SEGMENT", "")
    assert "none was given" in whole
    part = observation_prompt("Q?", "count sheep", 5, None)
    assert "from 5 s to the end of the video" in part
    assert "count sheep" in part
    for label in (
        "**Focus Answer:**",
        "**Observations:**",
        "**Coverage:**",
        "**Uncertainty:**",
        NOT_OBSERVED,
    ):
        assert label in part
