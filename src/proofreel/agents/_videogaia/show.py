"""Frames of the video, and its sound where that is wanted, as references a message can carry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofreel.agents._footage import Footage
from proofreel.agents._videogaia import looks
from proofreel.agents.agent import AgentContext
from proofreel.core import Evidence, Provenance, Window
from proofreel.core.errors import UserError
from proofreel.tools import ToolResult
from proofreel.tools.model_call import model_name

COARSE = "coarse frames, spread over the whole video"


@dataclass(frozen=True)
class Show:
    """What may be shown of one video.

    Attributes:
        ctx: budget of frames.
        footage: the video.
        quality: of the JPEG.
        sound: whether the sound of what is shown goes along.
        most: pictures a request may hold, None for no limit.
    """

    ctx: AgentContext
    footage: Footage
    quality: int
    sound: bool
    most: int | None

    def room(self) -> int:
        """Frames that one look may show."""
        limits = [looks.FRAMES, self.most, self.ctx.budget.frames_left]
        return min(n for n in limits if n is not None)

    async def coarse(self, wanted: int) -> tuple[tuple[int, ...], list[Any]]:
        """The frames of the first message, with their references."""
        limits = [wanted, self.most, self.ctx.budget.frames_left]
        most = min(n for n in limits if n is not None)
        indices = looks.coarse(self.footage, most)
        return indices, await self._refs(indices, 0.0, self.footage.duration)

    def first(self, times: Sequence[float]) -> Evidence:
        """The coarse frames as evidence."""
        span = Window(start=0.0, end=self.footage.duration)
        return Evidence(
            window=span,
            note=COARSE,
            provenance=Provenance(claimed_by="videogaia", frames=tuple(times)),
        )

    async def look(self, arguments: Mapping[str, Any]) -> tuple[ToolResult, looks.Look | None, list[Any]]:
        """A closer look: what goes into the record, the look and its references; or why there is none."""
        room = self.room()
        if room < 1:
            return ToolResult.failure("budget", "no frame may be shown any more"), None, []
        found = looks.read_look(arguments, self.footage, room)
        if isinstance(found, str):
            return ToolResult.failure("validation", found), None, []
        refs = await self._refs(found.indices, found.window.start, found.window.end)
        times = self.footage.shown(found.indices)
        stamps = ", ".join(f"{t:.3f}" for t in times)
        data = {
            "start": found.window.start,
            "end": found.window.end,
            "goal": found.goal,
            "frames": len(times),
            "clamped": found.clamped,
        }
        text = f"frames at {stamps} s; references {', '.join(r.id for r in refs)}"
        return ToolResult(True, text, media=tuple(r.id for r in refs), data=data), found, refs

    async def _refs(self, indices: Sequence[int], start: float, end: float) -> list[Any]:
        if not indices:
            return []
        import anyio.to_thread

        return await anyio.to_thread.run_sync(self._make, tuple(indices), start, end)

    def _make(self, indices: tuple[int, ...], start: float, end: float) -> list[Any]:
        from proofreel.video import ClipRef, FramesRef, Numbered

        path, rows = self.footage.path, looks.rows(self.footage)
        refs: list[Any] = [FramesRef.of(path, Numbered(indices), height=rows, quality=self.quality)]
        if self.sound:
            refs.append(ClipRef.of(path, start, end, pictures=False))
        return refs


async def sound_of(ctx: AgentContext, footage: Footage) -> bool:
    """Whether there is sound to go along; asked for with ``audio``.

    Raises:
        UserError: the model takes none.
    """
    import anyio.to_thread

    from proofreel.models import model_card
    from proofreel.video import probe

    if model_card(model_name(ctx.model)).audio is False:
        raise UserError(f"audio=true: {model_name(ctx.model)} takes no sound; leave it out")
    return bool((await anyio.to_thread.run_sync(probe, footage.path)).has_audio)
