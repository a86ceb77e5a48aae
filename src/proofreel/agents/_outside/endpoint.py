"""The models of a run as an OpenAI-compatible server on this machine: every call counted, budgeted and kept as a step.

Model names: ``inspect`` (the main model) and ``perceiver``; any other name means the main model.
"""

import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import anyio

from proofreel.agents._local_server import local_server
from proofreel.agents._outside import responses, wire
from proofreel.agents._outside.sessions import Looked
from proofreel.agents._recorder import Recorder
from proofreel.agents.agent import AgentContext
from proofreel.models.failure import ModelFailure
from proofreel.tools.model_call import Reply, ask_model, model_name

T = TypeVar("T")

MOST_BODY = 64_000_000
"""Bytes of one request."""


@dataclass
class Endpoint:
    """What the agent was served.

    Attributes:
        address: base address, ends in ``/v1``.
        key: only requests with this key are served.
        failure: why the last model call gave nothing, None when it gave something.
        refused: name of the budget that was used up, None while there is some left.
        pictures: hashes of all pictures it sent, each once.
        looked: what the tool server showed it so far.
    """

    ctx: AgentContext
    recorder: Recorder
    address: str = ""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    failure: ModelFailure | None = None
    refused: str | None = None
    pictures: set[str] = field(default_factory=set)
    looked: Callable[[], Looked] = Looked
    jobs: Any = None

    async def apart(self, work: Callable[[], Awaitable[T]]) -> T:
        """Runs a call as a task of the agent's own group.

        It is then cancelled with the agent, booked where the agent is, and untouched by what the asking task has
        around it (the web server, the engine's bridge).

        Raises:
            BadCall: as the work does, also for a request that cannot be read.
        """
        outcome: list[T | wire.BadCall] = []
        done = anyio.Event()

        async def job() -> None:
            try:
                outcome.append(await work())
            except wire.BadCall as bad:
                outcome.append(bad)
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                outcome.append(wire.BadCall(f"the request cannot be read ({said})"))
            finally:
                done.set()

        await self.jobs.send(job)
        await done.wait()
        if not outcome:
            raise wire.BadCall("the agent is being stopped", "stopped")
        if isinstance(outcome[0], wire.BadCall):
            raise outcome[0]
        return outcome[0]

    @property
    def way_in(self) -> dict[str, str]:
        """What an OpenAI client needs to ask the main model."""
        return {"base_url": self.address, "api_key": self.key, "name": "inspect"}

    async def answer(self, body: dict[str, Any], form: Any = wire) -> dict[str, Any]:
        """One request in one of the two forms (``wire``, ``responses``) and its reply in the same.

        Raises:
            BadCall: it cannot be served: malformed, over the budget, or the model failed.
        """
        perceiver = str(body.get("model") or "").removeprefix("inspect/") == "perceiver"
        settings = form.settings_of(body)
        reply = await self.ask(
            await form.messages_of(body),
            form.tools_of(body),
            form.choice_of(body),
            settings,
            set(form.images_of(body)),
            role="perceiver" if perceiver else "main",
        )
        whole: dict[str, Any] = form.completion(
            reply, model_name(self.ctx.perceiver if perceiver else self.ctx.model)
        )
        return whole

    async def ask(
        self,
        messages: list[Any],
        tools: list[Any],
        choice: Any,
        config: dict[str, Any],
        pictures: set[str],
        role: str = "main",
    ) -> Reply:
        """One call in the engine's form, budgeted and booked; the reply has a message.

        Raises:
            BadCall: over the budget, no such model, or the model failed.
        """
        model = self.ctx.perceiver if role == "perceiver" else self.ctx.model
        if model is None:
            raise wire.BadCall(f"this run has no {role} model", "model_not_found")
        fresh = pictures - self.pictures
        self._check_budget(fresh if role == "main" else set())
        self.pictures |= fresh
        left = self.ctx.budget.left("seconds")
        reply = await ask_model(
            model,
            messages,
            tools=tools,
            tool_choice=choice,
            config=config,
            ledger=self.ctx.ledger,
            role=role,
            on_wait=self.ctx.on_wait,
            deadline=None if left is None else max(left, 1.0),
        )
        self._book(reply, role, fresh)
        if reply.failure is not None and reply.message is None:
            code = "context_length_exceeded" if reply.failure.kind == "overflow" else "model_failed"
            raise wire.BadCall(str(reply.failure), code)
        return reply

    def _check_budget(self, fresh: set[str]) -> None:
        budget = self.ctx.budget
        gone = budget.exhausted("turns", "tokens", "seconds", "usd")
        if gone is None and fresh and budget.limits.frames is not None:
            seen = self.looked()
            # Pictures of the tool server were counted when it showed them.
            own = len((self.pictures | fresh) - seen.hashes)
            gone = "frames" if own + seen.frames > budget.limits.frames else None
        if gone is not None:
            self.refused = gone
            raise wire.BadCall(f"the budget of {gone} is used up; answer now", "budget_exceeded")

    def _book(self, reply: Reply, role: str, fresh: set[str]) -> None:
        self.failure = reply.failure if reply.message is None else None
        self.ctx.budget.spend(turns=1, use=reply.tokens)
        self.recorder.step(
            "thinking",
            reply.text or reply.thinking,
            tokens=reply.tokens,
            role=role,
            asked_tools=[c.name for c, _ in reply.calls] or None,
            pictures=len(fresh) or None,
            failure=None if reply.failure is None else str(reply.failure),
        )


@contextlib.asynccontextmanager
async def endpoint(
    ctx: AgentContext, recorder: Recorder, looked: Callable[[], Looked] = Looked
) -> AsyncIterator[Endpoint]:
    """Serves the models of a context while the block runs."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Route

    send, receive = anyio.create_memory_object_stream[Callable[[], Awaitable[None]]](64)
    state = Endpoint(ctx, recorder, looked=looked, jobs=send)

    def trouble(status: int, message: str, code: str) -> Response:
        return JSONResponse(
            {"error": {"message": message, "type": code, "param": None, "code": code}}, status
        )

    async def asked(request: Request, form: Any) -> Response:
        if request.headers.get("authorization") != f"Bearer {state.key}":
            return trouble(401, "the key is not the one this agent was given", "invalid_api_key")
        raw = b""
        async for part in request.stream():
            raw += part
            if len(raw) > MOST_BODY:
                return trouble(413, f"a request may have {MOST_BODY} bytes", "too_large")
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return trouble(400, "the body is not a JSON object", "invalid_request_error")
        try:
            reply = await state.apart(partial(state.answer, body, form))
        except wire.BadCall as bad:
            return trouble(400, str(bad), bad.code)
        if body.get("stream"):
            return StreamingResponse(wire.as_stream(reply), media_type="text/event-stream")
        return JSONResponse(reply)

    async def chat(request: Request) -> Response:
        return await asked(request, wire)

    async def respond(request: Request) -> Response:
        return await asked(request, responses)

    async def models(request: Request) -> Response:
        named = [{"id": n, "object": "model", "owned_by": "proofreel"} for n in ("inspect", "perceiver")]
        return JSONResponse({"object": "list", "data": named})

    async def serve_calls(group: Any) -> None:
        async for job in receive:
            group.start_soon(job)

    routes = [
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/responses", respond, methods=["POST"]),
        Route("/v1/models", models),
    ]
    async with local_server(Starlette(routes=routes)) as address, anyio.create_task_group() as group:
        state.address = f"{address}/v1"
        group.start_soon(serve_calls, group)
        try:
            yield state
        finally:
            send.close()
            group.cancel_scope.cancel()
