"""What the harness hands to DVD's tools beside the model's arguments."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from proofreel.agents._dvd_base import Asked, Asker, Clip, ClipSearch, clip_ref
from proofreel.core import Evidence, Provenance, Quote
from proofreel.core.errors import UserError
from proofreel.tools import ToolContext, ToolResult

GIVEN = "clip_base"
"""Key of the tool options under which a ``Given`` lies."""
_KINDS = {"empty": "empty_response", "filtered": "empty_response"}


@dataclass(frozen=True)
class Given:
    """The database and the fixed models of the tools.

    Attributes:
        search: the database and how it is searched.
        reader: model that answers over descriptions.
        inspector: model that looks at frames.
        asker: how they are asked.
    """

    search: ClipSearch
    reader: Any
    inspector: Any
    asker: Asker

    @classmethod
    def of(cls, ctx: ToolContext) -> "Given":
        """What lies in a tool's context.

        Raises:
            UserError: the tool is run outside the agent that prepares the database.
        """
        found = ctx.options.get(GIVEN)
        if not isinstance(found, cls):
            raise UserError("this tool needs the clip database of the dvd agent")
        return found

    def frames_of(self, clip: Clip) -> tuple[float, ...]:
        """True times of the frames a description rests on."""
        return tuple(f.time for f in clip.frames)

    def put_down(self, clips: Iterable[Clip]) -> None:
        """Writes the frames of kept descriptions into the ledger of this question, once each.

        What an answer rests on belongs there although nothing was sent anew, as for replies from the engine's cache.
        """
        from proofreel.video import EncodedFrames

        ledger, base = self.asker.ledger, self.search.base
        if ledger is None:
            return
        known = {e.ref_id for e in ledger.entries}
        for clip in clips:
            if not clip.frames or clip.width is None or clip.height is None:
                continue
            ref = clip_ref(base.video, base.sha256, clip.numbers, base.rows)
            if ref.id in known:
                continue
            shown = EncodedFrames(
                jpegs=[],
                times=[f.time for f in clip.frames],
                indices=[f.index for f in clip.frames],
                flags=[f.flags for f in clip.frames],
                width=clip.width,
                height=clip.height,
                hashes=[f.sha256 for f in clip.frames],
            )
            ledger.record(ref, f"kept-{base.key}-{clip.number}", base.captioner, "captioner", shown)

    def claim(self, clip: Clip, by: str, step: int | None) -> Evidence:
        """A described clip as evidence."""
        return Evidence(
            window=clip.window(self.search.base.duration),
            quote=Quote(text=clip.caption[:500], source="model"),
            provenance=Provenance(claimed_by=by, step=step, frames=self.frames_of(clip)),
        )


def no_reply(asked: Asked[Any], **extra: Any) -> ToolResult:
    """The failed result for a model that gave nothing usable."""
    kind = "error" if asked.failure is None else _KINDS.get(asked.failure.kind.value, "retry_exhausted")
    return ToolResult.failure(kind, asked.why, tokens=asked.tokens, **extra)
