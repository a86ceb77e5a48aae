"""What people read: the proof page of one answer, and the same facts in a terminal."""

from typing import TYPE_CHECKING

from proofreel._lazy import lazy_names

if TYPE_CHECKING:
    from proofreel.report.comparison import Tally, tally, write_comparison
    from proofreel.report.errors import ReportError
    from proofreel.report.lines import evidence_lines
    from proofreel.report.proof import write_proof
    from proofreel.report.terminal import print_answer

_HOME = {
    "ReportError": "errors",
    "evidence_lines": "lines",
    "print_answer": "terminal",
    "Tally": "comparison",
    "tally": "comparison",
    "write_comparison": "comparison",
    "write_proof": "proof",
}

__all__ = [
    "ReportError",
    "Tally",
    "evidence_lines",
    "print_answer",
    "tally",
    "write_comparison",
    "write_proof",
]


__getattr__ = lazy_names(__name__, _HOME)
