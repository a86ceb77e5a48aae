"""Money: what a call cost by the card. An unknown price gives None, never 0."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from proofreel.core import TokenUse
from proofreel.core._base import Record
from proofreel.models.card import ModelCard, PriceBand


class CallUsage(Record):
    """Tokens of one call as billed.

    Attributes:
        prompt: all prompt tokens, cached ones included.
        cached: prompt tokens read from the provider's cache.
        cache_write: prompt tokens written to it.
        completion: output tokens, reasoning included.
        reasoning: the part of ``completion`` spent on reasoning.
        modalities: prompt tokens by kind (``text``, ``image``, ``video``, ``audio``) where the server says so.
    """

    prompt: int = Field(default=0, ge=0)
    cached: int = Field(default=0, ge=0)
    cache_write: int = Field(default=0, ge=0)
    completion: int = Field(default=0, ge=0)
    reasoning: int = Field(default=0, ge=0)
    modalities: dict[str, int] = Field(default_factory=dict)

    @classmethod
    def of(cls, usage: Any, modalities: dict[str, int] | None = None) -> CallUsage:
        """From an engine ``ModelUsage`` (whose ``input_tokens`` leave the cached ones out) or a ``TokenUse``."""
        if isinstance(usage, CallUsage):
            return usage
        if isinstance(usage, TokenUse):
            return cls(
                prompt=usage.prompt,
                cached=usage.cached,
                completion=usage.completion,
                reasoning=usage.reasoning,
                modalities=modalities or {},
            )
        cached, written = usage.input_tokens_cache_read or 0, usage.input_tokens_cache_write or 0
        return cls(
            prompt=usage.input_tokens + cached + written,
            cached=cached,
            cache_write=written,
            completion=usage.output_tokens,
            reasoning=usage.reasoning_tokens or 0,
            modalities=modalities or {},
        )


def price(card: ModelCard, usage: Any) -> float | None:
    """US dollars for one call, None while any price it needs is unknown.

    The band is chosen by the whole prompt of this one call (so sums of calls must not be priced at once), and
    holds for all of its tokens. Cached tokens are priced at the cached rate whatever their kind; of the fresh
    ones, kinds with a price of their own are taken out first.

    Args:
        card: the model's card.
        usage: ``CallUsage``, the engine's ``ModelUsage``, or the ``TokenUse`` of a single call.
    """
    use = CallUsage.of(usage)
    band = card.band(use.prompt)
    if band is None:
        return None
    fresh = max(use.prompt - use.cached - use.cache_write, 0)
    parts: list[tuple[int, float | None]] = [(use.cached, band.cached), (use.completion, band.output)]
    parts.append((use.cache_write, band.cache_write if band.cache_write is not None else band.input))
    for kind, own in _own_rates(band).items():
        tokens = min(use.modalities.get(kind, 0), fresh)
        fresh -= tokens
        parts.append((tokens, own))
    parts.append((fresh, band.input))
    total = 0.0
    for count, rate in parts:
        if not count:
            continue
        if rate is None:
            return None
        total += count * rate / 1e6
    return total


def _own_rates(band: PriceBand) -> dict[str, float]:
    named = {"audio": band.audio_input, "video": band.video_input, "image": band.image_input}
    return {kind: rate for kind, rate in named.items() if rate is not None}
