"""Tables as text and as figures, leaderboards with letters, and a report that is the same twice."""

import csv
import io
import re
from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest
from PIL import Image
from tests.report.made_report import AGENTS, make_agent_run, make_set
from tests.runs.made import make_data, make_run

from proofreel.core import Column, Plot, Table
from proofreel.core.table import PlotKind
from proofreel.report import figures, run_page
from proofreel.report.figures import draw
from proofreel.report.number_tables import run_names
from proofreel.report.run_page import NO_FIGURES, write_run_report
from proofreel.report.table_text import to_csv, to_latex, to_markdown
from proofreel.runs.numbers import run_numbers
from proofreel.runs.numbers_letters import group_letters
from proofreel.runs.numbers_load import load_run
from proofreel.runs.numbers_ranking import leaderboards

TABLE = Table(
    id="made",
    title="A & B, 100 %",
    columns=(
        Column(name="run_name"),
        Column(name="accuracy", unit="percent", better="high"),
        Column(name="tokens", unit="tokens", digits=0, better="low"),
        Column(name="p", unit="number", digits=3),
    ),
    rows=(("a|b_1", 41.234567, 12_345, 0.00001), ("c $2", None, 9_000, 0.5)),
    note="n = 2 & more",
)


def test_csv_has_values_as_they_are_and_missing_stays_empty() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(TABLE))))
    assert rows[1] == ["a|b_1", "41.234567", "12345", "1e-05"]
    assert rows[2] == ["c $2", "", "9000", "0.5"]


def test_markdown_and_latex_print_the_same_and_escape() -> None:
    markdown = to_markdown(TABLE)
    assert (
        "| a\\|b_1 | 41.2 | 12,345 | <0.001 |" in markdown
    )  # one number alone is not the best of its column
    assert "| c $2 |  | **9,000** | 0.500 |" in markdown
    latex = to_latex(TABLE)
    assert r"a\textbar{}b\_1 & 41.2 & 12,345 & \textless{}0.001 \\" in latex
    assert r"c \$2 &  & \textbf{9,000} & 0.500 \\" in latex
    assert r"\caption{A \& B, 100 \%. n = 2 \& more}" in latex
    assert latex.count("{") == latex.count("}")


def test_a_table_without_rows_says_what_would_fill_it() -> None:
    empty = TABLE.model_copy(update={"rows": (), "missing": "proofreel run mini_x makes it"})
    assert "*proofreel run mini_x makes it*" in to_markdown(empty)
    assert r"proofreel run mini\_x makes it" in to_latex(empty)
    assert draw(empty) == {}


