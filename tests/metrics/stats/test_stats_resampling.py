"""The general bootstrap and the permutation test."""

import numpy as np
import pytest
from scipy import stats

from metrics.stats import correlation, resampling

NAN = np.nan


def mean_difference(first, second):
    return float(np.mean(first) - np.mean(second))


def test_bootstrap_of_a_mean_is_as_wide_as_theory_says():
    values = np.random.default_rng(0).normal(size=400)
    found = resampling.cluster_bootstrap(np.mean, values, resamples=2000)
    assert found.value == pytest.approx(values.mean())
    assert found.high - found.low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.08)
    assert (found.statistic, found.n, found.n_clusters) == ("mean", 400, 400)


def test_clusters_stay_together():
    """Both rows of a cluster are always drawn with each other."""
    values = np.array([1.0, -1, 2, -2, 5, -5])

    def must_cancel(drawn):
        assert drawn.sum() == 0
        return float(np.abs(drawn).mean())

    found = resampling.cluster_bootstrap(must_cancel, values, clusters=list("aabbcc"), resamples=200)
    assert (found.low, found.n_clusters) == (pytest.approx(1.0), 3)


def test_clusters_of_unequal_size_in_any_order_of_rows():
    values, clusters = np.array([1, 7, 1, 7, 1, 4]), ["a", "b", "a", "b", "a", "c"]

    def whole(drawn):
        assert np.sum(drawn == 1) % 3 == 0
        assert np.sum(drawn == 7) % 2 == 0
        return float(np.mean(drawn))

    assert resampling.cluster_bootstrap(whole, values, clusters=clusters, resamples=200).n == 6


def test_the_general_and_the_fast_interval_agree():
    rng = np.random.default_rng(1)
    gold = rng.integers(2, size=300).astype(float)
    score, items = np.round(gold + rng.normal(size=300), 1), np.arange(300) // 3

    def spearman(x, y):
        return float(stats.spearmanr(x, y).statistic)

    general = resampling.cluster_bootstrap(spearman, gold, score, clusters=items, resamples=1500)
    fast = correlation.spearman(gold, score, items=items, resamples=4000)
    assert (fast.value, fast.n_clusters) == (pytest.approx(general.value), general.n_clusters)
    assert fast.low == pytest.approx(general.low, abs=0.015)
    assert fast.high == pytest.approx(general.high, abs=0.015)


def test_bootstrap_without_rows_and_with_an_undefined_statistic():
    empty = resampling.cluster_bootstrap(np.mean, np.array([]))
    assert (empty.undefined_reason, empty.n) == ("There are no rows.", 0)
    assert np.isnan(empty.value)
    undefined = resampling.cluster_bootstrap(lambda x: NAN, np.array([1.0, 2]))
    assert "undefined on these rows" in undefined.undefined_reason


def test_bootstrap_refuses_unequal_arrays_and_unknown_methods():
    with pytest.raises(ValueError, match="have 2, 3 rows"):
        resampling.cluster_bootstrap(np.mean, [1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="choose one of percentile"):
        resampling.cluster_bootstrap(np.mean, [1, 2], method="bca")


def test_paired_bootstrap_is_narrower_than_two_separate_ones():
    rng = np.random.default_rng(2)
    gold = rng.normal(size=300)
    common = gold + rng.normal(size=300)
    first, second = common + 0.1 * rng.normal(size=300), common + 0.9 * rng.normal(size=300)

    def pearson(x, y):
        return float(np.corrcoef(x, y)[0, 1])

    paired = resampling.paired_cluster_bootstrap(pearson, gold, first, second, resamples=400)
    alone = resampling.cluster_bootstrap(pearson, gold, first, resamples=400)
    assert paired.value == pytest.approx(pearson(gold, first) - pearson(gold, second))
    assert paired.high - paired.low < alone.high - alone.low
    assert paired.low > 0


def test_paired_bootstrap_uses_the_rows_that_both_scored():
    found = resampling.paired_cluster_bootstrap(
        lambda g, s: float(np.mean(g * s)), [1, 2, NAN, 4], [1, NAN, 1, 1], [1, 1, 1, 2], resamples=50
    )
    assert (found.n, found.value) == (2, pytest.approx((1 + 4) / 2 - (1 + 8) / 2))
    assert found.exclusions == {"gold missing": 1, "first missing": 1}
    same = resampling.paired_cluster_bootstrap(mean_difference, [1, 2, 3], [3, 4, 5], [3, 4, 5])
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_exact_sign_flips():
    """A on system 1 against B on system 1 of the four-system fixture."""
    first, second = [0.9, 0.8, 0.4, 0.7, 0.3, 0.9], [0.6, 0.7, 0.5, 0.4, 0.6, 0.7]
    found = resampling.permutation_test(mean_difference, first, second, alternative="greater")
    assert found.p_value == pytest.approx(0.265625)
    assert (found.is_exact, found.arrangements, found.seed) == (True, 64, None)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("kind", "scipy_kind"), [("paired", "samples"), ("independent", "independent")])
