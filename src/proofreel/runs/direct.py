"""Runs agents on items one after the other with no engine: for agents without a model, and for the demo.

Every finished item is one line of ``results.jsonl``, flushed before the next one starts. A killed run goes on where
it stopped; a half-written last line is dropped and its item is run again.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import ValidationError

from proofreel.agents import AgentContext, run_agent
from proofreel.core import Item, Trajectory
from proofreel.core._base import Record
from proofreel.core.errors import UserError
from proofreel.judges import Verdict, judge_choice, window_score


class Result(Record):
    """One item under one agent: what it did, and the verdicts."""

    item_id: str
    agent: str
    trajectory: Trajectory
    verdict: Verdict
    tiou: float | None = None


def load_results(path: Path) -> list[Result]:
    """Results of a file, oldest first; none when it does not exist.

    Raises:
        UserError: a line other than the last one is broken.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    results = []
    for number, line in enumerate(lines, 1):
        try:
            results.append(Result.model_validate_json(line))
        except ValidationError as error:
            if number == len(lines):
                break
            raise UserError(
                f"{path} line {number}: {error.errors()[0]['msg']}; move the file away to start over"
            ) from None
    return results


def _keep_whole_lines(path: Path, results: list[Result]) -> None:
    """Rewrites the file without a broken last line, in one atomic step."""
    text = "".join(r.model_dump_json() + "\n" for r in results)
    if path.exists() and path.read_text(encoding="utf-8") != text:
        fresh = path.with_suffix(".tmp")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)


async def run_direct(
    items: Iterable[Item],
    agents: Iterable[str],
    out: Path,
    *,
    context: Callable[[str, Item], AgentContext],
    on_result: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Runs every agent on every item and returns all results, those of an earlier, killed run included.

    Args:
        items: what to ask.
        agents: agent names.
        out: folder that holds ``results.jsonl``.
        context: a fresh context for one agent and one item.
        on_result: called after each item, also for items found done.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / "results.jsonl"
    results = load_results(path)
    _keep_whole_lines(path, results)
    done = {(r.agent, r.item_id): r for r in results}
    with path.open("a", encoding="utf-8") as file:
        for name in agents:
            for item in items:
                key = (name, item.question.id)
                if key not in done:
                    trajectory = await run_agent(name, item.question, context(name, item))
                    result = Result(
                        item_id=item.question.id,
                        agent=name,
                        trajectory=trajectory,
                        verdict=judge_choice(trajectory, item.gold),
                        tiou=window_score(trajectory, item.gold),
                    )
                    file.write(json.dumps(result.model_dump(mode="json"), ensure_ascii=False) + "\n")
                    file.flush()
                    done[key] = result
                if on_result is not None:
                    on_result(done[key])
    return list(done.values())
