"""The calls of STAR, foreseen: planner turns, and tools that ask frame by frame."""

from collections.abc import Iterable

from proofreel.agents import _star_prompts as prompts
from proofreel.agents._planned import NO_HASH, Level, PlannedCall, PlannedFile, PlanSetting
from proofreel.agents._star import INITIAL_FRAMES
from proofreel.agents._star_scene import CELL_WIDTH, FRAME_HEIGHT, Scene
from proofreel.agents._star_tools import TOOL_BOX
from proofreel.core import Question

TURN = {"low": 100, "typical": 400, "high": 2500}
FOUND = {"low": 30, "typical": 60, "high": 200}
"""Completion tokens of one answer about one frame or grid."""
TOOLS: dict[Level, tuple[str, ...]] = {
    "low": ("grid", "frames"),
    "typical": ("selector", "frames", "selector", "frames"),
    "high": ("video", "frames", "video", "frames", "video", "frames"),
}
ASKED = {"low": INITIAL_FRAMES, "typical": 24, "high": 32}
WATCHED = 96
PLAN_ASSUMES = (
    "star, low: one grid and one question to 16 frames; typical: twice more frames and a question to 24 frames; high: "
    "three questions to 32 frames and three to 96 frames at once; one call a frame",
    "star: a planner turn completes 100 / 400 / 2500 tokens with thinking, an answer on a frame 30 / 60 / 200",
)


def plan_calls(
    question: Question, fact: PlannedFile, setting: PlanSetting, level: Level
) -> list[PlannedCall]:
    """All calls of one question at a level."""
    from proofreel.models.estimate import text_tokens  # loads the decoder, so not when agents are listed

    length = max(fact.duration or 0.0, 1e-3)
    scene = Scene(fact.path, NO_HASH, length, 1.0, [0.0])
    told = prompts.plan_prompt(question, scene, TOOL_BOX, (), step=1, most=6, last="none", turn="any")
    own = text_tokens(told)
    most = setting.options.get("frames_per_tool") or ASKED[level]
    limit = setting.limits.get("tool_calls")
    calls, known = [], 0
    for tool in TOOLS[level][: None if limit is None else int(limit)]:
        calls.append(PlannedCall("main", own + known, TURN[level]))
        if tool == "selector":
            calls.append(PlannedCall("main", own, TURN[level]))
        elif tool == "frames":
            asked = min(ASKED[level], int(most))
            one = (_frames(fact.path, length, [n], asked, setting) for n in range(asked))
            calls += [PlannedCall("perceiver", 80, FOUND[level], shown) for shown in one]
            known += asked * (FOUND[level] + 20)
        elif tool == "grid":
            calls.append(PlannedCall("perceiver", 120, FOUND[level], _grid(fact.path, length)))
        else:
            shown = _frames(fact.path, length, range(WATCHED), WATCHED, setting)
            calls.append(PlannedCall(setting.role("temporal"), 80, FOUND[level], shown))
            known += FOUND[level]
    return [*calls, PlannedCall("main", own + known, TURN[level])]


def _times(length: float, numbers: Iterable[int], of: int) -> list[float]:
    return [length * n / of for n in numbers]


def _frames(
    path: str, length: float, numbers: Iterable[int], of: int, setting: PlanSetting
) -> tuple[object, ...]:
    from proofreel.video import At, FramesRef

    height = setting.options.get("frame_height", FRAME_HEIGHT)
    plan = At(_times(length, numbers, of)).to_dict()
    return (FramesRef(video=path, sha256=NO_HASH, plan=plan, height=height),)


def _grid(path: str, length: float) -> tuple[object, ...]:
    from proofreel.video import At, GridRef

    plan = At(_times(length, range(INITIAL_FRAMES), INITIAL_FRAMES)).to_dict()
    return (GridRef(video=path, sha256=NO_HASH, plan=plan, columns=4, cell_width=CELL_WIDTH),)
