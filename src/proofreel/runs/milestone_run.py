"""Milestones for a file of questions: one line a question, kept as soon as it is made; then a file with both."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from proofreel.core import Gold, Item, Question
from proofreel.core.errors import UserError
from proofreel.judges._ask import ATTEMPTS
from proofreel.judges.milestones import Extraction, extract_milestones
from proofreel.runs._each import each_line
from proofreel.runs._files import RunError, whole_lines, write_atomically
from proofreel.runs._judge_model import judging_model


def make_milestones(
    questions: Path,
    out: Path,
    model: str,
    *,
    base_url: str | None = None,
    config: dict[str, Any] | None = None,
    attempts: int = ATTEMPTS,
    concurrency: int = 8,
    retry_failed: bool = False,
    on_line: Callable[[], None] = lambda: None,
) -> dict[str, Extraction]:
    """Has a model make milestones for every question of a file; what is in ``out`` is not asked again.

    Args:
        questions: ``questions.jsonl`` with question_text, options, answer and answer_explanation.
        out: file of extractions, appended to.
        model: who is asked.
        base_url: address of its server.
        config: generation settings.
        attempts: requests for one list that passes the linter.
        concurrency: questions at a time.
        retry_failed: ask once more where there is none.
        on_line: called after every question.

    Raises:
        UserError: the questions cannot be read, or the model cannot be used.
        RunError: ``out`` is broken or cannot be written.
    """
    items = [item_of(row, f"{questions} line {n}") for n, row in _rows(questions)]
    found = read_extractions(out)
    done = {q for q, e in found.items() if not (retry_failed and e.status == "failed")}
    asked = judging_model(model, base_url, config or {}, "milestones")

    async def one(item: Item) -> str:
        made = await extract_milestones(item, asked, attempts=attempts, config=config)
        return made.model_dump_json()

    each_line(out, [i for i in items if i.question.id not in done], one, concurrency, on_line)
    now = read_extractions(out)
    return {i.question.id: now[i.question.id] for i in items if i.question.id in now}


def read_extractions(path: Path) -> dict[str, Extraction]:
    """The last extraction of every question; empty for an absent file.

    Raises:
        RunError: a line is broken.
    """
    lines, _ = whole_lines(path)
    found = {}
    for number, text in enumerate(lines, 1):
        try:
            made = Extraction.model_validate_json(text)
        except ValidationError as error:
            raise RunError(
                f"{path} line {number}: {error.errors()[0]['msg']}; choose another --out"
            ) from None
        found[made.question_id] = made
    return found


def merge_milestones(questions: Path, found: dict[str, Extraction], out: Path) -> int:
    """Writes the questions with the milestones that were made; those without keep their own. Gives how many got some.

    Raises:
        UserError: ``out`` is the file of the questions.
        RunError: it cannot be written.
    """
    if out.resolve() == questions.resolve():
        raise UserError(f"{out}: is the file of the questions itself; choose another --merged")
    lines, count = [], 0
    for _, row in _rows(questions):
        made = found.get(str(row.get("question_id")))
        if made is not None and made.status == "extracted":
            row = {**row, "milestones": [m.model_dump() for m in made.milestones]}
            count += 1
        lines.append(json.dumps(row, ensure_ascii=False))
    write_atomically(out, "".join(f"{line}\n" for line in lines))
    return count


def item_of(row: dict[str, Any], where: str) -> Item:
    """A question with its gold, as far as milestones need it.

    Raises:
        UserError: a field is missing or wrong; the message names it.
    """
    options = row.get("options") or []
    if not isinstance(options, list):
        raise UserError(f"{where}: options must be a list of texts")
    try:
        question = Question.ask(
            str(row["question_text"]),
            "none",
            tuple(map(str, options)),
            id=str(row["question_id"]),
        )
        gold = Gold(answer=row["answer"], explanation=str(row.get("answer_explanation") or ""))
    except KeyError as error:
        raise UserError(f"{where}: {error.args[0]} is missing") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None
    return Item(question=question, gold=gold)


def _rows(path: Path) -> Sequence[tuple[int, dict[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: the questions cannot be read ({error})") from None
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path} line {number}: is no JSON ({error})") from None
        if not isinstance(row, dict):
            raise UserError(f"{path} line {number}: is no JSON object")
        rows.append((number, row))
    if not rows:
        raise UserError(f"{path}: holds no question")
    return rows
