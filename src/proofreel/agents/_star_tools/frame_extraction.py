"""``frame-extraction-tool``: a language model opens stretches of the video that nobody has seen."""

from proofreel.agents._star import UnknownSegmentError, selector_frames, unseen_segments
from proofreel.agents._star_tools.tool import TEXT, WHOLE, Bench, StarTool, ToolFault, shape, whole_number

_PROMPT = """\
Frames of a video are made visible bit by bit to answer a question. Choose which of the stretches below, of which no \
frame is visible yet, are worth opening. Choose few: only those that can help.

{question}
What is wanted now: {wanted}
Known so far:
{known}

Stretches:
{stretches}

Reply with this JSON object and nothing else:
{{"analysis": "<why>", "segments": [<numbers of stretches>]}}"""
_SCHEMA = shape(analysis=TEXT, segments={"type": "array", "items": WHOLE})


async def run(wanted: str, bench: Bench) -> str:
    """Adds one frame a second of every chosen stretch longer than a second."""
    scene = bench.scene
    visible = [f.index for f in scene.visible]
    stretches = unseen_segments(visible, scene.total, scene.interval)
    if not stretches:
        return "Every stretch of the video has been opened already."
    lines = [
        f"{n}: frames {a} to {b - 1}, {scene.times[a]:.1f} to {scene.times[b - 1]:.1f} s"
        for n, (a, b) in enumerate(stretches)
    ]
    told = ((f.name, [t for t in (f.said, *f.answers.values()) if t]) for f in scene.visible)
    known = "\n".join(f"{name}: {'; '.join(said)}" for name, said in told if said)
    prompt = _PROMPT.format(
        question=bench.question.rendered(),
        wanted=wanted or "whatever helps with the question",
        known=known or "(nothing)",
        stretches="\n".join(lines),
    )
    found = await bench.form(prompt, _SCHEMA, role="selector")
    listed = found.get("segments")
    chosen = [whole_number(n) for n in listed] if isinstance(listed, list) else []
    try:
        frames = selector_frames(stretches, [n for n in chosen if n is not None], scene.interval)
    except UnknownSegmentError as error:
        raise ToolFault("validation", str(error)) from error
    if not frames:
        return "No stretch was chosen; nothing was added."
    new = scene.add(frames)
    span = f"from {new[0].time:.1f} to {new[-1].time:.1f} s"
    return f"{len(new)} frames were added, {span}. {found.get('analysis') or ''}".strip()


TOOL = StarTool(
    "frame-extraction-tool",
    "temporal",
    "Makes more frames visible: a language model opens unseen stretches of the video. Input: what to look for.",
    run,
)
