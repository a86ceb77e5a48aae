"""Statistics on arrays: pure functions, one measure per file.

Names are loaded on first use, so that importing this package costs no SciPy.
"""

from typing import TYPE_CHECKING

from proofreel._lazy import lazy_names

# Not lazy: the function must win over its module of the same name. It is light.
from proofreel.stats.wilson import Interval, wilson

if TYPE_CHECKING:
    from proofreel.stats.accuracy import Accuracy, accuracy_interval, accuracy_summary
    from proofreel.stats.auc import roc_auc
    from proofreel.stats.bootstrap import bootstrap_interval, bootstrap_intervals, bootstrap_means
    from proofreel.stats.coefficient import Coefficient
    from proofreel.stats.cohen import cohen_kappa
    from proofreel.stats.correlation import kendall_tau_b, pearson, spearman
    from proofreel.stats.design import DesignEffect, design_effect
    from proofreel.stats.discordant import McNemar, PooledMcNemar, mcnemar, mcnemar_pooled
    from proofreel.stats.exact import clopper_pearson
    from proofreel.stats.fleiss import fleiss_kappa
    from proofreel.stats.judge_error import JudgeCorrected, judge_corrected
    from proofreel.stats.krippendorff import krippendorff_alpha
    from proofreel.stats.mean import Mean, mean_interval
    from proofreel.stats.missing import MissingBounds, missing_bounds
    from proofreel.stats.multiplicity import holm
    from proofreel.stats.paired import PairedDifference, paired_bootstrap
    from proofreel.stats.passes import PassAtK, pass_at_k
    from proofreel.stats.permutation import Permutation, permutation_test
    from proofreel.stats.power import (
        DetectableDifference,
        minimum_detectable_difference,
        paired_power,
        required_items,
    )
    from proofreel.stats.ranks import RankRow, RankStability, rank_stability
    from proofreel.stats.sign_flip import SignFlip, sign_flip_test

_PLACES = {
    "accuracy": ("Accuracy", "accuracy_interval", "accuracy_summary"),
    "auc": ("roc_auc",),
    "bootstrap": ("bootstrap_interval", "bootstrap_intervals", "bootstrap_means"),
    "coefficient": ("Coefficient",),
    "cohen": ("cohen_kappa",),
    "correlation": ("kendall_tau_b", "pearson", "spearman"),
    "design": ("DesignEffect", "design_effect"),
    "exact": ("clopper_pearson",),
    "fleiss": ("fleiss_kappa",),
    "judge_error": ("JudgeCorrected", "judge_corrected"),
    "krippendorff": ("krippendorff_alpha",),
    "discordant": ("McNemar", "PooledMcNemar", "mcnemar", "mcnemar_pooled"),
    "mean": ("Mean", "mean_interval"),
    "missing": ("MissingBounds", "missing_bounds"),
    "multiplicity": ("holm",),
    "paired": ("PairedDifference", "paired_bootstrap"),
    "passes": ("PassAtK", "pass_at_k"),
    "permutation": ("Permutation", "permutation_test"),
    "power": ("DetectableDifference", "minimum_detectable_difference", "paired_power", "required_items"),
    "ranks": ("RankRow", "RankStability", "rank_stability"),
    "sign_flip": ("SignFlip", "sign_flip_test"),
}
_HOME = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Accuracy",
    "Coefficient",
    "DesignEffect",
    "DetectableDifference",
    "Interval",
    "JudgeCorrected",
    "McNemar",
    "Mean",
    "MissingBounds",
    "PairedDifference",
    "PassAtK",
    "Permutation",
    "PooledMcNemar",
    "RankRow",
    "RankStability",
    "SignFlip",
    "accuracy_interval",
    "accuracy_summary",
    "bootstrap_interval",
    "bootstrap_intervals",
    "bootstrap_means",
    "clopper_pearson",
    "cohen_kappa",
    "design_effect",
    "fleiss_kappa",
    "holm",
    "judge_corrected",
    "kendall_tau_b",
    "krippendorff_alpha",
    "mcnemar",
    "mcnemar_pooled",
    "mean_interval",
    "minimum_detectable_difference",
    "missing_bounds",
    "paired_bootstrap",
    "paired_power",
    "pass_at_k",
    "pearson",
    "permutation_test",
    "rank_stability",
    "required_items",
    "roc_auc",
    "sign_flip_test",
    "spearman",
    "wilson",
]


__getattr__ = lazy_names(__name__, _HOME)
