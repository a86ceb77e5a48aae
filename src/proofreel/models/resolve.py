"""From a name to an engine model with every setting made explicit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from proofreel.models.cards import close_names, model_card
from proofreel.models.failure import MissingKey, UnknownModel
from proofreel.models.payload import Policy
from proofreel.video import Ledger

if TYPE_CHECKING:
    from inspect_ai.model import Model

DEFAULTS: dict[str, Any] = {
    "max_retries": 6,
    "attempt_timeout": 600,
    "max_connections": 8,
    "adaptive_connections": False,
}
"""Settings the engine leaves open (endless retries, no timeout, up to 100 connections), made explicit here."""

LOCAL_KEY = "not-needed"


def resolve_model(
    name: str,
    *,
    base_url: str | None = None,
    api_key_env: str | None = None,
    ledger: Ledger | None = None,
    role: str | None = None,
    deadline: float | None = None,
    on_limit: Policy = "refuse",
    video: bool | None = None,
    video_mode: Literal["auto", "clip", "file"] = "auto",
    model_args: dict[str, Any] | None = None,
    **config: Any,
) -> Model:
    """An engine model whose provider expands media references.

    Args:
        name: ``provider/model`` (``openai/gpt-5``, ``google/gemini-2.5-pro``, ``vllm/Qwen/Qwen3-VL-8B-Instruct``,
            ``openai-api/<service>/<model>``, ``mockllm/model``). With ``base_url`` a name without a known provider
            means an OpenAI-compatible server: ``resolve_model("Qwen/Qwen3-VL-8B-Instruct", base_url=...)``.
        base_url: address of the server.
        api_key_env: environment variable with the key, when it is not the provider's usual one.
        ledger: records what each call was shown.
        role: name in the ledger (main, perceiver, judge, ...).
        deadline: seconds for a whole call, retries included.
        on_limit: ``refuse`` or ``fit`` payloads that the model card does not allow.
        video: whether the server takes true video; None asks the card.
        video_mode: Gemini only: ``auto``, ``clip`` or ``file``.
        model_args: passed to the provider.
        config: the engine's ``GenerateConfig`` fields, over ``DEFAULTS``.

    Raises:
        UnknownModel: no such provider; the message suggests close names.
        MissingKey: the key's environment variable is not set; the message names it.
        ModelFailure: the provider refuses these settings.
    """
    from inspect_ai.model import GenerateConfig, get_model

    from proofreel.models.provider import ProofreelAPI

    inner = _inner_name(name.removeprefix("proofreel/"), base_url)
    key = None
    if api_key_env is not None:
        key = os.environ.get(api_key_env)
        if not key:
            raise MissingKey(inner, api_key_env)
    elif base_url is not None and inner.startswith("openai-api/") and not _service_key(inner):
        key = LOCAL_KEY  # servers of one's own rarely ask for a key
    own = (
        {"reasoning_summary": "none"} if inner.startswith("openai/") else {}
    )  # saves an unasked-for probe call
    settings = GenerateConfig(**{**DEFAULTS, **own, **config})
    model = get_model(
        f"proofreel/{inner}",
        config=settings,
        base_url=base_url,
        api_key=key,
        memoize=False,  # two calls with different ledgers must not share a model
        on_limit=on_limit,
        video=video,
        video_mode=video_mode,
        **(model_args or {}),
    )
    api = model.api
    if not isinstance(api, ProofreelAPI):
        raise UnknownModel(name, why="did not resolve to a provider of ours")
    api.ledger, api.role, api.deadline = ledger, role, deadline
    return model


def _service_key(inner: str) -> str | None:
    service = inner.split("/")[1]
    return os.environ.get(f"{service.upper().replace('-', '_')}_API_KEY")


def _inner_name(name: str, base_url: str | None) -> str:
    provider = name.partition("/")[0]
    if "/" in name and provider in _providers():
        return name
    if base_url is not None:
        return f"openai-api/local/{name}"
    card = model_card(name)
    if "/" not in name and card.known and card.name.split("/")[0] != "vllm":
        raise UnknownModel(name, (f"{card.name.split('/')[0]}/{name}",), "needs a provider in front")
    why = f"has an unknown provider {provider!r}" if "/" in name else "needs a provider in front"
    raise UnknownModel(name, close_names(name), why)


def _providers() -> set[str]:
    from proofreel.models.compat import provider_names

    return provider_names()
