"""Puts a judge to the test on the trajectories of runs. Everything it asks is kept and not asked again.

Judgements of changed trajectories are in ``judgements/checks/<judge>/<check>.jsonl`` of the first run, in the form of
other judgements; the outcome is ``judgements/checks/<judge>.json`` and ``.md``.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from proofreel.core import Item, Outcome, TokenUse, Trajectory
from proofreel.core.errors import UserError
from proofreel.judges._rubric_prompt import Prompt, built_in
from proofreel.judges._rubric_words import OTHER_PROSE
from proofreel.judges.rubric import Judgement
from proofreel.judges.validation import assertion, change, cues, human, reference, removal, separation
from proofreel.judges.validation.result import Case, CaseId, CheckResult, Validation
from proofreel.judges.validation.reword import reworded
from proofreel.runs._files import RunError, write_atomically
from proofreel.runs._judge_model import judging_model
from proofreel.runs.judge_run import Task, Wanted, file_for, head_of, judge_run, judge_tasks, spent_on
from proofreel.runs.judgements import FOLDER, JudgementLine, trajectory_hash
from proofreel.runs.run_folder import RunFolder, utc_now

CHECKS = (
    "separation",
    "steadiness",
    "paraphrase",
    "assertion",
    "removal",
    "injection",
    "padding",
    "human",
    "reference",
    "cues",
)
OnLine = Callable[[JudgementLine], None]
OnCheck = Callable[[str, int], None]


@dataclass(frozen=True)
class Plan:
    """What to check.

    Attributes:
        checks: names from ``CHECKS``.
        limit: trajectories for a check that asks the judge again, spread over difficulties.
        ratings: file with scores by people, for ``human``.
        paraphraser: model that rewords the rubric; None takes our own other wording.
    """

    checks: tuple[str, ...] = CHECKS
    limit: int = 50
    ratings: Path | None = None
    paraphraser: str | None = None


@dataclass
class _Bench:
    """The cases of all runs and what the judge says of them."""

    folder: Path
    want: Wanted
    cases: list[Case]
    base: dict[CaseId, Judgement]
    on_line: OnLine | None
    on_check: OnCheck
    spent: TokenUse = field(default_factory=TokenUse)

    def sample(self, limit: int, wanted: Callable[[Case], bool] = lambda case: True) -> list[Case]:
        """At most ``limit`` judged cases, taken in turn from each difficulty."""
        groups: dict[str, list[Case]] = {}
        for case in self.cases:
            found = self.base.get(case.id)
            if found is not None and found.status == "judged" and wanted(case):
                groups.setdefault(str(case.item.metadata.get("difficulty")), []).append(case)
        out: list[Case] = []
        while any(groups.values()) and len(out) < limit:
            for name in sorted(groups):
                if groups[name] and len(out) < limit:
                    out.append(groups[name].pop(0))
        return out

    def judge(
        self,
        check: str,
        variants: Sequence[tuple[Case, Trajectory]],
        *,
        prompt: Prompt | None = None,
        explanation: bool = False,
    ) -> dict[CaseId, Judgement]:
        """Has changed trajectories judged; what was judged before is read from its file."""
        settings = self.want.settings
        if explanation:
            settings = settings.model_copy(update={"reference": "explanation"})
        want = replace(
            self.want, settings=settings, prompt=prompt or self.want.prompt, repeats=1, again=False
        )
        tasks = [Task((*c.id, 1), t, c.item) for c, t in variants]
        if not tasks:
            return {}
        head = head_of(want)
        path = file_for(self.folder, check, head)
        self.on_check(check, len(tasks))
        done = judge_tasks(path, head, tasks, want, self.on_line)
        self.spent = self.spent + spent_on(done.file)
        found = done.file.of({t.key[:2]: t.hash for t in tasks})
        return {(k[0], k[1]): j for k, j in found.items()}


def validate_judge(
    runs: Sequence[tuple[RunFolder, Mapping[str, Item]]],
    want: Wanted,
    plan: Plan,
    *,
    on_line: OnLine | None = None,
    on_check: OnCheck = lambda name, total: None,
) -> tuple[Validation, Path]:
    """Runs the checks and writes their outcome.

    Args:
        runs: folders with the items of each.
        want: the judge, in the settings it is to be used with.
        plan: which checks, on how many trajectories.
        on_line: called after every judgement.
        on_check: called with the name and number of trajectories of what is judged next.

    Returns:
        The outcome and its JSON file; a Markdown file of the same name lies beside it.

    Raises:
        UserError: an unknown check, no ratings for ``human``, or the judge cannot be used.
        RunError: a run without results, or files that cannot be written.
    """
    if unknown := [c for c in plan.checks if c not in CHECKS]:
        raise UserError(f"--checks {unknown[0]}: no such check; there are {', '.join(CHECKS)}")
    ratings = human.read_ratings(plan.ratings) if plan.ratings is not None else []
    if "human" in plan.checks and plan.checks != CHECKS and not ratings:
        raise UserError("--checks human: name the file with people's scores: --ratings FILE")
    stem = re.sub(r"[^A-Za-z0-9._]+", "_", want.judge).strip("._")
    folder = runs[0][0].path / FOLDER / "checks"
    bench = _Bench(folder / stem, want, [], {}, on_line, on_check)
    for run, items in runs:
        _add(bench, run, items)
    results = []
    for name in plan.checks:
        bench.spent = TokenUse()
        result = _check(name, bench, plan, ratings)
        results.append(result.model_copy(update={"tokens": bench.spent}))
    prompt = want.prompt or built_in()
    outcome = Validation(
        created=utc_now(),
        judge=want.judge,
        runs=tuple(str(run.path) for run, _ in runs),
        settings=want.settings,
        prompt=prompt.name,
        prompt_sha256=prompt.sha256,
        checks=tuple(results),
    )
    path = _free(folder, stem)
    write_atomically(path, outcome.model_dump_json(indent=1) + "\n")
    return outcome, path


def load_validations(folder: str | Path) -> tuple[Validation, ...]:
    """The outcomes that lie with a run, by name.

    Raises:
        RunError: a file is broken.
    """
    from pydantic import ValidationError

    found = []
    for path in sorted((Path(folder) / FOLDER / "checks").glob("*.json")):
        try:
            found.append(Validation.model_validate_json(path.read_text(encoding="utf-8")))
        except (ValueError, OSError) as error:
            said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise RunError(
                f"{path}: cannot be read ({said}); move it away and validate the judge again"
            ) from None
    return tuple(found)


def _add(bench: _Bench, run: RunFolder, items: Mapping[str, Item]) -> None:
    bench.on_check(f"judge {run.path.name}", len(run.latest()))
    done = judge_run(run, items, replace(bench.want, repeats=1, again=False), bench.on_line)
    results = run.latest()
    present = done.file.of({k: trajectory_hash(r.trajectory) for k, r in results.items()})
    for (item, epoch), result in sorted(results.items()):
        if item not in items or not items[item].gold.milestones:
            continue
        outcome = result.verdict.outcome
        right = {Outcome.RIGHT: True, Outcome.WRONG: False}.get(outcome)
        name = f"{run.path.name}/{item}"
        bench.cases.append(Case((name, epoch), run.path.name, result.trajectory, items[item], right))
        found = present.get((item, epoch, 1))
        if found is not None:
            bench.base[name, epoch] = found


def _check(name: str, bench: _Bench, plan: Plan, ratings: list[human.Rating]) -> CheckResult:
    if name == "separation":
        return separation.separation(bench.cases, bench.base)
    if name == "cues":
        return cues.cues({c.item.question.id: c.item for c in bench.cases}.values())
    if name == "human":
        return human.human(bench.cases, bench.base, ratings)
    if name == "assertion":
        some = bench.sample(plan.limit, lambda c: c.item.gold.answer is not None)
        claimed = bench.judge(name, [(c, assertion.asserted(c.item)) for c in some])
        return assertion.assertion(bench.cases, bench.base, claimed)
    if name == "removal":
        return _removal(bench, plan)
    if name == "reference":
        some = bench.sample(plan.limit, lambda c: bool(c.item.gold.explanation))
        prompt = None if bench.want.prompt is not None else built_in(reference="explanation")
        seen = bench.judge(name, [(c, c.trajectory) for c in some], prompt=prompt, explanation=True)
        return reference.reference(some, bench.base, seen)
    some = bench.sample(plan.limit)
    if name == "steadiness":
        seen = bench.judge(name, [(c, c.trajectory) for c in some])
        return change.unmoved(name, "asked again", some, bench.base, seen)
    if name == "paraphrase":
        return _paraphrase(bench, plan, some)
    if name == "padding":
        seen = bench.judge(name, [(c, change.padded(c.trajectory)) for c in some])
        what, most = "padded with words that show nothing", change.SMALL
    else:
        attacked = [(c, change.injected(c.trajectory, [m.id for m in c.item.gold.milestones])) for c in some]
        seen = bench.judge(name, attacked)
        what, most = "with injected verdicts, gold and messages", change.NO_RISE
    return change.not_moved_one_way(name, what, some, bench.base, seen, most=most)


def _removal(bench: _Bench, plan: Plan) -> CheckResult:
    # A score that is low already cannot show a drop.
    some = bench.sample(plan.limit, lambda c: (bench.base[c.id].traj or 0.0) >= removal.FROM)
    removed = {}
    for case in some:
        found = removal.remove_one(case, bench.base[case.id])
        if found is not None:
            removed[case.id] = found
    cut = [(c, removed[c.id].cut.trajectory) for c in some if c.id in removed]
    return removal.removal(some, bench.base, removed, bench.judge("removal", cut))


def _paraphrase(bench: _Bench, plan: Plan, some: list[Case]) -> CheckResult:
    what = "rubric in other words"
    if bench.want.prompt is not None:
        said = "a rubric of one's own has no passages marked as explanation; nothing was reworded"
        return CheckResult(name="paraphrase", verdict="no_data", said=said, threshold="built-in rubric")
    prose = OTHER_PROSE
    if plan.paraphraser is not None:
        model = judging_model(
            plan.paraphraser, bench.want.base_url, bench.want.settings.config, "paraphraser"
        )
        prose = anyio.run(reworded, model)
        what = f"rubric in the words of {plan.paraphraser}"
    prompt = built_in(prose=prose, frames=bench.want.settings.grounded)
    seen = bench.judge("paraphrase", [(c, c.trajectory) for c in some], prompt=prompt)
    return change.unmoved("paraphrase", what, some, bench.base, seen)


def _free(folder: Path, stem: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = folder / f"{stem if number == 1 else f'{stem}-{number}'}.json"
        if not path.exists():
            return path
        number += 1
