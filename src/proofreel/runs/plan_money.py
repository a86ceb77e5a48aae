"""Tokens and money of a plan's calls, and who pays."""

import os
from collections.abc import Iterable, Mapping, Sequence

from proofreel.models.card import ModelCard
from proofreel.models.estimate import Facts, estimate_tokens
from proofreel.models.pricing import CallUsage, price
from proofreel.runs.plan_calls import Call
from proofreel.runs.plan_records import LEVELS, Level, Money, Payer, RoleTokens
from proofreel.video import ClipRef

KEYS = {
    "openai": ("OpenAI account", "OPENAI_API_KEY"),
    "anthropic": ("Anthropic account", "ANTHROPIC_API_KEY"),
    "google": ("Google AI account", "GOOGLE_API_KEY"),
    "mistral": ("Mistral account", "MISTRAL_API_KEY"),
    "grok": ("xAI account", "XAI_API_KEY"),
    "openrouter": ("OpenRouter account", "OPENROUTER_API_KEY"),
    "together": ("Together account", "TOGETHER_API_KEY"),
    "groq": ("Groq account", "GROQ_API_KEY"),
    "vllm": ("server of your own", None),
    "mockllm": ("nobody (scripted model)", None),
}


class Tally:
    """Sums of one role at one level; a price or rule that is unknown makes its sum unknown, never smaller."""

    def __init__(self, role: str, model: str, card: ModelCard, level: Level) -> None:
        self.role, self.model, self.card, self.level = role, model, card, level
        self.calls = self.completion = 0
        self.prompt: int | None = 0
        self.usd: float | None = 0.0

    def add(self, call: Call, facts: Mapping[str, Facts], times: int) -> None:
        """Books a call made ``times`` times."""
        self.calls += times
        self.completion += call.completion * times
        media = [(ref, estimate_tokens(self.card, ref, facts=facts[ref.video])) for ref in call.refs]
        if any(n is None for _, n in media) or self.prompt is None:
            self.prompt = self.usd = None
            return
        kinds: dict[str, int] = {}
        for ref, n in media:
            kind = "video" if isinstance(ref, ClipRef) else "image"
            kinds[kind] = kinds.get(kind, 0) + (n or 0)
        prompt = call.text + sum(kinds.values())
        self.prompt += prompt * times
        cost = price(self.card, CallUsage(prompt=prompt, completion=call.completion, modalities=kinds))
        self.usd = None if cost is None or self.usd is None else self.usd + cost * times

    def record(self) -> RoleTokens:
        """The sums."""
        return RoleTokens(
            role=self.role,
            model=self.model,
            level=self.level,
            calls=self.calls,
            prompt=self.prompt,
            completion=self.completion,
            usd=self.usd,
        )


def totals(roles: Sequence[RoleTokens]) -> list[Money]:
    """Sums over roles by level; unknown as soon as one role that makes calls is."""
    found = []
    for level in LEVELS:
        mine = [r for r in roles if r.level == level and r.calls]
        known = all(r.prompt is not None for r in mine)
        tokens = sum((r.prompt or 0) + r.completion for r in mine) if known else None
        costs = [r.usd for r in mine]
        usd = None if any(c is None for c in costs) else sum(c for c in costs if c is not None)
        found.append(Money(level=level, tokens=tokens, usd=usd))  # type: ignore[arg-type]
    return found


def payers(
    models: Mapping[str, Iterable[str]], cards: Mapping[str, ModelCard], base_url: str | None
) -> list[Payer]:
    """Who pays for each model: its account, the environment variable of its key, and where its price is from."""
    return [_payer(name, tuple(roles), cards[name], base_url) for name, roles in models.items()]


def _payer(name: str, roles: tuple[str, ...], card: ModelCard, base_url: str | None) -> Payer:
    provider = name.removeprefix("proofreel/").partition("/")[0]
    own = base_url is not None and provider not in KEYS
    if provider == "openai-api" and name.count("/") >= 2:
        service = name.removeprefix("proofreel/").split("/")[1]
        account, variable = f"service {service}", f"{service.upper().replace('-', '_')}_API_KEY"
        own = base_url is not None
    elif own:
        account, variable = "server of your own", None
    else:
        account, variable = KEYS.get(provider, (f"{provider} account", f"{provider.upper()}_API_KEY"))
    prices = f"{card.source}, {card.date}" if card.prices else "unknown: no price in the model card"
    if card.prices and not card.verified:
        prices += " (not verified)"
    return Payer(
        model=name,
        roles=roles,
        account="server of your own" if own else account,
        variable=None if own else variable,
        present=None if own or variable is None else bool(os.environ.get(variable)),
        prices=prices,
    )
