"""Tables as SVG and PNG files, drawn by matplotlib from their plot hints; the same table gives the same bytes."""

import io
from typing import Any

from proofreel.core import Table
from proofreel.core.errors import UserError

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
    if table.plot is None or not table.rows:
        return {}
    if not have_figures():
        raise UserError("figures need matplotlib: pip install 'proofreel[figures]'")
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    from proofreel.report._figure_kinds import KINDS, size

    with mpl.rc_context(STYLE):
        figure: Any = Figure(figsize=size(table), layout="constrained")
        KINDS[table.plot.kind](figure, table)
        svg, png = io.BytesIO(), io.BytesIO()
        FigureCanvasSVG(figure).print_svg(svg, metadata={"Date": None, "Creator": None})
        figure.set_dpi(150)
        FigureCanvasAgg(figure).print_png(png, metadata={"Software": None})
    return {"svg": svg.getvalue(), "png": png.getvalue()}