def test_exact_p_equals_scipy(kind, scipy_kind, alternative):
    rng = np.random.default_rng(3)
    for _ in range(10):
        first, second = rng.integers(0, 6, size=(2, 5)).astype(float)
        ours = resampling.permutation_test(mean_difference, first, second, kind=kind, alternative=alternative)
        theirs = stats.permutation_test(
            (first, second), mean_difference, permutation_type=scipy_kind, alternative=alternative
        )
        assert ours.is_exact
        assert ours.p_value == pytest.approx(theirs.pvalue)


def test_random_p_is_near_the_exact_one_and_never_zero():
    first, second = np.arange(12.0) + 2, np.arange(12.0)[::-1] / 2
    exact = resampling.permutation_test(mean_difference, first, second)
    drawn = resampling.permutation_test(mean_difference, first, second, resamples=2000)
    assert (exact.is_exact, drawn.is_exact, drawn.seed) == (True, False, 1960)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.01)
    huge = resampling.permutation_test(mean_difference, np.arange(40.0) + 1000, np.arange(40.0), resamples=99)
    assert huge.p_value == 1 / 100


def test_clusters_swap_and_are_dealt_as_a_whole():
    first, second = [2.0, 2, 2, 2], [1.0, 1, 1, 1]
    rows = resampling.permutation_test(mean_difference, first, second, alternative="greater")
    pairs = resampling.permutation_test(
        mean_difference, first, second, alternative="greater", clusters=list("aabb")
    )
    assert (rows.p_value, pairs.p_value) == (1 / 16, 1 / 4)
    dealt = resampling.permutation_test(
        mean_difference, first, second, kind="independent", alternative="greater", clusters=list("aabbccdd")
    )
    assert (dealt.p_value, dealt.arrangements) == (1 / 6, 6)


def test_a_cluster_in_both_groups_is_refused():
    with pytest.raises(ValueError, match="lies in both groups"):
        resampling.permutation_test(
            mean_difference, [1, 2], [3, 4], kind="independent", clusters=["a", "b", "b", "c"]
        )


def test_float_noise_does_not_lose_ties():
    """An exact tie of means that floats compute as two numbers: without tolerance p would be .5."""
    first, second = [0.3, 0.6, 0.8, 0.5], [0.7, 0.6, 0.6, 0.3]
    found = resampling.permutation_test(mean_difference, first, second, alternative="greater")
    assert found.p_value == pytest.approx(5 / 8)


def test_missing_values_and_no_rows():
    found = resampling.permutation_test(mean_difference, [1, NAN, 3], [0, 1, NAN])
    assert (found.n, found.exclusions) == (1, {"first missing": 1, "second missing": 1})
    empty = resampling.permutation_test(mean_difference, [NAN], [1])
    assert np.isnan(empty.p_value)
    assert empty.undefined_reason == "There are no rows."


def test_wrong_words_are_refused():
    with pytest.raises(ValueError, match="choose one of paired, independent"):
        resampling.permutation_test(mean_difference, [1], [2], kind="pairs")
    with pytest.raises(ValueError, match="choose one of two-sided, greater, less"):
        resampling.permutation_test(mean_difference, [1], [2], alternative="bigger")
