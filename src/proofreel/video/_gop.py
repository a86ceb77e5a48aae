"""Decoding the wanted frames of one group of pictures: decode from its key frame, match by time.

A group is everything that is shown from one key frame up to the next *by display time*. So the leading
frames of an open group belong to the group before it, which is where they can be decoded from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import av
import numpy as np

from ._index import FrameIndex, Ints
from ._packets import PacketSource
from .errors import DamagedFrame

_NEIGHBOURS = 3
"""How many groups before, then after, a damaged one are searched for a good frame."""


@dataclass(frozen=True)
class Group:
    """Wanted frame numbers that decode from one key frame.

    Attributes:
        key: position in `FrameIndex.keys`; -1 means from the start of the file.
        wanted: ascending frame numbers.
    """

    key: int
    wanted: tuple[int, ...]


@dataclass(frozen=True)
class Decoded:
    """One wanted frame as it came out.

    Attributes:
        wanted: the frame number asked for.
        shown: the number of the frame given, another one where damage forbids the exact one.
        frame: the picture.
        damaged: True when the picture is not, or may not be, the exact one.
    """

    wanted: int
    shown: int
    frame: av.VideoFrame
    damaged: bool


def group_by_key(index: FrameIndex, wanted: Ints) -> list[Group]:
    """Groups of the ascending unique frame numbers `wanted`, in display order."""
    if not index.matched:
        return [Group(-1, tuple(wanted.tolist()))]
    keys = np.searchsorted(index.keys, index.pts[wanted], side="right") - 1
    borders = np.flatnonzero(np.diff(keys)) + 1
    parts = zip(np.split(keys, borders), np.split(wanted, borders), strict=True)
    return [Group(int(key[0]), tuple(numbers.tolist())) for key, numbers in parts]


@dataclass
class _Taint:
    """From where in decode order the pictures of a group are broken, or only doubtful.

    What comes after a broken packet may refer to it, so that doubt lasts to the end of the group.
    """

    broken: float = field(default=float("inf"))
    doubtful: float = field(default=float("inf"))

    def broken_from(self, position: int) -> None:
        self.broken = min(self.broken, position)

    def doubtful_from(self, position: int) -> None:
        self.doubtful = min(self.doubtful, position)


class GroupDecoder:
    """Decodes groups of one file, one after the other. Not shared between threads."""

    def __init__(self, source: PacketSource, search: bool = True) -> None:
        self._source = source
        self._index = source.index
        self._search = search
        self._lost = set(source.index.lost.tolist())
        self._helper: GroupDecoder | None = None

    def decode(self, group: Group) -> Iterator[Decoded]:
        """The wanted frames of a group, in display order, each exactly once.

        Raises:
            DamagedFrame: if neither a frame nor any good one near it can be decoded.
        """
        return self._match(group) if self._index.matched else self._count(group)

    def _count(self, group: Group) -> Iterator[Decoded]:
        """Frames by their order from the start of the file: there are no times to go by."""
        waiting = list(reversed(group.wanted))
        number, damaged, last = -1, False, None
        for packet in self._source.from_start():
            frames, trouble = self._source.feed(packet)
            damaged = damaged or trouble.failed
            for last in frames:
                number += 1
                if waiting and waiting[-1] == number:
                    yield Decoded(waiting.pop(), number, last, damaged or last.is_corrupt)
            if not waiting:
                return
        if last is None:
            raise DamagedFrame(self._source.path, "none of its frames decodes")
        while waiting:
            yield Decoded(waiting.pop(), number, last, True)

    def _match(self, group: Group) -> Iterator[Decoded]:
        """Frames by their time; what is lost or broken is replaced by the nearest earlier good frame."""
        key_pts = int(self._index.keys[group.key]) if group.key >= 0 else None
        due = list(zip(self._index.pts[list(group.wanted)].tolist(), group.wanted, strict=True))[::-1]
        exact = {pts for pts, _ in due}
        position_of: dict[int, int] = {}
        awaited: dict[int, int] = {}
        taint = _Taint()
        good: av.VideoFrame | None = None
        for position, packet in enumerate(self._source.from_key(group.key)):
            pts = None if packet is None else packet.pts
            # Leading pictures refer to the group before; their trouble is none of ours.
            ours = pts is None or key_pts is None or pts >= key_pts
            if pts is not None:
                position_of[pts] = position
                if position and pts in self._lost:
                    taint.broken_from(position)
                if ours and (pts in exact or (self._index.counted and self._index.shows(pts))):
                    awaited[pts] = position
            frames, trouble = self._source.feed(packet, exact=pts is None or pts in exact)
            if ours and trouble.failed:
                taint.broken_from(position)
            elif ours and trouble.complained:
                taint.doubtful_from(position)
            for frame in frames:
                if frame.pts is None or (key_pts is not None and frame.pts < key_pts):
                    continue
                at = position_of.get(frame.pts, position)
                awaited.pop(frame.pts, None)
                for missed in [pts for pts in awaited if pts < frame.pts]:
                    taint.broken_from(awaited.pop(missed))
                if frame.is_corrupt:
                    taint.broken_from(at)
                while due and due[-1][0] < frame.pts:  # never came out
                    yield self._instead(group, due.pop()[1], good)
                if due and due[-1][0] == frame.pts:
                    number = due.pop()[1]
                    if at < taint.broken:
                        yield Decoded(number, number, frame, at >= taint.doubtful)
                    else:
                        yield self._instead(group, number, good, frame)
                if at < taint.broken:
                    good = frame
            if not due:
                return
        while due:
            yield self._instead(group, due.pop()[1], good)

    def _instead(
        self, group: Group, number: int, good: av.VideoFrame | None, broken: av.VideoFrame | None = None
    ) -> Decoded:
        """The nearest good frame for a damaged one, or the broken picture where there is none."""
        if good is not None:
            shown = int(np.searchsorted(self._index.pts, good.pts or 0, side="right")) - 1
            return Decoded(number, max(shown, 0), good, True)
        near = self._neighbour(group)
        if near is not None:
            return Decoded(number, near.shown, near.frame, True)
        if broken is not None:
            return Decoded(number, number, broken, True)
        seconds = float(self._index.times[number])
        raise DamagedFrame(
            self._source.path, f"no frame at or near {seconds:.3f} s decodes; ask for another time"
        )

    def _neighbour(self, group: Group) -> Decoded | None:
        """The last good frame of the groups before this one, else the first good frame of those after."""
        if not self._search:
            return None
        if self._helper is None:
            self._helper = GroupDecoder(self._source.another(), search=False)
        pts, keys = self._index.pts, self._index.keys
        before = range(group.key, max(-1, group.key - _NEIGHBOURS), -1)
        after = range(group.key + 1, min(len(keys), group.key + 1 + _NEIGHBOURS))
        candidates = [int(np.searchsorted(pts, keys[k])) - 1 for k in before if k >= 0]
        candidates += [int(np.searchsorted(pts, keys[k])) for k in after]
        for number in candidates:
            if 0 <= number < len(pts):
                found = self._helper._good_frame(number)
                if found is not None:
                    return found
        return None

    def _good_frame(self, number: int) -> Decoded | None:
        """A frame, or an earlier good one of its group; never a broken one."""
        group = group_by_key(self._index, np.array([number], dtype=np.int64))[0]
        try:
            found = next(self._match(group))
        except DamagedFrame:
            return None
        broken = found.damaged and found.shown == number
        return None if broken else found
