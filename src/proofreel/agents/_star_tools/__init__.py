"""STAR's tool box: one file a tool, in the order the planner is told of them (agents, section 2)."""

from proofreel.agents._star_tools import (
    frame_extraction,
    grid_qa,
    grid_select,
    image_caption,
    image_qa,
    object_tracking,
    patch_zoom,
    temporal_grounding,
    temporal_qa,
    temporal_referring,
)
from proofreel.agents._star_tools.tool import Bench, StarTool, ToolFault

TOOL_BOX: tuple[StarTool, ...] = tuple(
    module.TOOL
    for module in (
        frame_extraction,
        temporal_grounding,
        temporal_qa,
        temporal_referring,
        grid_select,
        image_qa,
        grid_qa,
        patch_zoom,
        image_caption,
        object_tracking,
    )
)

__all__ = ["TOOL_BOX", "Bench", "StarTool", "ToolFault"]
