"""The folder of one session: every call, frame and piece of evidence is on disk as it happens."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proofreel.core import Evidence, Trajectory
from proofreel.core.errors import UserError

LONG = 20_000
"""Characters of an argument list or a text that are kept in the call log."""


class SessionLog:
    """``session-N`` below a folder: ``calls.jsonl``, ``evidence.jsonl``, ``trajectory.json``, ``ledger.jsonl``.

    Args:
        root: the folder; made when absent. Each session takes the next free number, so two servers never mix.

    Raises:
        UserError: the folder cannot be written.
    """

    def __init__(self, root: Path) -> None:
        number = 1
        try:
            root.mkdir(parents=True, exist_ok=True)
            while True:
                self.folder = root / f"session-{number}"
                try:
                    self.folder.mkdir()
                    break
                except FileExistsError:
                    number += 1
        except OSError as error:
            raise UserError(
                f"{root}: the log cannot be written ({error.strerror}); choose another --log"
            ) from error

    @property
    def ledger(self) -> Path:
        """Where the frames shown are recorded."""
        return self.folder / "ledger.jsonl"

    def call(self, **facts: Any) -> None:
        """One line of the call log."""
        self._line("calls.jsonl", {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **facts})

    def evidence(self, video: str, evidence: Evidence) -> None:
        """One piece of evidence, and the video it is about."""
        self._line("evidence.jsonl", {"video": video, **evidence.model_dump(mode="json")})

    def trajectory(self, state: Trajectory) -> None:
        """The trajectory so far, replacing the last one in one step."""
        path = self.folder / "trajectory.json"
        part = path.with_suffix(".tmp")
        part.write_text(state.model_dump_json(indent=1), encoding="utf-8")
        part.replace(path)

    def _line(self, name: str, record: dict[str, Any]) -> None:
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")


def spent_before(root: Path) -> tuple[int, int]:
    """Tool calls and frames of the sessions a folder holds already; unreadable ones count nothing."""
    calls = frames = 0
    for path in sorted(root.glob("session-*/trajectory.json")):
        try:
            state = Trajectory.model_validate_json(path.read_bytes())
        except (OSError, ValueError):
            continue
        calls += sum(len(s.observations) for s in state.steps)
        frames += state.frames_seen
    return calls, frames


def shortened(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments as they are kept: a call nobody could have meant does not fill the disk."""
    size = len(json.dumps(arguments, default=str))
    return arguments if size <= LONG else {"left_out": f"{size} characters of arguments"}
