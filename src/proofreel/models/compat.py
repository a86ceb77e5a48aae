"""Every private name of the engine that we use, and nothing else does.

Pinned to inspect-ai 0.3.285. The provider base classes are not public; an upgrade is checked by the wire tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model

from proofreel.models._expand import VideoPart, Whole
from proofreel.models.card import ModelCard
from proofreel.models.failure import FailureKind, MissingKey, ModelFailure, UnknownModel

if TYPE_CHECKING:
    from proofreel.video import ClipRef


@dataclass(frozen=True)
class VideoOptions:
    """How a video route sends: card limits, Gemini's mode, vLLM's pass-through settings."""

    card: ModelCard = field(default_factory=lambda: ModelCard(name="unknown"))
    mode: Literal["auto", "clip", "file"] = "auto"
    mm_processor_kwargs: dict[str, Any] = field(default_factory=dict)
    media_io_kwargs: dict[str, Any] = field(default_factory=dict)


class VideoRoute:
    """Mixed into provider subclasses that put true video where a marker stands."""

    video_options: VideoOptions = VideoOptions()
    joins_frames: bool = True
    """Whether pictures can be sent as one video."""
    late_frames: bool = False
    """Whether marks may stand for frames until the request is sent (see ``_late``)."""

    def clip_mode(self, ref: ClipRef, card: ModelCard) -> Whole:
        """Whether a clip goes as a cut mp4 or as the whole file with bounds."""
        return "clip"


_videos: ContextVar[tuple[VideoPart, ...]] = ContextVar("proofreel_videos", default=())


@contextmanager
def videos(parts: Sequence[VideoPart]) -> Iterator[None]:
    """The true videos of the request being sent in this context."""
    token = _videos.set(tuple(parts))
    try:
        yield
    finally:
        _videos.reset(token)


@contextmanager
def own_event() -> Iterator[None]:
    """Keeps the raw request of a provider out of the running log event until it is free of media.

    Providers attach their request to the event before they send it, and the engine walks it and stores its long
    strings at once; some filters miss some media. The finished call goes into the event afterwards.
    """
    from inspect_ai.log._samples import track_active_model_event

    with track_active_model_event(None):  # type: ignore[arg-type]  # the variable itself allows None
        yield


def pending_videos() -> dict[str, VideoPart]:
    """The videos of this request by marker."""
    return {v.marker: v for v in _videos.get()}


def all_placed(pending: dict[str, VideoPart], placed: Sequence[str]) -> None:
    """Each video must have found its place exactly once.

    Raises:
        ModelFailure: one has not; nothing is sent.
    """
    if sorted(placed) != sorted(pending):
        raise ModelFailure(
            FailureKind.PAYLOAD, "a video did not reach its place in the request; nothing was sent"
        )


def inner_provider(
    model_name: str,
    base_url: str | None,
    api_key: str | None,
    config: GenerateConfig,
    model_args: dict[str, Any],
) -> ModelAPI:
    """The provider under the wrapper: ours where true video is possible, the engine's otherwise.

    Raises:
        MissingKey: the provider's environment variable is not set.
        UnknownModel: there is no such provider.
    """
    from inspect_ai._util.error import PrerequisiteError

    provider, _, name = model_name.partition("/")
    if not name:
        raise UnknownModel(model_name, why="needs a provider in front, as in openai/gpt-5")
    args = dict(model_args)
    try:
        if provider == "google":
            from proofreel.models._google import google_class

            made: ModelAPI = google_class()(name, base_url, api_key, config, **args)
        elif provider == "openai-api":
            from proofreel.models._openai_compatible import openai_compatible_class

            args = {"strict_tools": False} | args
            made = openai_compatible_class()(name, base_url, api_key, config, **args)
        elif provider == "vllm":
            from proofreel.models._openai_compatible import vllm_class

            made = vllm_class()(name, base_url=base_url, api_key=api_key, config=config, **args)
        else:
            if provider in ("openai", "anthropic"):
                args.setdefault("max_retries", 0)  # one layer retries and counts: the engine
            if provider == "mockllm":
                args["custom_outputs"] = _with_usage(args.get("custom_outputs"))
            made = get_model(
                model_name, config=config, base_url=base_url, api_key=api_key, memoize=False, **args
            ).api
    except PrerequisiteError as error:
        raise _missing(model_name, str(error)) from error
    except ValueError as error:
        if "not recognized" in str(error):
            raise UnknownModel(model_name, why=f"has an unknown provider {provider!r}") from error
        raise
    return made


def _missing(model: str, said: str) -> ModelFailure:
    variables = re.findall(r"\b[A-Z][A-Z0-9]*_(?:API_KEY|KEY|TOKEN)\b", said)
    if variables:
        return MissingKey(model, variables[0])
    plain = " ".join(re.sub(r"\[.*?\]", "", said).split())  # the engine marks up for its own console
    return ModelFailure(FailureKind.REFUSED, f"{model}: {plain}")


def _with_usage(outputs: Any) -> Any:
    """Scripted outputs that always have usage: without, the engine fetches a tokenizer from the internet."""

    def filled(output: ModelOutput) -> ModelOutput:
        if output.usage is None:
            output.usage = ModelUsage()
        return output

    if callable(outputs):

        async def call(*args: Any) -> ModelOutput:
            output = outputs(*args)
            return filled(await output if hasattr(output, "__await__") else output)

        return call
    if outputs is None:
        return lambda *_: filled(
            ModelOutput.from_content("mockllm/model", "Default output from mockllm/model")
        )
    return (filled(o) for o in outputs)


def openai_compatible_base() -> Any:
    """The engine's OpenAI-compatible provider class."""
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI

    return OpenAICompatibleAPI


def vllm_base() -> Any:
    """The engine's vLLM provider class, held to the address it was given.

    The engine keeps one address for a model's name and goes on using it: a second server of the same model, or the
    same one at a new port, would never be asked.
    """
    from inspect_ai.model._providers.vllm import VLLMAPI

    class OwnAddress(VLLMAPI):
        def _resolve_server(self) -> None:
            known = self._server
            if self._init_base_url and known.base_url not in (None, self._init_base_url):
                self._server = type(known)(enable_lora=known.enable_lora, max_lora_rank=known.max_lora_rank)
            super()._resolve_server()

    return OwnAddress


def google_base() -> Any:
    """The engine's Gemini provider class."""
    from inspect_ai.model._providers.google import GoogleGenAIAPI

    return GoogleGenAIAPI


def provider_names() -> set[str]:
    """Names of all providers the engine knows here, without package prefixes."""
    from inspect_ai._util.registry import registry_find, registry_info, registry_unqualified_name
    from inspect_ai.model._providers import providers as _builtin

    del _builtin  # imported for its registrations
    found = registry_find(lambda info: info.type == "modelapi")
    return {registry_unqualified_name(registry_info(f)) for f in found}
