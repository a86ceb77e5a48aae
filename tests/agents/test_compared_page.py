"""The comparison page names every agent there is, and its links lead somewhere."""

import re
import xml.etree.ElementTree as ElementTree

from proofreel.agents import list_agents
from support import ROOT

DOCS = ROOT / "docs"


def test_every_agent_has_its_row() -> None:
    text = (DOCS / "agents-compared.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    named = {n for row in rows for n in re.findall(r"`([a-z0-9_]+)`", row)}
    ours = {n for n, spec in list_agents().items() if spec.run.__module__.startswith("proofreel.")}
    assert not ours - named, f"no row for {sorted(ours - named)}"
    assert not named - ours, f"a row for nothing: {sorted(named - ours)}"


def test_links_and_pictures_are_there() -> None:
    for page in ("agents-compared", "outside-agents", "write-an-agent", "human"):
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert (DOCS / target).is_file(), f"{page}.md links to {target}"


def test_the_figure_shows_what_the_script_draws() -> None:
    from tools_dev.draw_agent_loops import LOOPS, draw

    drawn = (DOCS / "images" / "agents-compared.svg").read_text(encoding="utf-8")
    assert drawn == draw()
    ElementTree.fromstring(drawn)
    assert {loop.name for loop in LOOPS} >= {"avp", "star", "dvd", "human", "outside"}
