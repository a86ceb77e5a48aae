import csv
import io
import warnings
from xml.etree import ElementTree

import pytest
from rich.console import Console
from tests.report.proof_sample import ABSTAINED, ANSWERED, HARBOUR, PAGE, QUESTION, speech, trajectory

from proofreel.core import Answer, Column, Plot, Question, Table, Trajectory
from proofreel.report import evidence_lines, print_answer
from proofreel.report.figures import draw
from proofreel.report.run_tables import to_csv as rows_to_csv
from proofreel.report.table_text import to_csv, to_latex, to_markdown


def printed(run: Trajectory, question: Question) -> str:
    out = io.StringIO()
    print_answer(run, question, Console(file=out, width=200, force_terminal=False))
    return out.getvalue()


def test_lines_give_time_source_quote_box_and_claimant() -> None:
    assert evidence_lines(ANSWERED) == [
        '1.  0:08.0-0:16.0  screen text  "09:15 Dublin Gate 5"  Before the change.  (search_clips, step 2)',
        '2.  0:17.2-0:25.4  screen text  "Gate 2"  The row of Dublin after the change.'
        "  box 0.73,0.49,0.90,0.58 at 0:20.0  (search_clips, step 2)",
        '3.  0:17.6-0:21.9  speech  "The ferry to Dublin now leaves from gate two."  (get_transcript, step 1)',
    ]
    assert evidence_lines(ABSTAINED) == []


def test_line_breaks_of_a_quote_stay_on_one_line() -> None:
    run = trajectory(Answer(value="x", evidence=(speech(1, 2, "one\ntwo"), PAGE)))
    first, second = evidence_lines(run)
    assert '"one two"' in first and second.startswith('2.  no time  web page  "The harbour')


def test_printed_answer() -> None:
    text = printed(ANSWERED, QUESTION)
    assert "● B) Gate 2" in text and "Answered: B) Gate 2   confidence 0.75" in text
    assert "0:17.2-0:25.4" in text and "price not known" in text and "What was searched" not in text


def test_printed_abstention() -> None:
    text = printed(ABSTAINED, QUESTION)
    assert "Abstained: No answer" in text and "●" not in text
    assert "search_clips query=board, top_k=4  failed: retry exhausted" in text


def test_markup_in_a_trajectory_is_printed_not_obeyed() -> None:
    nasty = "[bold]x[/bold] [/]"
    run = trajectory(Answer(value=nasty, reason=nasty, evidence=(speech(1, 2, nasty),)))
    assert printed(run, Question.ask(nasty, str(HARBOUR))).count(nasty) == 4


def cells(text: str) -> Table:
    return Table(id="made", title="made", columns=(Column(name="said"),), rows=((text,),))


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'),
        ("\t=1+1", "'\t=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+1+cmd|x", "'+1+cmd|x"),
        ("-2+3+cmd|x", "'-2+3+cmd|x"),
        ("-4.5", "-4.5"),
        ("+12 %", "+12 %"),
        ("-", "-"),
        ("a = b", "a = b"),
    ],
)
def test_a_spreadsheet_runs_no_formula_of_an_answer(said: str, written: str) -> None:
    assert list(csv.reader(io.StringIO(to_csv(cells(said)))))[1] == [written]
    assert list(csv.reader(io.StringIO(rows_to_csv([{"said": said}]))))[1] == [written]


def test_markdown_of_an_answer_is_text() -> None:
    said = "a|b\r\n| --- |\n<img src=x onerror=y> ![p](http://x) `c` \u2028d"
    line = to_markdown(cells(said)).split("\n")[4]
    assert line == "| a\\|b  \\| --- \\| &lt;img src=x onerror=y> !\\[p\\](http://x) \\`c\\`  d |"


def test_latex_of_an_answer_is_one_line_of_text() -> None:
    text = to_latex(cells("a\r\rb \\input{/etc/passwd} \x00 & $x$"))
    assert r"a  b \textbackslash{}input\{/etc/passwd\}   \& \$x\$ \\" in text.split("\n")


def test_a_figure_with_any_label_is_whole_xml_and_no_formula() -> None:
    pytest.importorskip("matplotlib")
    table = Table(
        id="made",
        title="$\\frac{1}$ \x1b[31m",
        columns=(Column(name="run\x00"), Column(name="right", unit="count")),
        rows=(("$\\bad{ $ \x1b \ud83d", 3), ("\u65e5\u672c", 4)),
        plot=Plot(kind="bars", x="run\x00", y=("right",)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = draw(table)["svg"]
    assert ElementTree.fromstring(svg).tag.endswith("svg")
