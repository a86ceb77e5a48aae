"""Sampling the protocol fixes for open-weight planners (AgentVidBench 4.2); other models keep their own."""

from typing import Any


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
