"""The wrapping provider ``proofreel/<provider>/<model>``: references in, plain provider messages out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from proofreel.models import compat
from proofreel.models._expand import Expanded, expand
from proofreel.models._late import late_frames
from proofreel.models._scrub import modalities_of, scrubbed, whole
from proofreel.models._state import CallState, ambient_ledger, current_state, state_for
from proofreel.models.cards import model_card
from proofreel.models.classify import root_cause, wait_reason
from proofreel.models.failure import FailureKind, ModelFailure, ModelTimeout
from proofreel.models.media import is_media
from proofreel.models.payload import Policy
from proofreel.video import Ledger

if TYPE_CHECKING:
    from inspect_ai.model import ModelCall

FIRST_WAIT = 2.0
LONGEST_WAIT = 120.0


class ProofreelAPI(ModelAPI):
    """Expands media references inside its own ``generate`` and hands plain messages to the inner provider.

    Args:
        model_name: ``<provider>/<model>`` as the engine names them.
        base_url: address of the server, None for the provider's own.
        api_key: key; normally left to the provider's environment variable.
        config: generation settings.
        on_limit: ``refuse`` (default) or ``fit`` payloads that the model card does not allow.
        video: whether the route takes true video; None asks the card.
        video_mode: for Gemini: ``auto``, ``clip`` (cut mp4) or ``file`` (the whole file, with bounds).
        mm_processor_kwargs: for vLLM: passed through beside video parts, over our own values.
        media_io_kwargs: likewise.
        model_args: passed on to the inner provider.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        on_limit: Policy = "refuse",
        video: bool | None = None,
        video_mode: Literal["auto", "clip", "file"] = "auto",
        mm_processor_kwargs: dict[str, Any] | None = None,
        media_io_kwargs: dict[str, Any] | None = None,
        **model_args: Any,
    ) -> None:
        config = config or GenerateConfig()
        super().__init__(model_name, base_url=base_url, api_key=api_key, config=config)
        self.card = model_card(model_name)
        self.on_limit: Policy = on_limit
        self.ledger: Ledger | None = None
        self.role: str | None = None
        self.deadline: float | None = None
        self.inner = compat.inner_provider(model_name, base_url, api_key, config, model_args)
        self.video_route = isinstance(self.inner, compat.VideoRoute)
        if isinstance(self.inner, compat.VideoRoute):
            self.inner.video_options = compat.VideoOptions(
                card=self.card,
                mode=video_mode,
                mm_processor_kwargs=mm_processor_kwargs or {},
                media_io_kwargs=media_io_kwargs or {},
            )
        wanted = self.card.video if video is None else video
        self.takes_video = self.video_route and bool(wanted)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        """One attempt: expand (once per call), send, record what was shown."""
        state = state_for(input)
        state.max_retries = config.max_retries
        left = state.remaining()
        if left is not None and left <= 0:
            raise ModelTimeout(f"{self.model_name}: no answer before the deadline", attempts=state.attempts)
        if state.expanded is None:
            state.expanded = await self._expanded(input)
            state.notes = state.expanded.notes
            _assert_plain(state.expanded)
        state.attempts += 1
        self.inner.qualified_model_name = self.qualified_model_name
        with late_frames(state.expanded.late), compat.videos(state.expanded.videos), compat.own_event():
            result = await self.inner.generate(state.expanded.messages, tools, tool_choice, config)
        self._record(state)
        return _tidy(result, state)

    async def _expanded(self, messages: Sequence[ChatMessage]) -> Expanded:
        return await expand(
            messages,
            self.card,
            takes_video=self.takes_video,
            policy=self.on_limit,
            clip_mode=getattr(self.inner, "clip_mode", None),
            late=bool(getattr(self.inner, "late_frames", False)),
            joins_frames=bool(getattr(self.inner, "joins_frames", True)),
        )

    async def record_unsent(self, state: CallState, messages: Sequence[ChatMessage]) -> None:
        """Records the media of a call that the engine answered from its cache."""
        state.expanded = await self._expanded(messages)
        state.notes = state.expanded.notes
        self._record(state)

    def _record(self, state: CallState) -> None:
        if state.recorded or state.expanded is None:
            return
        state.recorded = True
        ledger = state.ledger or ambient_ledger() or self.ledger
        if ledger is None:
            return
        for shown in state.expanded.shown:
            ledger.record(
                shown.ref, state.call_id, self.model_name, state.role or self.role or "model", shown.encoded
            )

    def retry_wait(self) -> Any:
        """Seconds before the next attempt: the server's Retry-After, else exponential with jitter."""
        return self._wait

    def _wait(self, retry: Any) -> float:
        error = retry.outcome.exception() if retry.outcome else None
        decision = self.inner.should_retry(error) if isinstance(error, Exception) else None
        asked = getattr(decision, "retry_after", None)
        attempt = int(retry.attempt_number)
        backoff = min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT) * random.uniform(1.0, 1.25)
        seconds = float(asked) if asked is not None else backoff
        state = current_state()
        # The engine works out a wait even after the last attempt, and then does not wait.
        if state is not None and (state.max_retries is None or attempt <= state.max_retries):
            left = state.remaining()
            if left is not None:
                seconds = min(seconds, max(left, 0.0))
            state.waiting(attempt, wait_reason(error), seconds)
        return seconds

    def should_retry(self, ex: Exception) -> Any:
        """As the inner provider says; what was refused here is never retried."""
        return False if isinstance(root_cause(ex), ModelFailure) else self.inner.should_retry(ex)

    async def aclose(self) -> None:
        """Closes the inner provider's client."""
        await self.inner.aclose()


