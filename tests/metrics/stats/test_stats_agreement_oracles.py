"""Agreement on hundreds of random tables, against independent implementations."""

import warnings

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from metrics.stats import agreement

TABLES = range(150)


def random_table(seed, *, missing=0.3, raters=None):
    """Raters who follow a common truth some of the time, with labels missing at random."""
    rng = np.random.default_rng(seed)
    n_units, n_raters = int(rng.integers(2, 25)), raters or int(rng.integers(2, 6))
    n_categories = int(rng.integers(2, 6))
    truth = rng.integers(n_categories, size=n_units)
    noise = rng.integers(n_categories, size=(n_units, n_raters))
    ratings = np.where(rng.random((n_units, n_raters)) < rng.random(), truth[:, None], noise).astype(float)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings, list(range(n_categories))


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_equals_krippendorff(metric):
    n_compared = 0
    for seed in TABLES:
        ratings, _ = random_table(seed)
        ours = agreement.krippendorff_alpha(ratings, metric=metric, resamples=0)
        try:
            with np.errstate(invalid="ignore"):
                theirs = krippendorff.alpha(ratings.T, level_of_measurement=metric)
        except ValueError:
            assert np.isnan(ours.value)
            continue
        assert ours.value == pytest.approx(theirs, abs=1e-9, nan_ok=True)
        n_compared += 1
    assert n_compared > 100


def test_fleiss_equals_statsmodels_on_complete_tables():
    for seed in TABLES:
        ratings, categories = random_table(seed, missing=0)
        counts = np.array([np.bincount(row.astype(int), minlength=len(categories)) for row in ratings])
        for convention in ("mean", "pooled", "generalised"):
            ours = agreement.fleiss_kappa(ratings, convention=convention, resamples=0)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                theirs = statsmodels_fleiss(counts)
            assert ours.value == pytest.approx(theirs, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohen_equals_scikit_learn(weights):
    n_compared = 0
    for seed in TABLES:
        ratings, categories = random_table(seed, raters=2)
        ours = agreement.cohen_kappa(ratings, weights=weights, categories=categories, resamples=0)
        both = ratings[~np.isnan(ratings).any(axis=1)].astype(int)
        if not len(both):
            assert np.isnan(ours.value)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = cohen_kappa_score(*both.T, labels=categories, weights=weights)
        assert ours.value == pytest.approx(theirs, abs=1e-9, nan_ok=True)
        assert ours.n == len(both)
        n_compared += 1
    assert n_compared > 100


def gwet_by_definition(ratings, categories, weight):
    """Gwet 2014, unit by unit and pair by pair."""
    q = len(categories)
    w = np.array([[weight(abs(k - m) / (q - 1)) for k in range(q)] for m in range(q)])
    rows = [[int(label) for label in row[~np.isnan(row)]] for row in ratings]
    per_unit = [
        np.mean([w[a, b] for i, a in enumerate(row) for j, b in enumerate(row) if i != j])
        for row in rows
        if len(row) > 1
    ]
    shares = np.mean([np.bincount(row, minlength=q) / len(row) for row in rows if row], axis=0)
    chance = w.sum() / (q * (q - 1)) * sum(p * (1 - p) for p in shares)
    return (np.mean(per_unit) - chance) / (1 - chance)


@pytest.mark.parametrize(
    ("function", "weight"),
    [
        (agreement.gwet_ac1, lambda d: float(d == 0)),
        (lambda r, **o: agreement.gwet_ac2(r, weights="linear", **o), lambda d: 1 - d),
        (agreement.gwet_ac2, lambda d: 1 - d**2),
    ],
    ids=["ac1", "ac2 linear", "ac2 quadratic"],
)
def test_gwet_equals_its_definition(function, weight):
    for seed in TABLES:
        ratings, categories = random_table(seed)
        if not ((~np.isnan(ratings)).sum(axis=1) > 1).any():
            continue
        ours = function(ratings, categories=categories, resamples=0)
        assert ours.value == pytest.approx(gwet_by_definition(ratings, categories, weight), abs=1e-9)


def test_pooled_fleiss_equals_its_definition():
    for seed in TABLES:
        ratings, _ = random_table(seed)
        rows = [row[~np.isnan(row)] for row in ratings]
        rows = [row for row in rows if len(row) > 1]
        pairs = [(a, b) for row in rows for i, a in enumerate(row) for j, b in enumerate(row) if i != j]
        if len({label for pair in pairs for label in pair}) < 2:
            continue
        observed = np.mean([a == b for a, b in pairs])
        _, counts = np.unique(np.concatenate(rows), return_counts=True)
        chance = ((counts / counts.sum()) ** 2).sum()
        ours = agreement.fleiss_kappa(ratings, convention="pooled", resamples=0)
        assert ours.value == pytest.approx((observed - chance) / (1 - chance), abs=1e-9)


def test_numeric_labels_with_many_distinct_values():
    """A scale in tenths takes the way of general numbers, not of small codes."""
    rng = np.random.default_rng(3)
    ratings = np.abs(np.round(rng.random((60, 1)) * 10 + rng.normal(size=(60, 4)), 1))
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    for metric in ("nominal", "ordinal", "interval", "ratio"):
        ours = agreement.krippendorff_alpha(ratings, metric=metric, resamples=0).value
        theirs = krippendorff.alpha(ratings.T, level_of_measurement=metric)
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_many_raters_with_two_labels_each_unit():
    rng = np.random.default_rng(4)
    ratings = np.full((400, 60), np.nan)
    for row in ratings:
        row[rng.choice(60, 2, replace=False)] = rng.integers(3) + (rng.random(2) < 0.2)
    ours = agreement.krippendorff_alpha(ratings, resamples=0).value
    assert ours == pytest.approx(krippendorff.alpha(ratings.T, level_of_measurement="nominal"), abs=1e-9)
