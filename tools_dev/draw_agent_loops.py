"""Draws the loops of all agents side by side for the docs: ``python tools_dev/draw_agent_loops.py``."""

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

OUT = Path(__file__).parent.parent / "docs" / "images" / "agents-compared.svg"
PANEL, GAP, COLUMNS = (372, 206), 14, 3
NODE = (106, 52)
KINDS = {  # fill, stroke
    "sees": ("#fdeedb", "#b4540a"),
    "model": ("#e6eefb", "#2563a8"),
    "plain": ("#ffffff", "#aab2bd"),
    "answer": ("#e5f4eb", "#15734a"),
}
LEGEND = (
    ("sees", "sees frames"),
    ("model", "a model that sees no frames"),
    ("plain", "no model"),
    ("answer", "answer with evidence"),
)
INK, SOFT = "#1d2430", "#5b6470"


@dataclass(frozen=True)
class Loop:
    """One panel: nodes are (column, row, kind, lines), edges (from, to, both ways)."""

    name: str
    ends: str
    nodes: tuple[tuple[float, float, str, str], ...]
    edges: tuple[tuple[int, int, bool], ...] = field(default=())


LOOPS = (
    Loop("single_turn", "one call", (
        (0, 0, "plain", "Whole video|1 fps, at most 50"), (1, 0, "sees", "Main model"), (2, 0, "answer", "Answer"),
    ), ((0, 1, False), (1, 2, False))),
    Loop("blind", "one call, or a rule on the text", (
        (0, 0, "plain", "Question|and options"), (1, 0, "model", "Main model|(or a rule)"), (2, 0, "answer", "Answer"),
    ), ((0, 1, False), (1, 2, False))),
    Loop("retrieval", "one search; abstains when a check fails", (
        (0, 0, "plain", "Screen text|and speech"), (1, 0, "plain", "Search"), (1, 1, "plain", "Checks,|probability"),
        (2, 1, "answer", "Answer|or abstains"),
    ), ((0, 1, False), (1, 2, False), (2, 3, False))),
    Loop("video_react", "answer; at most 20 turns, 15 looks", (
        (1, 0, "model", "Planner"), (0, 1, "sees", "Perceiver|looks at a window"), (1, 1, "plain", "Transcript"),
        (2, 0, "answer", "Answer"),
    ), ((0, 1, True), (0, 2, True), (0, 3, False))),
    Loop("avp", "sure enough; at most 3 looks", (
        (0, 0, "model", "Plan"), (1, 0, "sees", "Observe|one look"), (1, 1, "model", "Reflect"),
        (0, 1, "plain", "Blackboard"), (2, 1, "answer", "Answer"),
    ), ((0, 1, False), (1, 2, False), (2, 3, False), (3, 0, False), (2, 4, False))),
    Loop("star", "enough known; at most 6 tools", (
        (1, 0, "model", "Planner"), (0, 0.5, "sees", "Temporal tools|choose frames"),
        (1, 1, "sees", "Spatial tools|look into them"), (2, 0.2, "model", "Summariser"), (2, 1, "answer", "Answer"),
    ), ((0, 1, True), (0, 2, True), (0, 3, False), (3, 4, False))),
    Loop("dvd", "finish; at most 15 rounds", (
        (0, 0, "sees", "Captioner|once a video"), (0, 1, "plain", "Clip database"),
        (1, 0.5, "model", "Main model|3 tools"), (2, 0, "sees", "Inspector|50 frames"), (2, 1, "answer", "Answer"),
    ), ((0, 1, False), (1, 2, True), (2, 3, True), (2, 4, False))),
    Loop("videochat_r15", "always 3 rounds", (
        (0, 0, "plain", "Frames,|denser at the hint"), (1, 0, "sees", "Main model"),
        (1, 1, "plain", "Moments|it named"), (2, 0, "answer", "Answer"),
    ), ((0, 1, False), (1, 2, False), (2, 0, False), (1, 3, False))),
    Loop("video_o3", "answer; at most 8 turns, then forced", (
        (0, 0, "plain", "Whole video"), (1, 0, "sees", "Main model|one conversation"),
        (1, 1, "plain", "Closer look|it asks for"), (2, 0, "answer", "Answer"),
    ), ((0, 1, False), (1, 2, True), (1, 3, False))),
    Loop("localize_then_answer", "always 2 rounds", (
        (0, 0, "plain", "Uniform frames"), (1, 0, "sees", "Main model|finds windows"),
        (1, 1, "sees", "Main model|answers"), (0, 1, "plain", "Denser|inside them"), (2, 1, "answer", "Answer"),
    ), ((0, 1, False), (1, 3, False), (3, 2, False), (2, 4, False))),
    Loop("outside", "the program ends; time limit", (
        (1, 0, "sees", "Your program"), (0, 1, "plain", "Tools over MCP|watch, search"),
        (1, 1, "sees", "Models of|the run"), (2, 0, "answer", "Answer"),
    ), ((0, 1, True), (0, 2, True), (0, 3, False))),
    Loop("human", "the person answers; time limit", (
        (1, 0, "sees", "A person"), (0, 1, "plain", "Player"), (1, 1, "plain", "Search"), (2, 0, "answer", "Answer"),
    ), ((0, 1, True), (0, 2, True), (0, 3, False))),
)  # fmt: skip


