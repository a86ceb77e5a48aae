"""Sampling the protocol fixes for open-weight planners (AgentVidBench 4.2); other models keep their own."""

from typing import Any

from proofreel.agents.agent import AgentContext
from proofreel.tools.model_call import model_name

THINKING_BUDGET = 8192


def main_config(ctx: AgentContext) -> dict[str, Any]:
    """Generation settings of the main model, from the options of an agent.

    ``temperature`` (0), ``thinking_budget`` (8192 tokens, None for the model's own), ``thinking`` (the model is served
    with thinking on) and ``config`` (further settings, which win).
    """
    options = ctx.options
    return {
        "temperature": main_temperature(ctx),
        "reasoning_tokens": options.get("thinking_budget", THINKING_BUDGET),
        **family_sampling(model_name(ctx.model), bool(options.get("thinking"))),
        **options.get("config", {}),
    }


def main_temperature(ctx: AgentContext) -> float:
    """The option ``temperature``, else what the run set for its models (``--generate temperature=0.7``), else 0."""
    told = getattr(getattr(ctx.model, "config", None), "temperature", None)
    return float(ctx.options.get("temperature", 0.0 if told is None else told))


def family_sampling(name: str, thinking: bool) -> dict[str, Any]:
    """Generation settings by model family, empty for families without a rule.

    Args:
        name: model name; a name that says ``thinking`` counts as thinking.
        thinking: the server runs the model with thinking on.
    """
    short = name.rsplit("/", 1)[-1].lower()
    thinking = thinking or "thinking" in short
    if short.startswith("qwen"):
        return {
            "top_p": 0.95 if thinking else 0.8,
            "max_tokens": 16384,
            "extra_body": {"top_k": 20, "repetition_penalty": 1.0 if thinking else 1.05},
        }
    if short.startswith("gemma"):
        longest = {"max_tokens": 32768} if thinking else {}
        return {"top_p": 0.95, "extra_body": {"top_k": 64}, **longest}
    return {}
