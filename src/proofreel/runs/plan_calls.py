"""Which calls an agent will make on one question: as few, as usual, and as many as it can.

Each agent's assumptions are sentences that the plan prints; nothing here is measured on a model.
"""

import sys
from collections.abc import Callable

from proofreel.agents._planned import NO_HASH, PlanCalls, PlannedCall, PlanSetting
from proofreel.agents._react_prompts import system_prompt
from proofreel.agents._single_prompts import single_turn_prompt
from proofreel.agents.agent import AGENTS as REGISTERED
from proofreel.agents.single_turn import MAX_FRAMES
from proofreel.agents.video_react import TOOL_CALLS
from proofreel.core import Question
from proofreel.judges.open_canaries import CANARIES
from proofreel.models.card import ModelCard
from proofreel.models.estimate import text_tokens
from proofreel.runs.plan_files import FileFact
from proofreel.runs.plan_records import Level
from proofreel.tools._observation import observation_prompt
from proofreel.tools.analyze_video import HEIGHTS
from proofreel.video import ClipRef, FramesRef, Rate

Ref = FramesRef | ClipRef
VIDEO_ROUTES = ("google/", "vllm/", "openai-api/")
OUTPUT: dict[str, tuple[int, int, int]] = {
    "analysis": (200, 600, 4096),
    "letter": (10, 60, 400),
    "turn": (100, 450, 2500),
    "report": (200, 500, 1200),
}
"""Completion tokens (low, typical, high) by kind of reply; thinking is among them."""
TOOLS_TEXT = 450
"""Prompt tokens of the two tools' descriptions."""
LEVEL_NUMBER = {"low": 0, "typical": 1, "high": 2}


Call = PlannedCall


class Setting(PlanSetting):
    """What calls depend on besides the question, with the two usual roles by name."""

    @property
    def main(self) -> ModelCard | None:
        """Card of the main model."""
        return self.cards.get("main")

    @property
    def looker(self) -> ModelCard | None:
        """Card of the model that looks."""
        return self.cards.get("perceiver")

    @property
    def main_name(self) -> str:
        """Name of the main model, empty without one."""
        return self.names.get("main", "")

    @property
    def looker_name(self) -> str:
        """Name of the model that looks, empty without one."""
        return self.names.get("perceiver", "")

    @property
    def looker_takes_video(self) -> bool:
        """Whether the looking model is sent true video."""
        return takes_video(self.looker, self.looker_name)


Calls = Callable[[Question, FileFact, Setting, Level], list[Call]]


def takes_video(card: ModelCard | None, name: str) -> bool:
    """Whether a model by this name is sent true video: its card and its route both allow it."""
    return bool(card and card.video and name.removeprefix("proofreel/").startswith(VIDEO_ROUTES))


def single_turn(question: Question, fact: FileFact, s: Setting, level: Level) -> list[Call]:
    """One call with the whole video."""
    fps = float(s.options.get("fps", 1.0))
    ref: Ref
    if takes_video(s.main, s.main_name):
        ref = ClipRef(
            video=fact.path,
            sha256=NO_HASH,
            start=0.0,
            end=max(fact.duration or 0.0, 1e-3),
            fps=fps,
            media_resolution="medium",
        )
    else:
        plan = Rate(fps, cap=int(s.options.get("max_frames", MAX_FRAMES)))
        ref = FramesRef(video=fact.path, sha256=NO_HASH, plan=plan.to_dict(), height=s.options.get("height"))
    return [Call("main", text_tokens(single_turn_prompt(question)), _out("analysis", level), (ref,))]


def blind(question: Question, fact: FileFact, s: Setting, level: Level) -> list[Call]:
    """One call without media, or none without a model."""
    if s.main is None:
        return []
    return [Call("main", text_tokens(question.rendered()) + 70, _out("letter", level))]


def retrieval(question: Question, fact: FileFact, s: Setting, level: Level) -> list[Call]:
    """No model at all."""
    return []


def video_react(question: Question, fact: FileFact, s: Setting, level: Level) -> list[Call]:
    """A planner that keeps its history, and looks by the perceiver."""
    most = int(s.limits.get("tool_calls") or TOOL_CALLS)
    windows = _looks(fact, level, most)
    rendered = question.rendered()
    look_text = text_tokens(observation_prompt(rendered, "x" * 120, 0.0, 1.0))
    calls = []
    history = (
        text_tokens(system_prompt(s.main_name, s.looker_name, "careful")) + TOOLS_TEXT + text_tokens(rendered)
    )
    for start, end, fps in windows:
        calls.append(Call("main", history, _out("turn", level)))
        ref = _look(fact, s, start, end, fps)
        calls.append(Call("perceiver", look_text, _out("report", level), (ref,)))
        history += _out("turn", level) + _out("report", level)
    return [*calls, Call("main", history, _out("turn", level))]


