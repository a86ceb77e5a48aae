"""The calls of the agents that think with the video, foreseen."""

from collections.abc import Callable

from proofreel.agents._footage import Footage, rows_for
from proofreel.agents._planned import NO_HASH, Level, PlanCalls, PlannedCall, PlannedFile, PlanSetting
from proofreel.core import Question

WRITTEN: dict[Level, int] = {"low": 120, "typical": 500, "high": 2048}
"""Completion tokens of a round or a turn, thinking included."""
WORDS = 250
"""Prompt tokens of a round's or a first turn's own words, roughly."""
LOOKS: dict[Level, int] = {"low": 0, "typical": 3, "high": 8}
CROPS: dict[Level, tuple[float, int]] = {"low": (0.0, 0), "typical": (10.0, 4096), "high": (60.0, 6144)}
"""Seconds of a closer look and its tokens."""
ROUND_ASSUMES = (
    "rounds: every round shows its frames anew; a round completes 120 / 500 / 2048 tokens (low / typical / high)",
)
O3_ASSUMES = (
    "video_o3, low: answers at once; typical: three closer looks of 10 s; high: eight fine ones of 60 s and a forced "
    "answer; all frames are sent anew in every turn",
    "video_o3: a turn completes 120 / 500 / 2048 tokens (low / typical / high)",
)
Rows = Callable[[Footage, int], int | None]


def footage_of(fact: PlannedFile) -> Footage:
    """A stand-in for the video: its length and height, 16:9, without frames."""
    height = max(fact.height, 1)
    return Footage(fact.path, (), max(fact.duration or 0.0, 1e-3), 1.0, height * 16 // 9, height)


def _text(question: Question) -> int:
    from proofreel.models.estimate import text_tokens  # loads the decoder, so not when agents are listed

    return text_tokens(question.rendered()) + WORDS


def _levels(setting: PlanSetting) -> int:
    """How often a question is put: by an exam's levels, else once."""
    told = setting.options.get("levels")
    if told is None:
        return 1
    return len(told.split(",")) if isinstance(told, str) else len(told) if isinstance(told, list) else 1


def _shown(
    fact: PlannedFile, fps: float, frames: int, rows: int | None, start: float = 0.0, end: float | None = None
) -> object:
    from proofreel.video import FramesRef, Rate

    plan = Rate(fps, start=start, end=end, cap=frames).to_dict()
    return FramesRef(video=fact.path, sha256=NO_HASH, plan=plan, height=rows)


def _frames(fact: PlannedFile, setting: PlanSetting, fps: float, most: int) -> tuple[float, int]:
    """(frames a second, most frames) of a look at the whole video."""
    card = setting.card("main")
    bound = int(setting.options.get("max_frames", most))
    if card is not None and card.max_images is not None:
        bound = min(bound, card.max_images)
    rate = float(setting.options.get("fps", fps))
    return rate, max(1, min(bound, int((fact.duration or 0.0) * rate)))


def planned_rounds(rounds: int, fps: float, most: int, rows: Rows) -> PlanCalls:
    """The calls of an agent of rounds.

    Args:
        rounds: by default.
        fps: frames a second by default.
        most: frames of a round at most, by default.
        rows: rows of a picture when so many are shown.
    """

    def plan_calls(
        question: Question, fact: PlannedFile, setting: PlanSetting, level: Level
    ) -> list[PlannedCall]:
        rate, frames = _frames(fact, setting, fps, most)
        height = setting.options.get("height") or rows(footage_of(fact), frames)
        ref = _shown(fact, rate, frames, height)
        call = PlannedCall("main", _text(question), WRITTEN[level], (ref,))
        turns = setting.limits.get("turns")
        asked = int(setting.options.get("rounds", rounds))
        return [call] * (asked if turns is None else min(asked, int(turns))) * _levels(setting)

    return plan_calls


def planned_talk(
    question: Question, fact: PlannedFile, setting: PlanSetting, level: Level
) -> list[PlannedCall]:
    """The calls of Video-o3: everything shown is sent again in every turn."""
    rate, frames = _frames(fact, setting, 2.0, 768)
    card = setting.card("main")
    room = card.max_images if card is not None and card.max_images is not None else 10**6
    frames = min(frames, (room + 1) // 2)  # as the agent keeps half for closer looks
    room -= frames
    footage = footage_of(fact)
    refs = [_shown(fact, rate, frames, rows_for(footage, min(768, 16384 // max(1, frames // 2)), 28))]
    seconds, quota = CROPS[level]
    text, calls = _text(question), []
    looks = min(LOOKS[level], int(setting.options.get("turns", 8)))
    for look in range(looks + 1):
        calls.append(PlannedCall("main", text, WRITTEN[level], tuple(refs)))
        text += WRITTEN[level] + 60
        if look < looks and room > 0:
            length = min(seconds, footage.duration)
            n = min(room, max(4, int(length * 2)))
            room -= n
            rows = rows_for(footage, min(768, quota // max(1, n // 2)), 28)
            refs.append(_shown(fact, max(2.0, n / length), n, rows, 0.0, length))
    return calls * _levels(setting)
