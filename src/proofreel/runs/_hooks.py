"""The engine tells us every answered model call, whichever agent made it.

Loaded when the first item runs: the engine prints a banner about hooks it finds at its start.
"""

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelCacheUsageData, ModelUsageData, hooks
from inspect_ai.model import ModelUsage

from proofreel.core import TokenUse
from proofreel.models import CallUsage, current_state, model_card, price
from proofreel.runs.live import current_attempt


@hooks(name="proofreel_money", description="Books model calls of Proofreel runs")
class CallHooks(Hooks):
    """Books calls on the attempt they belong to; calls outside a run are left alone."""

    def enabled(self) -> bool:
        """Only inside an attempt."""
        return current_attempt.get() is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """A call that could take the run over its money is not made; the item is left for a resume."""
        attempt, state = current_attempt.get(), current_state()
        if attempt is not None and not attempt.may_call(state.call_id if state else "unknown"):
            attempt.scope.cancel()

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """A call was sent and answered."""
        _book(data.model_name, data.usage, data.call_duration, replayed=False)

    async def on_model_cache_usage(self, data: ModelCacheUsageData) -> None:
        """A call was answered from the response cache."""
        _book(data.model_name, data.usage, 0.0, replayed=True)


def _book(model: str, usage: ModelUsage, seconds: float, *, replayed: bool) -> None:
    attempt = current_attempt.get()
    if attempt is None:
        return
    name, state = model.removeprefix("proofreel/"), current_state()
    used = CallUsage.of(usage, state.modalities if state else None)
    use = TokenUse(
        prompt=used.prompt,
        completion=used.completion,
        reasoning=used.reasoning,
        cached=used.cached,
        calls=1,
        retries=max(state.attempts - 1, 0) if state else 0,
        cost_usd=price(model_card(name), used),
    )
    attempt.answered(
        call_id=state.call_id if state else "unknown",
        model=name,
        role=(state.role if state else None) or "main",
        use=use,
        seconds=seconds,
        replayed=replayed,
        served=state.served if state else None,
    )
