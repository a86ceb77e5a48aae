"""Conformance adapters: function name of a `stats_reference` vector -> callable from its input to its output.

No vector of this kind has a recommended value, so official and careful mode are the same here.
"""

from collections.abc import Callable, Mapping
from typing import Any

from proofreel.stats.auc import roc_auc
from proofreel.stats.correlation import kendall_tau_b, pearson
from proofreel.stats.discordant import McNemar, mcnemar, mcnemar_pooled
from proofreel.stats.fleiss import fleiss_kappa
from proofreel.stats.paired import paired_bootstrap
from proofreel.stats.ranks import rank_stability

Adapter = Callable[[Mapping[str, Any]], Any]


def _mcnemar(given: Mapping[str, Any]) -> dict[str, float]:
    test: McNemar = mcnemar(given["only_a"], given["only_b"])
    return {"exact_p": test.exact_p, "chi2_cc": test.chi2_cc, "chi2_cc_p": test.chi2_cc_p}


def _mcnemar_pooled(given: Mapping[str, Any]) -> dict[str, float]:
    pooled = mcnemar_pooled([(a, b) for a, b in given["pairs"]])
    return {
        "only_a": pooled.test.only_a,
        "only_b": pooled.test.only_b,
        "exact_p": pooled.test.exact_p,
        "settings_resolved": pooled.settings_resolved,
        "settings": pooled.settings,
    }


def _paired_bootstrap(given: Mapping[str, Any]) -> dict[str, float]:
    found = paired_bootstrap(
        given["a"], given["b"], level=given.get("level", 0.95), resamples=given.get("resamples", 10_000)
    )
    return {"diff": found.difference, "low": found.interval.low, "high": found.interval.high}


def _rank_stability(given: Mapping[str, Any]) -> dict[str, list[Any]]:
    found = rank_stability(given["scores"], resamples=given.get("resamples", 10_000))
    return {
        "p_rank1": [row.p_first for row in found.rows],
        "p_top3": [row.p_top3 for row in found.rows],
        "rank_interval_95": [[row.rank_low, row.rank_high] for row in found.rows],
    }


ADAPTERS: Mapping[str, Adapter] = {
    "kendall_tau_b": lambda given: kendall_tau_b(given["x"], given["y"]).value,
    "pearson_r": lambda given: pearson(given["x"], given["y"]).value,
    "roc_auc": lambda given: roc_auc(given["positive"], given["negative"]).value,
    "mcnemar": _mcnemar,
    "mcnemar_pooled": _mcnemar_pooled,
    "fleiss_kappa": lambda given: fleiss_kappa(given["ratings"]).value,
    "paired_bootstrap_ci": _paired_bootstrap,
    "rank_stability": _rank_stability,
}
