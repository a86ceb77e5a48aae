"""What an agent outside did through ``proofreel mcp``: its steps and frames, from the log it leaves."""

from dataclasses import dataclass, replace
from pathlib import Path

from proofreel.agents._recorder import Recorder
from proofreel.core import Answer, Evidence, Observation, Trajectory
from proofreel.video import EncodedFrames, Ledger, LedgerEntry


@dataclass(frozen=True)
class Looked:
    """What the sessions of one question left.

    Attributes:
        calls: tool calls.
        frames: pictures shown, to the agent and to a perceiver.
        answer: the answer that was cited last, None when none was.
        hashes: of the pictures shown.
    """

    calls: int = 0
    frames: int = 0
    answer: Answer | None = None
    hashes: frozenset[str] = frozenset()


def look_back(folder: Path) -> Looked:
    """What the sessions below a folder showed so far."""
    states = [s for _, s in _states(folder)]
    ledgers = [Ledger(p) for p in folder.glob("session-*/ledger.jsonl")]
    return Looked(
        calls=sum(len(s.observations) for state in states for s in state.steps),
        frames=sum(state.frames_seen for state in states),
        hashes=frozenset(f.sha256 for ledger in ledgers for e in ledger.entries for f in e.frames),
    )


def take_in(folder: Path, recorder: Recorder, ledger: Ledger | None) -> Looked:
    """Adds the steps of every session below a folder to a trajectory, and its frames to a ledger."""
    answer: Answer | None = None
    for path, state in _states(folder):
        name, offset = path.parent.name, recorder.next_id - 1
        for step in state.steps:
            recorder.step(
                step.phase if step.phase != "answer" else "observe",
                step.text,
                calls=tuple(c.model_copy(update={"id": f"{name}.{c.id}"}) for c in step.calls),
                observations=tuple(_moved(o, name, offset) for o in step.observations),
                over="mcp",
            )
        if state.answer.stop in ("answered", "abstained"):
            shifted = tuple(_shifted(e, offset) for e in state.answer.evidence)
            answer = state.answer.model_copy(update={"evidence": shifted})
        for entry in Ledger(path.with_name("ledger.jsonl")).entries:
            _copy(entry, name, ledger)
    return replace(look_back(folder), answer=answer)


def _states(folder: Path) -> list[tuple[Path, Trajectory]]:
    found = []
    numbered = {
        int(n): p
        for p in folder.glob("session-*/trajectory.json")
        if (n := p.parent.name[8:]).isascii() and n.isdigit() and len(n) < 10
    }
    for _, path in sorted(numbered.items()):
        try:
            found.append((path, Trajectory.model_validate_json(path.read_bytes())))
        except ValueError:  # no trajectory of ours; the agent can write here too
            continue
    return found


def _moved(observation: Observation, session: str, offset: int) -> Observation:
    return observation.model_copy(
        update={
            "call_id": f"{session}.{observation.call_id}",
            "evidence": tuple(_shifted(e, offset) for e in observation.evidence),
        }
    )


def _shifted(evidence: Evidence, offset: int) -> Evidence:
    step = evidence.provenance.step
    if step is None:
        return evidence
    moved = evidence.provenance.model_copy(update={"step": step + offset})
    return evidence.model_copy(update={"provenance": moved})


def _copy(entry: LedgerEntry, session: str, ledger: Ledger | None) -> None:
    shown = None
    if entry.frames and entry.width and entry.height:
        shown = EncodedFrames(
            jpegs=[],
            times=[f.time for f in entry.frames],
            indices=[f.index for f in entry.frames],
            flags=[f.flags for f in entry.frames],
            width=entry.width,
            height=entry.height,
            hashes=[f.sha256 for f in entry.frames],
        )
    if ledger is not None:
        ledger.record(entry.ref, f"{session}.{entry.call_id}", entry.model, entry.role, shown)
