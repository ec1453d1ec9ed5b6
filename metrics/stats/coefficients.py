"""The formulas of agreement, on weighted rating patterns.

Every formula takes patterns and weights of shape (patterns, replicates), and gives one value per replicate,
nan where it is undefined. The figure itself is the replicate whose weights are the counts. Sums are kept as
whole numbers until the last division, so that a kappa of 0 or 1 is exactly that.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse  # type: ignore[import-untyped, unused-ignore]

from metrics.stats.inputs import FloatArray, IntArray
from metrics.stats.patterns import RatingPatterns

Formula = Callable[[RatingPatterns, FloatArray], FloatArray]


def percent_agreement(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    return _divide(_agreement(patterns) @ weights, patterns.is_paired @ weights)


def fleiss_mean(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    return _correct(percent_agreement(patterns, weights), _pooled_chance(patterns, weights))


def fleiss_pooled(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    observed = _divide(patterns.n_equal @ weights, patterns.n_pairs @ weights)
    return _correct(observed, _pooled_chance(patterns, weights))


def fleiss_generalised(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    chance = (_unit_shares(patterns, weights) ** 2).sum(axis=0)
    return _correct(percent_agreement(patterns, weights), chance)


def cohen(power: int) -> Formula:
    """Disagreement of two categories = distance of their positions to the power 0, 1 or 2."""

    def formula(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
        first, second = patterns.codes.T
        both = patterns.is_paired > 0
        counts = weights[both]
        distance = np.abs(first - second)[both].astype(np.float64)
        cost = (distance > 0).astype(np.float64) if power == 0 else distance**power
        n_categories = len(patterns.categories)
        row, column = (_margin(codes[both], counts, n_categories) for codes in (first, second))
        expected = _expected_cost(row, column, power)
        return 1 - _divide(counts.sum(axis=0) * (cost @ counts), expected)

    return formula


def gwet(power: int) -> Formula:
    """AC1 for power 0; AC2 with linear or quadratic weights for power 1 or 2."""

    def formula(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
        q = len(patterns.categories)
        if q < 2:
            return np.full(weights.shape[1], np.nan)
        observed = _divide(_weighted_agreement(patterns, power) @ weights, patterns.is_paired @ weights)
        shares = _unit_shares(patterns, weights)
        spread = (shares * (1 - shares)).sum(axis=0)
        return _correct(observed, _sum_of_weights(q, power) / (q * (q - 1)) * spread)

    return formula


def alpha_nominal(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    totals = _pooled_labels(patterns, weights)
    expected = totals.sum(axis=0) ** 2 - (totals**2).sum(axis=0)
    return _alpha(_per_other_label(patterns, patterns.n_pairs - patterns.n_equal) @ weights, expected, totals)


def alpha_interval(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    totals = _pooled_labels(patterns, weights)
    values = patterns.categories - patterns.categories.mean()
    squares = patterns.sizes * patterns.sum_over_labels(values**2) - patterns.sum_over_labels(values) ** 2
    expected = totals.sum(axis=0) * (values**2 @ totals) - (values @ totals) ** 2
    return _alpha(_per_other_label(patterns, squares) @ weights, expected, totals)


def alpha_ordinal(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    """Alpha for interval data, on the midranks of the labels.

    Krippendorff's ordinal distance, the labels between c and k counting half of those at c and k, is the
    difference of the two midranks; these change with every replicate.
    """
    totals = _pooled_labels(patterns, weights)
    n = totals.sum(axis=0)
    ranks = np.cumsum(totals, axis=0) - totals / 2 - n / 2
    squares = patterns.sizes[:, None] * patterns.sum_over_labels(ranks**2)
    squares -= patterns.sum_over_labels(ranks) ** 2
    observed = (_per_other_label(patterns, np.ones(len(weights)))[:, None] * squares * weights).sum(axis=0)
    return _alpha(observed, n * (ranks**2 * totals).sum(axis=0) - (ranks * totals).sum(axis=0) ** 2, totals)


def alpha_ratio(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    totals = _pooled_labels(patterns, weights)
    values = patterns.categories
    if (values < 0).any():
        raise ValueError(f"Ratio alpha needs categories of 0 or more; {values.min():g} is among them.")
    sums = values[:, None] + values
    distances = ((values[:, None] - values) / np.where(sums > 0, sums, 1)) ** 2
    # Halved, as in the two alphas above: every pair of labels once.
    squares = patterns.labels.multiply(patterns.labels @ distances).sum(axis=1) / 2
    expected = (totals * (distances @ totals)).sum(axis=0) / 2
    return _alpha(_per_other_label(patterns, squares) @ weights, expected, totals)


def _divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def _correct(observed: FloatArray, chance: FloatArray) -> FloatArray:
    """(observed - chance) / (1 - chance)."""
    return 1 - _divide(1 - observed, 1 - chance)


def _agreement(patterns: RatingPatterns) -> FloatArray:
    """Share of equal pairs within each pattern, 0 for patterns without pairs."""
    return np.asarray(patterns.n_equal / np.maximum(patterns.n_pairs, 1))


def _pooled_labels(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    """Labels per category, on units with at least two."""
    totals: FloatArray = patterns.paired_labels @ weights
    return totals


def _pooled_chance(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    totals = _pooled_labels(patterns, weights)
    return np.asarray((_divide(totals, totals.sum(axis=0)) ** 2).sum(axis=0))


def _unit_shares(patterns: RatingPatterns, weights: FloatArray) -> FloatArray:
    """Mean over units, single labels included, of the share of each category in the unit's labels."""
    per_unit = weights / patterns.sizes[:, None]
    shares: FloatArray = patterns.labels.T @ per_unit / weights.sum(axis=0)
    return shares


