"""What ``demo`` does: two questions with proof pages, then ``blind`` against ``retrieval`` on the mini benchmark."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from proofreel.agents import AgentContext
from proofreel.benchmarks import get_benchmark
from proofreel.cli._grid import print_grid
from proofreel.core import Item, Question
from proofreel.perception import VideoIndex, prepare, progress_bar
from proofreel.report import print_answer, tally, write_comparison, write_proof
from proofreel.runs import Result, run_direct
from proofreel.runs.single import Setup, ask, context, make_question

AGENTS = ("blind", "retrieval")
QUESTIONS = (
    ("Which gate does the ferry to Dublin leave from today?", "answered"),
    ("What is the name of the ship's cook?", "not_shown"),
)
NOTE = (
    "Eight of the ten questions can be answered from what is written or said, two only by sight. "
    "retrieval reads and hears and must abstain on the two; blind sees the question and its options alone."
)


def run_demo(out: Path) -> None:
    """Runs the demo into a folder; the second time the indexes are taken from the cache."""
    console = Console()
    loaded = get_benchmark("mini").load(None)
    videos = sorted({i.question.video for i in loaded.items})
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    local = {v: shutil.copy2(v, out / Path(v).name) for v in videos}
    console.rule("[bold]1  Read and hear")
    indexes: dict[str, VideoIndex] = {}
    for video in videos:
        with progress_bar(Path(video).name) as progress:
            indexes[video] = prepare(video, progress=progress)
        index = indexes[video]
        console.print(
            f"{Path(video).name}: {len(index.screen)} lines of screen text, {len(index.speech)} of speech"
        )
        for note in index.notes:
            console.print(f"  note: {note}", style="yellow", markup=False)
    console.rule("[bold]2  Ask, with proof")
    harbour = next(v for v in videos if Path(v).stem == "harbour")
    for text, name in QUESTIONS:
        question = make_question(Path(local[harbour]), text)
        setup = Setup(agent="retrieval")
        trajectory = ask(question, setup, context(setup, index=indexes[harbour]))
        print_answer(trajectory, question, console)
        page = write_proof(trajectory, question, local[harbour], out / f"{name}.html")
        console.print(f"proof page: {page}", markup=False, soft_wrap=True)
    console.rule("[bold]3  Ten benchmark questions, two agents")
    results = _run_mini(loaded.items, indexes, out, console)
    report = _write(loaded.items, results, local, out)
    _print_table(results, loaded.items, console)
    console.print(f"\nreport: {report}", style="bold", markup=False, soft_wrap=True)
    console.print(
        "The embedded reader does not see objects or actions. Plug in a model that does: "
        'proofreel ask VIDEO "question" --agent video_react --model openai/gpt-5',
        style="dim",
        markup=False,
    )


def _run_mini(
    items: tuple[Item, ...], indexes: dict[str, VideoIndex], out: Path, console: Console
) -> list[Result]:
    def fresh(name: str, item: Item) -> AgentContext:
        options: dict[str, Any] = {"index": indexes[item.question.video]} if name == "retrieval" else {}
        return AgentContext(options=options)

    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=console, transient=True
    ) as bar:
        task = bar.add_task("questions", total=len(items) * len(AGENTS))
        return asyncio.run(
            run_direct(items, AGENTS, out / "mini", context=fresh, on_result=lambda r: bar.advance(task))
        )


def _write(items: tuple[Item, ...], results: list[Result], local: dict[str, Any], out: Path) -> Path:
    by_id = {i.question.id: i for i in items}
    proofs = {}
    for result in results:
        if result.agent != "retrieval":
            continue
        item = by_id[result.item_id]
        video = local[item.question.video]
        shown = Question.model_validate({**item.question.model_dump(), "video": str(video)})
        name = f"mini_{result.item_id}.html"
        write_proof(result.trajectory, shown, video, out / name, max_evidence=4)
        proofs[result.agent, result.item_id] = name
    return write_comparison("Mini benchmark", items, results, out / "report.html", proofs=proofs, note=NOTE)


def _print_table(results: list[Result], items: tuple[Item, ...], console: Console) -> None:
    heads = ("agent", "right", "wrong", "abstained", "failed", "accuracy", "95 % interval", "tIoU")
    rows = []
    for t in tally(results, items):
        failed = t.unparsed + t.failed
        grounding = "-" if t.tiou is None else f"{t.tiou:.2f} (of {t.tiou_of})"
        accuracy = "-" if t.accuracy is None else f"{t.accuracy:.0%}"
        row = (t.right, t.wrong, t.abstained, failed, accuracy, t.interval or "-", grounding)
        rows.append([t.agent, *(str(v) for v in row)])
    print_grid(console, heads, rows)