def _assert_plain(expanded: Expanded) -> None:
    """No reference and no stray marker goes to a provider."""
    markers = {v.marker for v in expanded.videos}
    found: list[str] = []
    for message in expanded.messages:
        if isinstance(message.content, str):
            continue
        if any(is_media(c) for c in message.content):
            raise ModelFailure(
                FailureKind.PAYLOAD, "a media reference was left in the request; nothing was sent"
            )
        found += [c.text for c in message.content if c.type == "text" and c.text in markers]
    if sorted(found) != sorted(markers):
        raise ModelFailure(FailureKind.PAYLOAD, "a video lost its place in the request; nothing was sent")


def _tidy(
    result: ModelOutput | tuple[ModelOutput | Exception, ModelCall], state: CallState
) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
    output, call = result if isinstance(result, tuple) else (result, None)
    if isinstance(output, ModelOutput):
        output = whole(output)
        state.done = True
        state.release()
        state.served = output.model or None
        kinds = modalities_of(call)
        ours: dict[str, Any] = {"call_id": state.call_id}
        if kinds:
            ours["modalities"] = state.modalities = kinds
        if state.notes:
            ours["notes"] = list(state.notes)
        output.metadata = {**(output.metadata or {}), "proofreel": ours}
    if call is None:
        return cast(ModelOutput, output)
    return output, whole(scrubbed(call))


_PASSED_ON = (
    "canonical_name",
    "service_model_name",
    "input_tokens_name",
    "model_family",
    "cache_write_ttl",
    "served_model_usage",
    "count_text_tokens",
    "count_media_tokens",
    "max_tokens",
    "max_tokens_for_config",
    "max_connections",
    "connection_key",
    "is_auth_failure",
    "refresh_credentials",
    "collapse_user_messages",
    "collapse_assistant_messages",
    "collapse_system_messages",
    "tools_required",
    "supports_remote_mcp",
    "tool_result_images",
    "tool_result_documents",
    "disable_computer_screenshot_truncation",
    "force_reasoning_history",
    "auto_reasoning_history",
    "compact_reasoning_history",
)


def _passed_on(name: str) -> Any:
    def call(self: ProofreelAPI, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.inner, name)(*args, **kwargs)

    call.__name__, call.__doc__ = name, f"As the inner provider's ``{name}``."
    return call


for _name in _PASSED_ON:
    setattr(ProofreelAPI, _name, _passed_on(_name))


@modelapi("proofreel")
def proofreel() -> type[ModelAPI]:
    """The engine's entry: names like ``proofreel/openai/gpt-5``."""
    return ProofreelAPI
