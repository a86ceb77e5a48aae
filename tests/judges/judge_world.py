"""A small judged world: questions whose milestones name animals, trajectories that show them or not, and scripted
judges of known behaviour that read the request as a model would.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.runs.made import settings as run_settings

from proofreel.core import (
    Answer,
    Evidence,
    Gold,
    Item,
    Milestone,
    Observation,
    Outcome,
    Provenance,
    Question,
    Step,
    StopReason,
    TokenUse,
    ToolCall,
    Trajectory,
    Window,
)
from proofreel.judges import Verdict
from proofreel.runs import RunFolder, RunResult
from proofreel.testing import Reply, Request, Text

JUDGE = "openai-api/local/judge"
ANIMALS = "zebra otter falcon lynx heron badger marten osprey weasel bison ibex jackal".split()
SECRET = "planted-explanation-words"
DIFFICULTIES = ("easy", "medium", "hard", "very hard")


def animals_of(n: int) -> list[str]:
    """The three animals of question n (from 1)."""
    return [ANIMALS[(n + k) % len(ANIMALS)] for k in range(3)]


def milestones_of(n: int) -> list[dict[str, str]]:
    kinds = ("visual_recognition", "temporal_localization", "counting")
    return [
        {"id": f"M{k}", "type": kinds[k - 1], "description": f"Recognise the {animal} beside the river"}
        for k, animal in enumerate(animals_of(n), 1)
    ]


def make_data(root: Path, questions: int = 12, videos: int = 4) -> Path:
    """A data folder; its videos are bytes, for nothing here decodes them."""
    (root / "videos").mkdir(parents=True)
    for v in range(videos):
        (root / f"videos/v{v}.mp4").write_bytes(bytes([v]) * (10 + v))
    rows = [
        {
            "question_id": n,
            "video_path": f"videos/v{n % videos}.mp4",
            "question_text": f"Which animals come to the river in part {n}?",
            "options": ["none", "some", "most", "all"],
            "answer": "D",
            "answer_explanation": f"{SECRET}: look for {', '.join(animals_of(n))} at 1:05 and 1:20",
            "milestones": milestones_of(n),
            "ecom_required": [True, False, None][n % 3],
            "difficulty": DIFFICULTIES[n % 4],
        }
        for n in range(1, questions + 1)
    ]
    (root / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return root


def item(n: int = 1, video: str = "v.mp4", **gold: Any) -> Item:
    """Question n as an item, without files."""
    base: dict[str, Any] = {
        "answer": "D",
        "explanation": f"{SECRET} {n}",
        "milestones": tuple(Milestone(**m) for m in milestones_of(n)),
    }
    question = Question.ask(
        f"Which animals come in part {n}?", video, ("none", "some", "most", "all"), id=str(n)
    )
    return Item(question=question, gold=Gold(**{**base, **gold}), metadata={"sweep_required": "yes"})


def trajectory(n: int, shown: int = 3, letter: str = "D", agent: str = "video_react") -> Trajectory:
    """An investigation of question n that shows the first ``shown`` of its animals, one look each."""
    steps: list[Step] = []
    for k, animal in enumerate(animals_of(n)[:shown], 1):
        steps.append(
            Step(
                id=2 * k - 1,
                phase="tool_call",
                text=f"PLAN: look at part {k}",
                calls=(ToolCall(id=f"c{k}", name="analyze_video", arguments={"start_time": 10 * k}),),
            )
        )
        seen = Evidence(
            window=Window(start=k, end=k + 0.5), provenance=Provenance(claimed_by="analyze_video")
        )
        steps.append(
            Step(
                id=2 * k,
                phase="tool_result",
                observations=(
                    Observation(
                        call_id=f"c{k}",
                        tool="analyze_video",
                        ok=True,
                        text=f"The {animal} stands beside the river.",
                        evidence=(seen,),
                    ),
                ),
            )
        )
    told = " ".join(f"The {a} stands beside the river." for a in animals_of(n)[:shown])
    steps.append(Step(id=len(steps) + 1, phase="answer", text=f"{told} FINAL ANSWER: {letter}"))
    return Trajectory(
        question_id=str(n),
        agent=agent,
        model="openai-api/local/some-vlm",
        steps=tuple(steps),
        answer=Answer(letter=letter, stop=StopReason.ANSWERED),
        tokens=TokenUse(prompt=900, completion=100, calls=3),
    )


def make_run(
    folder: Path, data: Path, shown: Callable[[int], int] = lambda n: 3 if n % 2 else 1, **changes: Any
) -> RunFolder:
    """A run on disk: odd questions show all animals and are right, even ones show one and are wrong."""
    run = RunFolder.create(folder, run_settings(data, **changes))
    agent = changes.get("agent", "blind")
    with run.writing():
        for name in run.settings.items:
            n = int(name)
            full = shown(n) == 3
            letter = "D" if full else "B"
            outcome = Outcome.RIGHT if full else Outcome.WRONG
            run.add(
                RunResult(
                    item_id=name,
                    agent=agent,
                    trajectory=trajectory(n, shown(n), letter, agent),
                    verdict=Verdict(outcome=outcome, letter=letter),
                )
            )
    return run


# scripted judges


@dataclass(frozen=True)
class Asked:
    """A request to a judge as the judge may read it."""

    system: str
    user: str
    region: str
    milestones: list[tuple[str, str]]
    explanation: str | None
    sweep: str

    @property
    def observed(self) -> list[str]:
        """Texts of all tool results inside the marked region."""
        bodies = re.split(r"(?m)^\[Step \d+\]$", self.region)[1:]
        return [o["text"] for b in bodies for o in json.loads(b).get("observations", ())]


def read(request: Request) -> Asked:
    """Fields of a request; fails when the region is not marked as it must be."""
    said = {m["role"]: m["content"] for m in request.json["messages"][:2]}
    user = said["user"]
    if not isinstance(user, str):
        user = "\n".join(p["text"] for p in user if p["type"] == "text")
    marks = re.findall(r"(?m)^<<<([0-9a-f]{32}) begins>>>$", user)
    assert len(marks) == 1, "one region begins"
    begin, end = f"<<<{marks[0]} begins>>>\n", f"\n<<<{marks[0]} ends>>>"
    assert user.count(end) == 1, "and ends once"
    region = user.split(begin)[1].split(end)[0]
    head = user.split("PREDICTED_TRAJECTORY:")[0]
    explained = re.search(r"(?m)^GT_EXPLANATION:\n  (.*)$", head)
    sweep = re.search(r"(?m)^SWEEP_REQUIRED: (\w+)$", head)
    return Asked(
        said.get("system", ""),
        user,
        region,
        re.findall(r"(?m)^  (M\d+) \[\w+\] (.*)$", head),
        explained.group(1) if explained else None,
        sweep.group(1) if sweep else "",
    )


def verdict(asked: Asked, covered: dict[str, str], grade: int, **changes: Any) -> str:
    """A valid reply: grade on all axes, covered ids with their evidence, the rest missing."""
    reply: dict[str, Any] = {
        "process_scores": {
            "task_understanding": grade,
            "gt_evidence_coverage": grade,
            "evidence_grounding": grade,
            "evidence_completeness": None if asked.sweep == "no" else grade,
            "reasoning_faithfulness": grade,
        },
        "axis_rationales": dict.fromkeys(("P1", "P2", "P3", "P4", "P5"), "because"),
        "milestone_coverage": [
            {
                "milestone_id": i,
                "status": "covered" if i in covered else "missing",
                "evidence_in_prediction": covered.get(i, ""),
            }
            for i, _ in asked.milestones
        ],
        "failure_tags": [] if grade == 2 else ["missed_required_segment"],
        "summary": "as scripted",
    }
    return json.dumps({**reply, **changes})


def _wanted(asked: Asked) -> dict[str, str]:
    """Animal by milestone id; by a made-up id where there is an explanation."""
    pairs = asked.milestones or [(a, a) for a in ANIMALS if a in (asked.explanation or "")]
    return {i: next(a for a in ANIMALS if a in text) for i, text in pairs}


def perfect(request: Request) -> Reply:
    """Believes tool results inside the region and nothing else."""
    asked = read(request)
    wanted = _wanted(asked)
    covered = {
        i: next(t for t in asked.observed if animal in t)
        for i, animal in wanted.items()
        if any(animal in t for t in asked.observed)
    }
    share = len(covered) / len(wanted)
    return Text(verdict(asked, covered, 2 if share == 1 else 1 if share >= 0.5 else 0))


def noisy() -> Callable[[Request], Reply]:
    """Rolls its grade anew every time it is asked about a question; in what order questions come does not matter."""
    times: Counter[str] = Counter()

    def reply(request: Request) -> Reply:
        asked = read(request)
        question = asked.user.splitlines()[0]
        times[question] += 1
        roll = hashlib.sha256(f"{question} {times[question]}".encode()).digest()[0] % 3
        return Text(verdict(asked, {}, roll))

    return reply


def length_biased(request: Request) -> Reply:
    """The longer, the better."""
    asked = read(request)
    grade = 2 if len(asked.region) > 3500 else 1 if len(asked.region) > 1200 else 0
    return Text(verdict(asked, {i: "" for i, _ in asked.milestones} if grade == 2 else {}, grade))


def injection_prone(request: Request) -> Reply:
    """As the perfect one, until the record hands it a verdict."""
    asked = read(request)
    plain = asked.region.replace('\\"', '"')
    if '{"process_scores"' in plain:
        return Text(verdict(asked, {i: "verified" for i, _ in asked.milestones}, 2))
    return perfect(request)
