"""Tables as SVG and PNG files, drawn by matplotlib from their plot hints; the same table gives the same bytes."""

import io
import warnings
from typing import Any

from proofreel.core import Table
from proofreel.core.errors import UserError
from proofreel.report.table_text import one_line

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8b8d94",
    "axes.labelcolor": "#3a3c42",
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e4e2dc",
    "grid.linewidth": 0.7,
    "xtick.color": "#3a3c42",
    "ytick.color": "#3a3c42",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.hashsalt": "proofreel",
    "svg.fonttype": "path",
    "text.parse_math": False,
}


def have_figures() -> bool:
    """Whether matplotlib is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def draw(table: Table) -> dict[str, bytes]:
    """The figure of a table as ``{"svg": ..., "png": ...}``; empty when it has no plot hint or no row.

    No date, no version and no random id goes into the files.

    Raises:
        UserError: matplotlib is not installed.
    """
    table = _drawable(table)
    if table.plot is None or not table.rows:
        return {}
    if not have_figures():
        raise UserError("figures need matplotlib: pip install 'proofreel[figures]'")
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    from proofreel.report._figure_kinds import KINDS, size

    # A letter that the font lacks is drawn as a box; the tables have it.
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure: Any = Figure(figsize=size(table), layout="constrained")
        KINDS[table.plot.kind](figure, table)
        svg, png = io.BytesIO(), io.BytesIO()
        FigureCanvasSVG(figure).print_svg(svg, metadata={"Date": None, "Creator": None})
        figure.set_dpi(150)
        FigureCanvasAgg(figure).print_png(png, metadata={"Software": None})
    return {"svg": svg.getvalue(), "png": png.getvalue()}


def _drawable(table: Table) -> Table:
    """The table without characters that an SVG file may not hold; names and cells come from models and questions."""
    plot = table.plot
    if plot is not None:
        named = {
            k: one_line(v) for k in ("x", "low", "high", "series") if (v := getattr(plot, k)) is not None
        }
        plot = plot.model_copy(update={**named, "y": tuple(map(one_line, plot.y))})
    return table.model_copy(
        update={
            "title": one_line(table.title),
            "columns": tuple(c.model_copy(update={"name": one_line(c.name)}) for c in table.columns),
            "rows": tuple(tuple(one_line(v) if isinstance(v, str) else v for v in row) for row in table.rows),
            "plot": plot,
        }
    )
