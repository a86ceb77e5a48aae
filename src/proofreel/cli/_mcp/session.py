"""One session of an agent outside: the videos it may open, its budget, its trajectory, its evidence."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from pydantic import BaseModel, ValidationError

from proofreel.agents import AgentContext, Budget, Recorder
from proofreel.cli._mcp.log import SessionLog, shortened
from proofreel.core import Answer, Evidence, Question, StopReason, ToolCall, Trajectory, Window
from proofreel.core.errors import UserError
from proofreel.tools import ToolContext, ToolResult, observe
from proofreel.video import Ledger, VideoInfo, probe

UNTOLD = "(the agent was not told a question by this server)"


@dataclass(frozen=True)
class Reply:
    """What goes back over the wire: the result, and pictures with their true times."""

    result: ToolResult
    pictures: tuple[tuple[float, bytes], ...] = ()


@dataclass
class Video:
    """A video that may be opened, by the name it is called."""

    name: str
    path: Path
    info: VideoInfo
    transcript: Path | None = None
    index: Any = None


class Refused(Exception):  # noqa: N818  the name says what happened
    """A call that cannot be served; the message is one line for the agent."""

    def __init__(self, message: str, kind: str = "validation") -> None:
        self.kind = kind
        super().__init__(" ".join(message.split()))


@dataclass
class Session:
    """Runs calls one after the other and keeps everything they leave.

    Attributes:
        videos: what may be opened, by name.
        budget: limits of the session; its clock starts with the first call.
        log: where everything goes.
        question: what is asked, None when the server was not told.
        perceiver: engine model for ``analyze``, None for none.
        most_frames: most pictures of one call.
    """

    videos: Mapping[str, Video]
    budget: Budget
    log: SessionLog
    question: Question | None = None
    perceiver: Any = None
    most_frames: int = 16
    client: str = "outside agent"
    evidence: list[tuple[str, Evidence]] = field(default_factory=list)
    answer: Answer | None = None

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.log.ledger)
        first = next(iter(self.videos.values()))
        self.asked = self.question or Question.ask(UNTOLD, str(first.path), duration=first.info.duration)
        ctx = AgentContext(
            perceiver=self.perceiver, budget=self.budget, ledger=self.ledger, on_step=self._keep
        )
        self.recorder = Recorder("outside", self.asked, ctx, videos=list(self.videos), over="mcp")
        self._lock = anyio.Lock()
        self._calls = 0

    def _keep(self, state: Trajectory) -> None:
        """The trajectory so far, with the answer once there is one."""
        self.log.trajectory(state.model_copy(update={"answer": self.answer}) if self.answer else state)

    def video(self, name: str | None) -> Video:
        """The video of that name; the only one when no name is given.

        Raises:
            Refused: no such video here. A path is never looked at.
        """
        if name is None and len(self.videos) == 1:
            return next(iter(self.videos.values()))
        if name is None or name not in self.videos:
            told = "name one of the videos" if name is None else f"there is no video {name[:80]!r} here"
            raise Refused(f"{told}: {', '.join(self.videos)}")
        return self.videos[name]

    async def call(self, name: str, arguments: dict[str, Any], tools: Mapping[str, Any]) -> Reply:
        """Runs one call; every failure is a result the agent reads, never an exception."""
        tool = tools.get(name)
        # What costs goes one after the other, so that a budget is never spent twice; a perceiver that hangs must not
        # keep the agent from answering.
        turn = self._lock if tool is not None and tool.costs else contextlib.nullcontext()
        async with turn:
            try:
                return await self._kept(name, arguments, tools)
            except OSError as error:
                # What cannot be written down is not shown: the record is the point of it.
                said = f"the log in {self.log.folder} cannot be written ({error.strerror})"
                return Reply(ToolResult.failure("error", said))

    async def _kept(self, name: str, arguments: dict[str, Any], tools: Mapping[str, Any]) -> Reply:
        if not self._calls:
            self.budget.started = time.monotonic()
        self._calls += 1
        call = ToolCall(id=f"call-{self._calls}", name=name[:100], arguments=shortened(arguments))
        self.log.call(call=call.id, tool=call.name, arguments=call.arguments)
        self.recorder.step("tool_call", calls=(call,))
        reply = await self._reply(call, arguments, tools)
        result = reply.result
        self.budget.spend(frames=result.frames, use=result.tokens)
        self.recorder.step("tool_result", observations=(observe(call, result),))
        if name == "cite" and result.ok and self.answer is not None:
            self.recorder.finish(self.answer)
        self.log.call(
            call=call.id,
            ok=result.ok,
            failure=result.failure_kind,
            text=result.text[:2000],
            frames=[t for t, _ in reply.pictures],
            spent=self.budget.spent(),
        )
        return reply

    async def _reply(self, call: ToolCall, arguments: dict[str, Any], tools: Mapping[str, Any]) -> Reply:
        tool = tools.get(call.name)
        try:
            if tool is None:
                raise Refused(
                    f"there is no tool {call.name!r}; there are: {', '.join(tools)}", "unknown_tool"
                )
            if tool.costs and (gone := self.budget.exhausted("tool_calls", "frames", "seconds")):
                allowed = getattr(self.budget.limits, gone)
                raise Refused(
                    f"the budget of {allowed:g} {gone} is used up; give your answer with cite", "budget"
                )
            # Booked before the work: a call that is cancelled on the way was made all the same.
            self.budget.spend(tool_calls=int(tool.costs))
            return await tool.run(self, _read(tool.arguments, arguments), call.id)  # type: ignore[no-any-return]
        except Refused as refusal:
            return Reply(ToolResult.failure(refusal.kind, str(refusal)))
        except UserError as error:
            return Reply(ToolResult.failure("error", " ".join(str(error).split())))
        except Exception as error:  # noqa: BLE001  the server outlives any fault of a call
            said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            return Reply(ToolResult.failure("error", f"{call.name} failed: {said}"))

    def tool_context(self, video: Video) -> ToolContext:
        """What tools of the harness are given for a call."""
        question = self.asked.model_copy(
            update={
                "video": str(video.path),
                "duration": video.info.duration,
                "transcript": str(video.transcript) if video.transcript else None,
            }
        )
        return ToolContext(
            question=question,
            perceiver=self.perceiver,
            ledger=self.ledger,
            duration=video.info.duration,
            step=self.recorder.next_id,
            frames_left=self.budget.frames_left,
            seconds_left=self.budget.left("seconds"),
            options={} if video.index is None else {"index": video.index},
        )

    async def index_of(self, video: Video) -> Any:
        """The index of a video, made at the first use and cached.

        Raises:
            UserError: what reads and hears is missing, or the file cannot be read.
        """
        if video.index is None:
            from proofreel.perception import prepare

            video.index = await anyio.to_thread.run_sync(
                lambda: prepare(video.path, transcript=video.transcript)
            )
        return video.index

    def shown(self, video: Video, window: Window) -> list[float]:
        """Times of the frames of a video that were shown inside a window."""
        entries = [e for e in self.ledger.entries if e.ref.video == str(video.path)]
        return sorted({f.time for e in entries for f in e.frames if window.contains(f.time)})

    def close(self) -> None:
        """The last state, and a page for evidence that never got an answer."""
        if self.answer is None:
            gone = Answer(stop=StopReason.EMPTY, reason="the session ended without an answer")
            cited = tuple(e for _, e in self.evidence)
            self.log.trajectory(self.recorder.so_far(gone.model_copy(update={"evidence": cited})))
            if self.evidence:
                self.pages(gone)

    def pages(self, answer: Answer) -> list[Path]:
        """Writes a proof page for each video that evidence is about (the first one when there is none)."""
        from proofreel.report import write_proof

        names = list(dict.fromkeys(n for n, _ in self.evidence)) or list(self.videos)[:1]
        written = []
        for name in names:
            video = self.videos[name]
            about = answer.model_copy(update={"evidence": tuple(e for n, e in self.evidence if n == name)})
            whole = Window(start=0.0, end=max(video.info.duration, 0.0) + 1)
            file = "proof.html" if len(self.videos) == 1 else f"proof-{name}.html"
            written.append(
                write_proof(
                    self.recorder.so_far(about),
                    self.asked,
                    video.path,
                    self.log.folder / file,
                    frames_seen=self.shown(video, whole),
                )
            )
        return written


def open_videos(paths: list[Path], transcript: Path | None = None) -> dict[str, Video]:
    """The videos by name: the file's name, made distinct by a number.

    Raises:
        VideoError: a file cannot be read.
    """
    from proofreel.video import find_transcript

    videos: dict[str, Video] = {}
    for path in paths:
        info = probe(path)
        name, number = path.name, 2
        while name in videos:
            name, number = f"{path.stem}-{number}{path.suffix}", number + 1
        videos[name] = Video(name, path.resolve(), info, transcript or find_transcript(path))
    return videos


def _read(model: type[BaseModel], arguments: dict[str, Any]) -> BaseModel:
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(p)[:60] for p in fault["loc"]) or "arguments"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise Refused(f"{where}: {fault['msg']}{more}") from None
