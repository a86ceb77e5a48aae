"""Every benchmark as an engine task: ``inspect eval proofreel/agentvidbench -T data=DIR -T agent=video_react``.

Runs started this way are the engine's: its logs, its resume. ``proofreel run`` keeps more (see ``runs``).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from proofreel.agents.engine import video_agent
from proofreel.benchmarks.benchmark import list_benchmarks
from proofreel.core import Item
from proofreel.judges.engine import choice

FLAGS: dict[str, Any] = {"fail_on_error": False}


def sample_of(item: Item) -> Sample:
    """A question as an engine sample.

    The gold record lies in the metadata for the scorer; ``video_agent`` reads ``video``, ``duration`` and
    ``transcript`` from there and nothing else.
    """
    question = item.question
    asked = {"video": question.video, "duration": question.duration, "transcript": question.transcript}
    return Sample(
        id=question.id,
        input=question.text,
        choices=[o.text for o in question.options] or None,
        target=item.gold.answer or "",
        metadata={
            **{k: v for k, v in asked.items() if v is not None},
            "gold": item.gold.model_dump(mode="json"),
            "slices": item.metadata,
        },
    )


def _task(name: str, load: Callable[[Path | None], Any]) -> None:
    @task(name=name)
    def benchmark_task(
        data: str | None = None,
        agent: str = "video_react",
        mode: str = "careful",
        options: dict[str, Any] | None = None,
    ) -> Task:
        loaded = load(Path(data) if data else None)
        return Task(
            dataset=MemoryDataset([sample_of(i) for i in loaded.items], name=name),
            solver=video_agent(agent, {**(options or {}), "mode": mode}),
            scorer=choice(),
            **FLAGS,
        )


for _benchmark in list_benchmarks():
    _task(_benchmark.name, _benchmark.load)
