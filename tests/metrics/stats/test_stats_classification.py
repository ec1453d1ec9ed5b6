"""Shares and their intervals."""

import numpy as np
import pytest
from scipy import stats

from metrics.stats import classification

NAN = np.nan


@pytest.mark.parametrize(
    ("k", "n", "expected"), [(45, 60, (0.627679, 0.842235)), (0, 10, (0, 0.277533)), (10, 10, (0.722467, 1))]
)
def test_wilson(k, n, expected):
    assert classification.wilson_interval(k, n) == pytest.approx(expected, abs=1e-6)


def test_wilson_equals_scipy():
    for n in (1, 2, 7, 300):
        for k in range(0, n + 1, max(n // 5, 1)):
            theirs = stats.binomtest(k, n).proportion_ci(confidence_level=0.9, method="wilson")
            assert classification.wilson_interval(k, n, level=0.9) == pytest.approx(tuple(theirs), abs=1e-12)


def test_wilson_of_no_trials_is_undefined():
    assert np.isnan(classification.wilson_interval(0, 0)).all()


@pytest.mark.parametrize(("k", "n"), [(3, 2), (-1, 2)])
def test_wilson_refuses_what_is_no_share(k, n):
    with pytest.raises(ValueError, match="is no share"):
        classification.wilson_interval(k, n)


def test_share_of_independent_rows_has_wilson_limits():
    found = classification.share([True] * 45 + [False] * 15)
    assert (found.value, found.n, found.method) == (0.75, 60, "Wilson")
    assert (found.low, found.high) == classification.wilson_interval(45, 60)


def test_share_of_clusters_is_wider_than_that_of_rows():
    flags = np.repeat(np.random.default_rng(0).integers(2, size=50), 6)
    rows = classification.share(flags)
    clusters = classification.share(flags, clusters=np.arange(300) // 6)
    assert clusters.value == rows.value
    assert clusters.n_clusters == 50
    assert clusters.high - clusters.low > 2 * (rows.high - rows.low)
    assert clusters.method.startswith("percentile bootstrap")


def test_share_of_clusters_of_unequal_size_is_a_ratio():
    found = classification.share([1, 1, 1, 0], clusters=["a", "a", "a", "b"])
    assert (found.value, found.low, found.high) == (0.75, 0, 1)


def test_missing_flags_are_counted():
    found = classification.share([1, NAN, 0, NAN])
    assert (found.value, found.n, found.exclusions) == (0.5, 2, {"flags missing": 2})


def test_no_rows_is_undefined():
    found = classification.share([NAN])
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.undefined_reason == "There are no rows."


def test_no_resamples_no_interval():
    assert np.isnan(classification.share([1, 0], resamples=0).low)


def test_other_numbers_are_refused_with_their_place():
    with pytest.raises(ValueError, match=r"flags\[1\] is 2; 1, 0 or nan expected"):
        classification.share([1, 2])
    with pytest.raises(ValueError, match=r"flags\[0\] is inf"):
        classification.share([np.inf, 1])