def _looks(fact: FileFact, level: Level, most: int) -> list[tuple[float, float, float]]:
    """(start, end, fps) of the looks; every level begins with the whole video at 1 fps."""
    length = max(fact.duration or 0.0, 1e-3)
    whole = (0.0, length, 1.0)
    if level == "high":
        return [whole] * most
    if level == "low":
        return [whole][:most]
    part = min(30.0, length)
    spots = [min(length - part, length * share) for share in (0.25, 0.5, 0.75)]
    return [whole, *((max(a, 0.0), max(a, 0.0) + part, 3.0) for a in spots)][:most]


def _look(fact: FileFact, s: Setting, start: float, end: float, fps: float) -> Ref:
    """What ``analyze_video`` shows: true video, or pictures thinned to what the model's card allows."""
    if s.looker_takes_video:
        return ClipRef(
            video=fact.path, sha256=NO_HASH, start=start, end=end, fps=fps, media_resolution="medium"
        )
    cap = s.options.get("max_frames") or (s.looker.max_images if s.looker else None)
    height = {**HEIGHTS, **s.options.get("heights", {})}["medium"]
    plan = Rate(fps, start=start, end=end, cap=cap)
    return FramesRef(video=fact.path, sha256=NO_HASH, plan=plan.to_dict(), height=height)


def verdicts(level: Level) -> list[Call]:
    """An open answer judged by a model: question, reference and answer go out, a short verdict comes back.

    The questions with known verdicts that such a judge is tried on before a run are booked once.
    """
    text = {"low": 250, "typical": 350, "high": 600}[level]
    back = {"low": 20, "typical": 40, "high": 120}[level]
    tried = [Call("judge", text, back, once=f"canary {n}") for n in range(len(CANARIES))]
    return [Call("judge", text, back), *tried]


def votes(question: Question, several: bool, candidates: int, level: Level) -> list[Call]:
    """Letter extraction by a judge model: all votes from one call where the provider gives several."""
    text = 200 + {"low": 150, "typical": 900, "high": 1300}[level]
    each = {"low": 25, "typical": 40, "high": 80}[level]
    if not question.options:
        return []
    if several:
        return [Call("judge", text, each * candidates)]
    return [Call("judge", text, each)] * candidates


def _out(kind: str, level: Level) -> int:
    return OUTPUT[kind][LEVEL_NUMBER[level]]


AGENTS: dict[str, Calls] = {
    "single_turn": single_turn,
    "blind": blind,
    "retrieval": retrieval,
    "video_react": video_react,
}
INDEXED = frozenset({"retrieval"})
"""Agents that read and hear a video first, by themselves."""
ASSUMED = {
    "single_turn": (
        "single_turn: one call a question with the whole video; completion {analysis} tokens (low / typical / high), "
        "thinking included",
    ),
    "blind": ("blind: one call a question without media (none without a model); completion {letter} tokens",),
    "retrieval": ("retrieval: no model is called; it costs processor time for reading and hearing",),
    "video_react": (
        "video_react, low: one look at the whole video at 1 fps; typical: that and three looks of 30 s at 3 fps; "
        "high: every allowed tool call looks at the whole video at 1 fps",
        "video_react: the planner's history is sent anew each turn; a turn completes {turn} tokens with thinking, a "
        "report {report}",
    ),
}
COMMON = (
    "media tokens by the rules of the model card; text at 4 characters a token",
    "no discount for cached prompts, no charge for failed requests that are retried",
)


def calls_of(agent: str) -> PlanCalls | None:
    """How an agent's calls are foreseen: here, or by ``plan_calls`` in its own module; None when nothing says it."""
    return AGENTS.get(agent) or getattr(_module(agent), "plan_calls", None)  # type: ignore[return-value]


def _module(agent: str) -> object:
    return sys.modules.get(REGISTERED.get(agent).run.__module__)


def assumptions(agent: str) -> tuple[str, ...]:
    """The sentences behind an agent's numbers: those here, or ``PLAN_ASSUMES`` in its own module."""
    shown = {k: " / ".join(map(str, v)) for k, v in OUTPUT.items()}
    lines = ASSUMED[agent] if agent in ASSUMED else getattr(_module(agent), "PLAN_ASSUMES", ())
    own = tuple(line.format(**shown) for line in lines)
    return own if agent == "retrieval" else own + COMMON
