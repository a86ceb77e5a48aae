import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as reference_fleiss

from proofreel.stats import cohen_kappa, fleiss_kappa, krippendorff_alpha

# K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four observers, twelve units.
_ = None
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
UNITS = [list(unit) for unit in zip(*OBSERVERS, strict=True)]


@pytest.mark.parametrize(
    ("metric", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_against_published_example(metric, published: float) -> None:  # type: ignore[no-untyped-def]
    got = krippendorff_alpha(UNITS, metric)
    assert got.value == pytest.approx(published, abs=6e-4)
    assert got.n == 11  # the last unit has one rating and does not count


def test_alpha_missing_forms_and_order() -> None:
    with_nan = [[float("nan") if label is None else label for label in unit] for unit in UNITS]
    assert krippendorff_alpha(with_nan).value == krippendorff_alpha(UNITS).value
    words = [[None if label is None else "?abcde"[label] for label in unit] for unit in UNITS]
    by_order = krippendorff_alpha(words, "ordinal", order="abcde")
    assert by_order.value == pytest.approx(0.815, abs=6e-4)
    with pytest.raises(ValueError, match="numbers or an order"):
        krippendorff_alpha(words, "ordinal")
    with pytest.raises(ValueError, match="not listed"):
        krippendorff_alpha(words, "ordinal", order="abc")


def test_alpha_undefined() -> None:
    assert krippendorff_alpha([[1, None], [None, 2]]).reason == "no item has two ratings"
    assert krippendorff_alpha([[1, 1], [1, 1]]).value is None
    assert krippendorff_alpha([[1, 1], [2, 2]]).value == 1.0


def test_cohen_against_statsmodels() -> None:
    rng = np.random.default_rng(13)
    first = rng.integers(0, 4, 60)
    second = np.where(rng.random(60) < 0.6, first, rng.integers(0, 4, 60))
    table = np.zeros((4, 4))
    for a, b in zip(first, second, strict=True):
        table[a, b] += 1
    for weights, wt in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        got = cohen_kappa(first.tolist(), second.tolist(), weights, categories=[0, 1, 2, 3])  # type: ignore[arg-type]
        assert got.value == pytest.approx(cohens_kappa(table, wt=wt).kappa, abs=1e-12)


def test_cohen_by_hand_and_ends() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 0.7, chance 0.5, kappa 0.4.
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohen_kappa(first, second).value == pytest.approx(0.4)
    assert cohen_kappa(["a", "a"], ["a", "a"]).value is None
    with pytest.raises(ValueError, match="missing"):
        cohen_kappa(["a", None], ["a", "b"])
    with pytest.raises(ValueError, match="order"):
        cohen_kappa([1, 2], [1, 2], "linear")


def test_fleiss_against_statsmodels() -> None:
    rng = np.random.default_rng(14)
    truth = rng.integers(0, 5, 40)
    ratings = np.where(rng.random((40, 3)) < 0.7, truth[:, None], rng.integers(0, 5, (40, 3)))
    expected = reference_fleiss(aggregate_raters(ratings)[0])
    assert fleiss_kappa(ratings.tolist()).value == pytest.approx(expected, abs=1e-12)


def test_fleiss_ends() -> None:
    assert fleiss_kappa([["A", "A"], ["A", "A"]]).value is None
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa([["A", "A"], ["A"]])
    with pytest.raises(ValueError, match="krippendorff"):
        fleiss_kappa([["A", None], ["A", "B"]])