def plotted(kind: str) -> Table:
    rows = tuple((f"row {n}", float(n), None if n == 2 else 9.0 - n, n - 0.5, n + 0.7) for n in range(1, 6))
    x = "a" if kind in ("lines", "scatter") else "label"
    y = ("b",) if kind in ("scatter", "intervals") else ("a", "b") if kind != "lines" else ("b", "low")
    ends = {"low": "low", "high": "high"} if kind == "intervals" else {}
    return Table(
        id=kind,
        title=kind,
        columns=(Column(name="label"), *(Column(name=n, unit="number") for n in ("a", "b", "low", "high"))),
        rows=rows,
        plot=Plot(kind=kind, x=x, y=y, series="label" if kind == "scatter" else None, **ends),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("kind", get_args(PlotKind))
def test_every_kind_is_drawn_and_the_same_twice(kind: str) -> None:
    once, again = draw(plotted(kind)), draw(plotted(kind))
    assert once == again
    svg = once["svg"].decode()
    assert svg.rstrip().endswith("</svg>")
    assert "nan" not in svg.lower().replace("inan", "")
    assert "dc:date" not in svg
    picture = Image.open(io.BytesIO(once["png"]))
    assert picture.width > 600
    assert len(set(picture.convert("L").resize((60, 40)).get_flattened_data())) > 3, "not an empty picture"
    assert "Software" not in picture.info


def test_a_radar_leaves_a_missing_spoke_open() -> None:
    whole = plotted("radar").model_copy(
        update={"rows": tuple((f"row {n}", 1.0, 2.0, 0, 0) for n in range(5))}
    )
    holed = whole.model_copy(update={"rows": (("row 0", 1.0, None, 0, 0), *whole.rows[1:])})
    assert draw(whole)["svg"].count(b"fill-opacity: 0.08") + draw(whole)["svg"].count(b"opacity: 0.08") > 0
    assert draw(whole)["svg"].count(b"opacity: 0.08") > draw(holed)["svg"].count(b"opacity: 0.08")


def test_without_matplotlib_there_is_a_note_and_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (figures, run_page):
        monkeypatch.setattr(module, "have_figures", lambda: False)
    data = make_data(tmp_path / "data")
    make_run(tmp_path / "run", data, {"1": "right"})
    done = write_run_report([load_run(tmp_path / "run")], tmp_path / "out")
    assert done.notes == (NO_FIGURES,)
    assert not list((tmp_path / "out/figures").iterdir())


@pytest.mark.parametrize(
    ("count", "differ", "letters"),
    [
        (3, [], ["a", "a", "a"]),
        (3, [(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]),
        (3, [(0, 2)], ["a", "ab", "b"]),
        (4, [(0, 2), (0, 3), (1, 3)], ["a", "ab", "bc", "c"]),
        (2, [(0, 1)], ["a", "b"]),
        (0, [], []),
    ],
)
def test_letters_by_hand(count: int, differ: list[tuple[int, int]], letters: list[str]) -> None:
    assert group_letters(count, differ) == letters


def test_letters_say_exactly_what_differs() -> None:
    differ = {(0, 3), (0, 4), (1, 4), (2, 5), (0, 5), (1, 3)}
    letters = group_letters(6, differ)
    for i, j in combinations(range(6), 2):
        assert ((i, j) in differ) == (not set(letters[i]) & set(letters[j])), (i, j)


def test_a_leaderboard_counted_by_hand(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", videos=8, each=1)
    every = [str(n) for n in range(1, 9)]
    make_run(tmp_path / "all", data, dict.fromkeys(every, "right"))
    make_run(tmp_path / "half", data, {n: "right" if int(n) < 5 else "wrong" for n in every})
    make_run(tmp_path / "none", data, {**dict.fromkeys(every, "wrong"), "8": "judge_failed"})
    (board,) = leaderboards([load_run(tmp_path / n, probe_videos=False) for n in ("none", "all", "half")])
    assert board.questions == 7, "the question a judge failed on is out for all"
    assert [p.run for p in board.places] == [1, 2, 0]
    assert [p.score for p in board.places] == [1.0, pytest.approx(4 / 7), 0.0]
    # All against none: 7 of 7 videos one way, p = 2 / 2^7; Holm over three pairs: 6 / 128 < 0.05. Others: p >= 0.125.
    assert board.pairs == 3 and board.different == 1
    assert [p.letters for p in board.places] == ["a", "ab", "b"]
    assert board.places[0].p_first == 1.0


def test_names_of_runs_are_short_and_unique(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data")
    for name, changes in {
        "a": {"model": "x/eye"},
        "b": {"model": "x/eye", "mode": "official"},
        "c": {},
        "d": {},
    }.items():
        make_run(tmp_path / name, data, {"1": "right"}, **changes)
    numbers = [run_numbers(load_run(tmp_path / n, probe_videos=False)) for n in "abcd"]
    assert run_names(numbers) == ["blind eye (careful)", "blind eye (official)", "blind (c)", "blind (d)"]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("four")
    data = make_set(place / "data", questions=12, videos=4)
    for agent in AGENTS:
        make_agent_run(place / agent, data, agent, 0.5, looks=2)
    make_agent_run(place / "fixed", data, "video_react", 0.4, looks=1, options={"fps": 1})
    return place


def test_a_report_is_the_same_twice_to_the_byte(four: Path) -> None:
    runs = [load_run(four / a) for a in AGENTS[:2]]
    for out in ("one", "two"):
        write_run_report(runs, four / out)
    files = sorted(p.relative_to(four / "one") for p in (four / "one").rglob("*") if p.is_file())
    assert len(files) > 100
    assert {f.suffix for f in files} == {".html", ".md", ".json", ".csv", ".tex", ".svg", ".png"}
    page = (four / "one/report.html").read_text()
    links = re.findall(r'href="((?:tables|figures)/[^"]+)"', page)
    assert len(links) > 100 and all((four / "one" / link).is_file() for link in links)
    for file in files:
        assert (four / "one" / file).read_bytes() == (four / "two" / file).read_bytes(), file


def test_agentvidbench_tables_from_runs(four: Path) -> None:
    runs = [load_run(four / a) for a in (*AGENTS, "fixed")]
    tables = {t.id: t for t in write_run_report(runs, four / "tables", figures=False).tables}
    numbers = {r.settings.agent: run_numbers(r) for r in runs[:4]}
    main = dict(
        zip(
            [c.name for c in tables["avb_t1_accuracy"].columns],
            tables["avb_t1_accuracy"].rows[0],
            strict=True,
        )
    )
    rate = numbers["video_react"].accuracy.rate
    assert rate is not None
    assert main["Video-ReAct"] == pytest.approx(100 * rate)
    # Two looks of 20,900 tokens on each of 12 questions.
    efficiency = {r[0]: r[1:] for r in tables["avb_t3_efficiency"].rows}
    assert efficiency["Video-ReAct, eye"] == (
        pytest.approx(100 * rate), pytest.approx(0.5016), pytest.approx(100 * rate / 0.5016),
    )  # fmt: skip
    controls = [r[3] for r in tables["avb_t2_accuracy"].rows]
    assert controls == ["all adaptive", "all adaptive", "fps 1"]
    assert tables["avb_t8_milestones"].rows == (("2", 12, 100.0),)
    assert {r[0]: r[1] for r in tables["avb_t9_milestone_types"].rows} == {
        "temporal localization": 12, "counting": 12,
    }  # fmt: skip
    assert {r[0]: r[1] for r in tables["avb_f3_difficulty"].rows} == dict.fromkeys(
        ("easy", "medium", "hard", "very hard"), 3
    )
    assert tables["avb_by_duration"].rows[0][:2] == ("short, under 3 min", 12)
    assert not tables["avb_t5_sources"].rows and "source" in tables["avb_t5_sources"].missing
    assert not tables["avb_t22_ranks"].rows and "proofreel run" in tables["avb_t22_ranks"].missing
    titles = [t.title for t in tables.values()]
    assert titles.count("Accuracy by difficulty") == 1, "the benchmark's own cut stands for the shared one"
