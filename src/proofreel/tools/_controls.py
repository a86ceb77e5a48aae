"""Ablation of control: the rate, the resolution or the interval of every look fixed by the run, not by the agent.

AgentVidBench table 2. Options: ``fps=1``, ``resolution=low`` (also named ``spatial_token_rate``), ``interval=full``.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proofreel.core.errors import UserError
from proofreel.tools._video_args import RESOLUTIONS, resolutions


@dataclass(frozen=True)
class Controls:
    """What is fixed; None and False leave it to the agent.

    Attributes:
        fps: frames a second, > 0.
        resolution: ``low``, ``medium`` or ``high``.
        full: every look is at the whole video.
    """

    fps: float | None = None
    resolution: str | None = None
    full: bool = False

    @classmethod
    def of(
        cls, options: Mapping[str, Any], *, whole_fps: bool = False, looker: str = "gemini-3"
    ) -> "Controls":
        """The controls among an agent's options.

        Args:
            options: of the agent.
            whole_fps: only whole numbers from 1 to 20 are rates (``analyze_video``).
            looker: name of the model that looks, which decides the resolutions there are.

        Raises:
            UserError: a value is not valid.
        """
        fps = options.get("fps")
        if fps is not None:
            try:
                fps = float(fps)
            except (TypeError, ValueError):
                fps = math.nan
            if not 0 < fps <= 20 or (whole_fps and fps != int(fps)):
                kind = "a whole number from 1 to 20" if whole_fps else "more than 0 and at most 20"
                raise UserError(f"fps must be {kind}, got {options['fps']!r}")
        resolution = options.get("resolution", options.get("spatial_token_rate"))
        known = resolutions(looker)
        if resolution is not None and resolution not in known:
            why = " for this perceiver" if resolution in RESOLUTIONS else ""
            raise UserError(f"resolution is one of {', '.join(known)}{why}, got {resolution!r}")
        interval = options.get("interval")
        if interval not in (None, "free", "full"):
            raise UserError(f"interval is free or full, got {interval!r}")
        return cls(fps, resolution, interval == "full")

    @property
    def settings(self) -> dict[str, Any]:
        """What is fixed, for the settings of a trajectory; empty when nothing is."""
        fixed = {"fps": self.fps, "resolution": self.resolution, "interval": "full" if self.full else None}
        return {k: v for k, v in fixed.items() if v is not None}

    @property
    def arguments(self) -> frozenset[str]:
        """Names of the ``analyze_video`` arguments that are fixed."""
        names = {k for k in ("fps", "resolution") if getattr(self, k) is not None}
        return frozenset(names | ({"start_time", "end_time"} if self.full else set()))

    def applied(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of an ``analyze_video`` call with what is fixed in place of what the agent asked for."""
        free = {k: v for k, v in arguments.items() if k not in self.arguments}
        return free | {k: v for k, v in self.settings.items() if k != "interval"}

    def sentence(self) -> str:
        """What a planner is told, empty when nothing is fixed."""
        said = [f"{k} {v}" for k, v in self.settings.items() if k != "interval"]
        said += ["every look at the whole video"] if self.full else []
        return f"Fixed for this run, whatever you ask for: {', '.join(said)}." if said else ""
