"""Figure 4, lengths and words: tokens of questions and answers, and the words of questions that a cloud would show."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from proofreel.benchmarks.videogaia.rows import token_count
from proofreel.benchmarks.videogaia.statistics import GROUP
from proofreel.benchmarks.videogaia.tables_passes import NO_RUN
from proofreel.core import Column, Item, Plot, Table

QUESTION_EDGES, ANSWER_EDGES = (0, 20, 30, 40, 50, 60, 80, 100), (0, 1, 2, 3, 4, 5, 8, 12, 20)
MOST = 60
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset(
    "the and for with that this from which what who whom whose where when was were are has had have did does been its "
    "his her their they them into onto near than then also name named shown shows show video clip appears appear first "
    "one two how many much according after before during while both each other about between over under through not "
    "but you your there".split()
)


def word_tables(items: Sequence[Item]) -> tuple[Table, ...]:
    """Histograms of question and answer lengths in tokens, and frequent words of the questions."""
    return (
        _lengths("question", QUESTION_EDGES, items, lambda i: i.question.text),
        _lengths("answer", ANSWER_EDGES, items, lambda i: i.gold.answer or ""),
        _words(items),
    )


def _lengths(what: str, edges: Sequence[int], items: Sequence[Item], text: Callable[[Item], str]) -> Table:
    counts = [token_count(text(i)) for i in items]
    rows = []
    for low, high in zip(edges, (*edges[1:], None), strict=True):
        n = sum(low <= c and (high is None or c < high) for c in counts)
        rows.append(
            (f"{low} and more" if high is None else str(low) if high == low + 1 else f"{low}-{high - 1}", n)
        )
    return Table(
        id=f"videogaia_{what}_tokens",
        title=f"Tokens of {what}s",
        columns=(Column(name="tokens"), Column(name=f"{what}s", unit="count")),
        rows=tuple(rows) if items else (),
        note=f"n = {len(items)}; counted as in the summary of lengths" if items else "",
        missing="" if items else NO_RUN,
        plot=Plot(kind="bars", x="tokens", y=(f"{what}s",)) if items else None,
        group=GROUP,
    )


def _words(items: Sequence[Item]) -> Table:
    """Each word once a question, so that a long question does not speak twice."""
    seen: Counter[str] = Counter()
    for item in items:
        seen.update(set(_WORD.findall(item.question.text.casefold())) - _COMMON)
    rows = sorted(seen.items(), key=lambda row: (-row[1], row[0]))[:MOST]
    return Table(
        id="videogaia_words",
        title="Frequent words of the questions",
        columns=(Column(name="word"), Column(name="questions", unit="count")),
        rows=tuple(rows),
        note="Questions that hold the word; common words are left out." if rows else "",
        missing="" if rows else NO_RUN,
        plot=Plot(kind="bars", x="word", y=("questions",)) if rows else None,
        group=GROUP,
    )
