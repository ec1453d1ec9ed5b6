"""Correlations: fixtures, oracles and properties of the values; intervals are in test_stats_bootstrap.py."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.stats import correlation

GOLDEN = Path(__file__).resolve().parents[3] / "../shared/golden"
NAN = np.nan
ORACLES = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall_tau_b": stats.kendalltau,
}

# Four systems (rows) on six items, gold and two metrics.
GOLD = np.array([[1, 1, 0, 1, 0, 1], [1, 0, 0, 1, 0, 1], [0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1]]).ravel()
METRICS = {
    "A": ".9 .8 .4 .7 .3 .9 .8 .5 .2 .9 .4 .6 .3 .6 .1 .7 .2 .8 .4 .2 .3 .1 .2 .7",
    "B": ".6 .7 .5 .4 .6 .7 .7 .2 .6 .5 .1 .6 .5 .4 .3 .6 .4 .3 .2 .5 .4 .3 .3 .6",
}
SCORES = {key: np.array(text.split(), dtype=float) for key, text in METRICS.items()}
IDS = {"items": np.tile(np.arange(6), 4), "systems": np.repeat(["s1", "s2", "s3", "s4"], 6)}


def oracle(statistic, gold, scores):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(ORACLES[statistic](gold, scores).statistic)


def values(gold, scores, **options):
    found = correlation.correlations(gold, scores, resamples=0, **options)
    return {key: estimate.value for key, estimate in found.items()}


@pytest.mark.parametrize(
    ("metric", "statistic", "grouping", "expected"),
    [
        ("A", "pearson", "pooled", 0.8839657),
        ("B", "pearson", "pooled", 0.5613627),
        ("A", "spearman", "pooled", 0.8545154),
        ("B", "spearman", "pooled", 0.5765767),
        ("A", "kendall_tau_b", "pooled", 0.7385681),
        ("B", "kendall_tau_b", "pooled", 0.5084169),
        ("A", "pearson", "by_item", 0.8920548),
        ("B", "pearson", "by_item", 0.7923404),
        ("A", "pearson", "by_system", 0.8709781),
        ("B", "pearson", "by_system", 0.4598294),
        ("A", "pearson", "system_level", 0.9979654),
        ("B", "pearson", "system_level", 0.9326734),
    ],
)
def test_four_systems_on_six_items(metric, statistic, grouping, expected):
    function = getattr(correlation, statistic)
    estimate = function(GOLD, SCORES[metric], grouping=grouping, resamples=0, **IDS)
    assert estimate.value == pytest.approx(expected, abs=1e-7)
    assert estimate.grouping == grouping


def test_groups_used_and_skipped_are_reported():
    by_item = correlation.pearson(GOLD, SCORES["A"], grouping="by_item", resamples=0, **IDS)
    assert (by_item.n_groups, by_item.n_groups_skipped) == (3, 3)
    assert (by_item.n, by_item.exclusions) == (12, {"in a constant item": 12})
    assert "Mean over 3 of 6 items" in by_item.note
    by_system = correlation.pearson(GOLD, SCORES["A"], grouping="by_system", resamples=0, **IDS)
    assert (by_system.n_groups, by_system.n_groups_skipped, by_system.n) == (4, 0, 24)


def test_golden_correlations():
    path = GOLDEN / "correlations.json"
    if not path.exists():
        pytest.skip("the shared golden files are not beside the checkout")
    for case in json.loads(path.read_text())["cases"]:
        for statistic, value in values(case["human"], case["metric"]).items():
            expected = NAN if case[statistic] is None else case[statistic]
            assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)


def random_rows(seed):
    """Rows with ties on either side, from binary to continuous, some missing."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    gold = rng.integers(int(rng.integers(2, 7)), size=n).astype(float)
    if seed % 3 == 0:
        gold = rng.normal(size=n)
    scores = np.round(gold * rng.normal() + rng.normal(size=n), int(rng.integers(0, 8)))
    gold[rng.random(n) < 0.1] = NAN
    scores[rng.random(n) < 0.1] = NAN
    ids = {"items": rng.integers(max(n // 4, 1), size=n), "systems": rng.integers(5, size=n)}
    return gold, scores, ids


def test_pooled_equals_scipy():
    n_compared = 0
    for seed in range(300):
        gold, scores, _ = random_rows(seed)
        kept = ~np.isnan(gold + scores)
        if np.ptp(gold[kept]) and np.ptp(scores[kept]):
            expected = {key: oracle(key, gold[kept], scores[kept]) for key in ORACLES}
            assert values(gold, scores) == pytest.approx(expected, abs=1e-9)
            n_compared += 1
    assert n_compared > 250


@pytest.mark.parametrize("grouping", ["by_item", "by_system"])
def test_grouped_equals_scipy_group_by_group(grouping):
    for seed in range(100):
        gold, scores, ids = random_rows(seed)
        key = {"by_item": "items", "by_system": "systems"}[grouping]
        rows = pd.DataFrame({"gold": gold, "score": scores, "group": ids[key]}).dropna()
        usable = [g for _, g in rows.groupby("group") if np.ptp(g.gold) and np.ptp(g.score)]
        expected = {
            statistic: np.mean([oracle(statistic, g.gold, g.score) for g in usable]) if usable else NAN
            for statistic in ORACLES
        }
        found = values(gold, scores, grouping=grouping, **ids)
        assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_system_level_equals_scipy_on_the_means():
    for seed in range(100):
        gold, scores, ids = random_rows(seed)
        rows = pd.DataFrame({"gold": gold, "score": scores, "system": ids["systems"]}).dropna()
        means = rows.groupby("system").mean().round(12)
        if len(means) < 3 or not np.ptp(means.gold) or not np.ptp(means.score):
            continue
        expected = {key: oracle(key, means.gold, means.score) for key in ORACLES}
        assert values(gold, scores, grouping="system_level", **ids) == pytest.approx(expected, abs=1e-9)


def test_two_systems_with_equal_means_stay_tied_in_spite_of_float_noise():
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last bit."""
    scores = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.9, 0.9, 0.9]
    gold = [0, 0, 1, 1, 1, 0, 1, 1, 1]
    systems = ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    tau = correlation.kendall_tau_b(gold, scores, grouping="system_level", systems=systems, resamples=0)
    assert tau.value == pytest.approx(stats.kendalltau([1, 2, 3], [1, 1, 2]).statistic)


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5)), min_size=0, max_size=30)


@settings(max_examples=80, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_order_of_rows_and_swapping_the_sides_do_not_matter(rows, random):
    gold, scores = np.array(rows, dtype=float).reshape(-1, 2).T
    order = random.sample(range(len(rows)), len(rows))
    expected = values(gold, scores)
    assert values(gold[order], scores[order]) == pytest.approx(expected, nan_ok=True)
    assert values(scores, gold) == pytest.approx(expected, nan_ok=True)


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_doubling_the_data_does_not_matter(rows):
    gold, scores = np.array(rows, dtype=float).reshape(-1, 2).T
    doubled = values(np.tile(gold, 2), np.tile(scores, 2))
    assert doubled == pytest.approx(values(gold, scores), nan_ok=True)


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_ranks_ignore_monotone_transformations_and_signs_turn(rows):
    gold, scores = np.array(rows, dtype=float).reshape(-1, 2).T
    found = values(gold, scores)
    stretched, turned = values(gold, scores**3 + scores), values(gold, -scores)
    for key in ("spearman", "kendall_tau_b"):
        assert stretched[key] == pytest.approx(found[key], nan_ok=True)
    for key, value in found.items():
        assert turned[key] == pytest.approx(-value, nan_ok=True)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_two_binary_sides_have_one_correlation(rows):
    gold, scores = np.array(rows, dtype=float).reshape(-1, 2).T
    found = values(gold, scores)
    assert found["spearman"] == pytest.approx(found["pearson"], nan_ok=True)
    assert found["kendall_tau_b"] == pytest.approx(found["pearson"], nan_ok=True)


def test_pearson_of_large_numbers_with_a_small_spread():
    rng = np.random.default_rng(5)
    gold, scores = rng.normal(size=(2, 200))
    expected = values(gold, scores)["pearson"]
    assert values(gold + 1e9, scores - 1e9)["pearson"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_pearson_of_very_small_and_very_large_numbers(scale):
    scores = np.array([1.0, 3, 2, 5])
    expected = values([0, 1, 1, 2], scores)["pearson"]
    assert values([0, 1, 1, 2], scores * scale)["pearson"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("gold", "scores", "sentence"),
    [
        ([], [], "No row has both"),
        ([NAN, 1], [1, NAN], "No row has both"),
        ([1], [0.5], "one pair only"),
        ([1, 1, 1], [0.1, 0.2, 0.3], "For every pair the gold label is 1"),
        ([0, 1, 0], [0.5, 0.5, 0.5], "For every pair the score is 0.5"),
        ([0, 0], [0.5, 0.5], "the gold label is 0 and the score is 0.5"),
    ],
)
def test_undefined_with_a_sentence(gold, scores, sentence):
    for estimate in correlation.correlations(gold, scores).values():
        assert np.isnan([estimate.value, estimate.low, estimate.high]).all()
        assert sentence in estimate.undefined_reason


def test_no_usable_group():
    found = correlation.spearman([1, 1, 0, 0], [1, 2, 3, 4], grouping="by_item", items=[1, 1, 2, 2])
    assert found.undefined_reason == "No item has both differing gold labels and differing scores."
    assert (found.n, found.n_excluded, found.n_groups, found.n_groups_skipped) == (0, 4, 0, 2)


def test_no_rows_at_every_level():
    for grouping in correlation.GROUPINGS:
        found = correlation.pearson([NAN], [1], grouping=grouping, items=["a"], systems=["s"])
        assert found.undefined_reason == "No row has both a gold label and a score."
        assert found.exclusions == {"gold missing": 1}


def test_system_level_needs_three_systems_that_differ():
    two = correlation.pearson([0, 1], [0, 1], grouping="system_level", systems=["a", "b"])
    assert "at least three" in two.undefined_reason
    flat = correlation.pearson(
        [0, 1] * 3, [1, 2, 3, 4, 5, 6], grouping="system_level", systems=list("aabbcc")
    )
    assert flat.undefined_reason.startswith("For every system the mean gold label is 0.5")


def test_two_pairs_are_defined_with_a_warning():
    found = correlation.pearson([0, 1], [0.3, 0.2], resamples=0)
    assert found.value == -1
    assert "Two pairs always" in found.note


def test_missing_sides_are_counted_apart():
    gold = [1, NAN, 0, NAN, 1, 0]
    scores = [0.5, 0.4, NAN, NAN, 0.7, 0.1]
    found = correlation.pearson(gold, scores, resamples=0)
    assert found.n == 3
    assert found.exclusions == {"gold missing": 1, "score missing": 1, "gold and score missing": 1}
    assert found.n_excluded == 3


def test_infinite_values_are_refused_with_their_place():
    with pytest.raises(ValueError, match=r"scores\[1\] is -inf"):
        correlation.pearson([1, 0], [0.1, -np.inf])
    with pytest.raises(ValueError, match=r"gold\[0\] is inf"):
        correlation.pearson([np.inf, 0], [0.1, 0.2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grouping": "by_item"}, "'by_item' needs items="),
        ({"grouping": "by_system"}, "'by_system' needs systems="),
        ({"grouping": "system_level"}, "'system_level' needs systems="),
        ({"grouping": "item"}, "choose one of pooled, by_item, by_system, system_level"),
        ({"items": ["a"]}, "items has 1 entries; 3 expected"),
        ({"clusters": ["a", None, "b"]}, r"clusters\[1\] is missing"),
        ({"statistics": ["tau"]}, "choose one of pearson, spearman, kendall_tau_b"),
        ({"level": 95}, "level is 95"),
        ({"resamples": -1}, "resamples is -1"),
    ],
)
def test_wrong_use_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        correlation.correlations([1, 0, 1], [0.1, 0.2, 0.3], **options)


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="gold has 2 rows and scores 3"):
        correlation.pearson([1, 0], [0.1, 0.2, 0.3])


def test_ids_of_mixed_kinds_stay_apart():
    ids = [1, "1", 1, "1", (1, 2), (1, 2)]
    found = correlation.pearson([0, 0, 1, 1, 0, 1], [1, 5, 2, 4, 7, 9], grouping="by_item", items=ids)
    assert (found.n_groups, found.value) == (3, pytest.approx(1 / 3))


def test_series_with_their_own_index_are_read_by_position():
    gold = pd.Series([1, 0, 1, None], index=[9, 8, 7, 6], dtype="Float64")
    found = correlation.pearson(
        gold, pd.Series([0.9, 0.1, 0.7, 0.2]), items=pd.Series(list("abcd")), resamples=0
    )
    assert found.n == 3


def test_two_binary_sides_are_pointed_out():
    assert "phi" in correlation.spearman([0, 1, 1, 0], [1, 1, 0, 0], resamples=0).note
