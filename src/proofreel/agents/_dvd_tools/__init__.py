"""The four functions of DVD, one file each; the clip database comes from the harness, never from the model."""

from proofreel.agents._dvd_tools.clip_search import clip_search_tool
from proofreel.agents._dvd_tools.finish import finish
from proofreel.agents._dvd_tools.frame_inspect import frame_inspect_tool
from proofreel.agents._dvd_tools.given import GIVEN, Given
from proofreel.agents._dvd_tools.global_browse import global_browse_tool

TOOLS = (global_browse_tool, clip_search_tool, frame_inspect_tool, finish)

__all__ = [
    "GIVEN",
    "TOOLS",
    "Given",
    "clip_search_tool",
    "finish",
    "frame_inspect_tool",
    "global_browse_tool",
]
