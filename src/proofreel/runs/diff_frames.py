"""What the models of two runs were shown, question by question, down to the first differing frame."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from proofreel.runs.diff_records import FrameDiff, FramesCompared
from proofreel.runs.numbers_load import ScoredRun
from proofreel.runs.result import Key
from proofreel.video import Ledger, LedgerEntry
from proofreel.video.ledger import first_difference

_HEAD = re.compile(r"^entry (\d+) \(call [^)]*\): ")
_PLAIN = {
    "plan.fps": "sampling rate (fps)",
    "plan.n": "number of frames",
    "plan.cap": "most frames (cap)",
    "plan.start": "start of the window (s)",
    "plan.end": "end of the window (s)",
    "plan.verb": "kind of sampling plan",
    "plan.rule": "rule of the sampling plan",
    "quality": "JPEG quality",
    "height": "picture height (rows)",
    "sha256": "the video file (hash)",
}


class _Part(Ledger):
    """The entries of one question, in the order of its calls."""

    def __init__(self, entries: Iterable[LedgerEntry]) -> None:
        super().__init__()
        self._entries = list(entries)


def compare_frames(a: ScoredRun, b: ScoredRun, keys: Sequence[Key]) -> FramesCompared | None:
    """The ledgers of two runs over the pairs both have; None when one of them kept no ledger.

    Calls of a run go on side by side, so entries are brought into the order of each result's own calls first.
    """
    first, second = entries_by_call(a), entries_by_call(b)
    if first is None or second is None:
        return None
    same, kinds = 0, Counter[str]()
    found: FrameDiff | None = None
    for key in keys:
        text = first_difference(_of(a, key, first), _of(b, key, second))
        if text is None:
            same += 1
            continue
        what, said = _named(text)
        kinds[what] += 1
        found = found or FrameDiff(item_id=key[0], epoch=key[1], what=what, text=said)
    return FramesCompared(
        pairs=len(keys), same=same, first=found, kinds=dict(kinds), requests=sum(map(len, first.values()))
    )


def entries_by_call(run: ScoredRun) -> dict[str, list[LedgerEntry]] | None:
    """Ledger entries of a run by the id of their call; None when frames were shown and no ledger was kept."""
    if run.folder is None or not run.folder.ledger_path.exists():
        shown = any(r.trajectory.frames_seen for r in run.results.values())
        return None if shown else {}
    calls: dict[str, list[LedgerEntry]] = {}
    for entry in Ledger.load(run.folder.ledger_path).entries:
        calls.setdefault(entry.call_id, []).append(entry)
    return calls


def _of(run: ScoredRun, key: Key, calls: dict[str, list[LedgerEntry]]) -> _Part:
    result = run.results[key]
    return _Part(e for call in dict.fromkeys(result.calls) for e in calls.get(call, ()))


def _named(text: str) -> tuple[str, str]:
    """(what kind of thing differs, the difference in plain words)."""
    head = _HEAD.match(text)
    if head is None:
        return "number of calls", text
    setting, _, values = text[head.end() :].partition(": ")
    plain = _PLAIN.get(setting, setting)
    values = values.replace('"', "")
    return _kind(setting), f"{plain}: {values} (call {head[1]} of the question)"


def _kind(setting: str) -> str:
    if setting.startswith("plan"):
        return "sampling plan"
    if setting in ("model", "role"):
        return setting
    if setting.startswith("frame"):
        return "frame"
    if setting.startswith("clip") or setting in ("start", "end", "fps", "audio", "media_resolution"):
        return "clip"
    return "video file" if setting == "sha256" else "picture"