def place(column: float, row: float) -> tuple[float, float]:
    """Centre of a node inside its panel."""
    return 14 + NODE[0] / 2 + column * 119, 74 + row * 84


def edge(a: tuple[float, float], b: tuple[float, float]) -> str:
    """A line from the rim of one node to the rim of the other."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    halves = NODE[0] / 2, NODE[1] / 2
    cut = min(h / abs(d) for h, d in zip(halves, (dx, dy), strict=True) if d)
    x0, y0, x1, y1 = a[0] + dx * cut, a[1] + dy * cut, b[0] - dx * cut, b[1] - dy * cut
    return f"M{x0:.0f} {y0:.0f}L{x1:.0f} {y1:.0f}"


def panel(loop: Loop) -> str:
    """One agent."""
    centres = [place(c, r) for c, r, _, _ in loop.nodes]
    parts = [
        f'<rect width="{PANEL[0]}" height="{PANEL[1]}" rx="10" fill="#f7f8fa"/>',
        f'<text x="14" y="27" font-weight="650" font-size="14" fill="{INK}">{escape(loop.name)}</text>',
        f'<text x="{PANEL[0] - 14}" y="27" font-size="11" fill="{SOFT}" text-anchor="end">{escape(loop.ends)}</text>',
    ]
    for a, b, both in loop.edges:
        start = ' marker-start="url(#b)"' if both else ""
        parts.append(
            f'<path d="{edge(centres[a], centres[b])}" stroke="{SOFT}" stroke-width="1.4" marker-end="url(#a)"{start}/>'
        )
    for (x, y), (_, _, kind, text) in zip(centres, loop.nodes, strict=True):
        fill, stroke = KINDS[kind]
        left, top = x - NODE[0] / 2, y - NODE[1] / 2
        parts.append(
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{NODE[0]}" height="{NODE[1]}" rx="8" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="1.4"/>'
        )
        lines = text.split("|")
        for n, line in enumerate(lines):
            size, colour = (12, INK) if n == 0 else (10.5, SOFT)
            at = y + 4 + (n - (len(lines) - 1) / 2) * 15
            parts.append(
                f'<text x="{x:.0f}" y="{at:.0f}" font-size="{size}" fill="{colour}" text-anchor="middle">'
                f"{escape(line)}</text>"
            )
    return "".join(parts)


def draw() -> str:
    """The whole figure."""
    rows = -(-len(LOOPS) // COLUMNS)
    width = COLUMNS * (PANEL[0] + GAP) + GAP
    height = rows * (PANEL[1] + GAP) + GAP + 34
    told = "; ".join(
        f"{loop.name}: {' to '.join(n[3].replace('|', ' ') for n in loop.nodes)}" for loop in LOOPS
    )
    heads = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="{way}">'
        f'<path d="M0 0 8 4 0 8z" fill="{SOFT}"/></marker>'
        for name, way in (("a", "auto"), ("b", "auto-start-reverse"))
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t d" '
        'font-family="system-ui, sans-serif">',
        f'<title id="t">The loops of the agents</title><desc id="d">{escape(told)}</desc><defs>{heads}</defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    x = GAP
    for kind, text in LEGEND:
        fill, stroke = KINDS[kind]
        parts.append(f'<rect x="{x}" y="14" width="18" height="14" rx="4" fill="{fill}" stroke="{stroke}"/>')
        parts.append(f'<text x="{x + 25}" y="25" font-size="12" fill="{INK}">{text}</text>')
        x += 48 + 7 * len(text)
    for n, loop in enumerate(LOOPS):
        left = GAP + n % COLUMNS * (PANEL[0] + GAP)
        top = GAP + 34 + n // COLUMNS * (PANEL[1] + GAP)
        parts.append(f'<g transform="translate({left} {top})">{panel(loop)}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    OUT.write_text(draw(), encoding="utf-8")