def _margin(codes: IntArray, counts: FloatArray, n_categories: int) -> FloatArray:
    """Labels of one rater per category."""
    place = (codes, np.arange(len(codes)))
    margin: FloatArray = sparse.csr_array((np.ones(len(codes)), place), (n_categories, len(codes))) @ counts
    return margin


def _expected_cost(row: FloatArray, column: FloatArray, power: int) -> FloatArray:
    """Sum over k and l of |k - l|**power row[k] column[l], without the table of all k and l."""
    n = row.sum(axis=0)
    if power == 0:
        return np.asarray(n**2 - (row * column).sum(axis=0))
    if power == 1:
        below, other = np.cumsum(row, axis=0), np.cumsum(column, axis=0)
        return np.asarray((below * (n - other) + other * (n - below)).sum(axis=0))
    position = np.arange(len(row), dtype=np.float64)
    squares = n * (position**2 @ row + position**2 @ column)
    return np.asarray(squares - 2 * (position @ row) * (position @ column))


def _weighted_agreement(patterns: RatingPatterns, power: int) -> FloatArray:
    """Mean over the pairs of each pattern of 1 - (distance / longest distance)**power."""
    if power == 0:
        return _agreement(patterns)
    q, sizes = len(patterns.categories), patterns.sizes
    position = np.arange(q, dtype=np.float64)
    if power == 1:
        labels = np.sort(patterns.codes, axis=1)[:, ::-1]
        place = np.arange(labels.shape[1])
        distance = (np.where(labels >= 0, labels, 0) * (sizes[:, None] - 1 - 2 * place)).sum(axis=1)
    else:
        distance = sizes * patterns.sum_over_labels(position**2) - patterns.sum_over_labels(position) ** 2
    mean = 2 * distance / np.maximum(patterns.n_pairs, 1)
    return np.asarray(patterns.is_paired * (1 - mean / (q - 1) ** power))


def _sum_of_weights(q: int, power: int) -> float:
    """Sum of the agreement weights over all q x q pairs of categories."""
    return {0: q, 1: q**2 - q * (q + 1) / 3, 2: q**2 - q**2 * (q + 1) / (6 * (q - 1))}[power]


def _per_other_label(patterns: RatingPatterns, values: FloatArray) -> FloatArray:
    """Values of each pattern over (labels - 1), 0 for patterns without pairs."""
    return np.asarray(patterns.is_paired * values / np.maximum(patterns.sizes - 1, 1))


def _alpha(observed: FloatArray, expected: FloatArray, totals: FloatArray) -> FloatArray:
    n = totals.sum(axis=0)
    is_varied = totals.max(axis=0, initial=0) < n
    return np.where(is_varied, 1 - _divide((n - 1) * observed, np.where(is_varied, expected, 0)), np.nan)


FORMULAS: dict[str, Formula] = {
    "percent_agreement": percent_agreement,
    "cohen_kappa": cohen(0),
    "cohen_kappa_linear": cohen(1),
    "cohen_kappa_quadratic": cohen(2),
    "scott_pi": fleiss_mean,
    "fleiss_kappa": fleiss_mean,
    "fleiss_kappa_pooled": fleiss_pooled,
    "fleiss_kappa_generalised": fleiss_generalised,
    "gwet_ac1": gwet(0),
    "gwet_ac2": gwet(2),
    "gwet_ac2_linear": gwet(1),
    "krippendorff_alpha_nominal": alpha_nominal,
    "krippendorff_alpha_ordinal": alpha_ordinal,
    "krippendorff_alpha_interval": alpha_interval,
    "krippendorff_alpha_ratio": alpha_ratio,
}
